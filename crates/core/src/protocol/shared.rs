//! What several scripts have in common, as the real ones share their includes.

use super::{Code, Queue};
use crate::{keyspace::Atomic, time::Millis};
use alloc::string::String;

/// The bound of the event stream that the scripts write into `meta`.
pub(super) const MAX_EVENTS: &str = "10000";

/// Rule A2: the stream's bound stands in `meta`; write it if it is missing.
pub(super) fn ensure_meta(redis: &mut Atomic<'_>, queue: &Queue) {
    let meta = queue.key("meta");
    if redis.hget(&meta, "opts.maxLenEvents").is_none() {
        redis.hset(&meta, &[("opts.maxLenEvents", MAX_EVENTS)]);
    }
}

/// The same, and trims the stream to the bound.
pub(super) fn trim_events(redis: &mut Atomic<'_>, queue: &Queue) {
    ensure_meta(redis, queue);
    redis.xtrim(&queue.key("events"), MAX_EVENTS);
}

/// Reads what would pause or bound the queue. Nothing here ever sets it, so the answer is always "neither".
pub(super) fn probe_target(redis: &mut Atomic<'_>, queue: &Queue) {
    redis.hmget(&queue.key("meta"), &["paused", "concurrency", "max", "duration"]);
}

/// Looks for delayed jobs that are due. There are none in the model's scope. The bound is due time * 4096 + 4095.
pub(super) fn probe_delayed(redis: &mut Atomic<'_>, queue: &Queue, now: Millis) {
    redis.zrangebyscore(&queue.key("delayed"), now.0.saturating_mul(4096).saturating_add(4095));
}

/// `raise`: the wake-up token is in the marker. Idempotent: there is at most one.
pub(super) fn raise_marker(redis: &mut Atomic<'_>, queue: &Queue) {
    redis.zadd(&queue.key("marker"), 0, "0");
}

/// Rules F2, F3: only the owner of the lock passes, and then lock and mark are gone.
pub(super) fn release_lock(redis: &mut Atomic<'_>, queue: &Queue, id: &str, token: &str) -> Result<(), Code> {
    let lock = queue.lock(id);
    match redis.get(&lock) {
        None => return Err(Code::MissingLock),
        Some(owner) if owner != token => return Err(Code::LockMismatch),
        Some(_) => {}
    }
    redis.del(&[&lock]);
    redis.srem(&queue.key("stalled"), id);
    Ok(())
}

/// Rule F4: fields that the worker passes along, such as the reason of a failure.
pub(super) fn write_fields(redis: &mut Atomic<'_>, job: &str, fields: &[(&str, &str)]) {
    if !fields.is_empty() {
        redis.hmset(job, fields);
    }
}

/// A string as JSON writes it.
pub(super) fn json_string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            json.push('\\');
        }
        json.push(letter);
    }
    json.push('"');
    json
}
