//! `extendLocks-1` and `extendLock-2`: a worker shows that it lives (rules E1, E2).
//!
//! A real worker always uses the first, for all jobs it holds; the second is its form for one job.

use super::{Queue, shared::send};
use crate::{keyspace::Atomic, small::decimal, time::Millis};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Renews the lock of one job and takes it off the suspects. False if the lock is gone or another's: an expired
/// lock can never be renewed, even if nobody took the job.
pub fn extend_lock(redis: &mut Atomic<'_>, queue: &Queue, id: &str, token: &str, lock: Millis) -> bool {
    if send(redis, queue, "GET @$1:lock", &[id]).text().as_deref() != Some(token) {
        return false;
    }
    send(redis, queue, "SET @$1:lock $2 PX $3\nSREM @stalled $1", &[id, token, &decimal(lock.0)]);
    true
}

/// Renews several locks, each `(id, token)`; answers the ids that could *not* be renewed.
pub fn extend_locks(
    redis: &mut Atomic<'_>,
    queue: &Queue,
    held: &[(&str, &str)],
    lock: Millis,
) -> Vec<String> {
    let mut lost = Vec::new();
    for (id, token) in held {
        if !extend_lock(redis, queue, id, token, lock) {
            lost.push(id.to_string());
        }
    }
    lost
}
