//! Reading a story, token by token.

use super::{Story, Token};
use crate::{
    reliable_loop::{Action, Guard, LEFT_OUT, NAIVE, NewEnrollment, Op, Setup, WorkerId},
    small::{self, decimal},
    time::Millis,
};
use alloc::{
    boxed::Box,
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
        let (index, character) = (decimal(*index as u64), decimal(*character as u64));
        write!(out, "token {index}, `{token}`, at character {character}: expected {expected}")
    }
}

impl ParseError {
    /// Could it be read by a build with the feature `naive`, and only there?
    #[must_use]
    pub fn is_left_out(&self) -> bool {
        self.expected == LEFT_OUT
    }
}

impl core::error::Error for ParseError {}

/// Longer texts are refused before they are read: a link or an attribute never needs them.
const LONGEST_STORY: usize = 20_000;
const TOO_LONG: &str = "a story of at most 20000 bytes";

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
        for (index, (character, token)) in split(text).into_iter().enumerate() {
            let read = if text.len() > LONGEST_STORY {
                Err(TOO_LONG.to_string())
            } else {
                reading.token(&mut story, token)
            };
            if let Err(expected) = read {
                let error = ParseError { token: shorten(token), index: index + 1, character, expected };
                return (story, Some(error));
            }
        }
        (story, None)
    }
}

/// A comma, or white space: that of ASCII, and the blank that pages and word processors put in its place.
fn separates(letter: char) -> bool {
    letter == ',' || letter.is_ascii_whitespace() || letter == '\u{a0}'
}

/// The tokens with the character at which each begins, counting from 1.
fn split(text: &str) -> Vec<(usize, &str)> {
    let mut tokens = Vec::new();
    let mut character = 1;
    for token in text.split(separates) {
        if !token.is_empty() {
            tokens.push((character, token));
        }
        character += token.chars().count() + 1;
    }
    tokens
}

fn shorten(token: &str) -> String {
    let end = token.char_indices().nth(40).and_then(|(end, _)| token.get(..end));
    end.map_or_else(|| token.to_string(), |short| [short, "…"].concat())
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
        if let Some((name, value)) = small::cut(token, b'=') {
            if !story.tokens.is_empty() {
                return Err("setup such as lock=30s only before the first action".to_string());
            }
            return self.setup(&mut story.setup, name, value);
        }
        let token = action(token)?;
        if matches!(&token, Token::Act(action) if action.is_left_out()) {
            return Err(LEFT_OUT.to_string());
        }
        story.tokens.push(token);
        Ok(())
    }

    fn setup(&mut self, setup: &mut Setup, name: &str, value: &str) -> Result<(), String> {
        let slot = match name {
            "lock" => &mut setup.lock,
            "renew" => &mut setup.renew,
            "stalled" => &mut setup.stalled,
            "drain" => &mut setup.drain,
            "poll" => &mut setup.poll,
            _ => return other_setup(setup, name, value),
        };
        *slot = duration(value)?;
        self.renew_given |= name == "renew";
        if name == "lock" && !self.renew_given {
            setup.renew = Setup::default_renew(setup.lock);
        }
        Ok(())
    }
}

/// The setup that is no duration.
fn other_setup(setup: &mut Setup, name: &str, value: &str) -> Result<(), String> {
    match name {
        "workers" => setup.workers = number(value, 1, Setup::MOST_WORKERS)?,
        "max-stalled" => setup.max_stalled = number(value, 0, 100)?.into(),
        "off" | "attempts" if !NAIVE => return Err(LEFT_OUT.to_string()),
        "attempts" => setup.attempts = number(value, 0, 100)?.into(),
        "off" => setup.guards = setup.guards.without(guard(value)?),
        _ => return Err(SETUP_TOKENS.to_string()),
    }
    Ok(())
}

/// What can stand before an `=`.
const SETUP_TOKENS: &str =
    "one of workers=, lock=, renew=, stalled=, max-stalled=, drain=, poll=, attempts=, off=";

fn guard(code: &str) -> Result<Guard, String> {
    Guard::parse(code).ok_or_else(|| {
        let codes = small::joined(&Guard::ALL.map(|guard| guard.code().to_string()), ", ");
        ["a guard after `off=`, one of ", &codes, ", not `", code, "`"].concat()
    })
}

fn number(text: &str, least: u8, most: u8) -> Result<u8, String> {
    let number = small::number(text).and_then(|number| u8::try_from(number).ok());
    number.filter(|number| (least..=most).contains(number)).ok_or_else(|| {
        let (least, most) = (decimal(least.into()), decimal(most.into()));
        ["a number from ", &least, " to ", &most, ", not `", text, "`"].concat()
    })
}

fn duration(text: &str) -> Result<Millis, String> {
    let duration = Millis::parse(text)?;
    if (Setup::SHORTEST..=Setup::LONGEST).contains(&duration) {
        return Ok(duration);
    }
    let (least, most) = (Setup::SHORTEST.to_string(), Setup::LONGEST.to_string());
    Err(["a duration from ", &least, " to ", &most, ", not `", text, "`"].concat())
}

fn action(token: &str) -> Result<Token, String> {
    if let Some(by) = token.strip_prefix('+') {
        let by = Millis::parse(by)?;
        if by == Millis(0) || by > Setup::LONGEST {
            return Err(
                ["a duration of more than nothing and at most ", &Setup::LONGEST.to_string()].concat()
            );
        }
        return Ok(Token::Act(Action::Advance(by)));
    }
    let (head, rest) = small::cut(token, b':').map_or((token, None), |(head, rest)| (head, Some(rest)));
    match (head, rest) {
        ("step", None) => Ok(Token::Step),
        ("crash", None) => Ok(Token::Crash),
        ("add", None) => Ok(Token::Act(Action::Add(Box::default()))),
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

const MORE_WORDS: &str = ", renew, sweep, crash, start, freeze, thaw, lose-reply";

fn worker_token(head: &str, rest: Option<&str>) -> Result<Token, String> {
    let known = head.strip_prefix('w').and_then(|digits| number(digits, 1, Setup::MOST_WORKERS).ok());
    let Some(worker) = known.map(WorkerId) else { return Err(ANY_TOKEN.to_string()) };
    match rest {
        None => Ok(Token::NextOf(worker)),
        Some(word) => worker_action(worker, word).map(Token::Act).ok_or_else(|| {
            let ops = small::joined(&Op::ALL.map(|op| op.word().to_string()), ", ");
            ["after `", &worker.to_string(), ":` one of ", &ops, MORE_WORDS].concat()
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

fn add(rest: &str) -> Result<Box<NewEnrollment>, String> {
    let (id, who) = match small::pieces(rest, b':').as_slice() {
        [id] => (*id, None),
        [id, learner, course] => (*id, Some((*learner, *course))),
        _ => return Err("add, add:ID or add:ID:LEARNER:COURSE".to_string()),
    };
    if who.is_some_and(|(learner, course)| !is_plain(learner) || !is_plain(course)) {
        return Err(PLAIN.to_string());
    }
    let id = Some(job_id(id)?);
    Ok(Box::new(NewEnrollment {
        id,
        who: who.map(|(learner, course)| (learner.to_string(), course.to_string())),
    }))
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
        let expected = "a job id that is neither a number nor a key of the queue, not `";
        return Err([expected, id, "`"].concat());
    }
    Ok(id.to_string())
}
