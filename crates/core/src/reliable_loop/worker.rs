//! A worker: a small program counter over its program, and what it holds and believes.

use super::{Op, Program, Setup};
use crate::{keyspace::Client, portal::PortalError, small::decimal, time::Millis};
use alloc::{string::String, sync::Arc};
use core::fmt;
use serde::{Serialize, Serializer};

/// `w1`, `w2`, ...
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorkerId(pub u8);

impl WorkerId {
    pub(super) fn index(self) -> usize {
        usize::from(self.0).wrapping_sub(1)
    }

    /// The connection on which it blocks.
    pub(crate) fn client(self) -> Client {
        Client(self.0.wrapping_sub(1))
    }
}

impl fmt::Display for WorkerId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&["w", &decimal(self.0.into())].concat())
    }
}

impl Serialize for WorkerId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

/// Is the process there, and is it scheduled?
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Life {
    /// It runs.
    Running,
    /// It exists but is not scheduled: a long pause. It renews nothing and does nothing.
    Frozen,
    /// It is gone. What it held and believed is kept here for the reader only.
    Dead,
}

/// How it stands with the worker's blocking wait, or with its sleep between two polls. It matters while the next
/// operation is [`Op::Wake`] or [`Op::Sleep`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Wait {
    /// It has come to its wait; the marker is up, or nothing has happened yet.
    Arrived {
        /// When it came.
        at: Millis,
    },
    /// It is blocked.
    Blocked {
        /// Since when; the time-out counts from here.
        since: Millis,
    },
    /// Redis has handed it the marker; the reply is on its way.
    Answered(Arc<[String; 3]>),
    /// It has returned; the worker is past it.
    Returned,
}

/// What became of the effect in this delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Attempt {
    /// It has not run.
    NotRun,
    /// The event was recorded now.
    Recorded,
    /// Portal refused: nothing was written.
    Refused(PortalError),
    /// Portal could not write: nothing was written, and the job has failed (W7).
    Failed,
}

/// A job in a worker's hands.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Held {
    /// The job.
    pub id: String,
    /// The token with which it was taken.
    pub token: String,
    /// The learner in the job's data, as it came.
    pub learner: String,
    /// The course in the job's data, as it came.
    pub course: String,
    /// The deferred failure that the job carries, if it stalled too often: then the effect is not run (W6).
    pub deferred: Option<String>,
    /// What the effect came to.
    pub attempt: Attempt,
    /// An acknowledgement was refused: it now tries to move the job to failed (W8).
    pub refused: bool,
    /// If the effect fails there is another attempt (W7).
    pub attempts_left: bool,
    /// When the lock is renewed next; `None` if the worker has dropped it, or never takes one.
    pub renew_due: Option<Millis>,
}

/// A worker process.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Worker {
    /// Its name.
    pub id: WorkerId,
    /// Running, frozen or dead.
    pub life: Life,
    /// How it stands with its blocking wait.
    pub wait: Wait,
    /// The job in its hands.
    pub job: Option<Held>,
    /// How many fetches it has started: the number in its next token is one more.
    pub fetches: u32,
    /// When its sweep is due.
    pub sweep_due: Millis,
    program: Program,
    next: Op,
}

impl Worker {
    /// An idle worker at its blocking wait, or about to poll.
    pub(crate) fn idle(id: WorkerId, sweep_due: Millis, program: Program) -> Self {
        Self {
            id,
            life: Life::Running,
            wait: Wait::Arrived { at: Millis(0) },
            job: None,
            fetches: 0,
            sweep_due,
            program,
            next: program.pickup(),
        }
    }

    /// Running, neither frozen nor dead.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.life == Life::Running
    }

    /// The operation that comes next in its program.
    #[must_use]
    pub fn next_op(&self) -> Op {
        self.next
    }

    /// What it does between two jobs.
    #[must_use]
    pub fn program(&self) -> Program {
        self.program
    }

    pub(super) fn go_to(&mut self, op: Op) {
        self.next = op;
    }

    /// The next operation of the program, or idle at its end.
    pub(super) fn go_on(&mut self, now: Millis) {
        match self.program.after(self.next) {
            Some(op) => self.next = op,
            None => self.go_idle(now),
        }
    }

    /// It has nothing in hand and comes to its blocking wait, or to its next poll.
    pub(super) fn go_idle(&mut self, now: Millis) {
        self.job = None;
        self.wait = Wait::Arrived { at: now };
        self.next = self.program.pickup();
    }

    /// It has nothing in hand and fetches without waiting first (W1, W8).
    pub(super) fn go_fetch(&mut self) {
        self.job = None;
        self.next = self.program.fetch();
    }

    /// The token of its next fetch: the worker and a number that grows with every fetch it starts itself.
    pub(super) fn new_token(&mut self) -> String {
        self.fetches += 1;
        ["w", &decimal(self.id.0.into()), ":", &decimal(self.fetches.into())].concat()
    }

    /// When its blocking wait, or its sleep between two polls, ends by itself; `None` if it is in neither.
    pub(super) fn wait_ends(&self, setup: &Setup) -> Option<Millis> {
        match (&self.wait, self.next) {
            (Wait::Arrived { at: since } | Wait::Blocked { since }, Op::Wake) => {
                Some(since.plus(setup.drain))
            }
            (Wait::Arrived { at: since } | Wait::Blocked { since }, Op::Sleep) => {
                Some(since.plus(setup.poll))
            }
            (Wait::Arrived { .. } | Wait::Blocked { .. } | Wait::Answered(_) | Wait::Returned, _) => None,
        }
    }

    /// Has it started and not yet come to a blocking wait? Its next operation is a take that no wait went before.
    #[must_use]
    pub fn has_just_started(&self) -> bool {
        self.next.takes() && matches!(self.wait, Wait::Arrived { .. })
    }

    /// What it does, in a word or two.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match (self.life, self.next_op(), &self.wait) {
            (Life::Dead, _, _) => "dead",
            (Life::Frozen, _, _) => "frozen",
            (Life::Running, Op::Wake, Wait::Answered(_)) => "woken",
            (Life::Running, Op::Wake, Wait::Arrived { .. } | Wait::Blocked { .. } | Wait::Returned) => {
                "waiting"
            }
            (Life::Running, Op::Ask, _) => "asking",
            (Life::Running, Op::Sleep, _) => "sleeping",
            (Life::Running, Op::Take | Op::Move | Op::Pop, _) => "woken",
            (Life::Running, Op::Enroll, _) => "holding",
            (
                Life::Running,
                Op::Finish | Op::Retry | Op::Record | Op::Unlock | Op::Remove | Op::Complete,
                _,
            ) => "finishing",
        }
    }

    /// Is it in the middle of something that a crash would cut: a job in hand, or woken for one?
    #[must_use]
    pub fn is_at_work(&self, a_job_waits: bool) -> bool {
        self.is_running() && (self.job.is_some() || (self.next.takes() && a_job_waits))
    }
}
