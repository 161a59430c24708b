//! Breadth first over every schedule within bounds: the shortest story that breaks an invariant, or none, over how many
//! states.
//!
//! Time is left out of a state: a lock can expire at any moment unless a live, unfrozen owner renews it, a sweep can be
//! effective and a wait can end at any moment. That covers every timing, so "none" means none. A break is told as a
//! story with its durations and run by the exact reducer before anybody sees it; one that the exact reducer does not
//! come to is dropped, and the search goes on.

mod bounds;
mod calm;
mod found;
mod moves;
mod parts;
mod shared;
mod state;
mod table;
#[cfg(test)]
mod tests;
mod timed;
mod transition;

pub use bounds::Bounds;

use super::Invariant;
use crate::{
    reliable_loop::{Life, Setup},
    story::Story,
};
use alloc::vec::Vec;
use calm::Calm;
use moves::Move;
use serde::Serialize;
use state::{MOST_WORKERS, State};
use table::{Places, fold};
use transition::Transitions;

/// How far a search is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Progress {
    /// Everything within the bounds has been looked at, or a bound has cut the search.
    pub done: bool,
    /// Different states found so far.
    pub states: u32,
    /// How many of them have been left in every way that there is.
    pub expanded: u32,
    /// How many actions the last of them is from the beginning.
    pub depth: u32,
    /// What cut the search, if a bound did: then there are states that nobody has looked at.
    pub cut: Option<Cut>,
    /// What it keeps, in bytes.
    pub bytes: usize,
}

/// What cut a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cut {
    /// There are longer schedules than [`Bounds::depth`].
    Depth,
    /// There are more states than [`Bounds::states`], or than the search can number.
    Memory,
}

/// What a search says about one invariant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The shortest story that breaks it; the exact reducer has run it.
    Broken(Story),
    /// No schedule within the bounds breaks it, over so many states.
    None {
        /// How many.
        states: u32,
    },
    /// None was found, but that says nothing yet: the search is not done, or was cut, or dropped what it found.
    NotYet {
        /// How many states have been looked at.
        states: u32,
        /// What cut the search, if something did.
        cut: Option<Cut>,
        /// How many breaks were dropped, because the exact reducer did not come to them.
        dropped: u32,
    },
}

/// A search, which runs in slices.
pub struct Search {
    setup: Setup,
    bounds: Bounds,
    transitions: Transitions,
    calm: Calm,
    /// Every state in the order in which it was found: the queue of the breadth-first search is its tail.
    states: Vec<u128>,
    /// The state from which each was found first, and by which move.
    found_by: Vec<(u32, u8)>,
    places: Places,
    expanded: usize,
    depth: u32,
    level_ends: usize,
    cut: Option<Cut>,
    /// The invariants to look for, as bits.
    wanted: u8,
    only: bool,
    stories: Vec<(Invariant, Story)>,
    /// The invariants that were found broken by the actions of this depth: a shorter story may still turn up.
    fresh: u8,
    /// The states of this depth in which something is broken: another way there may have a shorter story.
    fresh_at: Vec<(u32, u8)>,
    /// How many stories have been told at this depth.
    told: u32,
    /// The breaks that the exact reducer did not come to.
    dropped: Vec<Invariant>,
    moves: Vec<Move>,
}

impl Search {
    /// A search for every invariant of the loop with this setup; its number of workers is that of the bounds.
    #[must_use]
    pub fn new(setup: &Setup, bounds: Bounds) -> Self {
        let bounds = bounds.clamped();
        let setup = Setup { workers: bounds.workers, ..setup.clone() };
        let (transitions, begin) = Transitions::new(&setup, bounds);
        let mut search = Self {
            setup,
            bounds,
            transitions,
            calm: Calm::default(),
            states: Vec::new(),
            found_by: Vec::new(),
            places: Places::default(),
            expanded: 0,
            depth: 0,
            level_ends: 1,
            cut: None,
            wanted: Invariant::ALL.into_iter().fold(0, |wanted, invariant| wanted | invariant.bit()),
            only: false,
            stories: Vec::new(),
            fresh: 0,
            fresh_at: Vec::new(),
            told: 0,
            dropped: Vec::new(),
            moves: Vec::new(),
        };
        search.arrive(begin, (0, 0), 0);
        search
    }

    /// The same search, for this invariant only; it is done as soon as it is found broken.
    #[must_use]
    pub fn only(mut self, invariant: Invariant) -> Self {
        self.wanted = invariant.bit();
        self.only = true;
        self
    }

    /// The same search, but this invariant is not looked at.
    #[must_use]
    pub fn without(mut self, invariant: Invariant) -> Self {
        self.wanted &= !invariant.bit();
        self
    }

    /// Looks on from at most `most` more states, and says how far it is. One state takes a few microseconds.
    pub fn run(&mut self, most: u32) -> Progress {
        for _ in 0..most {
            if self.is_done() {
                break;
            }
            self.expand();
        }
        self.progress()
    }

    /// How far it is.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            done: self.is_done(),
            states: self.states.len() as u32,
            expanded: self.expanded as u32,
            depth: self.depth,
            cut: self.cut,
            bytes: self.bytes(),
        }
    }

    /// What it has found out about this invariant so far.
    #[must_use]
    pub fn answer(&self, invariant: Invariant) -> Answer {
        let states = self.states.len() as u32;
        if let Some((_, story)) = self.stories.iter().find(|(broken, _)| *broken == invariant) {
            return Answer::Broken(story.clone());
        }
        let dropped = self.dropped.iter().filter(|broken| **broken == invariant).count() as u32;
        let looked_for = self.wanted & invariant.bit() != 0;
        if looked_for && dropped == 0 && self.cut.is_none() && self.expanded == self.states.len() {
            return Answer::None { states };
        }
        Answer::NotYet { states, cut: self.cut, dropped }
    }

    /// How often the reducer itself was asked what an action does; all else is looked up.
    #[must_use]
    pub fn reducer_runs(&self) -> usize {
        self.transitions.ran()
    }

    fn is_done(&self) -> bool {
        let found = self.only && self.wanted == 0;
        found || self.cut == Some(Cut::Memory) || self.expanded == self.states.len() || self.is_too_deep()
    }

    /// The next states to look on from are at the bound: they are left as they are.
    fn is_too_deep(&self) -> bool {
        self.depth >= self.bounds.depth
    }

    /// Goes on from the next state in every way that there is.
    fn expand(&mut self) {
        let Some(state) = self.states.get(self.expanded).map(|bits| State::unpack(*bits)) else { return };
        let mut moves = core::mem::take(&mut self.moves);
        self.transitions.moves(&state, &mut moves);
        for of in &moves {
            let (mut after, broken) = self.transitions.after(&state, *of);
            self.transitions.sort(&mut after, &mut [0; MOST_WORKERS]);
            self.arrive(after, (self.expanded as u32, of.code()), broken);
        }
        self.moves = moves;
        self.expanded += 1;
        if self.transitions.parts.full {
            self.cut = Some(Cut::Memory);
        }
        if self.expanded == self.level_ends {
            self.end_level();
        }
    }

    /// All states of this depth have been left. What was found broken on the way is looked for no more.
    fn end_level(&mut self) {
        self.wanted &= !self.fresh;
        (self.fresh, self.told) = (0, 0);
        self.fresh_at.clear();
        if self.expanded < self.states.len() {
            self.level_ends = self.states.len();
            self.depth += 1;
            if self.is_too_deep() {
                self.cut = self.cut.or(Some(Cut::Depth));
            }
        }
    }

    /// Keeps the state if it is new, and looks at what is broken in it.
    fn arrive(&mut self, state: State, found_by: (u32, u8), mut broken: u8) {
        let key = state.pack();
        let states = &self.states;
        let is = |place: u32| states.get(place as usize) == Some(&key);
        if let Some(place) = self.places.find(fold(key), is) {
            let again = self.fresh_at.iter().find(|(fresh, _)| *fresh == place);
            broken |= again.map_or(0, |(_, broken)| *broken);
        } else {
            if self.states.len() >= self.bounds.states as usize {
                self.cut = Some(Cut::Memory);
                return;
            }
            let hash_of = |place: u32| states.get(place as usize).map_or(0, |key| fold(*key));
            self.places.insert(fold(key), states.len() as u32, hash_of);
            self.states.push(key);
            self.found_by.push(found_by);
            broken |= self.broken_in(&state) & self.wanted;
            if broken != 0 {
                self.fresh_at.push((self.states.len() as u32 - 1, broken));
            }
        }
        let broken = broken & self.wanted;
        if broken != 0 {
            self.tell(broken, found_by);
        }
    }

    /// The invariants that are broken in a state, of those that are still looked for.
    fn broken_in(&mut self, state: &State) -> u8 {
        let mut broken = self.transitions.parts.shared(state.shared).broken;
        if has_two_owners(&self.transitions, state) {
            broken |= Invariant::OneOwner.bit();
        }
        let no_loss = Invariant::NoLoss.bit();
        if self.wanted & no_loss != 0 && !self.calm.ends_well(&mut self.transitions, state) {
            broken |= no_loss;
        }
        broken
    }

    fn bytes(&self) -> usize {
        let of_a_state =
            self.states.capacity() * size_of::<u128>() + self.found_by.capacity() * size_of::<(u32, u8)>();
        of_a_state + self.places.bytes() + self.transitions.bytes() + self.calm.bytes()
    }
}

/// Do two workers that live and are scheduled hold the same job?
fn has_two_owners(transitions: &Transitions, state: &State) -> bool {
    let held = |(_, local): (usize, parts::Local)| local.job.filter(|_| local.life == Life::Running);
    let mut seen = 0u8;
    transitions.locals(state).filter_map(held).any(|job| {
        let twice = seen & 1 << job != 0;
        seen |= 1 << job;
        twice
    })
}
