//! `moveStalledJobsToWait-8`: the sweep that brings back what a dead worker left in active (rules S1 to S5).

use super::{
    Queue,
    shared::{PROBE_TARGET, send, send_with, trim_events},
};
use crate::{keyspace::Atomic, small::decimal, time::Millis};
use alloc::{string::String, vec::Vec};

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
    if send(redis, queue, "EXISTS @stalled-check", &[]).integer() == 1 {
        return Vec::new();
    }
    let (now, interval) = (decimal(now.0), decimal(sweep.interval.0));
    send(redis, queue, "SET @stalled-check $1 PX $2", &[&now, &interval]);
    trim_events(redis, queue);

    let mut recovered = send(redis, queue, "SMEMBERS @stalled", &[]).texts();
    if !recovered.is_empty() {
        send(redis, queue, "DEL @stalled", &[]);
    }
    recovered.retain(|id| recover(redis, queue, id, sweep));

    let active = send(redis, queue, "LRANGE @active 0 -1", &[]).texts();
    if !active.is_empty() {
        let active: Vec<&str> = active.iter().map(String::as_str).collect();
        send_with(redis, queue, ["SADD @stalled", ""], &active);
    }
    recovered
}

/// S4: true if the suspect had no lock and was still in active.
fn recover(redis: &mut Atomic<'_>, queue: &Queue, id: &str, sweep: Sweep) -> bool {
    if send(redis, queue, "EXISTS @$1:lock", &[id]).integer() == 1
        || send(redis, queue, "LREM @active 1 $1", &[id]).integer() == 0
    {
        return false;
    }
    let stalled = send(redis, queue, "HINCRBY @$1 stc 1", &[id]).integer();
    send(redis, queue, "HGET @$1 opts", &[id]);
    if stalled > u64::from(sweep.max_stalled_count) {
        send(redis, queue, "HSET @$1 defa $2", &[id, STALLED_TOO_OFTEN]);
    }
    send(redis, queue, PROBE_TARGET, &[]);
    send(redis, queue, RECOVERED, &[id]);
    true
}

const RECOVERED: &str = "\
RPUSH @wait $1
ZADD @marker 0 0
XADD @events * event waiting jobId $1 prev active
XADD @events * event stalled jobId $1";
