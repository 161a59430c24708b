//! The scripts *are* the protocol: one file each, named as in EchoMQ, to the letter of the measured rules.
//!
//! The rule letters (A3, T8, S5, ...) are those of `PROTOCOL.md` beside the golden traces in `tests/traces`, measured by running the
//! real scripts of BullMQ 5.78.0. The scripts know no workers and no Portal: they take keys, a clock value and
//! arguments, and answer.
//!
//! What the scripts only probe here, and the model therefore never fills: `delayed`, `prioritized`, `paused`,
//! `limiter`, dependencies. The probing commands run all the same, so that a trace is the same word for word.

mod add_standard_job;
mod extend_locks;
mod move_stalled_jobs_to_wait;
mod move_to_active;
mod move_to_finished;
mod queue;
mod remove_job;
mod reply;
mod retry_job;
mod shared;
mod wait_for_job;

pub use add_standard_job::{NewJob, add_standard_job};
pub use extend_locks::{extend_lock, extend_locks};
pub use move_stalled_jobs_to_wait::{STALLED_TOO_OFTEN, Sweep, move_stalled_jobs_to_wait};
pub use move_to_active::{Take, move_to_active};
pub(crate) use move_to_finished::record_result;
pub use move_to_finished::{Finish, Target, move_to_finished};
pub use queue::Queue;
pub use remove_job::remove_job;
pub use reply::{Code, Fetched, Finished, Reply, TakenJob};
pub use retry_job::{Retry, retry_job};
pub use shared::send;
pub(crate) use shared::{drop_lock, read_job};
pub use wait_for_job::{BlockingWait, serve_blocked, wait_for_job};

use serde::Serialize;

/// One atomic operation of the protocol, by the name that EchoMQ and BullMQ give it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum Operation {
    /// A producer adds a job.
    AddStandardJob,
    /// A worker's blocking pop of the marker.
    #[serde(rename = "BZPOPMIN")]
    WaitForJob,
    /// A worker takes the next job under a lock.
    MoveToActive,
    /// A worker renews the locks that it holds.
    ExtendLocks,
    /// A worker acknowledges a job, and takes the next in the same script.
    MoveToFinished,
    /// A worker hands a failed job back for another attempt.
    RetryJob,
    /// The stalled sweep.
    MoveStalledJobsToWait,
    /// A finished job is deleted, so that its id is free again.
    RemoveJob,
    /// Not of the protocol: plain commands in the place of a script, under the word of a naive program's step.
    #[serde(untagged)]
    Naive(&'static str),
}

impl Operation {
    /// The name that is shown: the script's, or the command's.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Operation::AddStandardJob => "addStandardJob",
            Operation::WaitForJob => "BZPOPMIN",
            Operation::MoveToActive => "moveToActive",
            Operation::ExtendLocks => "extendLocks",
            Operation::MoveToFinished => "moveToFinished",
            Operation::RetryJob => "retryJob",
            Operation::MoveStalledJobsToWait => "moveStalledJobsToWait",
            Operation::RemoveJob => "removeJob",
            Operation::Naive(step) => step,
        }
    }
}
