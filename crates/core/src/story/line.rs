//! A run as data, one record an atomic step: what the example `story` prints and what a script gets.

use super::{Ran, RanStep, RefusedToken};
use crate::{
    check::{Invariant, broken},
    keyspace::{KeyDump, RedisCommand},
    protocol::Reply,
    reliable_loop::{Fact, Worker, World},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use serde::Serialize;

/// What one atomic step came to.
#[derive(Serialize)]
pub struct Line<'a> {
    /// Which step, counting from 1.
    pub n: usize,
    /// What happened, as a token.
    pub action: String,
    /// Why it did not happen; then it is the last line, and nothing has changed.
    pub refused: Option<String>,
    /// The virtual clock, in milliseconds.
    pub now: u64,
    /// The Redis commands, in order.
    pub commands: Vec<&'a RedisCommand>,
    /// What the script answered.
    pub reply: Option<&'a Reply>,
    /// What came of it, a sentence each.
    pub facts: Vec<String>,
    /// Every key.
    pub keys: Vec<KeyDump<'a>>,
    /// Every worker.
    pub workers: Vec<WorkerLine>,
    /// How many enrollments are recorded.
    pub enrolled: usize,
    /// How often the enroll ran.
    pub deliveries: u32,
    /// What does not hold now.
    pub broken: Vec<Invariant>,
}

/// A worker in a [`Line`].
#[derive(Serialize)]
pub struct WorkerLine {
    /// Which.
    pub id: String,
    /// Its state in a word.
    pub state: String,
    /// The job that it has in its hands.
    pub job: Option<String>,
    /// The token under which it has it.
    pub token: Option<String>,
}

impl Ran {
    /// Every step, and last the token that was refused, if one was.
    #[must_use]
    pub fn lines(&self) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        for RanStep { action, step } in &self.steps {
            lines.push(line(lines.len() + 1, action.to_string(), &step.facts, &step.world));
        }
        if let Some(RefusedToken { token, refusal, .. }) = &self.refused {
            lines.push(self.refused_line(token.clone(), refusal.to_string()));
        }
        lines
    }

    /// The line of a token at the end of this run that did not happen.
    #[must_use]
    pub fn refused_line(&self, token: String, why: String) -> Line<'_> {
        Line { refused: Some(why), ..line(self.steps.len() + 1, token, &[], self.world()) }
    }
}

fn line<'a>(n: usize, action: String, facts: &'a [Fact], world: &'a World) -> Line<'a> {
    let mut commands = Vec::new();
    let mut reply = None;
    for fact in facts {
        if let Fact::Ran { commands: ran, reply: answer, .. } = fact {
            commands.extend(ran.iter());
            reply = Some(answer);
        }
    }
    Line {
        n,
        action,
        refused: None,
        now: world.now.0,
        commands,
        reply,
        facts: facts.iter().map(ToString::to_string).collect(),
        keys: world.keys.snapshot(world.now),
        workers: world.workers.iter().map(worker_line).collect(),
        enrolled: world.enrolled(),
        deliveries: world.deliveries,
        broken: broken(world),
    }
}

fn worker_line(worker: &Worker) -> WorkerLine {
    WorkerLine {
        id: worker.id.to_string(),
        state: worker.state().to_string(),
        job: worker.job.as_ref().map(|job| job.id.clone()),
        token: worker.job.as_ref().map(|job| job.token.clone()),
    }
}
