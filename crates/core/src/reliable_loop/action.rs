//! What can happen: the imperative side. Every action has a word in a story.

use super::{Guard, Life, NAIVE, Op, Refusal, Setup, Worker, WorkerId, World, natural};
use crate::time::Millis;
use alloc::{
    boxed::Box,
    string::{String, ToString},
    vec,
    vec::Vec,
};

/// A job to add. What is `None` is filled in by the setup's defaults; the id by the first free `j_1`, `j_2`, ...
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct NewEnrollment {
    /// The job's id.
    pub id: Option<String>,
    /// Learner and course, as they come.
    pub who: Option<(String, String)>,
}

/// One thing that can really happen in one piece.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A producer adds a job. Boxed, so that an action is small: it is the only large one.
    Add(Box<NewEnrollment>),
    /// A worker runs one operation of its program.
    Operate(WorkerId, Op),
    /// A worker renews the lock of its job.
    Renew(WorkerId),
    /// A worker runs the stalled sweep.
    Sweep(WorkerId),
    /// A worker process dies.
    Crash(WorkerId),
    /// A new process starts in a dead one's place.
    Start(WorkerId),
    /// A worker stops being scheduled.
    Freeze(WorkerId),
    /// A frozen worker goes on.
    Thaw(WorkerId),
    /// Time passes. Meanwhile, at their instants and in order, keys expire and live workers renew.
    Advance(Millis),
    /// Portal's process restarts and folds its log again.
    RestartPortal,
    /// Portal can no longer append to its log: an enroll fails, which is no refusal.
    PortalDown,
    /// Portal can append again.
    PortalUp,
    /// The marker is lost: evicted, or gone with a failover.
    LoseMarker,
    /// The lock of this job is lost in the same way.
    EvictLock(String),
    /// A worker's acknowledgement runs, but its reply never arrives: the worker will call it again.
    LoseReply(WorkerId),
}

impl Action {
    /// Is it left out of this build?
    pub(crate) fn is_left_out(&self) -> bool {
        match self {
            Action::Operate(_, op) => op.is_left_out(),
            Action::PortalDown
            | Action::PortalUp
            | Action::LoseMarker
            | Action::EvictLock(_)
            | Action::LoseReply(_) => !NAIVE,
            Action::Add(_)
            | Action::Renew(_)
            | Action::Sweep(_)
            | Action::Crash(_)
            | Action::Start(_)
            | Action::Freeze(_)
            | Action::Thaw(_)
            | Action::Advance(_)
            | Action::RestartPortal => false,
        }
    }
}

/// Why the action cannot happen now; `None` if it can.
#[must_use]
pub fn why_not(world: &World, action: &Action) -> Option<Refusal> {
    if action.is_left_out() {
        return Some(Refusal::LeftOut);
    }
    let id = match action {
        Action::Operate(id, _)
        | Action::Renew(id)
        | Action::Sweep(id)
        | Action::Freeze(id)
        | Action::LoseReply(id)
        | Action::Crash(id)
        | Action::Start(id)
        | Action::Thaw(id) => *id,
        Action::Add(_) | Action::RestartPortal => return None,
        Action::LoseMarker => {
            let up = world.keys.exists(&world.setup.queue().key("marker"));
            return (!up).then_some(Refusal::NoMarker);
        }
        Action::EvictLock(job) => {
            let there = world.keys.exists(&world.setup.queue().lock(job));
            return (!there).then(|| Refusal::NoLock { job: job.clone() });
        }
        Action::PortalDown => return world.portal_down.then_some(Refusal::PortalIsDown),
        Action::PortalUp => return (!world.portal_down).then_some(Refusal::PortalIsUp),
        Action::Advance(by) => {
            return (*by == Millis(0) || *by > Setup::LONGEST).then_some(Refusal::BadAdvance);
        }
    };
    match world.worker(id) {
        None => Some(Refusal::NoSuchWorker { worker: id, workers: world.setup.workers }),
        Some(worker) => why_not_of(world, worker, action),
    }
}

/// Why this worker cannot do it now: most need it running, a crash only needs a process, a start none.
fn why_not_of(world: &World, worker: &Worker, action: &Action) -> Option<Refusal> {
    let id = worker.id;
    match (action, worker.life) {
        (Action::Start(_), Life::Dead) | (Action::Crash(_), Life::Frozen) => None,
        (Action::Start(_), _) => Some(Refusal::NotDead(id)),
        (_, Life::Dead) => Some(Refusal::Dead(id)),
        (Action::Thaw(_), _) => worker.is_running().then_some(Refusal::NotFrozen(id)),
        (_, Life::Frozen) => Some(Refusal::Frozen(id)),
        (Action::Operate(_, op), _) => not_now(worker, *op),
        (Action::Renew(_), _) => {
            let renews = worker.job.as_ref().is_some_and(|job| job.renew_due.is_some());
            (!renews).then_some(Refusal::NothingToRenew(id))
        }
        (Action::Sweep(_), _) => {
            (!world.setup.guards.on(Guard::StalledSweep)).then_some(Refusal::NobodySweeps)
        }
        (Action::LoseReply(_), _) => (!worker.next_op().acknowledges()).then_some(Refusal::NoReplyToLose(id)),
        (
            Action::Freeze(_)
            | Action::Add(_)
            | Action::Crash(_)
            | Action::Advance(_)
            | Action::RestartPortal
            | Action::PortalDown
            | Action::PortalUp
            | Action::LoseMarker
            | Action::EvictLock(_),
            Life::Running,
        ) => None,
    }
}

fn not_now(worker: &Worker, asked: Op) -> Option<Refusal> {
    let next = worker.next_op();
    if next == asked {
        return None;
    }
    let program = worker.program();
    if !program.has(asked) {
        return Some(Refusal::NotInProgram { worker: worker.id, asked, program });
    }
    match &worker.job {
        Some(job) if job.deferred.is_some() && asked == Op::Enroll => {
            Some(Refusal::Deferred { worker: worker.id, job: job.id.clone() })
        }
        job => {
            let job = job.as_ref().map(|job| job.id.clone());
            Some(Refusal::NotNow { worker: worker.id, asked, next, job })
        }
    }
}

/// Everything that can happen now. Of the actions without bounds it names one each: a job with the default id, and
/// time passing until the next thing that is due.
#[must_use]
pub fn available(world: &World) -> Vec<Action> {
    let mut actions = vec![
        Action::Add(Box::default()),
        Action::RestartPortal,
        Action::PortalDown,
        Action::PortalUp,
        Action::LoseMarker,
    ];
    actions.extend(world.jobs().map(|job| Action::EvictLock(job.to_string())));
    for worker in &world.workers {
        let id = worker.id;
        actions.extend([
            Action::Operate(id, worker.next_op()),
            Action::Renew(id),
            Action::Sweep(id),
            Action::Crash(id),
            Action::Start(id),
            Action::Freeze(id),
            Action::Thaw(id),
            Action::LoseReply(id),
        ]);
    }
    actions.extend(natural::until_due(world).map(Action::Advance));
    actions.retain(|action| why_not(world, action).is_none());
    actions
}
