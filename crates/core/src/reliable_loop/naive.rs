//! The naive forms: what one would write without the scripts. Plain commands, still one atomic piece each.
//!
//! Each is what its script does, less what the guard that is off would have done. The bookkeeping (`ats`, `atm`, events,
//! the marker) stays, so that nothing else changes; what only watches the queue (`drained`) is left out.

use super::{Guard, Guards, Op};
use crate::{
    keyspace::Atomic,
    protocol::{
        Code, Fetched, Finish, Finished, Queue, Retry, Take, TakenJob, drop_lock, read_job, record_result,
        send,
    },
    small::decimal,
    time::Millis,
};

/// `ask`: how many jobs wait.
pub(super) fn ask(redis: &mut Atomic<'_>, queue: &Queue) -> u64 {
    send(redis, queue, "LLEN @wait", &[]).integer()
}

/// `move` and `pop`: a take without lock, or without a list that holds what is taken.
pub(super) fn take(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    now: Millis,
    guards: Guards,
    take: &Take<'_>,
) -> Fetched {
    let pop = if guards.on(Guard::ProcessingList) { "RPOPLPUSH @wait @active" } else { "RPOP @wait" };
    let Some(id) = send(redis, queue, pop, &[]).text() else { return Fetched::Nothing };
    let arguments = [id.as_str(), take.token, &decimal(take.lock.0), &decimal(now.0), take.name];
    if guards.on(Guard::Lock) {
        send(redis, queue, "SET @$1:lock $2 PX $3", &arguments);
    }
    send(redis, queue, TAKEN, &arguments);
    let fields = read_job(redis, queue, &id);
    Fetched::Job(TakenJob { id, fields })
}

const TAKEN: &str = "\
XADD @events * event active jobId $1 prev waiting
HSET @$1 processedOn $4 pb $5
HINCRBY @$1 ats 1
ZADD @marker 0 0";

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
    if guards.on(Guard::Lock) { drop_lock(redis, queue, id, token) } else { Ok(()) }
}

/// `remove`: out of active and off the suspects. Nobody looks whether it was there.
fn remove(redis: &mut Atomic<'_>, queue: &Queue, guards: Guards, id: &str) {
    if guards.on(Guard::ProcessingList) {
        send(redis, queue, "SREM @stalled $1\nLREM @active -1 $1", &[id]);
    }
}

/// `complete`: the result is written and the job stands in completed or failed.
fn complete(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) {
    send(redis, queue, "HINCRBY @$1 atm 1", &[finish.id]);
    record_result(redis, queue, now, finish);
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
    send(redis, queue, RETRIED, &[retry.id]);
    Ok(())
}

const RETRIED: &str = "\
LPUSH @wait $1
ZADD @marker 0 0
HINCRBY @$1 atm 1
XADD @events * event waiting jobId $1 prev active";
