//! The kept report: what was measured, of which sources.
//!
//! The page and the README show these numbers and no others. A report of other sources is worth nothing: it carries a
//! digest of what it measured, and a test holds that against the sources as they are.

use super::{
    bench::Bench,
    compare::{Difference, Part},
    run::{Outcome, Plan, Summary},
    shrink::shrink,
};
use crate::redis_scripts::Package;
use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// How to renew the kept report.
pub const RENEW: &str = "cargo xtask differential --schedules 10000 --report tests/differential-report.json";

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Report {
    /// SHA-256 over the sources of the keyspace, the protocol and what they stand on: names and contents, by name.
    pub sources_sha256: String,
    /// One run per version of BullMQ.
    pub runs: BTreeMap<String, Run>,
}

/// The figures of one run.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// The version of the package whose scripts ran.
    pub bullmq: String,
    /// The version of the server.
    pub redis: String,
    /// The first seed; the others follow one by one.
    pub first_seed: u64,
    /// Schedules that ran.
    pub schedules: u64,
    /// Steps drawn per schedule.
    pub steps_per_schedule: usize,
    /// Steps that were run on both sides and compared.
    pub steps: u64,
    /// Schedules with a difference that can be seen: reply, events, keys, hand-over.
    pub differences: u64,
    /// Schedules in which only the commands inside a script differ.
    pub differences_in_commands_only: u64,
    /// Every kind of difference, with the shortest story.
    pub kinds: Vec<Kind>,
    /// Steps by what was called.
    pub calls: BTreeMap<String, u64>,
    /// Answers of the scripts.
    pub answers: BTreeMap<String, u64>,
    /// Events in the streams.
    pub events: BTreeMap<String, u64>,
    /// Markers that were handed to a blocked client.
    pub handed_over: u64,
    /// Of these, while others were blocked too: who was served mattered.
    pub handed_over_by_age: u64,
}

/// One kind of difference.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Kind {
    /// What was called, and what differs.
    pub kind: String,
    /// How many schedules have it.
    pub schedules: u64,
    /// The first seed that has it.
    pub seed: u64,
    /// The shortest story that still has it.
    pub story: String,
    /// The model's side at the story's last step.
    pub model: String,
    /// Redis' side.
    pub redis: String,
}

impl Run {
    /// The figures of a summary. Shrinks the first schedule of every kind of difference.
    ///
    /// # Errors
    /// The server is gone.
    pub fn of(package: &Package, plan: &Plan, summary: &Summary) -> Result<Self> {
        let visible =
            |outcome: &&Outcome| outcome.differences.iter().any(|(_, difference)| difference.is_visible());
        let differences = summary.differing.iter().filter(visible).count() as u64;
        let tally = summary.tally.clone();
        Ok(Self {
            bullmq: package.version.clone(),
            redis: summary.redis.clone(),
            first_seed: plan.seeds.start,
            schedules: summary.schedules,
            steps_per_schedule: plan.steps,
            steps: tally.steps,
            differences,
            differences_in_commands_only: summary.differing.len() as u64 - differences,
            kinds: kinds(package, &summary.differing)?,
            calls: tally.calls,
            answers: tally.answers,
            events: tally.events,
            handed_over: tally.handed_over,
            handed_over_by_age: tally.handed_over_by_age,
        })
    }
}

fn kinds(package: &Package, differing: &[Outcome]) -> Result<Vec<Kind>> {
    let mut counted: BTreeMap<String, (u64, &Outcome, &Difference)> = BTreeMap::new();
    for outcome in differing {
        let first_of_kind: BTreeMap<String, &Difference> =
            outcome.differences.iter().rev().map(|(_, difference)| (difference.kind(), difference)).collect();
        for (kind, difference) in first_of_kind {
            counted.entry(kind).or_insert((0, outcome, difference)).0 += 1;
        }
    }
    if counted.is_empty() {
        return Ok(Vec::new());
    }
    let mut bench = Bench::start(package)?;
    let mut kinds = Vec::new();
    for (kind, (schedules, outcome, difference)) in counted {
        let shrunk = shrink(&mut bench, &outcome.schedule, &kind)?;
        let (story, difference) = match shrunk {
            Some(shrunk) => (shrunk.schedule.to_string(), shrunk.difference),
            // It did not show again; then the whole schedule is what there is.
            None => (outcome.schedule.to_string(), difference.clone()),
        };
        let Difference { model, redis, .. } = difference;
        kinds.push(Kind { kind, schedules, seed: outcome.seed, story, model, redis });
    }
    // What can be seen first, and the shortest of it: it says most.
    kinds.sort_by_key(|kind: &Kind| (kind.kind.ends_with(&Part::Commands.to_string()), kind.story.len()));
    Ok(kinds)
}

impl Report {
    /// The kept report, if there is one.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("{}: make it with `{RENEW}`", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is not a report", path.display()))
    }

    /// Puts this run into the file and returns what it now holds. Runs of the same sources with other versions stay;
    /// runs of other sources go.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(path: &Path, run: Run) -> Result<Self> {
        let sources_sha256 = sources_sha256().to_owned();
        let kept = Self::read(path).ok().filter(|report| report.sources_sha256 == sources_sha256);
        let mut report = kept.unwrap_or(Self { sources_sha256, runs: BTreeMap::new() });
        report.runs.insert(run.bullmq.clone(), run);
        let text = serde_json::to_string_pretty(&report)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(report)
    }
}

/// Where the kept report lies.
#[must_use]
pub fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("differential-report.json")
}

/// The digest of the sources that this program was compiled from; the build script takes it.
#[must_use]
pub fn sources_sha256() -> &'static str {
    env!("MEASURED_SHA256")
}
