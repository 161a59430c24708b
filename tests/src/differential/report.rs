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
use sha2::{Digest, Sha256};
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    fs,
    path::{Path, PathBuf},
};

/// What the differential measures, below the core's `src`: the keyspace, the protocol, and what they stand on.
const MEASURED: [&str; 6] = ["keyspace", "keyspace.rs", "protocol", "protocol.rs", "small.rs", "time.rs"];

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

    /// Puts this run into the file. Runs of the same sources with other versions stay; runs of other sources go.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn put(path: &Path, run: Run) -> Result<()> {
        let sources_sha256 = sources_sha256()?;
        let kept = Self::read(path).ok().filter(|report| report.sources_sha256 == sources_sha256);
        let mut report = kept.unwrap_or(Self { sources_sha256, runs: BTreeMap::new() });
        report.runs.insert(run.bullmq.clone(), run);
        let text = serde_json::to_string_pretty(&report)? + "\n";
        fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

/// Where the kept report lies.
#[must_use]
pub fn kept() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("differential-report.json")
}

/// The digest of what the differential measures.
///
/// # Errors
/// The sources are not where they should be.
pub fn sources_sha256() -> Result<String> {
    let mut digest = Sha256::new();
    for (name, path) in measured_files()? {
        let content = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
        digest.update(format!("{name}\n{}\n", content.len()));
        digest.update(&content);
    }
    Ok(digest.finalize().iter().fold(String::new(), |mut text, byte| {
        let _infallible = write!(text, "{byte:02x}");
        text
    }))
}

/// Every measured file, by name.
fn measured_files() -> Result<Vec<(String, PathBuf)>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/core/src");
    let mut files = Vec::new();
    for name in MEASURED {
        collect(&root.join(name), name, &mut files)?;
    }
    files.sort();
    Ok(files)
}

/// Every file under `path`, by a name that is the same on every machine.
fn collect(path: &Path, name: &str, files: &mut Vec<(String, PathBuf)>) -> Result<()> {
    if !path.is_dir() {
        files.push((name.to_owned(), path.to_owned()));
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        let inner = entry.file_name();
        collect(&entry.path(), &format!("{name}/{}", inner.to_string_lossy()), files)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_the_measured_sources_stand_on_is_measured_too() -> Result<()> {
        for (name, path) in measured_files()? {
            let text = fs::read_to_string(path)?;
            // `use crate::{small::SmallSet, time::Millis}` and `crate::time::Millis` alike.
            for after in text.split("crate::").skip(1) {
                let list = after.strip_prefix('{').and_then(|list| list.split_once("};"));
                let list = list.map_or(after, |(list, _)| list);
                let paths = list.split(',').take(if list.len() == after.len() { 1 } else { usize::MAX });
                for module in paths.filter_map(|path| path.trim().split("::").next()) {
                    let module: String =
                        module.chars().take_while(|letter| letter.is_alphanumeric()).collect();
                    let known = module.is_empty()
                        || module.starts_with(char::is_uppercase)
                        || MEASURED.contains(&format!("{module}.rs").as_str());
                    assert!(known, "{name} uses crate::{module}, which is not measured: add it to MEASURED");
                }
            }
        }
        Ok(())
    }
}
