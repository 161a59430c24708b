//! What can happen: the imperative side. Every action has a word in a story.

use super::{Guard, Life, Op, Refusal, Setup, Worker, WorkerId, World, natural};
use crate::time::Millis;
use alloc::{
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
    /// A producer adds a job.
    Add(NewEnrollment),
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

/// Why the action cannot happen now; `None` if it can.
#[must_use]
pub fn why_not(world: &World, action: &Action) -> Option<Refusal> {
    let running = |id: WorkerId, then: &dyn Fn(&Worker) -> Option<Refusal>| match world.worker(id) {
        None => Some(no_such_worker(world, id)),
        Some(worker) => match worker.life {
            Life::Dead => Some(Refusal::Dead(id)),
            Life::Frozen => Some(Refusal::Frozen(id)),
            Life::Running => then(worker),
        },
    };
    let life = |id: WorkerId| world.worker(id).map(|worker| worker.life);
    match action {
        Action::Add(_) | Action::RestartPortal => None,
        Action::Operate(id, op) => running(*id, &|worker| not_now(worker, *op)),
        Action::Renew(id) => running(*id, &|worker| {
            let renews = worker.job.as_ref().is_some_and(|job| job.renew_due.is_some());
            (!renews).then_some(Refusal::NothingToRenew(*id))
        }),
        Action::Sweep(id) => {
            running(*id, &|_| (!world.setup.guards.on(Guard::StalledSweep)).then_some(Refusal::NobodySweeps))
        }
        Action::Freeze(id) => running(*id, &|_| None),
        Action::LoseReply(id) => {
            running(*id, &|worker| (!worker.next_op().acknowledges()).then_some(Refusal::NoReplyToLose(*id)))
        }
        Action::LoseMarker => {
            (!world.keys.exists(&world.setup.queue().key("marker"))).then_some(Refusal::NoMarker)
        }
        Action::EvictLock(job) => {
            let missing = !world.keys.exists(&world.setup.queue().lock(job));
            missing.then(|| Refusal::NoLock { job: job.clone() })
        }
        Action::PortalDown => world.portal_down.then_some(Refusal::PortalIsDown),
        Action::PortalUp => (!world.portal_down).then_some(Refusal::PortalIsUp),
        Action::Crash(id) => match life(*id) {
            None => Some(no_such_worker(world, *id)),
            Some(Life::Dead) => Some(Refusal::Dead(*id)),
            Some(Life::Running | Life::Frozen) => None,
        },
        Action::Start(id) => match life(*id) {
            None => Some(no_such_worker(world, *id)),
            Some(Life::Dead) => None,
            Some(Life::Running | Life::Frozen) => Some(Refusal::NotDead(*id)),
        },
        Action::Thaw(id) => match life(*id) {
            None => Some(no_such_worker(world, *id)),
            Some(Life::Dead) => Some(Refusal::Dead(*id)),
            Some(Life::Running) => Some(Refusal::NotFrozen(*id)),
            Some(Life::Frozen) => None,
        },
        Action::Advance(by) => (*by == Millis(0) || *by > Setup::LONGEST).then_some(Refusal::BadAdvance),
    }
}

fn no_such_worker(world: &World, worker: WorkerId) -> Refusal {
    Refusal::NoSuchWorker { worker, workers: world.setup.workers }
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
        Action::Add(NewEnrollment::default()),
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
