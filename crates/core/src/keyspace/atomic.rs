//! Redis commands, run on a keyspace as one atomic piece.

use super::{
    Entry, KeySpace, Value,
    value::{Fields, Stored, StreamEntry, StreamId},
};
use crate::time::Millis;
use alloc::{
    collections::{BTreeSet, VecDeque},
    string::{String, ToString},
    vec::Vec,
};
use serde::{Serialize, Serializer};

type List = VecDeque<String>;
type Set = BTreeSet<String>;
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
        let reply = popped.map_or(CommandReply::Nil, |popped| {
            CommandReply::List(popped.iter().cloned().map(Some).collect())
        });
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
pub struct Atomic<'a> {
    keys: &'a mut KeySpace,
    now: Millis,
    ran: Vec<RedisCommand>,
    silent: bool,
}

impl<'a> Atomic<'a> {
    /// Begins at the server's clock `now`.
    pub fn new(keys: &'a mut KeySpace, now: Millis) -> Self {
        Self { keys, now, ran: Vec::new(), silent: false }
    }

    /// The same, but it keeps no word of what ran: for keys that are made, not the work of a script.
    pub fn silent(keys: &'a mut KeySpace, now: Millis) -> Self {
        Self { silent: true, ..Self::new(keys, now) }
    }

    /// The commands that ran, in order.
    #[must_use]
    pub fn into_commands(self) -> Vec<RedisCommand> {
        self.ran
    }

    fn record(&mut self, words: &[&str], reply: CommandReply) {
        if self.silent {
            return;
        }
        let words = words.iter().map(ToString::to_string).collect();
        self.ran.push(RedisCommand { words, reply });
    }

    fn record_count(&mut self, words: &[&str], count: usize) -> usize {
        self.record(words, CommandReply::Integer(count as u64));
        count
    }

    fn text_reply(&mut self, words: &[&str], text: Option<String>) -> Option<String> {
        let reply = text.clone().map_or(CommandReply::Nil, CommandReply::Text);
        self.record(words, reply);
        text
    }

    /// Changes the value at `key`, which begins empty if there is none. Another type: nothing happens.
    fn change<T: Stored, R: Default>(&mut self, key: &str, change: impl FnOnce(&mut T) -> R) -> R {
        let new = || Entry { value: T::empty(), expires_at: None };
        let entry = self.keys.entries.entry(key.to_string()).or_insert_with(new);
        let result = T::of_mut(&mut entry.value).map_or_else(R::default, change);
        if entry.value.is_empty_container() {
            self.keys.entries.remove(key);
        }
        result
    }

    /// What the key holds, if it is a `T`.
    fn read<T: Stored>(&self, key: &str) -> Option<&T> {
        self.keys.get(key)?.as_type()
    }

    // Keys and strings.

    /// `EXISTS key`.
    pub fn exists(&mut self, key: &str) -> bool {
        let count = usize::from(self.keys.exists(key));
        self.record_count(&["EXISTS", key], count) == 1
    }

    /// `DEL key ...`. Returns how many were there.
    pub fn del(&mut self, keys: &[&str]) -> usize {
        let count = keys.iter().filter(|key| self.keys.entries.remove(**key).is_some()).count();
        let words: Vec<&str> = ["DEL"].iter().chain(keys).copied().collect();
        self.record_count(&words, count)
    }

    /// `GET key`.
    pub fn get(&mut self, key: &str) -> Option<String> {
        let text = self.read::<String>(key).cloned();
        self.text_reply(&["GET", key], text)
    }

    /// `SET key value PX ttl`: it vanishes at now + `ttl`.
    pub fn set_px(&mut self, key: &str, value: &str, ttl: Millis) {
        let entry = Entry { value: Value::Text(value.to_string()), expires_at: Some(self.now.plus(ttl)) };
        self.keys.entries.insert(key.to_string(), entry);
        self.record(&["SET", key, value, "PX", &ttl.0.to_string()], CommandReply::Ok);
    }

    /// `INCR key`.
    pub fn incr(&mut self, key: &str) -> u64 {
        let old = self.read::<String>(key).and_then(|text| text.parse().ok());
        let new = old.unwrap_or(0u64).saturating_add(1);
        self.change(key, |text: &mut String| *text = new.to_string());
        self.record(&["INCR", key], CommandReply::Integer(new));
        new
    }

    // Lists.

    /// `LPUSH key id`: at the head.
    pub fn lpush(&mut self, key: &str, id: &str) {
        let length = self.change(key, |list: &mut List| {
            list.push_front(id.to_string());
            list.len()
        });
        self.record_count(&["LPUSH", key, id], length);
    }

    /// `RPUSH key id`: at the tail.
    pub fn rpush(&mut self, key: &str, id: &str) {
        let length = self.change(key, |list: &mut List| {
            list.push_back(id.to_string());
            list.len()
        });
        self.record_count(&["RPUSH", key, id], length);
    }

    /// `RPOP key`: the tail of the list.
    pub fn rpop(&mut self, key: &str) -> Option<String> {
        let id = self.change(key, List::pop_back);
        self.text_reply(&["RPOP", key], id)
    }

    /// `RPOPLPUSH from to`: the tail of one list becomes the head of the other, in one step.
    pub fn rpoplpush(&mut self, from: &str, to: &str) -> Option<String> {
        let id = self.change(from, List::pop_back);
        if let Some(id) = &id {
            self.change(to, |list: &mut List| list.push_front(id.clone()));
        }
        self.text_reply(&["RPOPLPUSH", from, to], id)
    }

    /// `LREM key 1 id` (first from the head) or `LREM key -1 id` (first from the tail). True if one was removed.
    pub fn lrem_one(&mut self, key: &str, from_tail: bool, id: &str) -> bool {
        let removed = self.change(key, |list: &mut List| {
            let found = |member: &String| member == id;
            let at = if from_tail { list.iter().rposition(found) } else { list.iter().position(found) };
            at.and_then(|at| list.remove(at)).is_some()
        });
        let count = if from_tail { "-1" } else { "1" };
        self.record_count(&["LREM", key, count, id], usize::from(removed));
        removed
    }

    /// `LRANGE key 0 -1`.
    pub fn lrange_all(&mut self, key: &str) -> Vec<String> {
        let all: Vec<String> = self.keys.list(key).map(String::from).collect();
        let reply = CommandReply::List(all.iter().cloned().map(Some).collect());
        self.record(&["LRANGE", key, "0", "-1"], reply);
        all
    }

    /// `LLEN key`.
    pub fn llen(&mut self, key: &str) -> usize {
        let length = self.keys.list(key).count();
        self.record_count(&["LLEN", key], length)
    }

    // Sets.

    /// `SADD key member ...`.
    pub fn sadd(&mut self, key: &str, members: &[String]) {
        let added = self.change(key, |set: &mut Set| {
            members.iter().filter(|member| set.insert((*member).clone())).count()
        });
        let words: Vec<&str> = ["SADD", key].into_iter().chain(members.iter().map(String::as_str)).collect();
        self.record_count(&words, added);
    }

    /// `SREM key member`.
    pub fn srem(&mut self, key: &str, member: &str) {
        let removed = self.change(key, |set: &mut Set| set.remove(member));
        self.record_count(&["SREM", key, member], usize::from(removed));
    }

    /// `SMEMBERS key`.
    pub fn smembers(&mut self, key: &str) -> Vec<String> {
        let members: Vec<String> = self.read::<Set>(key).into_iter().flatten().cloned().collect();
        let reply = CommandReply::List(members.iter().cloned().map(Some).collect());
        self.record(&["SMEMBERS", key], reply);
        members
    }

    /// `SCARD key`.
    pub fn scard(&mut self, key: &str) -> usize {
        let size = self.read(key).map_or(0, Set::len);
        self.record_count(&["SCARD", key], size)
    }

    // Sorted sets.

    /// `ZADD key score member`: adds, or moves to the new score.
    pub fn zadd(&mut self, key: &str, score: u64, member: &str) {
        let added = self.change(key, |set: &mut SortedSet| {
            let before = set.len();
            set.retain(|(name, _)| name != member);
            let added = set.len() == before;
            set.push((member.to_string(), score));
            set.sort_by(|(a, x), (b, y)| x.cmp(y).then(a.cmp(b)));
            added
        });
        self.record_count(&["ZADD", key, &score.to_string(), member], usize::from(added));
    }

    /// `ZCARD key`.
    pub fn zcard(&mut self, key: &str) -> usize {
        let size = self.read(key).map_or(0, SortedSet::len);
        self.record_count(&["ZCARD", key], size)
    }

    /// `ZSCORE key member`.
    pub fn zscore(&mut self, key: &str, member: &str) -> Option<u64> {
        let set = self.read::<SortedSet>(key);
        let score = set.into_iter().flatten().find(|(name, _)| name == member).map(|(_, score)| *score);
        self.text_reply(&["ZSCORE", key, member], score.map(|score| score.to_string()));
        score
    }

    /// `ZREM key member`.
    pub fn zrem(&mut self, key: &str, member: &str) {
        let removed = self.change(key, |set: &mut SortedSet| {
            let before = set.len();
            set.retain(|(name, _)| name != member);
            before - set.len()
        });
        self.record_count(&["ZREM", key, member], removed);
    }

    /// `ZPOPMIN key`: removes and returns the member with the lowest score.
    pub fn zpopmin(&mut self, key: &str) -> Option<(String, u64)> {
        let popped = self.pop_lowest(key);
        self.record(&["ZPOPMIN", key], pair_reply(popped.as_ref()));
        popped
    }

    /// `BZPOPMIN key seconds`, as far as it does not block: `None` means that the client must wait.
    pub fn bzpopmin(&mut self, key: &str, timeout: Millis) -> Option<(String, u64)> {
        let popped = self.pop_lowest(key);
        let reply =
            popped.as_ref().map(|(member, score)| [key.to_string(), member.clone(), score.to_string()]);
        self.ran.push(RedisCommand::bzpopmin(key, timeout, reply.as_ref()));
        popped
    }

    /// The pop itself, not recorded.
    pub(super) fn pop_lowest(&mut self, key: &str) -> Option<(String, u64)> {
        self.change(key, |set: &mut SortedSet| (!set.is_empty()).then(|| set.remove(0)))
    }

    /// `ZRANGE key 0 0 WITHSCORES`: the member with the lowest score.
    pub fn zrange_lowest(&mut self, key: &str) -> Option<(String, u64)> {
        let lowest = self.read::<SortedSet>(key).and_then(|set| set.first()).cloned();
        self.record(&["ZRANGE", key, "0", "0", "WITHSCORES"], pair_reply(lowest.as_ref()));
        lowest
    }

    /// `ZRANGEBYSCORE key 0 max LIMIT 0 1000`.
    pub fn zrangebyscore(&mut self, key: &str, max: u64) -> Vec<String> {
        let set = self.read::<SortedSet>(key);
        let due = set.into_iter().flatten().filter(|(_, score)| *score <= max);
        let members: Vec<String> = due.take(1000).map(|(member, _)| member.clone()).collect();
        let reply = CommandReply::List(members.iter().cloned().map(Some).collect());
        self.record(&["ZRANGEBYSCORE", key, "0", &max.to_string(), "LIMIT", "0", "1000"], reply);
        members
    }

    // Hashes.

    /// `HGET key field`.
    pub fn hget(&mut self, key: &str, field: &str) -> Option<String> {
        let value = self.keys.field(key, field).map(String::from);
        self.text_reply(&["HGET", key, field], value)
    }

    /// `HMGET key field ...`.
    pub fn hmget(&mut self, key: &str, fields: &[&str]) -> Vec<Option<String>> {
        let values: Vec<_> =
            fields.iter().map(|field| self.keys.field(key, field).map(String::from)).collect();
        let words: Vec<&str> = ["HMGET", key].iter().chain(fields).copied().collect();
        self.record(&words, CommandReply::List(values.clone()));
        values
    }

    /// `HGETALL key`: the fields in order.
    pub fn hgetall(&mut self, key: &str) -> Vec<(String, String)> {
        let fields = self.read::<Fields>(key).map(|fields| fields.0.clone()).unwrap_or_default();
        let flat = fields.iter().flat_map(|(field, value)| [Some(field.clone()), Some(value.clone())]);
        self.record(&["HGETALL", key], CommandReply::List(flat.collect()));
        fields
    }

    /// `HSET key field value ...`.
    pub fn hset(&mut self, key: &str, fields: &[(&str, &str)]) {
        let added = self.write_fields(key, fields);
        self.record(&hash_words("HSET", key, fields), CommandReply::Integer(added));
    }

    /// `HMSET key field value ...`: the older form, which answers `OK`.
    pub fn hmset(&mut self, key: &str, fields: &[(&str, &str)]) {
        self.write_fields(key, fields);
        self.record(&hash_words("HMSET", key, fields), CommandReply::Ok);
    }

    fn write_fields(&mut self, key: &str, fields: &[(&str, &str)]) -> u64 {
        self.change(key, |hash: &mut Fields| {
            let before = hash.0.len();
            for (field, value) in fields {
                hash.set(field, value);
            }
            (hash.0.len() - before) as u64
        })
    }

    /// `HINCRBY key field 1`.
    pub fn hincr(&mut self, key: &str, field: &str) -> u64 {
        let old = self.keys.field(key, field).and_then(|text| text.parse().ok());
        let new = old.unwrap_or(0u64).saturating_add(1);
        self.write_fields(key, &[(field, &new.to_string())]);
        self.record(&["HINCRBY", key, field, "1"], CommandReply::Integer(new));
        new
    }

    /// `HDEL key field`.
    pub fn hdel(&mut self, key: &str, field: &str) {
        let removed = self.change(key, |hash: &mut Fields| hash.remove(field));
        self.record_count(&["HDEL", key, field], usize::from(removed));
    }

    // Streams.

    /// `XADD key * field value ...`.
    pub fn xadd(&mut self, key: &str, fields: &[(&str, &str)]) {
        self.append(key, &["XADD", key, "*"], fields);
    }

    /// `XADD key MAXLEN ~ max * field value ...`. The bound is approximate in Redis and never reached here.
    pub fn xadd_bounded(&mut self, key: &str, max: &str, fields: &[(&str, &str)]) {
        self.append(key, &["XADD", key, "MAXLEN", "~", max, "*"], fields);
    }

    fn append(&mut self, key: &str, head: &[&str], fields: &[(&str, &str)]) {
        let now = self.now;
        let fields_of_entry = fields.iter().map(|(name, value)| (name.to_string(), value.to_string()));
        let id = self.change(key, |entries: &mut Vec<StreamEntry>| {
            let id = next_id(entries.last().map(|entry| entry.id), now);
            entries.push(StreamEntry { id, fields: Fields(fields_of_entry.collect()) });
            Some(id)
        });
        let words: Vec<&str> =
            head.iter().copied().chain(fields.iter().flat_map(|(name, value)| [*name, *value])).collect();
        let reply = id.map_or(CommandReply::Nil, |id| {
            CommandReply::Text(alloc::format!("{}-{}", id.at.0, id.sequence))
        });
        self.record(&words, reply);
    }

    /// `XTRIM key MAXLEN ~ max`. Approximate in Redis; the model's streams stay far below the bound.
    pub fn xtrim(&mut self, key: &str, max: &str) {
        self.record(&["XTRIM", key, "MAXLEN", "~", max], CommandReply::Integer(0));
    }
}

/// The server's clock, or one more within the same millisecond.
fn next_id(last: Option<StreamId>, now: Millis) -> StreamId {
    match last {
        Some(last) if last.at >= now => StreamId { at: last.at, sequence: last.sequence + 1 },
        Some(_) | None => StreamId { at: now, sequence: 0 },
    }
}

fn pair_reply(pair: Option<&(String, u64)>) -> CommandReply {
    CommandReply::List(
        pair.into_iter()
            .flat_map(|(member, score)| [Some(member.clone()), Some(score.to_string())])
            .collect(),
    )
}

fn hash_words<'a>(command: &'a str, key: &'a str, fields: &[(&'a str, &'a str)]) -> Vec<&'a str> {
    let pairs = fields.iter().flat_map(|(field, value)| [*field, *value]);
    [command, key].into_iter().chain(pairs).collect()
}

/// Redis takes this time-out in seconds: `5`, `0.3`.
fn seconds(timeout: Millis) -> String {
    let (whole, rest) = (timeout.0 / 1_000, timeout.0 % 1_000);
    if rest == 0 {
        return whole.to_string();
    }
    let text = alloc::format!("{whole}.{rest:03}");
    text.trim_end_matches('0').to_string()
}
