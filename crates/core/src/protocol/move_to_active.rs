//! `moveToActive-11`: a worker takes the next job under a lock, in one script (rules T1 to T9).

use super::{
    Fetched, Queue, TakenJob,
    shared::{probe_delayed, probe_target, raise_marker},
};
use crate::{
    keyspace::{Atomic, Fields},
    time::Millis,
};
use alloc::string::ToString;

/// What the worker sends with a take, and with an acknowledgement that takes the next job.
#[derive(Clone, Copy, Debug)]
pub struct Take<'a> {
    /// What the lock will hold: only who knows it may renew, finish or retry.
    pub token: &'a str,
    /// How long the lock lives unless it is renewed.
    pub lock: Millis,
    /// The worker's name; empty if it has none (then `pb` is not written).
    pub name: &'a str,
}

/// Moves the job at the tail of wait to the head of active, locks it and raises the marker again.
///
/// The lock is set without a check, suspects are not touched, and the marker is raised even if wait is now empty
/// (T5, T8). Nothing to take: the marker stays as it is (T4).
pub fn move_to_active(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, take: &Take<'_>) -> Fetched {
    probe_target(redis, queue);
    probe_delayed(redis, queue, now);
    let Some(id) = redis.rpoplpush(&queue.key("wait"), &queue.key("active")) else {
        redis.zpopmin(&queue.key("prioritized"));
        redis.del(&[&queue.key("pc")]);
        redis.zrange_lowest(&queue.key("delayed"));
        return Fetched::Nothing;
    };
    let hash = queue.job(&id);
    redis.set_px(&queue.lock(&id), take.token, take.lock);
    redis.xadd(&queue.key("events"), &[("event", "active"), ("jobId", &id), ("prev", "waiting")]);
    let now = now.0.to_string();
    let started = [("processedOn", now.as_str()), ("pb", take.name)];
    redis.hmset(&hash, if take.name.is_empty() { &started[..1] } else { &started });
    redis.hincr(&hash, "ats");
    raise_marker(redis, queue);
    let fields = Fields(redis.hgetall(&hash));
    Fetched::Job(TakenJob { id, fields })
}
