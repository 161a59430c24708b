//! Jobs in their lanes.

use crate::{
    reliable_loop::{Held, Life, Worker, WorkerId, World},
    small::{cut, number},
    time::Millis,
};
use alloc::{string::String, vec::Vec};

/// The four places where a job can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LaneName {
    /// A list: the tail is next.
    Wait,
    /// A list: the head was taken last.
    Active,
    /// A sorted set, by the instant of finishing.
    Completed,
    /// A sorted set, by the instant of finishing.
    Failed,
}

impl LaneName {
    /// All lanes, in the order in which a job meets them.
    pub const ALL: [Self; 4] = [Self::Wait, Self::Active, Self::Completed, Self::Failed];

    /// The last part of the key.
    #[must_use]
    pub fn key(self) -> &'static str {
        match self {
            LaneName::Wait => "wait",
            LaneName::Active => "active",
            LaneName::Completed => "completed",
            LaneName::Failed => "failed",
        }
    }
}

/// One lane.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lane<'a> {
    /// Which.
    pub name: LaneName,
    /// What all keys of the queue begin with.
    pub prefix: &'a str,
    /// The jobs in it, head or lowest score first.
    pub jobs: Vec<JobView<'a>>,
}

/// A job where it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobView<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its lock, if it has one.
    pub lock: Option<LockView<'a>>,
    /// It is among the suspects.
    pub suspect: bool,
    /// It is in active and no running worker holds it under its lock.
    pub stranded: bool,
    /// It carries a deferred failure.
    pub deferred: bool,
    /// How often it was taken (`ats`).
    pub taken: u32,
    /// How often it was recovered (`stc`).
    pub recovered: u32,
    /// Its return value, or the reason of its failure.
    pub result: Option<&'a str>,
}

/// The lock of a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockView<'a> {
    /// Whose token it holds.
    pub owner: Option<WorkerId>,
    /// The token.
    pub token: &'a str,
    /// How long it still lives.
    pub left: Millis,
    /// How long it lives when it is fresh.
    pub of: Millis,
}

pub(super) fn lanes(world: &World) -> Vec<Lane<'_>> {
    let mut lanes = Vec::new();
    for name in LaneName::ALL {
        let prefix = world.setup.queue().prefix();
        lanes.push(Lane { name, prefix, jobs: jobs(world, name) });
    }
    lanes
}

fn jobs(world: &World, lane: LaneName) -> Vec<JobView<'_>> {
    let key = world.setup.queue().key(lane.key());
    let mut jobs = Vec::new();
    // The key is a list or a sorted set, and the other of the two is empty.
    for id in world.keys.members(&key) {
        jobs.push(job(world, lane, id));
    }
    for (id, _) in world.keys.scored(&key) {
        jobs.push(job(world, lane, id));
    }
    jobs
}

fn job<'a>(world: &'a World, lane: LaneName, id: &'a str) -> JobView<'a> {
    let queue = world.setup.queue();
    let hash = queue.job(id);
    let field = |name| world.keys.field(&hash, name);
    let count =
        |name| field(name).and_then(number).map_or(0, |count| u32::try_from(count).unwrap_or(u32::MAX));
    let held = |worker: &Worker| {
        worker.life == Life::Running
            && worker.job.as_ref().is_some_and(|job| job.id == id && owns_lock(world, job))
    };
    JobView {
        id,
        lock: lock(world, id),
        suspect: world.keys.has_member(&queue.key("stalled"), id),
        stranded: lane == LaneName::Active && !world.workers.iter().any(held),
        deferred: field("defa").is_some(),
        taken: count("ats"),
        recovered: count("stc"),
        result: match lane {
            LaneName::Completed => field("returnvalue"),
            LaneName::Failed => field("failedReason"),
            LaneName::Wait | LaneName::Active => None,
        },
    }
}

fn lock<'a>(world: &'a World, id: &str) -> Option<LockView<'a>> {
    let key = world.setup.queue().lock(id);
    let token = world.keys.get(&key)?.as_type::<String>()?;
    let owner = owner_of(token);
    let left = world.keys.time_left(&key, world.now).unwrap_or_default();
    Some(LockView { owner, token, left, of: world.setup.lock })
}

/// The worker in a token such as `w1:3`.
fn owner_of(token: &str) -> Option<WorkerId> {
    let (worker, _) = cut(token.strip_prefix('w')?, b':')?;
    u8::try_from(number(worker)?).ok().map(WorkerId)
}

/// Does the worker's token own the lock of the job in its hands? So it is, too, where it takes no lock, or has dropped it.
pub(super) fn owns_lock(world: &World, held: &Held) -> bool {
    held.renew_due.is_none() || lock(world, &held.id).is_some_and(|lock| lock.token == held.token)
}

pub(super) fn suspects(world: &World) -> &[String] {
    world.keys.members(&world.setup.queue().key("stalled"))
}
