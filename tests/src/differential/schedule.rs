//! A schedule: who does what, in order. It prints as a story, and [`super::parse`] reads it back.
//!
//! Tokens as every story has them: `add:j_1`, `w1:wake`, `w1:take`, `w1:finish`, `w1:renew`, `w1:sweep`, `w1:crash`,
//! `w1:start`, `+250ms`, and the setup `workers=2`, `lock=250ms`, `stalled=250ms`, `max-stalled=1`. The differential
//! acts one level below the loop, on the scripts themselves, and needs words that a story has not:
//!
//! | token | meaning |
//! |---|---|
//! | `add:ID:attempts=2`, `add-auto` | with attempts; without an id, so that the queue counts |
//! | `remove:ID` | a completed job is removed |
//! | `w1:block` | w1's BZPOPMIN begins, and blocks if the marker is down |
//! | `w1:wake` | while w1 is blocked: its time-out is over |
//! | `w1:take:lock=1m`, `w1:sweep:stalled=1m` | with a duration of its own |
//! | `w1:finish:ID` | of a job other than the one it took last |
//! | `w1:finish:failed`, `:no-fetch`, `:fields` | failed; without taking the next; with fields to write |
//! | `w1:finish:stale-token`, `:foreign-token` | with a token that held the lock once; with one that never did |
//! | `w1:retry`, `w1:renew-one` | hand the job back; the renewal for one job. ID and tokens as for finish |
//! | `evict:ID`, `unlist:ID` | by hand, as no script does: the job's hash vanishes; its id leaves active |
//!
//! A token that means nothing at its moment (`w1:finish` of a worker without a job) is passed over on both sides.
//! So any part of a schedule is a schedule, and it can be shrunk.

use enroll_once_core::time::Millis;
use std::fmt;

/// What holds for a whole schedule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// How many workers: 1 to 9. The second one has no name (a real worker's name is optional).
    pub workers: u8,
    /// How long a lock lives where the step does not say otherwise.
    pub lock: Millis,
    /// How long the sweep's guard lives where the step does not say otherwise.
    pub stalled: Millis,
    /// Recoveries that a job may have.
    pub max_stalled: u32,
}

/// A setup and steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schedule {
    /// What holds throughout.
    pub setup: Setup,
    /// In order.
    pub steps: Vec<Step>,
}

/// One thing that happens, in one piece.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// A producer adds a job; without an id the queue counts.
    Add {
        /// The job's own id.
        id: Option<String>,
        /// Attempts in its options.
        attempts: u32,
    },
    /// A completed job is removed.
    Remove(String),
    /// A job's hash vanishes.
    Evict(String),
    /// A job's id leaves active.
    Unlist(String),
    /// Time passes; what is due expires.
    Pass(Millis),
    /// A worker acts.
    Worker(u8, Act),
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Its blocking pop returns: with the marker, or by time-out.
    Wake,
    /// Its blocking pop begins.
    Block,
    /// It takes a job. `None`: the lock lives as the setup says.
    Take(Option<Millis>),
    /// It acknowledges a job.
    Finish(OnJob, Finishing),
    /// It hands a job back for another attempt.
    Retry(OnJob, bool),
    /// It renews every lock that it believes to hold.
    Renew(Option<Millis>),
    /// It renews one.
    RenewOne(OnJob, Option<Millis>),
    /// It sweeps. `None`: the guard lives as the setup says.
    Sweep(Option<Millis>),
    /// Its process dies.
    Crash,
    /// A new process starts in its place.
    Start,
}

/// Which job, and with which token.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OnJob {
    /// `None`: the job that the worker took last.
    pub id: Option<String>,
    /// The right one, or a wrong one.
    pub token: Token,
}

/// The token that is shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Token {
    /// What the worker got with the job. It may have become stale by itself.
    #[default]
    Own,
    /// One that held this job's lock before.
    Stale,
    /// One that never held it.
    Foreign,
}

/// How a job is acknowledged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Finishing {
    /// To failed instead of completed.
    pub failed: bool,
    /// Without taking the next job.
    pub no_fetch: bool,
    /// With fields to write first.
    pub fields: bool,
    /// How long the next job's lock lives.
    pub lock: Option<Millis>,
}

impl Schedule {
    /// The same schedule at a slower pace: what lives less than a minute lives so many times as long, and as much more
    /// time passes.
    #[must_use]
    pub fn slower(&self, times: u64) -> Self {
        let slower = |time: &mut Millis| {
            if time.0 < 60_000 {
                time.0 *= times;
            }
        };
        let mut schedule = self.clone();
        slower(&mut schedule.setup.lock);
        slower(&mut schedule.setup.stalled);
        for step in &mut schedule.steps {
            match step {
                Step::Pass(time)
                | Step::Worker(
                    _,
                    Act::Take(Some(time))
                    | Act::Renew(Some(time))
                    | Act::RenewOne(_, Some(time))
                    | Act::Sweep(Some(time))
                    | Act::Finish(_, Finishing { lock: Some(time), .. }),
                ) => slower(time),
                Step::Add { .. } | Step::Remove(_) | Step::Evict(_) | Step::Unlist(_) | Step::Worker(..) => {}
            }
        }
        schedule
    }
}

impl fmt::Display for Schedule {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Setup { workers, lock, stalled, max_stalled } = &self.setup;
        write!(out, "workers={workers},lock={lock},stalled={stalled},max-stalled={max_stalled}")?;
        self.steps.iter().try_for_each(|step| write!(out, ",{step}"))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Add { id, attempts } => {
                match id {
                    Some(id) => write!(out, "add:{id}")?,
                    None => write!(out, "add-auto")?,
                }
                if *attempts > 0 { write!(out, ":attempts={attempts}") } else { Ok(()) }
            }
            Step::Remove(id) => write!(out, "remove:{id}"),
            Step::Evict(id) => write!(out, "evict:{id}"),
            Step::Unlist(id) => write!(out, "unlist:{id}"),
            Step::Pass(time) => write!(out, "+{time}"),
            Step::Worker(worker, act) => write!(out, "w{worker}:{act}"),
        }
    }
}

impl fmt::Display for Act {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Act::Wake => write!(out, "wake"),
            Act::Block => write!(out, "block"),
            Act::Take(lock) => write!(out, "take{}", option("lock=", lock.as_ref())),
            Act::Finish(job, finishing) => {
                write!(out, "finish{job}")?;
                for (word, on) in [
                    (":failed", finishing.failed),
                    (":no-fetch", finishing.no_fetch),
                    (":fields", finishing.fields),
                ] {
                    write!(out, "{}", if on { word } else { "" })?;
                }
                write!(out, "{}", option("lock=", finishing.lock.as_ref()))
            }
            Act::Retry(job, fields) => write!(out, "retry{job}{}", if *fields { ":fields" } else { "" }),
            Act::Renew(lock) => write!(out, "renew{}", option("lock=", lock.as_ref())),
            Act::RenewOne(job, lock) => write!(out, "renew-one{job}{}", option("lock=", lock.as_ref())),
            Act::Sweep(interval) => write!(out, "sweep{}", option("stalled=", interval.as_ref())),
            Act::Crash => write!(out, "crash"),
            Act::Start => write!(out, "start"),
        }
    }
}

impl fmt::Display for OnJob {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let token = match self.token {
            Token::Own => "",
            Token::Stale => ":stale-token",
            Token::Foreign => ":foreign-token",
        };
        write!(out, "{}{token}", option("", self.id.as_ref()))
    }
}

fn option(word: &str, value: Option<&impl fmt::Display>) -> String {
    value.map_or_else(String::new, |value| format!(":{word}{value}"))
}
