//! What happened, in the past tense. The page's words and the tests are made from facts, never from guessing.

use super::{NAIVE, Refusal, WorkerId};
use crate::{
    keyspace::RedisCommand,
    portal::{LearnerEnrolled, PortalError},
    protocol::{Operation, Reply},
    small::{decimal, joined, signed},
    time::Millis,
};
use alloc::{string::String, sync::Arc, vec::Vec};
use core::fmt;

/// Who did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Actor {
    /// The producer that adds jobs.
    Producer,
    /// A worker.
    Worker(WorkerId),
}

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fact {
    /// A script or a blocking wait ran, in one piece.
    Ran {
        /// Who called it.
        actor: Actor,
        /// What ran.
        operation: Operation,
        /// The Redis commands inside, in order.
        commands: Arc<Vec<RedisCommand>>,
        /// What it answered.
        reply: Reply,
    },
    /// A raised marker went at once to the worker that had been blocked longest (rule B2).
    MarkerHandedOver {
        /// The worker.
        to: WorkerId,
    },
    /// The enroll ran and its event was recorded.
    Enrolled {
        /// Who ran it.
        worker: WorkerId,
        /// For which job.
        job: String,
        /// What was recorded.
        event: LearnerEnrolled,
    },
    /// The enroll ran and Portal refused: nothing was written.
    EnrollRefused {
        /// Who ran it.
        worker: WorkerId,
        /// For which job.
        job: String,
        /// Why.
        error: PortalError,
    },
    /// The enroll ran and Portal could not append: nothing was written, and the job has failed.
    EnrollFailed {
        /// Who ran it.
        worker: WorkerId,
        /// For which job.
        job: String,
    },
    /// A key vanished because its time was over (rule X).
    Expired {
        /// Which.
        key: String,
    },
    /// The clock moved.
    TimePassed {
        /// To this instant.
        to: Millis,
    },
    /// A worker process died. It wrote nothing.
    Died {
        /// Which.
        worker: WorkerId,
        /// The job that was in its hands.
        job: Option<String>,
    },
    /// A fresh process started in a dead one's place.
    Started {
        /// Which.
        worker: WorkerId,
    },
    /// A worker stopped being scheduled.
    Froze {
        /// Which.
        worker: WorkerId,
    },
    /// A frozen worker goes on.
    Thawed {
        /// Which.
        worker: WorkerId,
    },
    /// Portal's process restarted and folded its log again.
    PortalRestarted {
        /// How many events it folded.
        events: usize,
    },
    /// Portal can no longer append.
    PortalDown,
    /// Portal can append again.
    PortalUp,
    /// A key vanished without a command and before its time.
    Lost {
        /// Which.
        key: String,
    },
    /// What ran last was applied, but its reply never reached the worker.
    ReplyLost {
        /// Whose.
        worker: WorkerId,
    },
    /// The action could not happen; the world is as it was.
    Refused(Refusal),
}

impl Fact {
    /// Does it never happen in a build without the naive forms? Such a build leaves out its words as well.
    fn is_left_out(&self) -> bool {
        matches!(
            self,
            Fact::EnrollFailed { .. }
                | Fact::PortalDown
                | Fact::PortalUp
                | Fact::Lost { .. }
                | Fact::ReplyLost { .. }
        )
    }
}

impl fmt::Display for Fact {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !NAIVE && self.is_left_out() {
            return Ok(());
        }
        match self {
            Fact::Ran { actor, operation, reply, .. } => {
                match actor {
                    Actor::Producer => out.write_str("the producer")?,
                    Actor::Worker(worker) => write!(out, "{worker}")?,
                }
                write!(out, " ran {}: ", operation.name())?;
                describe(reply, out)
            }
            Fact::MarkerHandedOver { to } => write!(out, "the marker went to {to}, blocked longest"),
            Fact::Enrolled { worker, job, event } => write!(
                out,
                "{worker} enrolled for {job}: LearnerEnrolled {} in {}",
                event.user_id.as_str(),
                event.course_id.as_str()
            ),
            Fact::EnrollRefused { worker, job, error } => {
                write!(out, "{worker} enrolled again for {job}: {}, nothing written", error.code())
            }
            Fact::EnrollFailed { worker, job } => {
                write!(out, "{worker} could not enroll for {job}: Portal could not append, nothing written")
            }
            Fact::Expired { key } => write!(out, "{key} expired"),
            Fact::TimePassed { to } => write!(out, "the clock stands at {to}"),
            Fact::Died { worker, job: Some(job) } => write!(out, "{worker} died with {job} in its hands"),
            Fact::Died { worker, job: None } => write!(out, "{worker} died"),
            Fact::Started { worker } => write!(out, "a new process started as {worker}"),
            Fact::Froze { worker } => write!(out, "{worker} froze"),
            Fact::Thawed { worker } => write!(out, "{worker} goes on"),
            Fact::PortalRestarted { events } => {
                write!(out, "Portal restarted and folded {} events", decimal(*events as u64))
            }
            Fact::PortalDown => out.write_str("Portal is down: it cannot append"),
            Fact::PortalUp => out.write_str("Portal is up again"),
            Fact::Lost { key } => write!(out, "{key} is lost"),
            Fact::ReplyLost { worker } => write!(out, "the reply never reached {worker}"),
            Fact::Refused(refusal) => write!(out, "refused: {refusal}"),
        }
    }
}

fn describe(reply: &Reply, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    match reply {
        Reply::Id(id) => out.write_str(id),
        Reply::Number(number) => out.write_str(&signed(*number)),
        Reply::Ids(ids) if ids.is_empty() => out.write_str("none"),
        Reply::Ids(ids) => out.write_str(&joined(ids, " ")),
        Reply::Job(job) => write!(out, "{} handed over", job.id),
        Reply::Nothing => out.write_str("nothing to take"),
        Reply::Popped(_) => out.write_str("the marker"),
        Reply::TimedOut => out.write_str("timed out"),
    }
}
