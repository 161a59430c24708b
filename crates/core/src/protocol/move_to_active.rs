//! `moveToActive-11`: a worker takes the next job under a lock, in one script (rules T1 to T9).

use super::{
    Fetched, Queue, TakenJob,
    shared::{PROBE_TARGET, probe_delayed, read_job, send},
};
use crate::{keyspace::Atomic, small::decimal, time::Millis};

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
    send(redis, queue, PROBE_TARGET, &[]);
    probe_delayed(redis, queue, now);
    let Some(id) = send(redis, queue, "RPOPLPUSH @wait @active", &[]).text() else {
        send(redis, queue, "ZPOPMIN @prioritized\nDEL @pc\nZRANGE @delayed 0 0 WITHSCORES", &[]);
        return Fetched::Nothing;
    };
    let arguments = [id.as_str(), take.token, &decimal(take.lock.0), &decimal(now.0), take.name];
    send(redis, queue, LOCKED, &arguments);
    send(redis, queue, if take.name.is_empty() { STARTED } else { STARTED_BY }, &arguments);
    send(redis, queue, "HINCRBY @$1 ats 1\nZADD @marker 0 0", &arguments);
    let fields = read_job(redis, queue, &id);
    Fetched::Job(TakenJob { id, fields })
}

/// T5.
const LOCKED: &str = "\
SET @$1:lock $2 PX $3
XADD @events * event active jobId $1 prev waiting";

const STARTED: &str = "HMSET @$1 processedOn $4";
const STARTED_BY: &str = "HMSET @$1 processedOn $4 pb $5";
