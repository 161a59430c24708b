//! `addStandardJob-9`: a producer adds a job (rules A1 to A8).

use super::{
    Queue,
    shared::{PROBE_TARGET, ensure_meta, json_string, send},
};
use crate::{keyspace::Atomic, small::decimal, time::Millis};
use alloc::string::{String, ToString};

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
    let counter = send(redis, queue, "INCR @id", &[]).integer();
    ensure_meta(redis, queue);
    let counts = job.custom_id.is_empty();
    let id = if counts { decimal(counter) } else { job.custom_id.to_string() };
    if !counts && send(redis, queue, "EXISTS @$1", &[&id]).integer() == 1 {
        send(redis, queue, DUPLICATED, &[&id]);
        return id;
    }
    let (options, now) = (options(job), decimal(now.0));
    send(redis, queue, ADDED, &[&id, job.name, job.data, &options, &now]);
    send(redis, queue, PROBE_TARGET, &[]);
    send(redis, queue, WAITING, &[&id]);
    id
}

/// A4.
const DUPLICATED: &str = "\
HGET @$1 parentKey
XADD @events MAXLEN ~ 10000 * event duplicated jobId $1";

/// A5.
const ADDED: &str = "\
HMSET @$1 name $2 data $3 opts $4 timestamp $5 delay 0 priority 0
XADD @events * event added jobId $1 name $2";

/// A6 to A8.
const WAITING: &str = "\
LPUSH @wait $1
ZADD @marker 0 0
XADD @events MAXLEN ~ 10000 * event waiting jobId $1";

/// The options as stored: the order of the fields has no meaning.
fn options(job: &NewJob<'_>) -> String {
    let attempts = decimal(job.attempts.into());
    if job.custom_id.is_empty() {
        return [r#"{"attempts":"#, &attempts, "}"].concat();
    }
    [r#"{"jobId":"#, &json_string(job.custom_id), r#","attempts":"#, &attempts, "}"].concat()
}
