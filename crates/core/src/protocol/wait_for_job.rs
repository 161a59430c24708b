//! `BZPOPMIN marker`: how a worker sleeps until there may be work (rules B1 to B3).

use super::{Queue, shared::send};
use crate::{
    keyspace::{Atomic, Client, KeySpace, seconds},
    small::decimal,
    time::Millis,
};
use alloc::string::String;

/// What a blocking wait came to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum BlockingWait {
    /// The marker was up: `[key, member, score]`. It is a hint that work may exist, not a job.
    Popped([String; 3]),
    /// Nothing there: the client waits for the marker or for its time-out.
    MustBlock,
}

/// Pops the marker if it is up (B1). If not, the caller registers the client with [`KeySpace::block`] (B2), and
/// after `timeout` the reply is nil (B3).
pub fn wait_for_job(redis: &mut Atomic<'_>, queue: &Queue, timeout: Millis) -> BlockingWait {
    let popped = send(redis, queue, "BZPOPMIN @marker $1", &[&seconds(timeout)]).texts();
    <[String; 3]>::try_from(popped).map_or(BlockingWait::MustBlock, BlockingWait::Popped)
}

/// After a script ends: hands a raised marker to the client blocked longest, so that it is never seen in the
/// keyspace (B2). Returns who got what; call it until it returns `None`.
pub fn serve_blocked(keys: &mut KeySpace) -> Option<(Client, [String; 3])> {
    let (client, key, (member, score)) = keys.serve_blocked()?;
    Some((client, [key, member, decimal(score)]))
}
