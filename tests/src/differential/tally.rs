//! What a run has done: it is only as good as what came up in it.

use super::{
    call::{Call, Script},
    side::Side,
};
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// Counts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tally {
    /// Steps that were run and compared.
    pub steps: u64,
    /// Steps that meant nothing at their moment.
    pub passed_over: u64,
    /// Steps by what was called.
    pub calls: BTreeMap<String, u64>,
    /// Answers of the scripts, such as `moveToFinished -6`.
    pub answers: BTreeMap<String, u64>,
    /// Events in the streams.
    pub events: BTreeMap<String, u64>,
    /// Markers that were handed over to a blocked client.
    pub handed_over: u64,
    /// Of these, with more than one client blocked, so that it mattered who.
    pub handed_over_by_age: u64,
}

impl Tally {
    pub(super) fn count(&mut self, call: &Call, side: &Side) {
        self.steps += 1;
        *self.calls.entry(call.name().to_owned()).or_default() += 1;
        if let Call::Script(script) = call {
            *self.answers.entry(format!("{} {}", call.name(), answer(script, side))).or_default() += 1;
        }
        let gives_up = side
            .commands
            .iter()
            .any(|words| matches!(words.as_slice(), [set, _, field, ..] if set == "HSET" && field == "defa"));
        if gives_up {
            *self.answers.entry(format!("{} sets defa", call.name())).or_default() += 1;
        }
        let handed = side.handed.len() as u64;
        self.handed_over += handed;
        if !side.blocked.is_empty() {
            self.handed_over_by_age += handed;
        }
    }

    pub(super) fn count_events(&mut self, events: &[Json]) {
        for event in events {
            let kind = event.pointer("/0/1").and_then(Json::as_str).unwrap_or("?");
            *self.events.entry(kind.to_owned()).or_default() += 1;
        }
    }

    /// Adds another's counts.
    pub fn add(&mut self, other: &Tally) {
        let merge = |into: &mut BTreeMap<String, u64>, from: &BTreeMap<String, u64>| {
            for (name, count) in from {
                *into.entry(name.clone()).or_default() += count;
            }
        };
        self.steps += other.steps;
        self.passed_over += other.passed_over;
        self.handed_over += other.handed_over;
        self.handed_over_by_age += other.handed_over_by_age;
        merge(&mut self.calls, &other.calls);
        merge(&mut self.answers, &other.answers);
        merge(&mut self.events, &other.events);
    }
}

fn answer(script: &Script, side: &Side) -> String {
    match (script, &side.reply) {
        (Script::Add { id, .. }, _) => duplicate_of(id, side)
            .map_or_else(|| "a new job".to_owned(), |place| format!("duplicate in {place}")),
        (Script::Take(_) | Script::Finish(_), Json::Array(list))
            if list.first().is_some_and(Json::is_array) =>
        {
            "a job".to_owned()
        }
        (Script::Take(_) | Script::Finish(_), Json::Array(_)) => "nothing".to_owned(),
        (_, Json::Array(list)) => format!("{} ids", list.len()),
        (_, other) => other.to_string(),
    }
}

/// Where the job is that was there before; `None` if the add was none of a duplicate.
fn duplicate_of(id: &str, side: &Side) -> Option<&'static str> {
    let event = side.events.last()?;
    if event.pointer("/0/1")? != "duplicated" {
        return None;
    }
    let holds = |key: &&&str| {
        let members = side.keys.get(**key).and_then(|state| state.value.as_array());
        members
            .into_iter()
            .flatten()
            .any(|member| member == id || member.get(0).is_some_and(|name| name == id))
    };
    // A job whose id left active by hand is in none of them.
    Some(["wait", "active", "completed", "failed"].iter().find(holds).copied().unwrap_or("no list"))
}
