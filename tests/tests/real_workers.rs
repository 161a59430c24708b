//! Real BullMQ workers, a real kill: what the server ran is what the model runs, and only the idempotent effect
//! happened once.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails by panicking

use anyhow::{Context, Result};
use enroll_once_tests::{
    real_run::crash_after_the_effect,
    recorded_run::{Recording, What, replay},
    redis_scripts::{PINNED, Package},
};
use serde_json::Value as Json;
use std::{env, fs, path::PathBuf};

/// Set, the observed run replaces the kept one.
const RECORD: &str = "ENROLL_ONCE_RECORD";

fn kept() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("recorded-run.json")
}

#[test]
fn a_worker_killed_after_its_effect_is_recovered_as_in_the_model() -> Result<()> {
    let recording = crash_after_the_effect(&Package::get(PINNED)?)?;
    check(&recording)?;
    if env::var_os(RECORD).is_some() {
        fs::write(kept(), recording.to_text()?)?;
    }
    Ok(())
}

#[test]
fn the_kept_recording_is_a_run_of_the_model_too() -> Result<()> {
    let again = format!("{}: record it with {RECORD}=1 and this test", kept().display());
    let recording: Recording = serde_json::from_str(&fs::read_to_string(kept()).context(again)?)?;
    assert_eq!(recording.bullmq, PINNED, "recorded with another version: record it again with {RECORD}=1");
    check(&recording)
}

/// The run of scenario S02 (`crash after the effect`), whatever its timing was.
#[track_caller]
fn check(recording: &Recording) -> Result<()> {
    let scripts = replay(recording)?;
    assert!(scripts >= 7, "{scripts} scripts are not a run");
    assert_eq!(recording.enrolled.len(), 1, "the idempotent effect happened once");
    assert_eq!(recording.enrollments.len(), 2, "the naive effect happened twice");

    let keys = recording.steps.iter().rev().find_map(|step| match &step.what {
        What::Look { keyspace } => Some(keyspace),
        What::Script { .. } | What::Redis { .. } | What::Effect { .. } | What::Dies => None,
    });
    let keys = keys.context("nobody looked at the end")?;
    let events = keys["events"]["value"].as_array().context("no events")?;
    let events: Vec<&str> = events.iter().filter_map(|event| event[0][1].as_str()).collect();
    let crash = ["added", "waiting", "active", "waiting", "stalled", "active", "completed", "drained"];
    assert_eq!(events, crash);
    let fields = keys["j_1"]["value"].as_array().context("no job")?;
    let field = |name: &str| fields.iter().find(|field| field[0] == name).map(|field| field[1].clone());
    let counts = ["ats", "stc", "atm"].map(field);
    assert_eq!(
        counts,
        ["2", "1", "1"].map(|count| Some(Json::from(count))),
        "taken twice, recovered once, ended once"
    );

    // Each of these was seen with the worker's own eyes: taken twice, recovered once, acknowledged once.
    assert_eq!(told(recording, "moveToActive", |reply| reply[1] == "j_1"), 2);
    assert_eq!(told(recording, "moveStalledJobsToWait", |reply| reply[0] == "j_1"), 1);
    assert_eq!(told(recording, "moveToFinished", |reply| *reply == 0), 1);
    Ok(())
}

/// How many replies of this script, as the workers got them, are like this.
fn told(recording: &Recording, name: &str, is_like: fn(&Json) -> bool) -> usize {
    let replies = recording.steps.iter().filter_map(|step| match &step.what {
        What::Script { script, returns, .. } if script.starts_with(name) => returns.as_ref(),
        What::Script { .. } | What::Redis { .. } | What::Effect { .. } | What::Dies | What::Look { .. } => {
            None
        }
    });
    replies.filter(|reply| is_like(reply)).count()
}
