//! Redis commands, run on a keyspace as one atomic piece.

use super::{
    Entry, KeySpace, Value,
    value::{Fields, Stored, StreamEntry, StreamId, remove_named},
};
use crate::{
    small::{self, SmallSet, decimal},
    time::Millis,
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use serde::{Serialize, Serializer};

type List = Vec<String>;
type Set = SmallSet<String>;
type SortedSet = Vec<(String, u64)>;

/// What one command answered.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CommandReply {
    /// `nil`: no such key, field or member.
    Nil,
    /// `OK`.
    Ok,
    /// A count, or 0 / 1 for no / yes.
    Integer(u64),
    /// One text.
    Text(String),
    /// Several texts, `None` for nil.
    List(Vec<Option<String>>),
}

impl CommandReply {
    /// The count; 0 for any other kind of reply.
    #[must_use]
    pub fn integer(&self) -> u64 {
        if let CommandReply::Integer(count) = self { *count } else { 0 }
    }

    /// The text, if it is one.
    #[must_use]
    pub fn text(&self) -> Option<String> {
        if let CommandReply::Text(text) = self { Some(text.clone()) } else { None }
    }

    /// The texts of a list, without its nils; empty for any other kind of reply.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let mut all = Vec::new();
        if let CommandReply::List(texts) = self {
            for text in texts.iter().flatten() {
                all.push(text.clone());
            }
        }
        all
    }

    fn of_count(count: usize) -> Self {
        CommandReply::Integer(count as u64)
    }

    fn of_text(text: Option<String>) -> Self {
        text.map_or(CommandReply::Nil, CommandReply::Text)
    }

    fn of_texts(texts: &[String]) -> Self {
        let mut list = Vec::new();
        for text in texts {
            list.push(Some(text.clone()));
        }
        CommandReply::List(list)
    }
}

/// One command that ran: its words, exactly as sent, and the reply.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RedisCommand {
    /// The command and its arguments.
    pub words: Vec<String>,
    /// What it answered.
    pub reply: CommandReply,
}

impl RedisCommand {
    /// `BZPOPMIN key seconds` as it returned, maybe after blocking: with `[key, member, score]`, or nil by time-out.
    #[must_use]
    pub fn bzpopmin(key: &str, timeout: Millis, popped: Option<&[String; 3]>) -> Self {
        let words = ["BZPOPMIN".to_string(), key.to_string(), seconds(timeout)].into();
        let reply = popped.map_or(CommandReply::Nil, |popped| CommandReply::of_texts(popped));
        Self { words, reply }
    }
}

impl Serialize for RedisCommand {
    /// As in the golden traces: the words alone.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.words.serialize(to)
    }
}

/// Runs commands on a keyspace at one frozen instant and keeps them in order: what a Lua script is to Redis.
///
/// ```
/// use enroll_once_core::{keyspace::{Atomic, KeySpace}, time::Millis};
///
/// let mut keys = KeySpace::default();
/// let mut redis = Atomic::new(&mut keys, Millis(0));
/// redis.call(["LPUSH", "wait", "j_1"].map(String::from).into());
/// assert_eq!(redis.call(["LLEN", "wait"].map(String::from).into()).integer(), 1);
/// ```
pub struct Atomic<'a> {
    keys: &'a mut KeySpace,
    now: Millis,
    ran: Vec<RedisCommand>,
}

impl<'a> Atomic<'a> {
    /// Begins at the server's clock `now`.
    pub fn new(keys: &'a mut KeySpace, now: Millis) -> Self {
        Self { keys, now, ran: Vec::new() }
    }

    /// The commands that ran, in order.
    #[must_use]
    pub fn into_commands(self) -> Vec<RedisCommand> {
        self.ran
    }

    /// Runs one command: what `redis.call` is in a Lua script. It keeps the words with the reply.
    ///
    /// These are understood, in the forms that the scripts use; anything else changes nothing and answers nil:
    ///
    /// * keys and strings: `EXISTS`, `DEL` of any number, `GET`, `SET key value PX ms`, `INCR`
    /// * lists: `LPUSH`, `RPUSH`, `RPOP`, `RPOPLPUSH`, `LREM key ±1 id`, `LRANGE key 0 -1`, `LLEN`
    /// * sets: `SADD`, `SREM`, `SMEMBERS`, `SCARD`
    /// * sorted sets: `ZADD`, `ZREM`, `ZCARD`, `ZSCORE`, `ZPOPMIN`, `BZPOPMIN` (nil: the client must wait),
    ///   `ZRANGE key 0 0 WITHSCORES`, `ZRANGEBYSCORE key 0 max LIMIT 0 1000`
    /// * hashes: `HGET`, `HMGET`, `HGETALL`, `HSET`, `HMSET`, `HINCRBY key field 1`, `HDEL`
    /// * streams: `XADD key [MAXLEN ~ max] *`, `XTRIM` (bounds that are approximate in Redis and never reached here)
    pub fn call(&mut self, words: Vec<String>) -> &CommandReply {
        let reply = match words.as_slice() {
            [name, key, rest @ ..] => {
                let reply = self.run(name, key, rest);
                self.keys.drop_if_empty(key);
                reply
            }
            [] | [_] => CommandReply::Nil,
        };
        self.ran.push(RedisCommand { words, reply });
        self.reply()
    }

    /// What the last command answered.
    #[must_use]
    pub fn reply(&self) -> &CommandReply {
        self.ran.last().map_or(&CommandReply::Nil, |command| &command.reply)
    }

    fn run(&mut self, name: &str, key: &str, rest: &[String]) -> CommandReply {
        let word = |at: usize| rest.get(at).map_or("", String::as_str);
        match name {
            "EXISTS" => CommandReply::of_count(usize::from(self.keys.exists(key))),
            "DEL" => self.del(key, rest),
            "GET" => CommandReply::of_text(self.read::<String>(key).cloned()),
            "SET" => self.set(key, word(0), number(word(2))),
            "INCR" => self.incr(key),
            "LPUSH" => self.push(key, word(0), true),
            "RPUSH" => self.push(key, word(0), false),
            "RPOP" => CommandReply::of_text(self.pop(key)),
            "RPOPLPUSH" => self.pop_and_push(key, word(0)),
            "LREM" => self.lrem(key, word(0) == "-1", word(1)),
            "LRANGE" | "SMEMBERS" => CommandReply::of_texts(self.keys.members(key)),
            "LLEN" | "SCARD" => CommandReply::of_count(self.keys.members(key).len()),
            "SADD" => self.sadd(key, rest),
            "SREM" | "ZREM" | "HDEL" => self.remove(key, word(0)),
            "ZADD" => self.zadd(key, number(word(0)), word(1)),
            "ZCARD" => CommandReply::of_count(self.keys.scored(key).len()),
            "ZSCORE" => self.zscore(key, word(0)),
            "ZPOPMIN" | "BZPOPMIN" => self.zpopmin(key, name == "BZPOPMIN"),
            "ZRANGE" => pair(self.keys.scored(key).first()),
            "ZRANGEBYSCORE" => self.zrangebyscore(key, number(word(1))),
            "HGET" => CommandReply::of_text(self.field(key, word(0))),
            "HMGET" => self.hmget(key, rest),
            "HGETALL" => self.hgetall(key),
            "HSET" => CommandReply::of_count(self.hset(key, rest)),
            "HMSET" => {
                self.hset(key, rest);
                CommandReply::Ok
            }
            "HINCRBY" => self.hincr(key, word(0)),
            "XADD" => self.xadd(key, rest),
            "XTRIM" => CommandReply::Integer(0),
            _ => CommandReply::Nil,
        }
    }

    /// What the key holds, if it is a `T`.
    fn read<T: Stored>(&self, key: &str) -> Option<&T> {
        self.keys.get(key)?.as_type()
    }

    /// The same, to change it; it begins empty if there is none. `None`: the key holds another type.
    #[inline(never)] // one copy a type, not one a command
    fn change<T: Stored>(&mut self, key: &str) -> Option<&mut T> {
        T::of_mut(self.keys.value_or(key, T::empty()))
    }

    fn del(&mut self, key: &str, more: &[String]) -> CommandReply {
        let mut removed = usize::from(self.keys.evict(key));
        for key in more {
            removed += usize::from(self.keys.evict(key));
        }
        CommandReply::of_count(removed)
    }

    fn set(&mut self, key: &str, value: &str, ttl_ms: u64) -> CommandReply {
        let expires_at = Some(self.now.plus(Millis(ttl_ms)));
        let entry = Entry { value: Value::Text(value.to_string()), expires_at };
        self.keys.entries.insert(key.to_string(), entry);
        CommandReply::Ok
    }

    fn incr(&mut self, key: &str) -> CommandReply {
        let Some(text) = self.change::<String>(key) else { return CommandReply::Integer(1) };
        let new = number(text).saturating_add(1);
        *text = decimal(new);
        CommandReply::Integer(new)
    }

    fn push(&mut self, key: &str, id: &str, at_head: bool) -> CommandReply {
        let Some(list) = self.change::<List>(key) else { return CommandReply::Integer(0) };
        let at = if at_head { 0 } else { list.len() };
        list.insert(at, id.to_string());
        CommandReply::of_count(list.len())
    }

    fn pop(&mut self, key: &str) -> Option<String> {
        self.change::<List>(key)?.pop()
    }

    /// The tail of one list becomes the head of the other, in one step.
    fn pop_and_push(&mut self, from: &str, to: &str) -> CommandReply {
        let Some(id) = self.pop(from) else { return CommandReply::Nil };
        self.push(to, &id, true);
        CommandReply::Text(id)
    }

    /// The first from the head or from the tail.
    fn lrem(&mut self, key: &str, from_tail: bool, id: &str) -> CommandReply {
        let Some(list) = self.change::<List>(key) else { return CommandReply::Integer(0) };
        let mut found = None;
        for (at, member) in list.iter().enumerate() {
            if member == id && (from_tail || found.is_none()) {
                found = Some(at);
            }
        }
        if let Some(at) = found {
            list.remove(at);
        }
        CommandReply::of_count(usize::from(found.is_some()))
    }

    fn sadd(&mut self, key: &str, members: &[String]) -> CommandReply {
        let mut added = 0;
        if let Some(set) = self.change::<Set>(key) {
            for member in members {
                added += usize::from(set.insert(member.clone()));
            }
        }
        CommandReply::of_count(added)
    }

    /// A member out of a set or sorted set, or a field out of a hash.
    fn remove(&mut self, key: &str, name: &str) -> CommandReply {
        let removed = self.keys.entries.get_mut(key).is_some_and(|entry| entry.value.remove(name));
        CommandReply::of_count(usize::from(removed))
    }

    /// Adds, or moves to the new score.
    fn zadd(&mut self, key: &str, score: u64, member: &str) -> CommandReply {
        let Some(set) = self.change::<SortedSet>(key) else { return CommandReply::Integer(0) };
        let moved = remove_named(set, member);
        let mut place = 0;
        for (name, other) in set.iter() {
            if (*other, name.as_str()) < (score, member) {
                place += 1;
            }
        }
        set.insert(place, (member.to_string(), score));
        CommandReply::of_count(usize::from(!moved))
    }

    fn zscore(&self, key: &str, member: &str) -> CommandReply {
        let found = self.keys.scored(key).iter().find(|(name, _)| name == member);
        CommandReply::of_text(found.map(|(_, score)| decimal(*score)))
    }

    /// The member with the lowest score. The blocking form answers with the key, and nil for nothing.
    fn zpopmin(&mut self, key: &str, blocking: bool) -> CommandReply {
        let popped = self.keys.pop_lowest(key);
        match popped {
            Some((member, score)) if blocking => {
                CommandReply::of_texts(&[key.to_string(), member, decimal(score)])
            }
            None if blocking => CommandReply::Nil,
            Some(_) | None => pair(popped.as_ref()),
        }
    }

    fn zrangebyscore(&self, key: &str, max: u64) -> CommandReply {
        let mut due = Vec::new();
        for (member, score) in self.keys.scored(key) {
            if *score <= max && due.len() < 1000 {
                due.push(Some(member.clone()));
            }
        }
        CommandReply::List(due)
    }

    fn field(&self, key: &str, field: &str) -> Option<String> {
        self.keys.field(key, field).map(String::from)
    }

    fn hmget(&self, key: &str, fields: &[String]) -> CommandReply {
        let mut values = Vec::new();
        for field in fields {
            values.push(self.field(key, field));
        }
        CommandReply::List(values)
    }

    /// The fields in order.
    fn hgetall(&self, key: &str) -> CommandReply {
        let mut flat = Vec::new();
        if let Some(fields) = self.read::<Fields>(key) {
            for (field, value) in &fields.0 {
                flat.push(Some(field.clone()));
                flat.push(Some(value.clone()));
            }
        }
        CommandReply::List(flat)
    }

    /// Answers how many fields are new.
    fn hset(&mut self, key: &str, words: &[String]) -> usize {
        let Some(hash) = self.change::<Fields>(key) else { return 0 };
        let before = hash.0.len();
        for pair in words.chunks_exact(2) {
            if let [field, value] = pair {
                hash.set(field, value);
            }
        }
        hash.0.len() - before
    }

    fn hincr(&mut self, key: &str, field: &str) -> CommandReply {
        let new = self.keys.field(key, field).map_or(0, number).saturating_add(1);
        if let Some(hash) = self.change::<Fields>(key) {
            hash.set(field, &decimal(new));
        }
        CommandReply::Integer(new)
    }

    /// The words of the entry come after the `*`.
    fn xadd(&mut self, key: &str, rest: &[String]) -> CommandReply {
        let now = self.now;
        let Some(entries) = self.change::<Vec<StreamEntry>>(key) else { return CommandReply::Nil };
        let id = next_id(entries.last().map(|entry| entry.id), now);
        let mut fields = Fields::default();
        let mut words = rest.iter();
        while words.next().is_some_and(|word| word != "*") {}
        while let (Some(name), Some(value)) = (words.next(), words.next()) {
            fields.0.push((name.clone(), value.clone()));
        }
        entries.push(StreamEntry { id, fields });
        CommandReply::Text([decimal(id.at.0).as_str(), "-", &decimal(id.sequence.into())].concat())
    }
}

/// The server's clock, or one more within the same millisecond.
fn next_id(last: Option<StreamId>, now: Millis) -> StreamId {
    match last {
        Some(last) if last.at >= now => StreamId { at: last.at, sequence: last.sequence + 1 },
        Some(_) | None => StreamId { at: now, sequence: 0 },
    }
}

fn pair(pair: Option<&(String, u64)>) -> CommandReply {
    match pair {
        Some((member, score)) => CommandReply::of_texts(&[member.clone(), decimal(*score)]),
        None => CommandReply::List(Vec::new()),
    }
}

/// A number as a word; 0 if it is none.
fn number(word: &str) -> u64 {
    small::number(word).unwrap_or(0)
}

/// Redis takes the time-out of a blocking command in seconds: `5`, `0.3`.
#[must_use]
pub fn seconds(timeout: Millis) -> String {
    let (whole, rest) = (timeout.0 / 1_000, timeout.0 % 1_000);
    if rest == 0 {
        return decimal(whole);
    }
    // Three digits after the point. The thousand in front keeps their zeros and is dropped.
    let digits = decimal(1_000 + rest);
    let fraction = digits.get(1..).unwrap_or_default();
    let mut text = [decimal(whole).as_str(), ".", fraction].concat();
    while text.ends_with('0') {
        text.pop();
    }
    text
}
