//! Milestones: the steps that a learner sees. One press runs the natural schedule to the next of them.

use super::{Action, Attempt, Fact, Held, NAIVE, Op, Refusal, Step, Worker, WorkerId, World, next, step};
use crate::{
    portal::PortalError,
    protocol::{Operation, Reply},
};
use alloc::{string::String, vec::Vec};
use core::slice;
use serde::Serialize;

/// What moves the story on. What a worker does in vain is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stage {
    /// Nothing has happened yet: the beginning of a run.
    Waiting,
    /// A worker's blocking wait returned with the marker while a job waits.
    Woken,
    /// It returned by its time-out, and a job waits.
    WokenByTimeout,
    /// A worker's poll found that a job waits.
    Found,
    /// A worker has the job in hand, under a new lock if it takes one.
    PickedUp,
    /// The same, but the job carries a deferred failure: it will not be run.
    PickedUpToFail,
    /// The effect was recorded.
    Enrolled,
    /// The effect ran and Portal refused it, the learner being enrolled: nothing was written.
    AlreadyEnrolled,
    /// The effect ran and Portal refused it for good: nothing was written.
    CourseNotFound,
    /// The effect failed: Portal could not append, nothing was written.
    EnrollFailed,
    /// The first step of an acknowledgement that is not atomic: the lock is dropped.
    Unlocked,
    /// The second: the job has left active, and is not in completed yet.
    Removed,
    /// A job whose effect failed went back for another attempt.
    Retried,
    /// The job was acknowledged and ended in completed.
    Finished,
    /// The job was acknowledged and ended in failed.
    Failed,
    /// An acknowledgement was refused: the worker's token does not own the lock.
    FinishRefused,
    /// A worker died that had no job.
    DiedIdle,
    /// A worker died that had a job whose effect had not run.
    DiedBeforeEffect,
    /// A worker died between the effect of its job and the acknowledgement.
    DiedAfterEffect,
    /// A sweep marked jobs as suspects, and the lock of one of them is alive.
    MarkedLocked,
    /// A sweep marked jobs as suspects, and none of them has a lock.
    MarkedUnlocked,
    /// A lock's time was over.
    LockExpired,
    /// A sweep found suspects without a lock and returned them.
    Returned,
    /// The same, but they stalled too often and carry a deferred failure.
    ReturnedToFail,
    /// A fresh process started in a dead one's place.
    Started,
}

impl Stage {
    /// Did a worker die?
    #[must_use]
    pub fn is_death(self) -> bool {
        matches!(self, Stage::DiedIdle | Stage::DiedBeforeEffect | Stage::DiedAfterEffect)
    }
}

/// A stage of a run, and whom it is about.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct Milestone {
    /// What moved the story on.
    pub stage: Stage,
    /// Whose doing it was. Nobody's, at the beginning and when a lock expires.
    pub worker: Option<WorkerId>,
    /// Which jobs it is about: one, or those that a sweep marked or returned.
    pub jobs: Vec<String>,
    /// The next job, handed over in the same script.
    pub next: Option<String>,
    /// The code of a refusal.
    pub code: Option<i32>,
}

impl Milestone {
    /// The beginning of a run.
    #[must_use]
    pub fn waiting() -> Self {
        Self::of(Stage::Waiting, None, &[])
    }

    fn of(stage: Stage, worker: Option<WorkerId>, jobs: &[String]) -> Self {
        Self { stage, worker, jobs: jobs.to_vec(), next: None, code: None }
    }
}

/// One atomic action that ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanStep {
    /// What ran.
    pub action: Action,
    /// What it did.
    pub step: Step,
}

/// A press: what ran, and the milestone that it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Press {
    /// The atomic actions with what each did.
    pub steps: Vec<RanStep>,
    /// Where it stopped.
    pub milestone: Milestone,
}

impl Press {
    /// The world after it.
    #[must_use]
    pub fn world(&self) -> Option<&World> {
        self.steps.last().map(|ran| &ran.step.world)
    }
}

/// More actions than any press needs: within it lie over an hour of polls and sweeps with the default setup.
const MOST_ACTIONS: usize = 2_000;

/// *step the job*: runs the natural schedule to the next milestone.
///
/// # Errors
/// Why there is none: no job, all finished, or nothing more happens.
pub fn press(world: &World) -> Result<Press, Refusal> {
    if world.is_settled() {
        let none_yet = !world.keys.exists(&world.setup.queue().key("id"));
        let all_finished = world.jobs().all(|job| world.is_finished(job));
        return Err(match (none_yet, all_finished) {
            (true, _) => Refusal::NoJob,
            (false, true) => Refusal::AllFinished,
            (false, false) => Refusal::NothingHappens,
        });
    }
    let mut steps: Vec<RanStep> = Vec::new();
    while steps.len() < MOST_ACTIONS {
        let before = steps.last().map_or(world, |ran| &ran.step.world);
        let Some(action) = next(before) else { break };
        let after = step(before, &action);
        let milestone = milestone(before, &after);
        steps.push(RanStep { action, step: after });
        if let Some(milestone) = milestone {
            return Ok(Press { steps, milestone });
        }
    }
    Err(Refusal::NothingHappens)
}

/// *crash mid-process*: kills the worker that is at work, the one with a job in hand before one that is only woken.
///
/// # Errors
/// When no worker is at work.
pub fn press_crash(world: &World) -> Result<Press, Refusal> {
    let a_job_waits = !world.list_is_empty("wait");
    let at_work = world.workers.iter().filter(|worker| worker.is_at_work(a_job_waits));
    let worker = at_work.min_by_key(|worker| worker.job.is_none()).ok_or(Refusal::NothingToCrash)?;
    let action = Action::Crash(worker.id);
    let after = step(world, &action);
    let milestone = milestone(world, &after).ok_or(Refusal::NothingToCrash)?;
    Ok(Press { steps: [RanStep { action, step: after }].into(), milestone })
}

/// The milestone that a step came to, if any: read off its facts.
#[must_use]
pub fn milestone(before: &World, after: &Step) -> Option<Milestone> {
    after.facts.iter().find_map(|fact| of_fact(before, &after.world, fact))
}

fn of_fact(before: &World, after: &World, fact: &Fact) -> Option<Milestone> {
    let (stage, worker, job) = match fact {
        Fact::Ran { actor: super::Actor::Worker(worker), operation, reply, .. } => {
            return of_operation(before, after, *worker, *operation, reply);
        }
        Fact::Enrolled { worker, job, .. } => (Stage::Enrolled, *worker, Some(job)),
        Fact::EnrollRefused { worker, job, error: PortalError::AlreadyEnrolled } => {
            (Stage::AlreadyEnrolled, *worker, Some(job))
        }
        Fact::EnrollRefused { worker, job, error: PortalError::CourseNotFound } => {
            (Stage::CourseNotFound, *worker, Some(job))
        }
        Fact::EnrollFailed { worker, job } => (Stage::EnrollFailed, *worker, Some(job)),
        Fact::Expired { key } => return expired_lock(after, key),
        Fact::Died { worker, job } => (death_of(before.worker(*worker)?), *worker, job.as_ref()),
        Fact::Started { worker } => (Stage::Started, *worker, None),
        Fact::Ran { actor: super::Actor::Producer, .. }
        | Fact::MarkerHandedOver { .. }
        | Fact::TimePassed { .. }
        | Fact::Froze { .. }
        | Fact::Thawed { .. }
        | Fact::PortalRestarted { .. }
        | Fact::PortalDown
        | Fact::PortalUp
        | Fact::Lost { .. }
        | Fact::ReplyLost { .. }
        | Fact::Refused(_) => return None,
    };
    Some(Milestone::of(stage, Some(worker), job.map_or(&[], slice::from_ref)))
}

fn death_of(worker: &Worker) -> Stage {
    match &worker.job {
        None => Stage::DiedIdle,
        Some(Held { attempt: Attempt::Recorded | Attempt::Refused(_), .. }) => Stage::DiedAfterEffect,
        Some(Held { attempt: Attempt::NotRun | Attempt::Failed, .. }) => Stage::DiedBeforeEffect,
    }
}

/// The job whose lock this key was.
fn expired_lock(world: &World, key: &str) -> Option<Milestone> {
    let queue = world.setup.queue();
    let jobs = world.keys.members(&queue.key("active"));
    let job = jobs.iter().find(|id| queue.lock(id) == key)?;
    Some(Milestone::of(Stage::LockExpired, None, slice::from_ref(job)))
}

fn of_operation(
    before: &World,
    after: &World,
    id: WorkerId,
    operation: Operation,
    reply: &Reply,
) -> Option<Milestone> {
    match operation {
        Operation::WaitForJob if after.list_is_empty("wait") => None,
        Operation::WaitForJob => {
            let woken = if matches!(reply, Reply::Popped(_)) { Stage::Woken } else { Stage::WokenByTimeout };
            Some(Milestone::of(woken, Some(id), &[]))
        }
        Operation::MoveToActive => picked_up(after, id),
        Operation::MoveToFinished => acknowledged(before.worker(id)?, reply),
        Operation::RetryJob if NAIVE => retried(before.worker(id)?, reply),
        Operation::Naive(_) if NAIVE => of_naive(before, after, id, reply),
        Operation::MoveStalledJobsToWait => of_sweep(before, after, id, reply),
        Operation::AddStandardJob
        | Operation::ExtendLocks
        | Operation::RemoveJob
        | Operation::RetryJob
        | Operation::Naive(_) => None,
    }
}

fn picked_up(after: &World, id: WorkerId) -> Option<Milestone> {
    let held = after.worker(id)?.job.as_ref()?;
    let stage = if held.deferred.is_some() { Stage::PickedUpToFail } else { Stage::PickedUp };
    Some(Milestone::of(stage, Some(id), slice::from_ref(&held.id)))
}

/// This stage, of the job that the worker had in hand.
fn of_held(stage: Stage, worker: &Worker) -> Option<Milestone> {
    Some(Milestone::of(stage, Some(worker.id), slice::from_ref(&worker.job.as_ref()?.id)))
}

/// The last step of an acknowledgement, or its refusal.
fn acknowledged(before: &Worker, reply: &Reply) -> Option<Milestone> {
    let held = before.job.as_ref()?;
    let failed = held.deferred.is_some() || held.refused || held.attempt == Attempt::Failed;
    let mut milestone = of_held(if failed { Stage::Failed } else { Stage::Finished }, before)?;
    match reply {
        Reply::Number(0) => {}
        Reply::Job(next) => milestone.next = Some(next.id.clone()),
        Reply::Number(code) => {
            milestone.stage = Stage::FinishRefused;
            milestone.code = Some(*code);
        }
        Reply::Id(_) | Reply::Ids(_) | Reply::Nothing | Reply::Popped(_) | Reply::TimedOut => return None,
    }
    Some(milestone)
}

fn retried(before: &Worker, reply: &Reply) -> Option<Milestone> {
    if *reply == Reply::Number(0) { of_held(Stage::Retried, before) } else { acknowledged(before, reply) }
}

fn of_naive(before: &World, after: &World, id: WorkerId, reply: &Reply) -> Option<Milestone> {
    let worker = before.worker(id)?;
    let nothing = *reply == Reply::Number(0);
    match worker.next_op() {
        Op::Ask => (!nothing).then(|| Milestone::of(Stage::Found, Some(id), &[])),
        Op::Move | Op::Pop => picked_up(after, id),
        Op::Unlock if nothing => of_held(Stage::Unlocked, worker),
        Op::Remove if nothing => of_held(Stage::Removed, worker),
        Op::Unlock | Op::Remove | Op::Record | Op::Complete => acknowledged(worker, reply),
        Op::Retry => retried(worker, reply),
        Op::Wake | Op::Take | Op::Enroll | Op::Finish | Op::Sleep => None,
    }
}

fn of_sweep(before: &World, after: &World, worker: WorkerId, reply: &Reply) -> Option<Milestone> {
    let queue = after.setup.queue();
    if let Reply::Ids(jobs) = reply
        && !jobs.is_empty()
    {
        let deferred = jobs.iter().any(|id| after.keys.field(&queue.job(id), "defa").is_some());
        let stage = if deferred { Stage::ReturnedToFail } else { Stage::Returned };
        return Some(Milestone::of(stage, Some(worker), jobs));
    }
    let suspects = queue.key("stalled");
    let mut jobs = Vec::new();
    for id in after.keys.members(&queue.key("active")) {
        if after.keys.has_member(&suspects, id) && !before.keys.has_member(&suspects, id) {
            jobs.push(id.clone());
        }
    }
    let locked = jobs.iter().any(|id| after.keys.exists(&queue.lock(id)));
    let stage = if locked { Stage::MarkedLocked } else { Stage::MarkedUnlocked };
    (!jobs.is_empty()).then(|| Milestone::of(stage, Some(worker), &jobs))
}
