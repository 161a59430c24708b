//! The page's section "How we know", made from the kept report: the page shows no number that somebody typed.

use super::report::{Report, Run};
use crate::redis_scripts::PINNED;
use anyhow::{Context, Result};
use std::{
    fs,
    path::{Path, PathBuf},
};

/// The part of the page.
#[must_use]
pub fn file() -> PathBuf {
    root().join("web/how-we-know.html")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The section as it should be.
///
/// # Errors
/// The report has no run with the pinned version, or the recorded traces are not there.
pub fn html(report: &Report) -> Result<String> {
    let traces = fs::read_dir(root().join("crates/core/tests/traces"))?.count();
    let pinned = report.runs.get(PINNED).context("the report has no run with the pinned version")?;
    let rows: String = report.runs.values().map(row).collect();
    Ok(format!(
        "<p>The model is held to the real scripts in two ways. {traces} runs recorded from BullMQ {} are replayed step by step. \
         And random schedules of adds, takes, finishes, renewals, sweeps and deaths are run on the model and on a real Redis \
         {} at once. After every step the reply, the events and every key must be the same, and so must the commands inside \
         the script.</p>\n\
         <table class=\"evidence\">\n  <caption>Random schedules of {} steps, the model beside the real scripts</caption>\n  \
         <thead>\n    <tr><th scope=\"col\">scripts</th><th scope=\"col\">schedules</th><th scope=\"col\">steps compared</th>\
         <th scope=\"col\">schedules that differ</th></tr>\n  </thead>\n  <tbody>\n{rows}  </tbody>\n</table>\n\
         <p>The first row is the version that this is a model of. In the others, a difference in commands only means that a newer \
         script looks up something else on the way and comes to the same replies, events and keys. Measured sources: \
         <code>{}</code>.</p>\n",
        pinned.bullmq,
        pinned.redis,
        pinned.steps_per_schedule,
        report.sources_sha256.get(..12).unwrap_or_default(),
    ))
}

fn row(run: &Run) -> String {
    let differ = match (run.differences, run.differences_in_commands_only) {
        (0, 0) => "none".to_owned(),
        (0, commands) => format!("none; {} in commands only", grouped(commands)),
        (visible, commands) => format!("{}; {} in commands only", grouped(visible), grouped(commands)),
    };
    format!(
        "    <tr><th scope=\"row\">BullMQ {}</th><td>{}</td><td>{}</td><td>{differ}</td></tr>\n",
        run.bullmq,
        grouped(run.schedules),
        grouped(run.steps),
    )
}

/// 10000 as `10 000`, with a space that does not break.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push_str("&nbsp;");
        }
        text.push(digit);
    }
    text
}
