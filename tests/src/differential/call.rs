//! A call: one step made definite, with the very ids and tokens that both sides get.

use enroll_once_core::{protocol::Target, time::Millis};

/// What both sides do. Owned, so that it can be kept and shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Call {
    /// One of the protocol's scripts.
    Script(Script),
    /// A worker's `BZPOPMIN`.
    Pop(Pop),
    /// By hand: the job's hash vanishes.
    Evict(String),
    /// By hand: the job's id leaves active.
    Unlist(String),
    /// Time passes until everything that lives no longer than this is gone.
    Pass(Millis),
    /// Nothing reaches Redis: a process died or was started.
    Nothing,
}

/// A script with its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Script {
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
    /// `removeJob`, of a completed job.
    Remove(String),
}

/// What happens to a `BZPOPMIN`; the number is the worker's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pop {
    /// The marker is up: it returns at once.
    AtOnce,
    /// The marker is down, nobody raises it, and the time is over.
    TimeOut(u8),
    /// It begins; if the marker is down, the client is blocked from now on.
    Block(u8),
    /// The time of a client that is blocked is over.
    Unblock(u8),
    /// The connection of a client that is blocked is gone.
    Disconnect(u8),
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
    /// The script or command, as Redis knows it; for what is neither, words for it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Call::Script(script) => script.name(),
            Call::Pop(Pop::AtOnce) => "BZPOPMIN",
            Call::Pop(Pop::TimeOut(_)) => "BZPOPMIN times out",
            Call::Pop(Pop::Block(_)) => "BZPOPMIN blocks",
            Call::Pop(Pop::Unblock(_)) => "blocked BZPOPMIN times out",
            Call::Pop(Pop::Disconnect(_)) => "blocked client dies",
            Call::Evict(_) => "job hash evicted",
            Call::Unlist(_) => "job taken from active by hand",
            Call::Pass(_) => "time passes",
            Call::Nothing => "process dies or starts",
        }
    }
}

impl Script {
    /// Its name in the package, without the number of keys.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Script::Add { .. } => "addStandardJob",
            Script::Take(_) => "moveToActive",
            Script::Finish(_) => "moveToFinished",
            Script::Retry { .. } => "retryJob",
            Script::Renew { .. } => "extendLocks",
            Script::RenewOne { .. } => "extendLock",
            Script::Sweep { .. } => "moveStalledJobsToWait",
            Script::Remove(_) => "removeJob",
        }
    }
}
