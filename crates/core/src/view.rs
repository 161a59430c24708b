//! What the hero shows, computed once from a timeline, so that it can be tested without a browser.
//!
//! It borrows what it shows and holds no sentences: those are the front end's. It reads; it decides nothing that the reducer did not.

mod job;
mod rail;
mod ran;

pub use job::{JobView, Lane, LaneName, LockView};
pub use rail::{RailStop, When, rail};
pub use ran::{Box, Quiet};

use crate::{
    portal::LearnerEnrolled,
    reliable_loop::{
        Attempt, Guards, Held, Life, Milestone, Op, Refusal, Wait, Worker, WorkerId, World, press,
        press_crash,
    },
    time::Millis,
    timeline::Timeline,
};
use alloc::{string::String, vec::Vec};

/// Everything that the hero shows at one position of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoopView<'a> {
    /// The run so far, as a story.
    pub story: String,
    /// Which patterns are in place.
    pub guards: Guards,
    /// Which frame this is, 0 for the opening.
    pub at: usize,
    /// The virtual clock.
    pub now: Millis,
    /// What the last press came to; `None` after a token that moves nothing on.
    pub milestone: Option<&'a Milestone>,
    /// The last thing that happened, in plain words: for a token that came to no milestone.
    pub note: String,
    /// wait, active, completed, failed.
    pub lanes: Vec<Lane<'a>>,
    /// Where the wake-up token is.
    pub marker: Marker,
    /// How long the guard of the sweep still lives.
    pub guard_left: Option<Millis>,
    /// The suspects: what was in active at the last sweep and has not been renewed since.
    pub suspects: &'a [String],
    /// The workers, `w1` first.
    pub workers: Vec<WorkerView<'a>>,
    /// How many enrollments are recorded.
    pub enrolled: usize,
    /// How often the enroll ran.
    pub deliveries: u32,
    /// Portal's log, oldest first.
    pub log: &'a [LearnerEnrolled],
    /// What ran last, as one atomic box.
    pub ran: Box<'a>,
    /// What ran in vain meanwhile.
    pub quiet: Vec<Quiet>,
    /// Why *step* makes no sense now.
    pub why_no_step: Option<Refusal>,
    /// Why *crash* makes no sense now.
    pub why_no_crash: Option<Refusal>,
    /// There is a frame behind.
    pub can_go_back: bool,
    /// A reset would change something.
    pub can_reset: bool,
}

/// Where the wake-up token is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// In the keyspace.
    Up,
    /// Nowhere.
    Down,
    /// On its way to this worker, who was blocked on it.
    HandedTo(WorkerId),
}

/// A worker, what it does, and what it believes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerView<'a> {
    /// Its name.
    pub id: WorkerId,
    /// Running, frozen or dead.
    pub life: Life,
    /// What it does, or did when it died.
    pub doing: Doing<'a>,
    /// Its token does not own the lock of the job that it believes to hold.
    pub mistaken: bool,
}

/// What a worker does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Doing<'a> {
    /// It is at its blocking wait.
    Waiting,
    /// The marker is on its way to it, so its wait returns next.
    Called,
    /// Its wait has returned; it takes next.
    Woken,
    /// It has started and takes before it blocks.
    Starting,
    /// It has this job in hand.
    Holding {
        /// The job.
        job: &'a str,
        /// What its effect came to.
        attempt: Attempt,
        /// The job carries a deferred failure.
        deferred: bool,
        /// Its acknowledgement was refused.
        refused: bool,
    },
}

impl<'a> LoopView<'a> {
    /// What there is to see where the reader is.
    #[must_use]
    pub fn of(timeline: &'a Timeline) -> Self {
        let frame = timeline.now();
        let world = &frame.world;
        let queue = world.setup.queue();
        let story = alloc::string::ToString::to_string(&timeline.story());
        let mut workers = Vec::new();
        for worker in &world.workers {
            workers.push(worker_view(world, worker));
        }
        Self {
            story,
            guards: world.setup.guards,
            at: timeline.at(),
            now: world.now,
            milestone: frame.milestone.as_deref(),
            note: ran::note(frame),
            lanes: job::lanes(world),
            marker: marker(world),
            guard_left: world.keys.time_left(&queue.key("stalled-check"), world.now),
            suspects: job::suspects(world),
            workers,
            enrolled: world.enrolled(),
            deliveries: world.deliveries,
            log: world.portal.log(),
            ran: ran::last_box(frame),
            quiet: ran::quiet(frame),
            why_no_step: press(world).err(),
            why_no_crash: press_crash(world).err(),
            can_go_back: timeline.at() > 0,
            can_reset: !timeline.is_home(),
        }
    }
}

impl LoopView<'_> {
    /// The workers that are dead.
    pub fn dead(&self) -> impl Iterator<Item = WorkerId> {
        self.workers.iter().filter(|worker| worker.life == Life::Dead).map(|worker| worker.id)
    }

    /// Where this job is; `None` if it is in no lane.
    #[must_use]
    pub fn lane_of(&self, job: &str) -> Option<LaneName> {
        let holds = |lane: &&Lane| lane.jobs.iter().any(|held| held.id == job);
        self.lanes.iter().find(holds).map(|lane| lane.name)
    }

    /// Every job of the queue, lane by lane.
    pub fn jobs(&self) -> impl Iterator<Item = &JobView<'_>> {
        self.lanes.iter().flat_map(|lane| &lane.jobs)
    }
}

fn marker(world: &World) -> Marker {
    if world.keys.exists(&world.setup.queue().key("marker")) {
        return Marker::Up;
    }
    let on_its_way = |worker: &&Worker| {
        worker.life != Life::Dead && worker.next_op() == Op::Wake && matches!(worker.wait, Wait::Answered(_))
    };
    world.workers.iter().find(on_its_way).map_or(Marker::Down, |worker| Marker::HandedTo(worker.id))
}

fn worker_view<'a>(world: &World, worker: &'a Worker) -> WorkerView<'a> {
    let doing = match (&worker.job, worker.next_op()) {
        (Some(Held { id, attempt, deferred, refused, .. }), _) => {
            Doing::Holding { job: id, attempt: *attempt, deferred: deferred.is_some(), refused: *refused }
        }
        (None, op) if op.takes() && worker.has_just_started() => Doing::Starting,
        (None, op) if op.takes() => Doing::Woken,
        (None, Op::Wake) if matches!(worker.wait, Wait::Answered(_)) => Doing::Called,
        (None, _) => Doing::Waiting,
    };
    let mistaken = worker.job.as_ref().is_some_and(|held| !job::owns_lock(world, held));
    WorkerView { id: worker.id, life: worker.life, doing, mistaken }
}
