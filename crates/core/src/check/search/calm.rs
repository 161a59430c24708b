//! Does a state end well if nothing more goes wrong? The natural schedule, time left out.
//!
//! It is [`crate::check::run_on`] move by move: who can act acts, a job in hand first; else what only time brings
//! comes: the end of a wait if a job waits, the expiry of a lock that nobody keeps, a sweep. Every state on the way has
//! the same end, so each is asked once.

use super::{
    moves::{Kind, Move},
    parts::{Local, WaitKind},
    state::{MOST_WORKERS, State},
    table::Memo,
    transition::{Transitions, bits},
};
use crate::reliable_loop::{Guard, Life, Op};
use alloc::vec::Vec;

/// More moves than any end takes.
const MOST_MOVES: usize = 500;

/// The ends that are known.
#[derive(Default)]
pub(super) struct Calm {
    known: Memo<u128>,
    way: Vec<u128>,
}

impl Calm {
    /// Does every job end completed and its learner enrolled, or in failed?
    pub(super) fn ends_well(&mut self, transitions: &mut Transitions, state: &State) -> bool {
        let mut state = state.without_history();
        self.way.clear();
        let well = loop {
            let key = state.pack();
            if let Some(known) = self.known.get(key) {
                break known != 0;
            }
            self.way.push(key);
            let next = if self.way.len() > MOST_MOVES { None } else { next(transitions, &state) };
            let Some(next) = next else { break transitions.parts.shared(state.shared).ended_well };
            let (mut after, _) = transitions.after(&state, next);
            transitions.sort(&mut after, &mut [0; MOST_WORKERS]);
            state = after.without_history();
        };
        for key in self.way.drain(..) {
            self.known.insert(key, well.into());
        }
        well
    }

    pub(super) fn bytes(&self) -> usize {
        self.known.bytes()
    }
}

/// The next move of the natural schedule; `None` when nothing is left to do, or nothing more would happen.
fn next(transitions: &Transitions, state: &State) -> Option<Move> {
    let shared = transitions.parts.shared(state.shared);
    let locals = || transitions.locals(state);
    let of_life = |life| locals().find(|(_, local)| local.life == life).map(|(at, _)| at);
    let running = || locals().filter(|(_, local)| local.life == Life::Running);
    let at_work = running().any(|(_, local)| local.job.is_some());
    if shared.active == 0 && !shared.a_job_waits && !at_work {
        return None;
    }
    if shared.portal_down {
        return Some(Move::new(Kind::PortalUp, 0));
    }
    if of_life(Life::Running).is_none() {
        let start = of_life(Life::Dead).map(|at| Move::new(Kind::Start, at));
        return start.or_else(|| of_life(Life::Frozen).map(|at| Move::new(Kind::Thaw, at)));
    }
    let ready =
        running().filter_map(|(at, local)| Some((urgency(&local, shared.marker, shared.a_job_waits)?, at)));
    if let Some((_, at)) = ready.min() {
        return Some(Move::new(Kind::Operate, at));
    }
    let waits = |local: &Local| matches!(local.next, Op::Wake | Op::Sleep);
    if shared.a_job_waits {
        return running().find(|(_, local)| waits(local)).map(|(at, _)| Move::new(Kind::Operate, at));
    }
    if shared.active & !shared.locked == 0 {
        let gone = bits(shared.active).find(|job| transitions.can_expire(state, *job));
        return gone.map(|job| Move::new(Kind::Expire, job));
    }
    transitions.parts.setup().guards.on(Guard::StalledSweep).then_some(Move::new(Kind::Sweep, 0))
}

/// How soon a worker acts, as in the natural schedule; `None` if it waits for something. What would only find that
/// nothing waits is left out.
fn urgency(local: &Local, marker: bool, a_job_waits: bool) -> Option<u8> {
    match local.next {
        Op::Enroll | Op::Finish | Op::Retry | Op::Record | Op::Unlock | Op::Remove | Op::Complete => Some(0),
        Op::Take | Op::Move | Op::Pop => Some(1),
        Op::Wake => {
            let answered = local.wait == WaitKind::Answered || (local.wait == WaitKind::Arrived && marker);
            (a_job_waits && answered).then_some(2)
        }
        Op::Ask => a_job_waits.then_some(2),
        Op::Sleep => None,
    }
}
