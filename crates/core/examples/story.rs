//! Replays a story in a terminal: one JSON object a line, one line an atomic step.
//!
//! `cargo run -q -p enroll-once-core --example story -- "add,step,step,step,crash"`
//!
//! Exit codes: 0 it ran to its end; 1 a token could not happen (the line says why); 2 a token could not be read.

use enroll_once_core::{
    check::{Invariant, broken},
    keyspace::{KeyDump, RedisCommand},
    reliable_loop::{Fact, World},
    story::{RanStep, Story},
};
use serde::Serialize;
use std::io::Write;

/// One line of output.
#[derive(Serialize)]
struct Line<'a> {
    n: usize,
    action: String,
    refused: Option<String>,
    now: u64,
    commands: Vec<&'a RedisCommand>,
    reply: serde_json::Value,
    facts: Vec<String>,
    keys: Vec<KeyDump<'a>>,
    workers: Vec<WorkerLine>,
    enrolled: usize,
    deliveries: u32,
    broken: Vec<Invariant>,
}

#[derive(Serialize)]
struct WorkerLine {
    id: String,
    state: String,
    job: Option<String>,
    token: Option<String>,
}

fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    if text.trim().is_empty() {
        eprintln!("usage: story STORY, for example: story \"add,step,step,step,crash\"");
        return Ok(2.into());
    }
    let story = match Story::parse(&text) {
        Ok(story) => story,
        Err(error) => {
            eprintln!("{error}");
            return Ok(2.into());
        }
    };
    let ran = story.run();
    let mut out = std::io::stdout().lock();
    for (index, RanStep { action, step }) in ran.steps.iter().enumerate() {
        print(&mut out, &line(index + 1, action.to_string(), None, &step.facts, &step.world)?)?;
    }
    let Some(refused) = &ran.refused else { return Ok(0.into()) };
    let reason = Some(refused.refusal.to_string());
    print(&mut out, &line(ran.steps.len() + 1, refused.token.clone(), reason, &[], ran.world())?)?;
    eprintln!("token {} after the setup, `{}`: {}", refused.index, refused.token, refused.refusal);
    Ok(1.into())
}

fn print(out: &mut impl Write, line: &Line<'_>) -> std::io::Result<()> {
    serde_json::to_writer(&mut *out, line)?;
    writeln!(out)
}

fn line<'a>(
    n: usize,
    action: String,
    refused: Option<String>,
    facts: &'a [Fact],
    world: &'a World,
) -> Result<Line<'a>, serde_json::Error> {
    let mut commands = Vec::new();
    let mut reply = serde_json::Value::Null;
    for fact in facts {
        if let Fact::Ran { commands: ran, reply: answer, .. } = fact {
            commands.extend(ran.iter());
            reply = serde_json::to_value(answer)?;
        }
    }
    Ok(Line {
        n,
        action,
        refused,
        now: world.now.0,
        commands,
        reply,
        facts: facts.iter().map(ToString::to_string).collect(),
        keys: world.keys.snapshot(world.now),
        workers: world.workers.iter().map(worker_line).collect(),
        enrolled: world.enrolled(),
        deliveries: world.deliveries,
        broken: broken(world),
    })
}

fn worker_line(worker: &enroll_once_core::reliable_loop::Worker) -> WorkerLine {
    WorkerLine {
        id: worker.id.to_string(),
        state: worker.state().to_string(),
        job: worker.job.as_ref().map(|job| job.id.clone()),
        token: worker.job.as_ref().map(|job| job.token.clone()),
    }
}
