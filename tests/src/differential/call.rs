//! A call: one step made definite, with the very ids and tokens that both sides get.

use enroll_once_core::{protocol::Target, time::Millis};

/// What both sides do. Owned, so that it can be kept and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// `addStandardJob`.
    Add {
        /// Empty: the queue counts.
        id: String,
        /// Attempts in the options.
        attempts: u32,
    },
    /// `moveToActive`.
    Take(Grab),
    /// `moveToFinished`.
    Finish(Finish),
    /// `retryJob`.
    Retry {
        /// The job.
        id: String,
        /// The token that is shown.
        token: String,
        /// Field, value, ...: written first.
        fields: Vec<(String, String)>,
    },
    /// `extendLocks`.
    Renew {
        /// Job and token.
        held: Vec<(String, String)>,
        /// How long from now.
        lock: Millis,
    },
    /// `extendLock`.
    RenewOne {
        /// The job.
        id: String,
        /// The token that is shown.
        token: String,
        /// How long from now.
        lock: Millis,
    },
    /// `moveStalledJobsToWait`.
    Sweep {
        /// Recoveries that a job may have.
        max_stalled: u32,
        /// How long the guard lives.
        interval: Millis,
    },
    /// `removeJob`.
    Remove {
        /// A completed job.
        id: String,
    },
    /// `BZPOPMIN` with the marker up: it returns at once.
    Pop,
    /// `BZPOPMIN` with the marker down, nobody raises it, and its time is over.
    TimeOut {
        /// Whose.
        worker: u8,
    },
    /// `BZPOPMIN` with the marker down: the client is blocked from now on.
    Block {
        /// Whose.
        worker: u8,
    },
    /// The time of a client that is blocked is over.
    Unblock {
        /// Whose.
        worker: u8,
    },
    /// The connection of a client that is blocked is gone.
    Disconnect {
        /// Whose.
        worker: u8,
    },
    /// By hand: the job's hash vanishes.
    Evict {
        /// The job.
        id: String,
    },
    /// By hand: the job's id leaves active.
    Unlist {
        /// The job.
        id: String,
    },
    /// Nothing reaches Redis: a process died or was started.
    Nothing,
    /// Time passes until everything that lives no longer than this is gone.
    Pass(Millis),
}

/// What a worker sends when it takes a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grab {
    /// Goes into the lock.
    pub token: String,
    /// How long the lock lives.
    pub lock: Millis,
    /// Empty: the worker has none.
    pub name: String,
}

/// What a worker sends when it acknowledges a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finish {
    /// The job.
    pub id: String,
    /// Completed or failed.
    pub target: Target,
    /// The return value or the reason.
    pub value: String,
    /// Field, value, ...: written first.
    pub fields: Vec<(String, String)>,
    /// Attempts in the job's options.
    pub attempts: u32,
    /// Take the next job in the same script.
    pub fetch_next: bool,
    /// Token of this job and of the next.
    pub grab: Grab,
}

impl Call {
    /// The script or command, as Redis knows it; for what is not one, a word for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Call::Add { .. } => "addStandardJob",
            Call::Take(_) => "moveToActive",
            Call::Finish(_) => "moveToFinished",
            Call::Retry { .. } => "retryJob",
            Call::Renew { .. } => "extendLocks",
            Call::RenewOne { .. } => "extendLock",
            Call::Sweep { .. } => "moveStalledJobsToWait",
            Call::Remove { .. } => "removeJob",
            Call::Pop => "BZPOPMIN",
            Call::TimeOut { .. } => "BZPOPMIN time-out",
            Call::Block { .. } => "BZPOPMIN blocks",
            Call::Unblock { .. } => "BZPOPMIN time-out while blocked",
            Call::Disconnect { .. } => "blocked client dies",
            Call::Evict { .. } => "hash evicted",
            Call::Unlist { .. } => "removed from active by hand",
            Call::Nothing => "process dies or starts",
            Call::Pass(_) => "time passes",
        }
    }

    /// Is it one of the protocol's scripts?
    #[must_use]
    pub fn is_script(&self) -> bool {
        match self {
            Call::Add { .. }
            | Call::Take(_)
            | Call::Finish(_)
            | Call::Retry { .. }
            | Call::Renew { .. }
            | Call::RenewOne { .. }
            | Call::Sweep { .. }
            | Call::Remove { .. } => true,
            Call::Pop
            | Call::TimeOut { .. }
            | Call::Block { .. }
            | Call::Unblock { .. }
            | Call::Disconnect { .. }
            | Call::Evict { .. }
            | Call::Unlist { .. }
            | Call::Nothing
            | Call::Pass(_) => false,
        }
    }
}
