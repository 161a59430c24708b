//! `addStandardJob-9`: a producer adds a job (rules A1 to A8).

use super::{
    Queue,
    shared::{MAX_EVENTS, ensure_meta, json_string, probe_target, raise_marker},
};
use crate::{keyspace::Atomic, time::Millis};
use alloc::{format, string::String, string::ToString};

/// What the producer sends.
#[derive(Clone, Copy, Debug)]
pub struct NewJob<'a> {
    /// The job's id, unique in the queue for as long as its hash exists. Empty: the queue counts.
    pub custom_id: &'a str,
    /// The job's name.
    pub name: &'a str,
    /// The job's data, as JSON.
    pub data: &'a str,
    /// How many attempts it has; 0 by default.
    pub attempts: u32,
}

/// Adds the job to the head of wait and raises the marker; answers its id.
///
/// A job whose hash exists, in whatever state, is not added again: event `duplicated`, and nothing else (A4).
pub fn add_standard_job(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, job: &NewJob<'_>) -> String {
    let events = queue.key("events");
    let counter = redis.incr(&queue.key("id"));
    ensure_meta(redis, queue);
    let id = if job.custom_id.is_empty() { counter.to_string() } else { job.custom_id.to_string() };
    let hash = queue.job(&id);
    if !job.custom_id.is_empty() && redis.exists(&hash) {
        redis.hget(&hash, "parentKey");
        redis.xadd_bounded(&events, MAX_EVENTS, &[("event", "duplicated"), ("jobId", &id)]);
        return id;
    }
    redis.hmset(
        &hash,
        &[
            ("name", job.name),
            ("data", job.data),
            ("opts", &options(job)),
            ("timestamp", &now.0.to_string()),
            ("delay", "0"),
            ("priority", "0"),
        ],
    );
    redis.xadd(&events, &[("event", "added"), ("jobId", &id), ("name", job.name)]);
    probe_target(redis, queue);
    redis.lpush(&queue.key("wait"), &id);
    raise_marker(redis, queue);
    redis.xadd_bounded(&events, MAX_EVENTS, &[("event", "waiting"), ("jobId", &id)]);
    id
}

/// The options as stored: the order of the fields has no meaning.
fn options(job: &NewJob<'_>) -> String {
    if job.custom_id.is_empty() {
        return format!("{{\"attempts\":{}}}", job.attempts);
    }
    format!("{{\"jobId\":{},\"attempts\":{}}}", json_string(job.custom_id), job.attempts)
}
