//! `retryJob-11`: a failed attempt goes back for another one (rules R1 to R6).

use super::{
    Code, Queue,
    shared::{PROBE_TARGET, ensure_meta, probe_delayed, release_lock, send, write_fields},
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
    let id = retry.id;
    send(redis, queue, PROBE_TARGET, &[]);
    probe_delayed(redis, queue, now);
    if send(redis, queue, "EXISTS @$1", &[id]).integer() == 0 {
        return Err(Code::MissingJob);
    }
    release_lock(redis, queue, id, retry.token)?;
    write_fields(redis, queue, id, retry.fields);
    if send(redis, queue, "LREM @active -1 $1", &[id]).integer() == 0 {
        return Err(Code::NotActive);
    }
    send(redis, queue, RETRIED, &[id]);
    ensure_meta(redis, queue);
    send(redis, queue, "XADD @events MAXLEN ~ 10000 * event waiting jobId $1 prev active", &[id]);
    Ok(())
}

/// R4 to R6.
const RETRIED: &str = "\
HGET @$1 priority
HMGET @meta paused concurrency
LPUSH @wait $1
ZADD @marker 0 0
HINCRBY @$1 atm 1";
