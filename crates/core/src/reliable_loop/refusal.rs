//! Why an action cannot happen now, in words a learner understands, with what to do instead.

use super::{LEFT_OUT, NAIVE, Op, Program, Setup, WorkerId};
use alloc::string::String;
use core::fmt;

/// A reason.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Refusal {
    /// There are not so many workers.
    NoSuchWorker {
        /// The one that was named.
        worker: WorkerId,
        /// How many there are.
        workers: u8,
    },
    /// The process is gone.
    Dead(WorkerId),
    /// Only a dead worker can be started.
    NotDead(WorkerId),
    /// The process is not scheduled.
    Frozen(WorkerId),
    /// Only a frozen worker can thaw.
    NotFrozen(WorkerId),
    /// Another operation comes first in its program.
    NotNow {
        /// The worker.
        worker: WorkerId,
        /// What was asked for.
        asked: Op,
        /// What comes next.
        next: Op,
        /// The job in its hands.
        job: Option<String>,
    },
    /// The operation belongs to another form of the loop.
    NotInProgram {
        /// The worker.
        worker: WorkerId,
        /// What was asked for.
        asked: Op,
        /// What it runs, by its guards.
        program: Program,
    },
    /// The job carries a deferred failure, so its effect is not run.
    Deferred {
        /// The worker.
        worker: WorkerId,
        /// The job.
        job: String,
    },
    /// It holds no lock.
    NothingToRenew(WorkerId),
    /// The sweep is switched off.
    NobodySweeps,
    /// It is not about to acknowledge.
    NoReplyToLose(WorkerId),
    /// The marker is down.
    NoMarker,
    /// The job has no lock.
    NoLock {
        /// The job.
        job: String,
    },
    /// It is down already.
    PortalIsDown,
    /// It is not down.
    PortalIsUp,
    /// Time moves forward, by at most [`Setup::LONGEST`].
    BadAdvance,
    /// No worker is in the middle of anything.
    NothingToCrash,
    /// Every job is finished.
    AllFinished,
    /// The queue is empty: no job has been added.
    NoJob,
    /// It needs the naive forms, and this build has none (feature `naive`).
    LeftOut,
    /// Nothing that matters happens however long one waits.
    NothingHappens,
}

impl Refusal {
    /// Does nothing come to it in a build without the naive forms? Such a build leaves out its words as well.
    fn is_left_out(&self) -> bool {
        matches!(
            self,
            Refusal::NotInProgram { .. }
                | Refusal::NobodySweeps
                | Refusal::NoReplyToLose(_)
                | Refusal::NoMarker
                | Refusal::NoLock { .. }
                | Refusal::PortalIsDown
                | Refusal::PortalIsUp
                | Refusal::LeftOut
        )
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !NAIVE && self.is_left_out() {
            return out.write_str(LEFT_OUT);
        }
        match self {
            Refusal::NoSuchWorker { worker, workers } => {
                write!(out, "there is no {worker}: the workers are w1 to {}", WorkerId(*workers))
            }
            Refusal::Dead(worker) => write!(out, "{worker} is dead: {worker}:start starts a new one"),
            Refusal::NotDead(worker) => write!(out, "{worker} is alive: only a dead worker can be started"),
            Refusal::Frozen(worker) => write!(out, "{worker} is frozen: {worker}:thaw lets it go on"),
            Refusal::NotFrozen(worker) => write!(out, "{worker} is not frozen"),
            Refusal::NotNow { worker, asked, next, job } => {
                match job {
                    Some(job) => write!(out, "{worker} has {job} in its hands")?,
                    None => write!(out, "{worker} has no job in its hands")?,
                }
                write!(out, ", and {} comes before {}", next.word(), asked.word())
            }
            Refusal::Deferred { worker, job } => {
                write!(
                    out,
                    "{job} stalled too often: {worker} does not run it, it can only finish it as failed"
                )
            }
            Refusal::NotInProgram { worker, asked, program } => {
                write!(out, "{worker} runs {program}: there is no {} in it", asked.word())
            }
            Refusal::NothingToRenew(worker) => {
                write!(out, "{worker} has no lock to renew: it has no job in its hands, or took none with it")
            }
            Refusal::NobodySweeps => out.write_str("nobody sweeps: off=stalled-sweep"),
            Refusal::NoReplyToLose(worker) => {
                write!(out, "{worker} is not about to acknowledge a job, so there is no reply to lose")
            }
            Refusal::NoMarker => out.write_str("the marker is down: there is nothing to lose"),
            Refusal::NoLock { job } => write!(out, "{job} has no lock that could be lost"),
            Refusal::PortalIsDown => out.write_str("Portal is down already: portal:up brings it back"),
            Refusal::PortalIsUp => out.write_str("Portal is not down"),
            Refusal::BadAdvance => {
                write!(out, "time moves forward, by more than nothing and at most {}", Setup::LONGEST)
            }
            Refusal::NothingToCrash => {
                out.write_str("no worker is at work: step until one has the job, then crash it")
            }
            Refusal::AllFinished => out.write_str("every job is finished"),
            Refusal::NoJob => out.write_str("no job has been added yet: add comes first"),
            Refusal::LeftOut => out.write_str(LEFT_OUT),
            Refusal::NothingHappens => out.write_str("nothing more happens, however long one waits"),
        }
    }
}
