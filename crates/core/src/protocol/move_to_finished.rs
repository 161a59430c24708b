//! `moveToFinished-14`: the acknowledgement, in one script, with the next job in its reply (rules F1 to F12).

use super::{
    Code, Fetched, Finished, Queue, Take, move_to_active,
    shared::{release_lock, trim_events, write_fields},
};
use crate::{keyspace::Atomic, time::Millis};
use alloc::string::ToString;

/// Where a finished job ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// In `completed`, with its return value.
    Completed,
    /// In `failed`, with the reason.
    Failed,
}

impl Target {
    /// The sorted set, and the event.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Target::Completed => "completed",
            Target::Failed => "failed",
        }
    }

    /// The field that holds the value.
    fn value_field(self) -> &'static str {
        match self {
            Target::Completed => "returnvalue",
            Target::Failed => "failedReason",
        }
    }
}

/// What the worker sends.
#[derive(Clone, Copy, Debug)]
pub struct Finish<'a> {
    /// The job.
    pub id: &'a str,
    /// Completed or failed.
    pub target: Target,
    /// The return value as JSON, or the reason of the failure.
    pub value: &'a str,
    /// Fields written before anything moves: the reason and the stack trace of a failure.
    pub fields: &'a [(&'a str, &'a str)],
    /// How many attempts the job has.
    pub attempts: u32,
    /// Take the next job in the same script.
    pub fetch_next: bool,
    /// The token that owns the lock; the next job gets the same.
    pub take: Take<'a>,
}

/// Acknowledges: drops lock and mark, moves the job from active to `target`, writes the result, and hands over the
/// next job. Refused with -1, -2 or -6 nothing has changed; with -3 lock and mark are gone (F5).
///
/// It never lowers the marker, and raises it only by the take inside (T8).
pub fn move_to_finished(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) -> Finished {
    match acknowledge(redis, queue, now, finish) {
        Err(code) => Finished::Refused(code),
        Ok(()) => hand_over(redis, queue, now, finish),
    }
}

/// F1 to F10.
fn acknowledge(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) -> Result<(), Code> {
    let hash = queue.job(finish.id);
    if !redis.exists(&hash) {
        return Err(Code::MissingJob);
    }
    if finish.target == Target::Completed {
        redis.scard(&queue.key(&[finish.id, ":dependencies"].concat()));
        redis.zcard(&queue.key(&[finish.id, ":unsuccessful"].concat()));
    }
    release_lock(redis, queue, finish.id, finish.take.token)?;
    write_fields(redis, &hash, finish.fields);
    redis.hmget(&hash, &["parentKey", "parent", "deid"]);
    if !redis.lrem_one(&queue.key("active"), true, finish.id) {
        return Err(Code::NotActive);
    }
    trim_events(redis, queue);
    let attempts_made = redis.hincr(&hash, "atm");
    record_result(redis, queue, now, finish);
    if finish.target == Target::Failed && attempts_made >= u64::from(finish.attempts) {
        let made = attempts_made.to_string();
        let exhausted = [("event", "retries-exhausted"), ("jobId", finish.id), ("attemptsMade", &made)];
        redis.xadd(&queue.key("events"), &exhausted);
    }
    Ok(())
}

/// F8, F9: the job is kept for ever (`keepJobs.count` is -1, the default).
fn record_result(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) {
    let hash = queue.job(finish.id);
    let (name, field) = (finish.target.name(), finish.target.value_field());
    redis.zadd(&queue.key(name), now.0, finish.id);
    redis.hset(&hash, &[(field, finish.value), ("finishedOn", &now.0.to_string())]);
    if finish.target == Target::Failed {
        redis.hdel(&hash, "defa");
    }
    let event = [("event", name), ("jobId", finish.id), (field, finish.value), ("prev", "active")];
    redis.xadd(&queue.key("events"), &event);
}

/// F11, F12: the next job, or `drained` when nothing waits and nothing runs.
fn hand_over(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) -> Finished {
    if finish.fetch_next
        && let Fetched::Job(next) = move_to_active(redis, queue, now, &finish.take)
    {
        return Finished::Next(next);
    }
    let empty = redis.llen(&queue.key("wait")) == 0
        && redis.llen(&queue.key("active")) == 0
        && redis.zcard(&queue.key("prioritized")) == 0;
    if empty {
        redis.xadd(&queue.key("events"), &[("event", "drained")]);
    }
    Finished::Done
}
