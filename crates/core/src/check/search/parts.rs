//! A state taken apart: what the workers share, and what each has for itself; each part kept once, under a number.
//!
//! A part is what is left of a world when everything is forgotten that no later step can see: the clock, time stamps,
//! the event stream, counters, names of workers. What is left is a world again, so that the reducer runs on it.
//!
//! Who owns a lock is told by the worker: every lock holds the token [`OWN`], and so does a worker that owns the lock of
//! its job; one that does not has the token [`LOST`]. So a worker's part and the shared part say all that matters for
//! its next operation, whatever the other workers are.

use super::{
    state::{LOCAL_BITS, SHARED_BITS},
    table::{Bytes, Places},
};
use crate::{
    check::{Invariant, invariant::ends_well_already},
    keyspace::{Atomic, KeySpace, Value},
    portal::{LearnerEnrolled, Portal},
    protocol::send,
    reliable_loop::{Attempt, Held, Life, Op, REFUSED, Setup, Wait, Worker, WorkerId, World},
    small::decimal,
    time::Millis,
};
use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::hash::{Hash, Hasher};

/// The token in every lock, and the first that a forgotten worker will use.
const OWN: &str = "w1:1";
/// The token of a worker whose lock is gone or another's: no lock holds it.
const LOST: &str = "w1:0";
/// The clock of every part: so late that every wait which began at 0 is over.
const NOW: Millis = Setup::LONGEST;
/// When the locks of a part expire. A lock that expires at another instant has been set since.
pub(super) const NEVER: Millis = Millis(u64::MAX);
/// The only worker of a part's world.
pub(super) const ONE: WorkerId = WorkerId(1);

/// Redis and Portal.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct SharedPart {
    keys: KeySpace,
    portal: Portal,
    portal_down: bool,
}

/// What the search has to know of a shared part at every step. Jobs are bits.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Shared {
    /// How many jobs have been added.
    pub(super) jobs: u8,
    /// Whose lock is there.
    pub(super) locked: u8,
    /// Which stand in active.
    pub(super) active: u8,
    pub(super) a_job_waits: bool,
    pub(super) marker: bool,
    pub(super) portal_down: bool,
    /// Every job has ended as it should.
    pub(super) ended_well: bool,
    /// The invariants that it breaks by itself, as bits.
    pub(super) broken: u8,
}

/// What the search has to know of a worker at every step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Local {
    pub(super) life: Life,
    pub(super) next: Op,
    pub(super) wait: WaitKind,
    /// The job in its hands.
    pub(super) job: Option<u8>,
    /// It owns the lock of that job.
    pub(super) owns: bool,
}

/// How a worker stands with its blocking wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WaitKind {
    /// It has none, or the marker is on its way to it.
    Other,
    Answered,
    /// It would block if the marker were down.
    Arrived,
    Blocked,
}

/// Every part met so far.
pub(super) struct Parts {
    setup: Setup,
    /// The names of the jobs, in the order in which they are added.
    jobs: Vec<String>,
    shared: Vec<(SharedPart, Shared)>,
    shared_places: Places,
    locals: Vec<(Worker, Local)>,
    local_places: Places,
    /// More parts than there are numbers: the search must stop.
    pub(super) full: bool,
}

impl Parts {
    pub(super) fn new(setup: &Setup, jobs: Vec<String>) -> Self {
        Self {
            setup: Setup { workers: 1, ..setup.clone() },
            jobs,
            shared: Vec::new(),
            shared_places: Places::default(),
            locals: Vec::new(),
            local_places: Places::default(),
            full: false,
        }
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.setup
    }

    pub(super) fn jobs(&self) -> &[String] {
        &self.jobs
    }

    pub(super) fn shared(&self, number: u32) -> Shared {
        self.shared.get(number as usize).map(|(_, info)| *info).unwrap_or_default()
    }

    pub(super) fn local(&self, number: u16) -> Option<Local> {
        self.locals.get(usize::from(number)).map(|(_, info)| *info)
    }

    /// The world of these parts. Its workers are called `w1`, `w2`, ... in order, and block in the order of their rank.
    pub(super) fn world(&self, shared: u32, locals: impl Iterator<Item = (u16, u8)>) -> World {
        let mut world = World::new(self.setup.clone());
        world.now = NOW;
        world.workers.clear();
        if let Some((part, _)) = self.shared.get(shared as usize) {
            world.keys = part.keys.clone();
            world.portal = part.portal.clone();
            world.portal_down = part.portal_down;
        }
        let mut blocked = Vec::new();
        for (index, (local, rank)) in locals.enumerate() {
            let Some((worker, _)) = self.locals.get(usize::from(local)) else { continue };
            let mut worker = worker.clone();
            worker.id = WorkerId(index as u8 + 1);
            if rank > 0 {
                blocked.push((rank, worker.id.client()));
            }
            world.workers.push(worker);
        }
        blocked.sort_unstable();
        let marker = world.setup.queue().key("marker");
        for (_, client) in blocked {
            world.keys.block(client, &marker);
        }
        world
    }

    /// The number of the shared part of this world.
    pub(super) fn keep_shared(&mut self, world: &World) -> u32 {
        let part = SharedPart {
            keys: forget_keys(world),
            portal: forget_portal(&world.portal),
            portal_down: world.portal_down,
        };
        let hash = hash_of(&part);
        let is = |place: u32| self.shared.get(place as usize).is_some_and(|(known, _)| *known == part);
        if let Some(known) = self.shared_places.find(hash, is) {
            return known;
        }
        let number = self.shared.len() as u32;
        if number >= 1 << SHARED_BITS {
            self.full = true;
            return 0;
        }
        let shared = &self.shared;
        let of_known = |place: u32| shared.get(place as usize).map_or(0, |(part, _)| hash_of(part));
        self.shared_places.insert(hash, number, of_known);
        let info = self.look_at_shared(&part);
        self.shared.push((part, info));
        number
    }

    fn look_at_shared(&self, part: &SharedPart) -> Shared {
        let mut world = World::new(self.setup.clone());
        world.workers.clear();
        (world.keys, world.portal, world.portal_down) =
            (part.keys.clone(), part.portal.clone(), part.portal_down);
        let queue = self.setup.queue();
        let bits = |is: &dyn Fn(&String) -> bool| {
            self.jobs.iter().enumerate().filter(|(_, job)| is(job)).fold(0, |bits, (bit, _)| bits | 1 << bit)
        };
        let by_itself = [Invariant::OnePlace, Invariant::OneEffect, Invariant::EffectBeforeAck];
        let broken = by_itself.into_iter().filter(|invariant| !invariant.holds(&world));
        Shared {
            jobs: world.jobs().count() as u8,
            locked: bits(&|job| world.keys.exists(&queue.lock(job))),
            active: bits(&|job| world.list("active").any(|id| id == job)),
            a_job_waits: world.list("wait").next().is_some(),
            marker: world.keys.exists(&queue.key("marker")),
            portal_down: world.portal_down,
            ended_well: ends_well_already(&world),
            broken: broken.fold(0, |bits, invariant| bits | invariant.bit()),
        }
    }

    /// The number of this worker's part, in a world with these keys.
    pub(super) fn keep_local(&mut self, worker: &Worker, keys: &KeySpace) -> u16 {
        let part = forget_worker(worker, keys, &self.setup);
        let hash = hash_of(&part);
        let is = |place: u32| self.locals.get(place as usize).is_some_and(|(known, _)| *known == part);
        if let Some(known) = self.local_places.find(hash, is) {
            return known as u16;
        }
        let number = self.locals.len() as u32;
        if number >= 1 << LOCAL_BITS {
            self.full = true;
            return 0;
        }
        let locals = &self.locals;
        let of_known = |place: u32| locals.get(place as usize).map_or(0, |(part, _)| hash_of(part));
        self.local_places.insert(hash, number, of_known);
        let info = self.look_at_local(&part);
        self.locals.push((part, info));
        number as u16
    }

    fn look_at_local(&self, worker: &Worker) -> Local {
        let held = worker.job.as_ref();
        let job = held.and_then(|held| self.jobs.iter().position(|job| *job == held.id));
        let wait = match &worker.wait {
            Wait::Blocked { .. } => WaitKind::Blocked,
            Wait::Arrived { .. } if worker.next_op() == Op::Wake && worker.is_running() => WaitKind::Arrived,
            Wait::Answered(_) => WaitKind::Answered,
            Wait::Arrived { .. } | Wait::Returned => WaitKind::Other,
        };
        Local {
            life: worker.life,
            next: worker.next_op(),
            wait,
            job: job.map(|job| job as u8),
            owns: held.is_some_and(|held| held.token == OWN),
        }
    }

    /// The same worker, without a job, with another wait.
    pub(super) fn with_wait(&mut self, local: u16, wait: Wait) -> u16 {
        let Some((worker, _)) = self.locals.get(usize::from(local)) else { return local };
        let mut worker = worker.clone();
        worker.wait = wait;
        self.keep_local(&worker, &KeySpace::default())
    }

    /// The same worker, its lock gone or another's.
    pub(super) fn without_lock(&mut self, local: u16) -> u16 {
        let Some((worker, _)) = self.locals.get(usize::from(local)) else { return local };
        let worker = worker.clone();
        self.keep_local(&worker, &KeySpace::default())
    }

    /// The same shared part with the marker down.
    pub(super) fn without_marker(&mut self, shared: u32) -> u32 {
        let mut world = self.world(shared, core::iter::empty());
        world.keys.evict(&self.setup.queue().key("marker"));
        self.keep_shared(&world)
    }

    /// What all parts take, in bytes, roughly: they hold small texts.
    pub(super) fn bytes(&self) -> usize {
        const OF_A_SHARED_PART: usize = 2_500;
        const OF_A_WORKER: usize = 400;
        let places = self.shared_places.bytes() + self.local_places.bytes();
        self.shared.len() * OF_A_SHARED_PART + self.locals.len() * OF_A_WORKER + places
    }
}

fn hash_of(part: &impl Hash) -> u64 {
    let mut hasher = Bytes::default();
    part.hash(&mut hasher);
    hasher.finish()
}

/// The keys that a later step can see, written anew. The order in active is forgotten too: nothing depends on it.
fn forget_keys(world: &World) -> KeySpace {
    let queue = world.setup.queue();
    let mut keys = KeySpace::default();
    let mut redis = Atomic::new(&mut keys, Millis(0));
    for id in world.list("wait") {
        send(&mut redis, queue, "RPUSH @wait $1", &[id]);
    }
    let mut active: Vec<&str> = world.list("active").collect();
    active.sort_unstable();
    for id in active {
        send(&mut redis, queue, "RPUSH @active $1", &[id]);
    }
    if world.keys.exists(&queue.key("marker")) {
        send(&mut redis, queue, "ZADD @marker 0 0", &[]);
    }
    for id in world.jobs() {
        for name in ["completed", "failed"] {
            if world.keys.has_member(&queue.key(name), id) {
                send(&mut redis, queue, "ZADD @$1 0 $2", &[name, id]);
            }
        }
        if world.keys.has_member(&queue.key("stalled"), id) {
            send(&mut redis, queue, "SADD @stalled $1", &[id]);
        }
        if world.keys.exists(&queue.lock(id)) {
            send(&mut redis, queue, "SET @$1:lock $2 PX $3", &[id, OWN, &decimal(NEVER.0)]);
        }
        forget_job(&mut redis, world, id);
    }
    keys
}

/// The fields of a job that a worker or a script acts on. Counters stop where more makes no difference.
fn forget_job(redis: &mut Atomic<'_>, world: &World, id: &str) {
    let hash = world.setup.queue().job(id);
    let field = |name| world.keys.field(&hash, name);
    let count = |name, most: u32| {
        let number: u32 = field(name)?.parse().ok()?;
        Some(number.min(most).to_string()).filter(|_| most > 0)
    };
    let mut keep = |name, value: Option<&str>| {
        if let Some(value) = value {
            send(redis, world.setup.queue(), "HSET @$1 $2 $3", &[id, name, value]);
        }
    };
    keep("data", field("data"));
    keep("stc", count("stc", world.setup.max_stalled.saturating_add(1)).as_deref());
    keep("defa", field("defa"));
    keep("atm", count("atm", world.setup.attempts).as_deref());
    keep("returnvalue", field("returnvalue").filter(|value| *value == REFUSED));
}

/// Who is enrolled where, and whether more than once.
fn forget_portal(portal: &Portal) -> Portal {
    let mut log: Vec<LearnerEnrolled> = portal.log().to_vec();
    log.sort_unstable_by(|one, other| {
        (&one.user_id, &one.course_id).cmp(&(&other.user_id, &other.course_id))
    });
    let mut forgotten = Portal::with_courses(portal.catalogue().to_vec());
    for event in log {
        let event = LearnerEnrolled { at: Millis(0), ..event };
        if forgotten.log().iter().filter(|known| **known == event).count() < 2 {
            forgotten.append(event);
        }
    }
    forgotten
}

/// What the worker will act on. A dead one does nothing any more.
fn forget_worker(worker: &Worker, keys: &KeySpace, setup: &Setup) -> Worker {
    if worker.life == Life::Dead {
        let mut dead = Worker::idle(ONE, Millis(0), worker.program());
        dead.life = Life::Dead;
        return dead;
    }
    let mut part = worker.clone();
    (part.id, part.fetches, part.sweep_due) = (ONE, 0, Millis(0));
    part.wait = match (worker.next_op(), &worker.wait) {
        (Op::Wake, Wait::Answered(_)) => answered(setup),
        (Op::Wake, Wait::Blocked { .. }) => Wait::Blocked { since: Millis(0) },
        (Op::Wake | Op::Sleep, _) => Wait::Arrived { at: Millis(0) },
        (_, _) => Wait::Returned,
    };
    if let Some(held) = &mut part.job {
        let owns = keys.get(&setup.queue().lock(&held.id)) == Some(&Value::Text(held.token.clone()));
        held.token = String::from(if owns { OWN } else { LOST });
        held.renew_due = owns.then_some(NEVER);
        held.attempt = forget_attempt(held);
    }
    part
}

/// The marker is on its way.
pub(super) fn answered(setup: &Setup) -> Wait {
    Wait::Answered(Arc::new([setup.queue().key("marker"), "0".to_string(), "0".to_string()]))
}

/// Enrolled now or before is the same to the queue, and to a job that only waits to be failed nothing matters.
fn forget_attempt(held: &Held) -> Attempt {
    use crate::portal::PortalError::AlreadyEnrolled;
    if held.refused || held.deferred.is_some() {
        return Attempt::NotRun;
    }
    if held.attempt == Attempt::Refused(AlreadyEnrolled) { Attempt::Recorded } else { held.attempt }
}
