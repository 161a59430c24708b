//! What the search has found broken, as stories.

use super::{Invariant, Search, moves::Move, state::State, timed};
use crate::reliable_loop::WorkerId;
use alloc::vec::Vec;

/// How many stories are told at one depth, to choose the shortest from.
const MOST_TOLD: u32 = 500;

impl Search {
    /// Makes a story of a break for each of these invariants, or drops it. Of breaks equally deep the one with the
    /// shortest story is kept.
    pub(super) fn tell(&mut self, broken: u8, found_by: (u32, u8)) {
        let path = self.path(found_by);
        for invariant in Invariant::ALL.into_iter().filter(|invariant| broken & invariant.bit() != 0) {
            let fresh = self.fresh & invariant.bit() != 0;
            if fresh && self.told >= MOST_TOLD {
                continue;
            }
            self.told += 1;
            let jobs = self.transitions.parts.jobs();
            let Some(story) = timed::tell(&self.setup, jobs, &path, invariant) else {
                if !fresh {
                    self.dropped.push(invariant);
                }
                continue;
            };
            self.fresh |= invariant.bit();
            let known = self.stories.iter_mut().find(|(known, _)| *known == invariant);
            let Some((_, known)) = known else {
                self.stories.push((invariant, timed::tidy(story, invariant)));
                continue;
            };
            if story.tokens.len() <= known.tokens.len() {
                let story = timed::tidy(story, invariant);
                if timed::is_better(&story, known) {
                    *known = story;
                }
            }
        }
    }

    /// The moves from the beginning up to and with this one, with the names of the workers.
    fn path(&mut self, found_by: (u32, u8)) -> Vec<(Move, WorkerId)> {
        let mut codes = Vec::new();
        let (mut at, mut code) = found_by;
        loop {
            codes.push(code);
            if at == 0 {
                break;
            }
            (at, code) = self.found_by.get(at as usize).copied().unwrap_or_default();
        }
        let Some(begin) = self.states.first() else { return Vec::new() };
        let mut state = State::unpack(*begin);
        let mut names = core::array::from_fn(|slot| slot as u8 + 1);
        let mut path = Vec::new();
        for code in codes.into_iter().rev() {
            let of = Move::of_code(code);
            path.push((of, WorkerId(names.get(usize::from(of.at)).copied().unwrap_or(1))));
            (state, _) = self.transitions.after(&state, of);
            self.transitions.sort(&mut state, &mut names);
        }
        path
    }
}
