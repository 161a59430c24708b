//! The naive forms: what one would write without the scripts. Plain commands, still one atomic piece each.
//!
//! Each is what its script does, less what the guard that is off would have done. The bookkeeping (`ats`, `atm`, events,
//! the marker) stays, so that nothing else changes; what only watches the queue (`drained`) is left out.

use super::{Guard, Guards, Op};
use crate::{
    keyspace::{Atomic, Fields},
    protocol::{Code, Fetched, Finish, Finished, Queue, Retry, Take, TakenJob, Target},
    time::Millis,
};
use alloc::string::ToString;

/// `ask`: how many jobs wait.
pub(super) fn ask(redis: &mut Atomic<'_>, queue: &Queue) -> usize {
    redis.llen(&queue.key("wait"))
}

/// `move` and `pop`: a take without lock, or without a list that holds what is taken.
pub(super) fn take(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    now: Millis,
    guards: Guards,
    take: &Take<'_>,
) -> Fetched {
    let wait = queue.key("wait");
    let moved = if guards.on(Guard::ProcessingList) {
        redis.rpoplpush(&wait, &queue.key("active"))
    } else {
        redis.rpop(&wait)
    };
    let Some(id) = moved else { return Fetched::Nothing };
    if guards.on(Guard::Lock) {
        redis.set_px(&queue.lock(&id), take.token, take.lock);
    }
    let hash = queue.job(&id);
    redis.xadd(&queue.key("events"), &[("event", "active"), ("jobId", &id), ("prev", "waiting")]);
    redis.hset(&hash, &[("processedOn", &now.0.to_string()), ("pb", take.name)]);
    redis.hincr(&hash, "ats");
    redis.zadd(&queue.key("marker"), 0, "0");
    let fields = Fields(redis.hgetall(&hash));
    Fetched::Job(TakenJob { id, fields })
}

/// One step of the acknowledgement, or `record`: all of them in one piece.
pub(super) fn acknowledge(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    now: Millis,
    guards: Guards,
    step: Op,
    finish: &Finish<'_>,
) -> Finished {
    let whole = step == Op::Record;
    if (whole || step == Op::Unlock)
        && let Err(code) = unlock(redis, queue, guards, finish.id, finish.take.token)
    {
        return Finished::Refused(code);
    }
    if whole || step == Op::Remove {
        remove(redis, queue, guards, finish.id);
    }
    if whole || step == Op::Complete {
        complete(redis, queue, now, finish);
    }
    Finished::Done
}

/// `unlock`: only the owner's token passes, as in the script.
fn unlock(redis: &mut Atomic<'_>, queue: &Queue, guards: Guards, id: &str, token: &str) -> Result<(), Code> {
    if !guards.on(Guard::Lock) {
        return Ok(());
    }
    let lock = queue.lock(id);
    match redis.get(&lock) {
        None => return Err(Code::MissingLock),
        Some(owner) if owner != token => return Err(Code::LockMismatch),
        Some(_) => {}
    }
    redis.del(&[&lock]);
    Ok(())
}

/// `remove`: out of active and off the suspects. Nobody looks whether it was there.
fn remove(redis: &mut Atomic<'_>, queue: &Queue, guards: Guards, id: &str) {
    if guards.on(Guard::ProcessingList) {
        redis.srem(&queue.key("stalled"), id);
        redis.lrem_one(&queue.key("active"), true, id);
    }
}

/// `complete`: the result is written and the job stands in completed or failed.
fn complete(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) {
    let hash = queue.job(finish.id);
    let (target, field) = match finish.target {
        Target::Completed => ("completed", "returnvalue"),
        Target::Failed => ("failed", "failedReason"),
    };
    redis.hincr(&hash, "atm");
    redis.zadd(&queue.key(target), now.0, finish.id);
    redis.hset(&hash, &[(field, finish.value), ("finishedOn", &now.0.to_string())]);
    if finish.target == Target::Failed {
        redis.hdel(&hash, "defa");
    }
    let event = [("event", target), ("jobId", finish.id), (field, finish.value), ("prev", "active")];
    redis.xadd(&queue.key("events"), &event);
}

/// `retry` where the script cannot run, since there is no lock or no active: back to the head of wait.
pub(super) fn retry(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    guards: Guards,
    retry: &Retry<'_>,
) -> Result<(), Code> {
    unlock(redis, queue, guards, retry.id, retry.token)?;
    remove(redis, queue, guards, retry.id);
    redis.lpush(&queue.key("wait"), retry.id);
    redis.zadd(&queue.key("marker"), 0, "0");
    redis.hincr(&queue.job(retry.id), "atm");
    let event = [("event", "waiting"), ("jobId", retry.id), ("prev", "active")];
    redis.xadd(&queue.key("events"), &event);
    Ok(())
}
