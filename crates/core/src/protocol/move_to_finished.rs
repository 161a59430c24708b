//! `moveToFinished-14`: the acknowledgement, in one script, with the next job in its reply (rules F1 to F12).

use super::{
    Code, Fetched, Finished, Queue, Take, move_to_active,
    shared::{release_lock, send, trim_events, write_fields},
};
use crate::{keyspace::Atomic, small::decimal, time::Millis};

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
    let id = finish.id;
    if send(redis, queue, "EXISTS @$1", &[id]).integer() == 0 {
        return Err(Code::MissingJob);
    }
    if finish.target == Target::Completed {
        send(redis, queue, "SCARD @$1:dependencies\nZCARD @$1:unsuccessful", &[id]);
    }
    release_lock(redis, queue, id, finish.take.token)?;
    write_fields(redis, queue, id, finish.fields);
    send(redis, queue, "HMGET @$1 parentKey parent deid", &[id]);
    if send(redis, queue, "LREM @active -1 $1", &[id]).integer() == 0 {
        return Err(Code::NotActive);
    }
    trim_events(redis, queue);
    let attempts_made = send(redis, queue, "HINCRBY @$1 atm 1", &[id]).integer();
    record_result(redis, queue, now, finish);
    if finish.target == Target::Failed && attempts_made >= u64::from(finish.attempts) {
        let exhausted = "XADD @events * event retries-exhausted jobId $1 attemptsMade $2";
        send(redis, queue, exhausted, &[id, &decimal(attempts_made)]);
    }
    Ok(())
}

/// F8, F9: the job is kept for ever (`keepJobs.count` is -1, the default).
pub(crate) fn record_result(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) {
    let now = decimal(now.0);
    let arguments = [finish.id, &now, finish.target.name(), finish.target.value_field(), finish.value];
    send(redis, queue, "ZADD @$3 $2 $1\nHSET @$1 $4 $5 finishedOn $2", &arguments);
    if finish.target == Target::Failed {
        send(redis, queue, "HDEL @$1 defa", &arguments);
    }
    send(redis, queue, "XADD @events * event $3 jobId $1 $4 $5 prev active", &arguments);
}

/// F11, F12: the next job, or `drained` when nothing waits and nothing runs.
fn hand_over(redis: &mut Atomic<'_>, queue: &Queue, now: Millis, finish: &Finish<'_>) -> Finished {
    if finish.fetch_next
        && let Fetched::Job(next) = move_to_active(redis, queue, now, &finish.take)
    {
        return Finished::Next(next);
    }
    let places = ["LLEN @wait", "LLEN @active", "ZCARD @prioritized"];
    if places.iter().all(|length| send(redis, queue, length, &[]).integer() == 0) {
        send(redis, queue, "XADD @events * event drained", &[]);
    }
    Finished::Done
}
