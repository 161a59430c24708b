//! Reading a story, token by token.

use super::{Story, Token};
use crate::{
    reliable_loop::{Action, Guard, NewEnrollment, Op, Setup, WorkerId},
    time::Millis,
};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// A token that could not be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError {
    /// The token as it stands in the text.
    pub token: String,
    /// Which token it is, counting from 1.
    pub index: usize,
    /// At which character of the text it begins, counting from 1.
    pub character: usize,
    /// What was expected in its place.
    pub expected: String,
}

impl fmt::Display for ParseError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { token, index, character, expected } = self;
        write!(out, "token {index}, `{token}`, at character {character}: expected {expected}")
    }
}

impl core::error::Error for ParseError {}

/// Longer texts are refused before they are read: a link or an attribute never needs them.
const LONGEST_STORY: usize = 20_000;

/// The names of the queue's own keys: a job of that name would overwrite one.
const RESERVED: [&str; 13] = [
    "wait",
    "active",
    "marker",
    "stalled",
    "stalled-check",
    "completed",
    "failed",
    "paused",
    "delayed",
    "id",
    "meta",
    "events",
    "prioritized",
];

impl Story {
    /// Reads a story with the default setup.
    ///
    /// # Errors
    /// The first token that could not be read.
    pub fn parse(text: &str) -> Result<Self, ParseError> {
        let (story, error) = Self::parse_good_part(text, Setup::default());
        error.map_or(Ok(story), Err)
    }

    /// Reads as far as the text is good, on top of `setup`; also returns the error that ended it.
    #[must_use]
    pub fn parse_good_part(text: &str, setup: Setup) -> (Self, Option<ParseError>) {
        let mut story = Self { setup, tokens: Vec::new() };
        let mut reading = Reading::default();
        for (index, (character, token)) in split(text).enumerate() {
            let read = if text.len() > LONGEST_STORY {
                Err(format!("a story of at most {LONGEST_STORY} bytes"))
            } else {
                reading.token(&mut story, token)
            };
            if let Err(expected) = read {
                let error = ParseError {
                    token: shorten(token),
                    index: index + 1,
                    character: character + 1,
                    expected,
                };
                return (story, Some(error));
            }
        }
        (story, None)
    }
}

/// The tokens with the character at which each begins, counting from 0.
fn split(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let separator = |letter: char| letter == ',' || letter.is_whitespace();
    let begin = text.as_ptr() as usize;
    text.split(separator).filter(|token| !token.is_empty()).map(move |token| {
        let byte = token.as_ptr() as usize - begin;
        (text[..byte].chars().count(), token)
    })
}

fn shorten(token: &str) -> String {
    let short: String = token.chars().take(40).collect();
    if short.len() < token.len() { short + "…" } else { short }
}

/// What reading has to remember between tokens.
#[derive(Default)]
struct Reading {
    renew_given: bool,
}

/// What could stand where a token is not understood.
const ANY_TOKEN: &str = "add, step, crash, a worker's action such as w1:take, time such as +30s, a fault such as \
                         portal:restart, marker:lost or lock:evict:j_1, or setup such as lock=30s";

impl Reading {
    fn token(&mut self, story: &mut Story, token: &str) -> Result<(), String> {
        if let Some((name, value)) = token.split_once('=') {
            if !story.tokens.is_empty() {
                return Err("setup such as lock=30s only before the first action".to_string());
            }
            return self.setup(&mut story.setup, name, value);
        }
        story.tokens.push(action(token)?);
        Ok(())
    }

    fn setup(&mut self, setup: &mut Setup, name: &str, value: &str) -> Result<(), String> {
        match name {
            "workers" => setup.workers = number(value, 1, Setup::MOST_WORKERS.into())?,
            "lock" => {
                setup.lock = duration(value)?;
                if !self.renew_given {
                    setup.renew = Setup::default_renew(setup.lock);
                }
            }
            "renew" => {
                setup.renew = duration(value)?;
                self.renew_given = true;
            }
            "stalled" => setup.stalled = duration(value)?,
            "max-stalled" => setup.max_stalled = number(value, 0, 100)?,
            "drain" => setup.drain = duration(value)?,
            "poll" => setup.poll = duration(value)?,
            "attempts" => setup.attempts = number(value, 0, 100)?,
            "off" => setup.guards = setup.guards.without(guard(value)?),
            _ => return Err(format!("one of {SETUP_TOKENS}")),
        }
        Ok(())
    }
}

/// What can stand before an `=`.
const SETUP_TOKENS: &str = "workers=, lock=, renew=, stalled=, max-stalled=, drain=, poll=, attempts=, off=";

fn guard(code: &str) -> Result<Guard, String> {
    Guard::parse(code).ok_or_else(|| {
        let codes = Guard::ALL.map(Guard::code).join(", ");
        format!("a guard after `off=`, one of {codes}, not `{code}`")
    })
}

fn number<N: TryFrom<u32>>(text: &str, least: u32, most: u32) -> Result<N, String> {
    let number = text.parse().ok().filter(|number| (least..=most).contains(number));
    number
        .and_then(|number| N::try_from(number).ok())
        .ok_or_else(|| format!("a number from {least} to {most}, not `{text}`"))
}

fn duration(text: &str) -> Result<Millis, String> {
    let duration = Millis::parse(text)?;
    if (Setup::SHORTEST..=Setup::LONGEST).contains(&duration) {
        return Ok(duration);
    }
    Err(format!("a duration from {} to {}, not `{text}`", Setup::SHORTEST, Setup::LONGEST))
}

fn action(token: &str) -> Result<Token, String> {
    if let Some(by) = token.strip_prefix('+') {
        let by = Millis::parse(by)?;
        if by == Millis(0) || by > Setup::LONGEST {
            return Err(format!("a duration of more than nothing and at most {}", Setup::LONGEST));
        }
        return Ok(Token::Act(Action::Advance(by)));
    }
    let (head, rest) = token.split_once(':').map_or((token, None), |(head, rest)| (head, Some(rest)));
    match (head, rest) {
        ("step", None) => Ok(Token::Step),
        ("crash", None) => Ok(Token::Crash),
        ("add", None) => Ok(Token::Act(Action::Add(NewEnrollment::default()))),
        ("add", Some(rest)) => add(rest).map(|new| Token::Act(Action::Add(new))),
        ("portal", Some("restart")) => Ok(Token::Act(Action::RestartPortal)),
        ("portal", Some("down")) => Ok(Token::Act(Action::PortalDown)),
        ("portal", Some("up")) => Ok(Token::Act(Action::PortalUp)),
        ("portal", _) => Err("one of portal:restart, portal:down, portal:up".to_string()),
        ("marker", Some("lost")) => Ok(Token::Act(Action::LoseMarker)),
        ("marker", _) => Err("marker:lost".to_string()),
        ("lock", rest) => evict(rest.unwrap_or_default()).map(Token::Act),
        _ => worker_token(head, rest),
    }
}

fn worker_token(head: &str, rest: Option<&str>) -> Result<Token, String> {
    let number = head.strip_prefix('w').and_then(|number| number.parse().ok());
    let known = number.filter(|number| (1..=Setup::MOST_WORKERS).contains(number));
    let Some(worker) = known.map(WorkerId) else { return Err(ANY_TOKEN.to_string()) };
    match rest {
        None => Ok(Token::NextOf(worker)),
        Some(word) => worker_action(worker, word).map(Token::Act).ok_or_else(|| {
            let words: Vec<&str> = Op::ALL
                .map(Op::word)
                .into_iter()
                .chain(["renew", "sweep", "crash", "start", "freeze", "thaw", "lose-reply"])
                .collect();
            format!("after `{worker}:` one of {}", words.join(", "))
        }),
    }
}

fn worker_action(worker: WorkerId, word: &str) -> Option<Action> {
    let of_worker = match word {
        "renew" => Action::Renew,
        "sweep" => Action::Sweep,
        "crash" => Action::Crash,
        "start" => Action::Start,
        "freeze" => Action::Freeze,
        "thaw" => Action::Thaw,
        "lose-reply" => Action::LoseReply,
        _ => {
            let op = Op::ALL.into_iter().find(|op| op.word() == word)?;
            return Some(Action::Operate(worker, op));
        }
    };
    Some(of_worker(worker))
}

fn add(rest: &str) -> Result<NewEnrollment, String> {
    let parts: Vec<&str> = rest.split(':').collect();
    let (id, who) = match parts.as_slice() {
        [id] => (*id, None),
        [id, learner, course] => (*id, Some((*learner, *course))),
        _ => return Err("add, add:ID or add:ID:LEARNER:COURSE".to_string()),
    };
    if !who.is_none_or(|(learner, course)| is_plain(learner) && is_plain(course)) {
        return Err(PLAIN.to_string());
    }
    let id = job_id(id)?;
    let who = who.map(|(learner, course)| (learner.to_string(), course.to_string()));
    Ok(NewEnrollment { id: Some(id), who })
}

fn evict(rest: &str) -> Result<Action, String> {
    let id = rest.strip_prefix("evict:").ok_or_else(|| "lock:evict:ID".to_string())?;
    job_id(id).map(Action::EvictLock)
}

const PLAIN: &str = "ids of 1 to 64 letters, digits, `_`, `-` or `.`";

fn is_plain(text: &str) -> bool {
    let ok = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    !text.is_empty() && text.len() <= 64 && text.bytes().all(ok)
}

fn job_id(id: &str) -> Result<String, String> {
    if !is_plain(id) {
        return Err(PLAIN.to_string());
    }
    if RESERVED.contains(&id) || id.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("a job id that is neither a number nor a key of the queue, not `{id}`"));
    }
    Ok(id.to_string())
}
