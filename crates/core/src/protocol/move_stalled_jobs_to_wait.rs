//! `moveStalledJobsToWait-8`: the sweep that brings back what a dead worker left in active (rules S1 to S5).

use super::{
    Queue,
    shared::{probe_target, raise_marker, trim_events},
};
use crate::{keyspace::Atomic, time::Millis};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// The failure that a job carries in `defa` after too many recoveries.
pub const STALLED_TOO_OFTEN: &str = "job stalled more than allowable limit";

/// What the sweeping worker sends.
#[derive(Clone, Copy, Debug)]
pub struct Sweep {
    /// How many recoveries a job may have; one more and it carries `defa`.
    pub max_stalled_count: u32,
    /// How long the guard `stalled-check` keeps further sweeps from acting.
    pub interval: Millis,
}

/// Returns to the tail of wait every suspect that has no lock, then marks all that is in active as suspect; answers
/// the recovered ids.
///
/// Within the guard time it does nothing at all (S1). So a recovery needs two effective sweeps after the last
/// renewal: one that marks, a later one that finds no lock.
pub fn move_stalled_jobs_to_wait(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    now: Millis,
    sweep: Sweep,
) -> Vec<String> {
    let guard = queue.key("stalled-check");
    if redis.exists(&guard) {
        return Vec::new();
    }
    redis.set_px(&guard, &now.0.to_string(), sweep.interval);
    trim_events(redis, queue);

    let suspects_key = queue.key("stalled");
    let suspects = redis.smembers(&suspects_key);
    if !suspects.is_empty() {
        redis.del(&[&suspects_key]);
    }
    let recovered = suspects.into_iter().filter(|id| recover(redis, queue, id, sweep)).collect();

    let active = redis.lrange_all(&queue.key("active"));
    if !active.is_empty() {
        redis.sadd(&suspects_key, &active);
    }
    recovered
}

/// S4: true if the suspect had no lock and was still in active.
fn recover(redis: &mut Atomic<'_>, queue: &Queue, id: &str, sweep: Sweep) -> bool {
    if redis.exists(&queue.lock(id)) || !redis.lrem_one(&queue.key("active"), false, id) {
        return false;
    }
    let hash = queue.job(id);
    let stalled = redis.hincr(&hash, "stc");
    redis.hget(&hash, "opts");
    if stalled > u64::from(sweep.max_stalled_count) {
        redis.hset(&hash, &[("defa", STALLED_TOO_OFTEN)]);
    }
    probe_target(redis, queue);
    redis.rpush(&queue.key("wait"), id);
    raise_marker(redis, queue);
    let events = queue.key("events");
    redis.xadd(&events, &[("event", "waiting"), ("jobId", id), ("prev", "active")]);
    redis.xadd(&events, &[("event", "stalled"), ("jobId", id)]);
    true
}
