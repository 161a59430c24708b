//! A story as data.

use enroll_once_core::{
    reliable_loop::{Guard, Setup},
    story::{ParseError, Story},
    time::Millis,
};
use serde::Serialize;

/// What was read.
#[derive(Serialize)]
pub struct Parsed {
    setup: SetupData,
    /// One text each, as a story writes them.
    tokens: Vec<String>,
    problem: Option<Problem>,
}

/// The setup, in the words of its tokens; durations in milliseconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct SetupData {
    workers: u8,
    lock: Millis,
    renew: Millis,
    stalled: Millis,
    max_stalled: u32,
    drain: Millis,
    poll: Millis,
    attempts: u32,
    off: Vec<Guard>,
}

/// The token that could not be read.
#[derive(Serialize)]
struct Problem {
    message: String,
    token: String,
    index: usize,
    character: usize,
    expected: String,
}

impl Parsed {
    /// Of a story and of what ended it.
    pub fn of(story: &Story, problem: Option<&ParseError>) -> Self {
        let tokens = story.tokens.iter().map(ToString::to_string).collect();
        Self { setup: SetupData::of(&story.setup), tokens, problem: problem.map(Problem::of) }
    }
}

impl SetupData {
    fn of(setup: &Setup) -> Self {
        Self {
            workers: setup.workers,
            lock: setup.lock,
            renew: setup.renew,
            stalled: setup.stalled,
            max_stalled: setup.max_stalled,
            drain: setup.drain,
            poll: setup.poll,
            attempts: setup.attempts,
            off: setup.guards.off().collect(),
        }
    }
}

impl Problem {
    fn of(error: &ParseError) -> Self {
        Self {
            message: error.to_string(),
            token: error.token.clone(),
            index: error.index,
            character: error.character,
            expected: error.expected.clone(),
        }
    }
}
