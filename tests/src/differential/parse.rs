//! A schedule read from a story. An error names the token and says what was expected.

use super::schedule::{Act, Finishing, OnJob, Schedule, Setup, Step, Token};
use anyhow::{Context, Result, bail};
use enroll_once_core::time::Millis;
use std::str::FromStr;

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
