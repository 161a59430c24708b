//! The slice of Redis that the protocol needs: typed keys, expiry, blocked clients, and the commands on them.
//!
//! It knows no queue. Every command goes through [`Atomic`], which runs it and keeps what ran, word by word, so that
//! a trace, a test and the page all show the same thing.
//!
//! Two deviations from a real server, both out of the protocol's reach: a write to a key of another type changes nothing
//! (Redis answers `WRONGTYPE`), and sets iterate in sorted order (Redis' order is random; `PROTOCOL.md` section 6, 5).

mod atomic;
mod value;

use crate::{small::SmallMap, time::Millis};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
pub use atomic::{Atomic, CommandReply, RedisCommand, seconds};
use serde::Serialize;
pub use value::{Fields, Stored, StreamEntry, StreamId, Value};

/// The full name of a key, such as `emq:enroll:wait`.
pub type Key = String;

/// A client that waits for `BZPOPMIN`. The number has no meaning here but to tell clients apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Client(pub u8);

/// A value and the instant at which it vanishes, if it ever does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// What the key holds.
    pub value: Value,
    /// The instant of expiry: the key is gone *at* this instant.
    pub expires_at: Option<Millis>,
}

/// All keys, and the clients blocked on one of them, longest first.
///
/// As in Redis, an empty list, set, sorted set or hash does not exist as a key.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct KeySpace {
    entries: SmallMap<Key, Entry>,
    blocked: Vec<(Client, Key)>,
}

impl KeySpace {
    /// The value of `key`, if it exists.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value> {
        self.entries.get(key).map(|entry| &entry.value)
    }

    /// Every key with its entry, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = &(Key, Entry)> {
        self.entries.iter()
    }

    /// The members of a list, head first. Empty when there is no such list.
    pub fn list<'a>(&'a self, key: &str) -> impl DoubleEndedIterator<Item = &'a str> + use<'a> {
        self.members(key).iter().map(String::as_str)
    }

    /// The members of a list, head first, or of a set, sorted. Empty when there is neither.
    #[must_use]
    pub fn members(&self, key: &str) -> &[String] {
        self.get(key).map_or(&[], Value::members)
    }

    /// The members of a sorted set with their scores, lowest first. Empty when there is none.
    #[must_use]
    pub fn scored(&self, key: &str) -> &[(String, u64)] {
        self.get(key).and_then(Value::as_type::<Vec<(String, u64)>>).map_or(&[], Vec::as_slice)
    }

    /// One field of a hash.
    #[must_use]
    pub fn field(&self, key: &str, field: &str) -> Option<&str> {
        self.get(key)?.as_type::<Fields>()?.get(field)
    }

    /// Is `member` in the set or sorted set at `key`?
    #[must_use]
    pub fn has_member(&self, key: &str, member: &str) -> bool {
        self.get(key).is_some_and(|value| value.has_member(member))
    }

    /// Does the key exist?
    #[must_use]
    pub fn exists(&self, key: &str) -> bool {
        self.entries.get(key).is_some()
    }

    /// How long until `key` expires; `None` when it never does or is not there.
    #[must_use]
    pub fn time_left(&self, key: &str, now: Millis) -> Option<Millis> {
        Some(self.entries.get(key)?.expires_at?.since(now))
    }

    /// The earliest instant at which a key expires.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Millis> {
        let mut first: Option<Millis> = None;
        for (_, entry) in self.entries.iter() {
            if let Some(at) = entry.expires_at {
                first = Some(first.map_or(at, |first| first.min(at)));
            }
        }
        first
    }

    /// Removes every key whose time has come and returns their names (rule X: nothing else changes, no event).
    pub fn expire(&mut self, now: Millis) -> Vec<Key> {
        let due = |entry: &Entry| entry.expires_at.is_some_and(|at| at <= now);
        let mut gone = Vec::new();
        for (key, entry) in self.entries.iter() {
            if due(entry) {
                gone.push(key.clone());
            }
        }
        for key in &gone {
            self.entries.remove(key);
        }
        gone
    }

    /// Removes one key as an eviction does: without a command, without an event. True if it was there.
    pub fn evict(&mut self, key: &str) -> bool {
        self.entries.remove(key)
    }

    /// Puts a key as it is, without a command: for a keyspace that is made, never for what a script does. An empty
    /// container is no key.
    pub fn put(&mut self, key: &str, value: Value, expires_at: Option<Millis>) {
        self.entries.insert(key.to_string(), Entry { value, expires_at });
        self.drop_if_empty(key);
    }

    /// Registers `client` as blocked on `key`, behind those that are blocked already (rule B2).
    pub fn block(&mut self, client: Client, key: &str) {
        self.unblock(client);
        self.blocked.push((client, key.to_string()));
    }

    /// Forgets a blocked client: its time is over, or its connection is gone.
    pub fn unblock(&mut self, client: Client) {
        self.blocked.retain(|(blocked, _)| *blocked != client);
    }

    /// Is the client blocked?
    #[must_use]
    pub fn is_blocked(&self, client: Client) -> bool {
        self.blocked.iter().any(|(blocked, _)| *blocked == client)
    }

    /// The blocked clients, longest first.
    pub fn blocked(&self) -> impl Iterator<Item = Client> {
        self.blocked.iter().map(|(client, _)| *client)
    }

    /// Serves the client that is blocked longest on a sorted set that now has a member: pops the member and returns
    /// who got it. Called after every script ends, until it returns `None` (rule B2).
    pub fn serve_blocked(&mut self) -> Option<(Client, Key, (String, u64))> {
        let ready = |(_, key): &(Client, Key)| {
            self.get(key).is_some_and(|value| matches!(value, Value::SortedSet(_)))
        };
        let at = self.blocked.iter().position(ready)?;
        let (client, key) = self.blocked.remove(at);
        let popped = self.pop_lowest(&key)?;
        self.drop_if_empty(&key);
        Some((client, key, popped))
    }

    /// Takes the member with the lowest score out of a sorted set, which may be empty then.
    fn pop_lowest(&mut self, key: &str) -> Option<(String, u64)> {
        let set: &mut Vec<(String, u64)> = Stored::of_mut(&mut self.entries.get_mut(key)?.value)?;
        if set.is_empty() { None } else { Some(set.remove(0)) }
    }

    /// The value of `key`, which is this one if there is none.
    fn value_or(&mut self, key: &str, new: Value) -> &mut Value {
        let new = || (key.to_string(), Entry { value: new, expires_at: None });
        &mut self.entries.get_or_insert_with(key, new).value
    }

    /// An empty container does not exist as a key.
    fn drop_if_empty(&mut self, key: &str) {
        if self.get(key).is_some_and(Value::is_empty_container) {
            self.entries.remove(key);
        }
    }

    /// The keyspace as the golden traces write it: sorted by key, `pttl` in ms (-1: no expiry).
    #[must_use]
    pub fn snapshot(&self, now: Millis) -> Vec<KeyDump<'_>> {
        self.entries
            .iter()
            .map(|(key, entry)| KeyDump {
                key,
                kind: entry.value.kind(),
                value: &entry.value,
                pttl: entry.expires_at.map_or(-1, |at| i64::try_from(at.since(now).0).unwrap_or(i64::MAX)),
            })
            .collect()
    }
}

/// One key in the shape of the golden traces.
#[derive(Serialize)]
pub struct KeyDump<'a> {
    /// The full name.
    pub key: &'a str,
    /// `list`, `zset`, `set`, `hash`, `string` or `stream`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Lists from head to tail, sets sorted, sorted sets as `[member, score]`.
    pub value: &'a Value,
    /// Milliseconds to live; -1 when the key does not expire.
    pub pttl: i64,
}
