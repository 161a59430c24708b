//! Both sides of one step, held against each other.

use super::side::Side;
use serde::Serialize;
use serde_json::{Value as Json, json};
use std::{collections::BTreeSet, fmt, ops::Range};

/// One thing that is not the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What was called.
    pub call: String,
    /// What differs.
    pub part: Part,
    /// The model's side.
    pub model: String,
    /// Redis' side.
    pub redis: String,
}

/// What can differ.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub enum Part {
    /// The answer.
    Reply,
    /// The commands inside the script. Nothing can be seen of them from outside.
    Commands,
    /// Who of the blocked clients was served, and with what.
    HandOver,
    /// Who is blocked.
    Blocked,
    /// The stream.
    Events,
    /// A key: its name, with `<id>` for a job's.
    Key(String),
    /// The time to live of a key.
    Expiry(String),
}

impl Difference {
    /// Differences of the same kind have the same text.
    #[must_use]
    pub fn kind(&self) -> String {
        format!("{}: {}", self.call, self.part)
    }

    /// The same with the keys' short names.
    #[must_use]
    pub fn without(mut self, prefix: &str) -> Self {
        self.model = self.model.replace(prefix, "");
        self.redis = self.redis.replace(prefix, "");
        self
    }

    /// Can it be seen from outside?
    #[must_use]
    pub fn is_visible(&self) -> bool {
        self.part != Part::Commands
    }
}

impl fmt::Display for Part {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Reply => write!(out, "reply"),
            Part::Commands => write!(out, "commands inside the script"),
            Part::HandOver => write!(out, "hand-over to blocked clients"),
            Part::Blocked => write!(out, "blocked clients"),
            Part::Events => write!(out, "events"),
            Part::Key(name) => write!(out, "key {name}"),
            Part::Expiry(name) => write!(out, "expiry of key {name}"),
        }
    }
}

/// Everything that differs, the visible first.
#[must_use]
pub fn compare(call: &str, model: &Side, redis: &Side) -> Vec<Difference> {
    let mut found = Vec::new();
    let mut note = |part: Part, model: String, redis: String| {
        if model != redis {
            found.push(Difference { call: call.to_owned(), part, model, redis });
        }
    };
    note(Part::Reply, model.reply.to_string(), redis.reply.to_string());
    note(Part::HandOver, json!(model.handed).to_string(), json!(redis.handed).to_string());
    note(Part::Blocked, workers(&model.blocked), workers(&redis.blocked));
    let (own, theirs) = rest(&model.events, &redis.events);
    note(Part::Events, json!(own).to_string(), json!(theirs).to_string());
    let names: BTreeSet<&String> = model.keys.keys().chain(redis.keys.keys()).collect();
    for name in names {
        let show = |side: &Side| match side.keys.get(name) {
            Some(state) => format!("{} {}", state.kind, state.value),
            None => "no such key".to_owned(),
        };
        note(Part::Key(kind_of_key(name)), show(model), show(redis));
    }
    let (own, theirs) = rest(&model.commands, &redis.commands);
    note(Part::Commands, lines(own), lines(theirs));
    found
}

/// Both lists from their first difference on.
fn rest<'a, T: PartialEq>(model: &'a [T], redis: &'a [T]) -> (&'a [T], &'a [T]) {
    let same = model.iter().zip(redis).take_while(|(model, redis)| model == redis).count();
    (model.get(same..).unwrap_or_default(), redis.get(same..).unwrap_or_default())
}

fn workers(blocked: &BTreeSet<u8>) -> String {
    let names: Vec<String> = blocked.iter().map(|worker| format!("w{worker}")).collect();
    if names.is_empty() { "nobody".to_owned() } else { names.join(" ") }
}

fn lines(commands: &[Vec<String>]) -> String {
    let lines: Vec<String> = commands.iter().map(|words| words.join(" ")).collect();
    if lines.is_empty() { "nothing more".to_owned() } else { lines.join("\n") }
}

/// `j_1:lock` -> `<id>:lock`.
pub(super) fn kind_of_key(name: &str) -> String {
    let (id, rest) = name.split_once(':').map_or((name, None), |(id, rest)| (id, Some(rest)));
    let is_id = id.starts_with("j_") || id.bytes().all(|byte| byte.is_ascii_digit());
    match (is_id, rest) {
        (true, Some(rest)) => format!("<id>:{rest}"),
        (true, None) => "<id>".to_owned(),
        (false, _) => name.to_owned(),
    }
}

/// The order in which a sweep takes its suspects is Redis' own; what follows from it is put into the order of ids:
/// the reply, and the commands of each suspect. Returns the reply in its old order.
pub fn sort_sweep(side: &mut Side) -> Option<Vec<String>> {
    let ids: Vec<String> =
        side.reply.as_array()?.iter().map(|id| id.as_str().map(str::to_owned)).collect::<Option<_>>()?;
    let mut sorted = ids.clone();
    sorted.sort();
    side.reply = sorted.into();
    sort_suspects(&mut side.commands);
    Some(ids)
}

/// From the SMEMBERS on, every suspect's commands begin with the EXISTS of its lock.
fn sort_suspects(commands: &mut Vec<Vec<String>>) {
    let is = |words: &[String], name: &str| words.first().is_some_and(|word| word == name);
    let Some(members) = commands.iter().position(|words| is(words, "SMEMBERS")) else { return };
    let Some(marking) = commands.iter().rposition(|words| is(words, "LRANGE")) else { return };
    let Some(first) =
        (members..marking).find(|at| commands.get(*at).is_some_and(|words| is(words, "EXISTS")))
    else {
        return;
    };
    let mut suspects: Vec<Vec<Vec<String>>> = Vec::new();
    for words in commands.drain(first..marking).collect::<Vec<_>>() {
        match suspects.last_mut() {
            Some(suspect) if !is(&words, "EXISTS") => suspect.push(words),
            Some(_) | None => suspects.push(vec![words]),
        }
    }
    suspects.sort();
    commands.splice(first..first, suspects.into_iter().flatten());
}

/// The events of each sweep in the order of job ids; those of one job keep theirs.
pub fn sort_events(events: &mut [Json], sweeps: &[Range<usize>]) {
    let id = |event: &Json| {
        let fields = event.as_array().into_iter().flatten();
        let job = fields.clone().find(|field| field.get(0).is_some_and(|name| name == "jobId"));
        job.and_then(|field| field.get(1)).map(Json::to_string)
    };
    for sweep in sweeps {
        if let Some(events) = events.get_mut(sweep.clone()) {
            events.sort_by_key(id);
        }
    }
}
