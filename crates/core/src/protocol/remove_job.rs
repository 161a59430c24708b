//! `removeJob-2`, as far as the loop meets it: a completed job is deleted and its id is free again.

use super::{
    Queue,
    shared::{ensure_meta, send},
};
use crate::keyspace::{Atomic, CommandReply};

/// Deletes a completed, unlocked job: its place in `completed`, its hash and what hangs on it. True if it did.
///
/// A locked job stays (the real script answers 0). Jobs in other states are outside the model.
pub fn remove_job(redis: &mut Atomic<'_>, queue: &Queue, id: &str) -> bool {
    send(redis, queue, "HGET @$1 rjk", &[id]);
    if *send(redis, queue, "GET @$1:lock", &[id]) != CommandReply::Nil {
        return false;
    }
    if *send(redis, queue, "HMGET @$1 parentKey deid\nZSCORE @completed $1", &[id]) == CommandReply::Nil {
        return false;
    }
    send(redis, queue, REMOVED, &[id]);
    ensure_meta(redis, queue);
    send(redis, queue, "XADD @events MAXLEN ~ 10000 * event removed jobId $1 prev completed", &[id]);
    true
}

const REMOVED: &str = "\
ZREM @completed $1
HGET @$1 deid
DEL @$1 @$1:logs @$1:dependencies @$1:processed @$1:failed @$1:unsuccessful";
