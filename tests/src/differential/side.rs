//! What one side showed after a step, in a form that both sides share.

use enroll_once_core::keyspace::{Fields, KeySpace, Value as Stored};
use redis::Value as Redis;
use serde_json::{Value as Json, json};
use std::collections::{BTreeMap, BTreeSet};

/// Everything that can be seen of one side after one step.
#[derive(Clone, Debug, Default)]
pub struct Side {
    /// What the call answered.
    pub reply: Json,
    /// The commands that ran inside the script, in order, word by word.
    pub commands: Vec<Vec<String>>,
    /// Blocked clients that were served, and with what.
    pub handed: BTreeMap<u8, Json>,
    /// Clients that are blocked now.
    pub blocked: BTreeSet<u8>,
    /// The stream `events`, without the ids that the server gives.
    pub events: Vec<Json>,
    /// Every other key under the prefix, by its name without the prefix.
    pub keys: BTreeMap<String, KeyState>,
}

/// One key.
#[derive(Clone, Debug)]
pub struct KeyState {
    /// Redis' word for the type.
    pub kind: String,
    /// Lists head to tail, sets sorted, sorted sets as pairs, hashes as pairs in their order.
    pub value: Json,
    /// Milliseconds to live; -1: for ever.
    pub pttl: i64,
}

/// The name of the stream.
pub const EVENTS: &str = "events";

/// The order of fields inside a job's options has no meaning: here it is by name.
pub fn canonical(text: &str) -> String {
    if !text.contains("\"attempts\"") {
        return text.to_owned();
    }
    match serde_json::from_str::<Json>(text) {
        Ok(options @ Json::Object(_)) => options.to_string(),
        Ok(_) | Err(_) => text.to_owned(),
    }
}

/// The same for every text inside.
pub fn canonical_json(value: Json) -> Json {
    match value {
        Json::String(text) => Json::String(canonical(&text)),
        Json::Array(list) => list.into_iter().map(canonical_json).collect(),
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::Object(_) => value,
    }
}

fn pairs(fields: &Fields) -> Json {
    fields.0.iter().map(|(field, value)| json!([field, canonical(value)])).collect()
}

/// The model's keys under `prefix`.
pub fn of_model(keys: &KeySpace, prefix: &str, now: enroll_once_core::time::Millis) -> Side {
    let mut side = Side::default();
    for (key, entry) in keys.iter() {
        let name = key.strip_prefix(prefix).unwrap_or(key).to_owned();
        let value = match &entry.value {
            Stored::List(list) => json!(list),
            Stored::Set(set) => json!(set),
            Stored::SortedSet(set) => {
                set.iter().map(|(member, score)| json!([member, score.to_string()])).collect()
            }
            Stored::Hash(fields) => pairs(fields),
            Stored::Text(text) => json!(text),
            Stored::Stream(entries) => entries.iter().map(|entry| pairs(&entry.fields)).collect(),
        };
        let pttl = entry.expires_at.map_or(-1, |at| i64::try_from(at.since(now).0).unwrap_or(i64::MAX));
        side.put(name, KeyState { kind: entry.value.kind().to_owned(), value, pttl });
    }
    side
}

/// Redis' keys, as the dump script answers them: `[key, type, value, pttl]` each.
pub fn of_redis(dump: &Redis, prefix: &str) -> Option<Side> {
    let mut side = Side::default();
    for key in list(dump)? {
        let [key, kind, value, pttl] = list(key)? else { return None };
        let (name, kind) = (text(key)?, text(kind)?);
        let name = name.strip_prefix(prefix).unwrap_or(&name).to_owned();
        let value = match kind.as_str() {
            "set" => {
                let mut members = texts(value)?;
                members.sort();
                json!(members)
            }
            "zset" | "hash" => flat_pairs(value)?,
            "stream" => {
                list(value)?.iter().map(|entry| flat_pairs(list(entry)?.get(1)?)).collect::<Option<Json>>()?
            }
            _ => json_of(value),
        };
        let Redis::Int(pttl) = pttl else { return None };
        side.put(name, KeyState { kind, value, pttl: *pttl });
    }
    Some(side)
}

impl Side {
    fn put(&mut self, name: String, state: KeyState) {
        match (name.as_str(), state.value) {
            (EVENTS, Json::Array(entries)) if state.kind == "stream" => self.events = entries,
            (_, value) => {
                self.keys.insert(name, KeyState { value, ..state });
            }
        }
    }
}

fn flat_pairs(value: &Redis) -> Option<Json> {
    let flat = texts(value)?;
    Some(
        flat.chunks(2)
            .map(|pair| pair.iter().map(|text| canonical(text)).collect::<Vec<_>>())
            .map(Json::from)
            .collect(),
    )
}

fn list(value: &Redis) -> Option<&[Redis]> {
    if let Redis::Array(list) = value { Some(list) } else { None }
}

fn texts(value: &Redis) -> Option<Vec<String>> {
    list(value)?.iter().map(text).collect()
}

/// A text, if it is one.
pub fn text(value: &Redis) -> Option<String> {
    json_of(value).as_str().map(str::to_owned)
}

/// A reply as the golden traces write it. An error is an object, so that it equals nothing else.
pub fn json_of(reply: &Redis) -> Json {
    match reply {
        Redis::Nil => Json::Null,
        Redis::Int(number) => json!(number),
        Redis::BulkString(bytes) => json!(canonical(&String::from_utf8_lossy(bytes))),
        Redis::SimpleString(text) => json!(text),
        Redis::Okay => json!("OK"),
        Redis::Array(list) => list.iter().map(json_of).collect(),
        Redis::ServerError(error) => json!({ "error": error.to_string() }),
        // The protocol of this connection (RESP2) has no other kinds. The type can grow, hence the last arm.
        Redis::Map(_)
        | Redis::Attribute { .. }
        | Redis::Set(_)
        | Redis::Double(_)
        | Redis::Boolean(_)
        | Redis::VerbatimString { .. }
        | Redis::BigNumber(_)
        | Redis::Push { .. }
        | _ => json!({ "unexpected": format!("{reply:?}") }),
    }
}
