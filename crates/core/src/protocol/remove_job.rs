//! `removeJob-2`, as far as the loop meets it: a completed job is deleted and its id is free again.

use super::{
    Queue,
    shared::{MAX_EVENTS, ensure_meta},
};
use crate::keyspace::Atomic;

/// Deletes a completed, unlocked job: its place in `completed`, its hash and what hangs on it. True if it did.
///
/// A locked job stays (the real script answers 0). Jobs in other states are outside the model.
pub fn remove_job(redis: &mut Atomic<'_>, queue: &Queue, id: &str) -> bool {
    let (hash, completed) = (queue.job(id), queue.key("completed"));
    redis.hget(&hash, "rjk");
    if redis.get(&queue.lock(id)).is_some() {
        return false;
    }
    redis.hmget(&hash, &["parentKey", "deid"]);
    if redis.zscore(&completed, id).is_none() {
        return false;
    }
    redis.zrem(&completed, id);
    redis.hget(&hash, "deid");
    let of_job = |suffix: &str| [hash.as_str(), suffix].concat();
    let (logs, dependencies, processed) = (of_job(":logs"), of_job(":dependencies"), of_job(":processed"));
    let (failed, unsuccessful) = (of_job(":failed"), of_job(":unsuccessful"));
    redis.del(&[&hash, &logs, &dependencies, &processed, &failed, &unsuccessful]);
    ensure_meta(redis, queue);
    let event = [("event", "removed"), ("jobId", id), ("prev", "completed")];
    redis.xadd_bounded(&queue.key("events"), MAX_EVENTS, &event);
    true
}
