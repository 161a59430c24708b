//! A schedule: who does what, in order. It prints and parses as a story.
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

use anyhow::{Context, Result, bail};
use enroll_once_core::time::Millis;
use std::{fmt, str::FromStr};

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

impl FromStr for Schedule {
    type Err = anyhow::Error;

    fn from_str(story: &str) -> Result<Self> {
        let mut setup = Setup { workers: 2, lock: Millis(250), stalled: Millis(250), max_stalled: 1 };
        let mut steps = Vec::new();
        let tokens = story.split([',', ' ', '\n']).filter(|token| !token.is_empty());
        for (position, token) in tokens.enumerate() {
            let place = || format!("token {}, `{token}`", position + 1);
            if !setup.read(token).with_context(place)? {
                steps.push(token.parse().with_context(place)?);
            }
        }
        Ok(Self { setup, steps })
    }
}

impl Setup {
    /// True if the token was one of the setup's.
    fn read(&mut self, token: &str) -> Result<bool> {
        let Some((name, value)) = token.split_once('=').filter(|(name, _)| !name.contains(':')) else {
            return Ok(false);
        };
        match name {
            "workers" => self.workers = value.parse()?,
            "lock" => self.lock = millis(value)?,
            "stalled" => self.stalled = millis(value)?,
            "max-stalled" => self.max_stalled = value.parse()?,
            _ => bail!("expected workers=, lock=, stalled= or max-stalled="),
        }
        Ok(true)
    }
}

fn millis(text: &str) -> Result<Millis> {
    Millis::parse(text).map_err(|expected| anyhow::anyhow!("expected {expected}"))
}

impl FromStr for Step {
    type Err = anyhow::Error;

    fn from_str(token: &str) -> Result<Self> {
        if let Some(time) = token.strip_prefix('+') {
            return Ok(Step::Pass(millis(time)?));
        }
        let mut parts = token.split(':');
        let first = parts.next().unwrap_or_default();
        if let Some(worker) = first.strip_prefix('w').and_then(|number| number.parse().ok()) {
            return Ok(Step::Worker(worker, act(parts)?));
        }
        let mut id = || Ok::<_, anyhow::Error>(parts.next().context("expected a job id")?.to_owned());
        match first {
            "remove" => Ok(Step::Remove(id()?)),
            "evict" => Ok(Step::Evict(id()?)),
            "unlist" => Ok(Step::Unlist(id()?)),
            "add" | "add-auto" => {
                let id = if first == "add" { Some(id()?) } else { None };
                let attempts = parts.next().map_or(Some("0"), |part| part.strip_prefix("attempts="));
                Ok(Step::Add { id, attempts: attempts.context("expected attempts=")?.parse()? })
            }
            _ => bail!("expected a step such as add:j_1, w1:take or +250ms"),
        }
    }
}

fn act<'a>(mut parts: impl Iterator<Item = &'a str>) -> Result<Act> {
    let name = parts.next().context("expected what the worker does")?;
    let (mut job, mut finishing, mut interval) = (OnJob::default(), Finishing::default(), None);
    for part in parts {
        match part {
            "stale-token" => job.token = Token::Stale,
            "foreign-token" => job.token = Token::Foreign,
            "failed" => finishing.failed = true,
            "no-fetch" => finishing.no_fetch = true,
            "fields" => finishing.fields = true,
            _ => match part.split_once('=') {
                Some(("lock", time)) => finishing.lock = Some(millis(time)?),
                Some(("stalled", time)) => interval = Some(millis(time)?),
                Some(_) => bail!("expected lock= or stalled="),
                None => job.id = Some(part.to_owned()),
            },
        }
    }
    Ok(match name {
        "wake" => Act::Wake,
        "block" => Act::Block,
        "take" => Act::Take(finishing.lock),
        "finish" => Act::Finish(job, finishing),
        "retry" => Act::Retry(job, finishing.fields),
        "renew" => Act::Renew(finishing.lock),
        "renew-one" => Act::RenewOne(job, finishing.lock),
        "sweep" => Act::Sweep(interval),
        "crash" => Act::Crash,
        "start" => Act::Start,
        _ => bail!("expected wake, block, take, finish, retry, renew, renew-one, sweep, crash or start"),
    })
}
