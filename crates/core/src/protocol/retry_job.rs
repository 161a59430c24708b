//! `retryJob-11`: a failed attempt goes back for another one (rules R1 to R6).

use super::{
    Code, Queue,
    shared::{
        MAX_EVENTS, ensure_meta, probe_delayed, probe_target, raise_marker, release_lock, write_fields,
    },
};
use crate::{keyspace::Atomic, time::Millis};

/// What the worker sends.
#[derive(Clone, Copy, Debug)]
pub struct Retry<'a> {
    /// The job.
    pub id: &'a str,
    /// The token that owns the lock.
    pub token: &'a str,
    /// The reason and the stack trace.
    pub fields: &'a [(&'a str, &'a str)],
}

/// Pushes the job to the head of wait, last in line, and raises the marker. The stream gets `waiting`, no `failed`.
///
/// # Errors
/// The same refusals as an acknowledgement: -1, -2, -6 change nothing; -3 has dropped lock and mark.
pub fn retry_job(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, retry: &Retry<'_>) -> Result<(), Code> {
    let hash = queue.job(retry.id);
    probe_target(redis, queue);
    probe_delayed(redis, queue, now);
    if !redis.exists(&hash) {
        return Err(Code::MissingJob);
    }
    release_lock(redis, queue, retry.id, retry.token)?;
    write_fields(redis, &hash, retry.fields);
    if !redis.lrem_one(&queue.key("active"), true, retry.id) {
        return Err(Code::NotActive);
    }
    redis.hget(&hash, "priority");
    redis.hmget(&queue.key("meta"), &["paused", "concurrency"]);
    redis.lpush(&queue.key("wait"), retry.id);
    raise_marker(redis, queue);
    redis.hincr(&hash, "atm");
    ensure_meta(redis, queue);
    let event = [("event", "waiting"), ("jobId", retry.id), ("prev", "active")];
    redis.xadd_bounded(&queue.key("events"), MAX_EVENTS, &event);
    Ok(())
}
