//! What a worker does between two jobs: a list of atomic operations. A naive form of the loop is another list.

use super::{Guard, Guards, NAIVE};
use core::fmt;

/// One atomic operation of a worker's program. A worker can die between any two, and nowhere inside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Op {
    /// Its `BZPOPMIN` returns: with the marker, or by time-out.
    Wake,
    /// `moveToActive`.
    Take,
    /// Portal's enroll: the effect.
    Enroll,
    /// `moveToFinished`.
    Finish,
    /// `retryJob`, in the place of the finish when the effect failed and attempts are left (W7).
    Retry,
    /// Naive: asks how many jobs wait.
    Ask,
    /// Naive: sleeps for the poll interval, then asks again.
    Sleep,
    /// Naive: moves the next job to active, without a lock.
    Move,
    /// Naive: pops the next job; no list holds it.
    Pop,
    /// Naive: acknowledges in one piece, as far as there is a lock to drop or a list to leave.
    Record,
    /// Naive: the first step of three, drops the lock.
    Unlock,
    /// Naive: the second step, removes the job from active.
    Remove,
    /// Naive: the last step, records the job as completed or failed.
    Complete,
}

impl Op {
    /// Every operation of any program.
    pub const ALL: [Op; 13] = [
        Op::Wake,
        Op::Take,
        Op::Enroll,
        Op::Finish,
        Op::Retry,
        Op::Ask,
        Op::Sleep,
        Op::Move,
        Op::Pop,
        Op::Record,
        Op::Unlock,
        Op::Remove,
        Op::Complete,
    ];

    /// The word in a story.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Op::Wake => "wake",
            Op::Take => "take",
            Op::Enroll => "enroll",
            Op::Finish => "finish",
            Op::Retry => "retry",
            Op::Ask => "ask",
            Op::Sleep => "sleep",
            Op::Move => "move",
            Op::Pop => "pop",
            Op::Record => "record",
            Op::Unlock => "unlock",
            Op::Remove => "remove",
            Op::Complete => "complete",
        }
    }

    /// Is it left out of this build, so that no worker comes to it?
    pub(super) fn is_left_out(self) -> bool {
        !NAIVE && !matches!(self, Op::Wake | Op::Take | Op::Enroll | Op::Finish)
    }

    /// Does it take a job, in whatever form?
    #[must_use]
    pub fn takes(self) -> bool {
        matches!(self, Op::Take | Op::Move | Op::Pop)
    }

    /// Is it a part of getting rid of a job, in whatever form: an acknowledgement, or a retry?
    #[must_use]
    pub fn acknowledges(self) -> bool {
        matches!(self, Op::Finish | Op::Retry | Op::Record | Op::Unlock | Op::Remove | Op::Complete)
    }
}

/// The operations between two jobs, in order.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Program {
    ops: [Op; Self::LONGEST],
    len: u8,
}

impl Program {
    const LONGEST: usize = 7;

    /// The program of a worker with these guards. With all on: `wake, take, enroll, finish`.
    #[must_use]
    pub fn of(guards: Guards) -> Self {
        let mut program = Self { ops: [Op::Enroll; Self::LONGEST], len: 0 };
        let pickup: &[Op] =
            if guards.on(Guard::BlockingPickup) { &[Op::Wake] } else { &[Op::Ask, Op::Sleep] };
        program.extend(pickup);
        program.extend(&[take(guards)]);
        if guards.on(Guard::AtLeastOnce) {
            program.extend(&[Op::Enroll]);
            program.extend(acknowledgement(guards));
        } else {
            program.extend(acknowledgement(guards));
            program.extend(&[Op::Enroll]);
        }
        program
    }

    fn extend(&mut self, more: &[Op]) {
        for op in more {
            if let Some(place) = self.ops.get_mut(usize::from(self.len)) {
                *place = *op;
                self.len += 1;
            }
        }
    }

    /// The operations in order. A [`Op::Retry`] is in none: it takes the place of the acknowledgement.
    #[must_use]
    pub fn ops(&self) -> &[Op] {
        self.ops.get(..usize::from(self.len)).unwrap_or(&self.ops)
    }

    /// Can this operation ever be the next?
    #[must_use]
    pub fn has(&self, op: Op) -> bool {
        op == Op::Retry || self.ops().contains(&op)
    }

    /// What comes after `op`; `None` at the end.
    pub(super) fn after(&self, op: Op) -> Option<Op> {
        let at = self.ops().iter().position(|candidate| *candidate == op)?;
        self.ops().get(at + 1).copied()
    }

    fn first(&self, fits: impl Fn(Op) -> bool) -> Op {
        self.ops().iter().copied().find(|op| fits(*op)).unwrap_or(Op::Enroll)
    }

    /// What an idle worker does.
    pub(super) fn pickup(&self) -> Op {
        self.first(|_| true)
    }

    /// What a worker does that fetches without having waited: it has just started, or has let go of a job (W1, W8).
    pub(super) fn fetch(&self) -> Op {
        self.first(|op| op.takes() || op == Op::Ask)
    }

    /// The take, in whatever form.
    pub(super) fn take(&self) -> Op {
        self.first(Op::takes)
    }

    /// Is there what the script `retryJob` needs: a lock, and a list that the job stands in (R2)?
    pub(super) fn retries_by_script(&self) -> bool {
        self.take() == Op::Take
    }

    /// The first step of the acknowledgement.
    pub(super) fn acknowledgement(&self) -> Op {
        self.first(Op::acknowledges)
    }
}

fn take(guards: Guards) -> Op {
    match (guards.on(Guard::ProcessingList), guards.on(Guard::Lock)) {
        (true, true) => Op::Take,
        (true, false) => Op::Move,
        (false, _) => Op::Pop,
    }
}

/// The script needs both the lock and active (F2, F5). Without them there is less to do.
fn acknowledgement(guards: Guards) -> &'static [Op] {
    match (guards.on(Guard::AtomicFinish), guards.on(Guard::Lock), guards.on(Guard::ProcessingList)) {
        (true, true, true) => &[Op::Finish],
        (true, _, _) => &[Op::Record],
        (false, true, true) => &[Op::Unlock, Op::Remove, Op::Complete],
        (false, true, false) => &[Op::Unlock, Op::Complete],
        (false, false, true) => &[Op::Remove, Op::Complete],
        (false, false, false) => &[Op::Complete],
    }
}

impl fmt::Display for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, op) in self.ops().iter().enumerate() {
            write!(out, "{}{}", if index > 0 { ", " } else { "" }, op.word())?;
        }
        Ok(())
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Program({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[track_caller]
    fn check(off: &[Guard], expected: &str) {
        let guards = off.iter().fold(Guards::ALL_ON, |guards, guard| guards.without(*guard));
        assert_eq!(Program::of(guards).to_string(), expected);
    }

    #[test]
    fn each_guard_off_is_another_program() {
        check(&[], "wake, take, enroll, finish");
        check(&[Guard::ProcessingList], "wake, pop, enroll, record");
        check(&[Guard::Lock], "wake, move, enroll, record");
        check(&[Guard::AtLeastOnce], "wake, take, finish, enroll");
        check(&[Guard::StalledSweep], "wake, take, enroll, finish");
        check(&[Guard::AtomicFinish], "wake, take, enroll, unlock, remove, complete");
        check(&[Guard::BlockingPickup], "ask, sleep, take, enroll, finish");
        check(&[Guard::IdempotentEnroll], "wake, take, enroll, finish");
    }

    #[test]
    fn guards_combine() {
        check(&[Guard::AtomicFinish, Guard::Lock], "wake, move, enroll, remove, complete");
        check(&[Guard::AtomicFinish, Guard::ProcessingList], "wake, pop, enroll, unlock, complete");
        check(
            &[Guard::AtomicFinish, Guard::BlockingPickup, Guard::AtLeastOnce],
            "ask, sleep, take, unlock, remove, complete, enroll",
        );
        check(&Guard::ALL, "ask, sleep, pop, complete, enroll");
    }
}
