//! A state taken apart: what the workers share, and what each has for itself; each part kept once, under a number.
//!
//! A part is what is left of a world when everything is forgotten that no later step can see. From its parts a world is
//! made again, on which the reducer runs.
//!
//! Who owns a lock is told by the worker: every lock holds the token [`OWN`], and so does a worker that owns the lock of
//! its job; one that does not has the token [`LOST`]. So a worker's part and the shared part say all that matters for
//! its next operation, whatever the other workers are.

use super::{
    shared::{Job, Names},
    state::{LOCAL_BITS, MOST_WORKERS, SHARED_BITS},
    table::{Bytes, Places},
};
use crate::{
    check::{Invariant, invariant::ends_well_already},
    keyspace::{KeySpace, Value},
    portal::PortalError,
    reliable_loop::{Attempt, Held, Life, Op, Setup, Wait, Worker, WorkerId, World},
    time::Millis,
};
use alloc::{
    boxed::Box,
    string::{String, ToString},
    sync::Arc,
    vec::Vec,
};
use core::hash::{Hash, Hasher};

/// The token in every lock, and the first that a forgotten worker will use.
pub(super) const OWN: &str = "w1:1";
/// The token of a worker whose lock is gone or another's: no lock holds it.
const LOST: &str = "w1:0";
/// The clock of every part: so late that every wait which began at 0 is over.
const NOW: Millis = Setup::LONGEST;
/// When the locks of a part expire. A lock that expires at another instant has been set since.
pub(super) const NEVER: Millis = Millis(u64::MAX);
/// The only worker of a part's world.
pub(super) const ONE: WorkerId = WorkerId(1);

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
    /// It has none, or is frozen before it could block.
    Other,
    /// The marker is on its way to it.
    Answered,
    /// It would block if the marker were down.
    Arrived,
    /// It is blocked.
    Blocked,
}

/// Every part met so far.
pub(super) struct Parts {
    /// A world without workers and keys.
    blank: World,
    names: Names,
    shared: Vec<(Box<[u8]>, Shared)>,
    shared_places: Places,
    locals: Vec<(Worker, Local)>,
    local_places: Places,
    bytes: Vec<u8>,
    /// More parts than there are numbers: the search must stop.
    pub(super) full: bool,
}

impl Parts {
    pub(super) fn new(setup: &Setup, jobs: u8) -> Self {
        let mut blank = World::new(Setup { workers: 1, ..setup.clone() });
        blank.workers.clear();
        blank.now = NOW;
        Self {
            names: Names::new(setup, jobs),
            blank,
            shared: Vec::new(),
            shared_places: Places::default(),
            locals: Vec::new(),
            local_places: Places::default(),
            bytes: Vec::new(),
            full: false,
        }
    }

    pub(super) fn setup(&self) -> &Setup {
        &self.blank.setup
    }

    pub(super) fn jobs(&self) -> &[Job] {
        &self.names.jobs
    }

    pub(super) fn shared(&self, number: u32) -> Shared {
        self.shared.get(number as usize).map(|(_, info)| *info).unwrap_or_default()
    }

    pub(super) fn local(&self, number: u16) -> Option<Local> {
        self.locals.get(usize::from(number)).map(|(_, info)| *info)
    }

    /// The world of these parts. Its workers are called `w1`, `w2`, ... in order, and block in the order of their rank.
    pub(super) fn world(&self, shared: u32, locals: impl Iterator<Item = (u16, u8)>) -> World {
        let mut world = self.blank.clone();
        if let Some((bytes, _)) = self.shared.get(shared as usize) {
            self.names.read(bytes, &mut world);
        }
        let mut ranks = [None; MOST_WORKERS + 1];
        for (index, (local, rank)) in locals.enumerate() {
            let Some((worker, _)) = self.locals.get(usize::from(local)) else { continue };
            let mut worker = worker.clone();
            worker.id = WorkerId(index as u8 + 1);
            if let Some(client) = ranks.get_mut(usize::from(rank)) {
                *client = Some(worker.id.client());
            }
            world.workers.push(worker);
        }
        for client in ranks.into_iter().skip(1).flatten() {
            world.keys.block(client, &self.names.marker);
        }
        world
    }

    /// The number of the shared part of this world.
    pub(super) fn keep_shared(&mut self, world: &World) -> u32 {
        self.names.write(world, &mut self.bytes);
        let hash = hash_of(self.bytes.as_slice());
        let known =
            |place: u32| self.shared.get(place as usize).is_some_and(|(known, _)| **known == *self.bytes);
        if let Some(known) = self.shared_places.find(hash, known) {
            return known;
        }
        let number = self.shared.len() as u32;
        if number >= (1 << SHARED_BITS) - 1 {
            self.full = true;
            return 0;
        }
        let shared = &self.shared;
        let of_known = |place: u32| shared.get(place as usize).map_or(0, |(bytes, _)| hash_of(&**bytes));
        self.shared_places.insert(hash, number, of_known);
        let info = self.look_at_shared(world);
        self.shared.push((self.bytes.as_slice().into(), info));
        number
    }

    fn look_at_shared(&self, world: &World) -> Shared {
        let bits = |is: &dyn Fn(&Job) -> bool| {
            let jobs = self.names.jobs.iter().enumerate();
            jobs.filter(|(_, job)| is(job)).fold(0, |bits, (bit, _)| bits | 1 << bit)
        };
        let by_itself = [Invariant::OnePlace, Invariant::OneEffect, Invariant::EffectBeforeAck];
        let broken = by_itself.into_iter().filter(|invariant| !invariant.holds(world));
        Shared {
            jobs: world.jobs().count() as u8,
            locked: bits(&|job| world.keys.exists(&job.lock)),
            active: bits(&|job| world.list("active").any(|id| id == job.id)),
            a_job_waits: world.list("wait").next().is_some(),
            marker: world.keys.exists(&self.names.marker),
            portal_down: world.portal_down,
            ended_well: ends_well_already(world),
            broken: broken.fold(0, |bits, invariant| bits | invariant.bit()),
        }
    }

    /// The number of this worker's part, in a world with these keys.
    pub(super) fn keep_local(&mut self, worker: &Worker, keys: &KeySpace) -> u16 {
        let part = forget_worker(worker, keys, self.setup());
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
        let job = held.and_then(|held| self.names.jobs.iter().position(|job| job.id == held.id));
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
        world.keys.evict(&self.names.marker);
        self.keep_shared(&world)
    }

    /// What all parts take, in bytes: what is on the heap as well, roughly.
    pub(super) fn bytes(&self) -> usize {
        const ON_THE_HEAP: [usize; 2] = [32, 200];
        let shared =
            self.shared.capacity() * size_of::<(Box<[u8]>, Shared)>() + self.shared.len() * ON_THE_HEAP[0];
        let locals =
            self.locals.capacity() * size_of::<(Worker, Local)>() + self.locals.len() * ON_THE_HEAP[1];
        shared + locals + self.shared_places.bytes() + self.local_places.bytes()
    }
}

fn hash_of(part: &(impl Hash + ?Sized)) -> u64 {
    let mut hasher = Bytes::default();
    part.hash(&mut hasher);
    hasher.finish()
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
    if held.refused || held.deferred.is_some() {
        return Attempt::NotRun;
    }
    let before = Attempt::Refused(PortalError::AlreadyEnrolled);
    if held.attempt == before { Attempt::Recorded } else { held.attempt }
}
