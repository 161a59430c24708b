//! Milestones: the steps that a learner sees. One press runs the natural schedule to the next of them.

use super::{Action, Attempt, Fact, Op, Refusal, Step, Worker, WorkerId, World, next, step};
use crate::{
    portal::PortalError,
    protocol::{Operation, Reply},
};
use alloc::{string::String, vec::Vec};
use serde::Serialize;

/// Something that moves the story on. What a worker does in vain is none.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum Milestone {
    /// Nothing has happened yet: the beginning of a run.
    Waiting,
    /// A worker's blocking wait returned while a job waits.
    Woken {
        /// Who.
        worker: WorkerId,
        /// By the marker; else by its time-out.
        by_marker: bool,
    },
    /// A worker's poll found that a job waits.
    Found {
        /// Who.
        worker: WorkerId,
    },
    /// A worker has the job in hand, under a new lock if it takes one.
    PickedUp {
        /// Who.
        worker: WorkerId,
        /// Which.
        job: String,
        /// It carries a deferred failure: it will not be run.
        deferred: bool,
    },
    /// The effect was recorded.
    Enrolled {
        /// By whom.
        worker: WorkerId,
        /// For which job.
        job: String,
    },
    /// The effect ran and Portal refused it: nothing was written.
    EnrollRefused {
        /// By whom.
        worker: WorkerId,
        /// For which job.
        job: String,
        /// Why.
        error: PortalError,
    },
    /// The effect failed: Portal could not append, nothing was written.
    EnrollFailed {
        /// By whom.
        worker: WorkerId,
        /// For which job.
        job: String,
    },
    /// One step of an acknowledgement that is not atomic is done; more have to follow.
    HalfFinished {
        /// By whom.
        worker: WorkerId,
        /// Which job.
        job: String,
        /// The step: `unlock` or `remove`.
        step: &'static str,
    },
    /// A job whose effect failed went back for another attempt.
    Retried {
        /// By whom.
        worker: WorkerId,
        /// Which.
        job: String,
    },
    /// The job was acknowledged.
    Finished {
        /// By whom.
        worker: WorkerId,
        /// Which.
        job: String,
        /// It ended in failed; else in completed.
        failed: bool,
        /// The next job, handed over in the same script.
        next: Option<String>,
    },
    /// An acknowledgement was refused: the worker's token does not own the lock.
    FinishRefused {
        /// Whose.
        worker: WorkerId,
        /// For which job.
        job: String,
        /// The code.
        code: i32,
    },
    /// A worker died.
    Died {
        /// Who.
        worker: WorkerId,
        /// The job that it leaves behind.
        job: Option<String>,
        /// Whether its effect was recorded, when it had come that far.
        after_effect: bool,
    },
    /// A sweep marked jobs as suspects.
    Marked {
        /// Who swept.
        worker: WorkerId,
        /// Which jobs are new among the suspects.
        jobs: Vec<String>,
        /// The lock of one of them is alive.
        locked: bool,
    },
    /// A lock's time was over.
    LockExpired {
        /// The lock of which job.
        job: String,
    },
    /// A sweep found suspects without a lock and returned them.
    Returned {
        /// Who swept.
        worker: WorkerId,
        /// Which jobs.
        jobs: Vec<String>,
        /// They stalled too often and carry a deferred failure.
        deferred: bool,
    },
    /// A fresh process started in a dead one's place.
    Started {
        /// Who.
        worker: WorkerId,
    },
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
    match fact {
        Fact::Ran { actor: super::Actor::Worker(worker), operation, reply, .. } => {
            of_operation(before, after, *worker, *operation, reply)
        }
        Fact::Enrolled { worker, job, .. } => Some(Milestone::Enrolled { worker: *worker, job: job.clone() }),
        Fact::EnrollRefused { worker, job, error } => {
            Some(Milestone::EnrollRefused { worker: *worker, job: job.clone(), error: *error })
        }
        Fact::EnrollFailed { worker, job } => {
            Some(Milestone::EnrollFailed { worker: *worker, job: job.clone() })
        }
        Fact::Expired { key } => expired_lock(after, key).map(|job| Milestone::LockExpired { job }),
        Fact::Died { worker, job } => Some(Milestone::Died {
            worker: *worker,
            job: job.clone(),
            after_effect: before
                .worker(*worker)
                .and_then(|worker| worker.job.as_ref())
                .is_some_and(|job| matches!(job.attempt, Attempt::Recorded | Attempt::Refused(_))),
        }),
        Fact::Started { worker } => Some(Milestone::Started { worker: *worker }),
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
        | Fact::Refused(_) => None,
    }
}

/// The job whose lock this key was.
fn expired_lock(world: &World, key: &str) -> Option<String> {
    let queue = world.setup.queue();
    world.list("active").find(|id| queue.lock(id) == key).map(String::from)
}

fn of_operation(
    before: &World,
    after: &World,
    id: WorkerId,
    operation: Operation,
    reply: &Reply,
) -> Option<Milestone> {
    let worker = id;
    match operation {
        Operation::WaitForJob => {
            let by_marker = matches!(reply, Reply::Popped(_));
            (!after.list_is_empty("wait")).then_some(Milestone::Woken { worker, by_marker })
        }
        Operation::MoveToActive => picked_up(after, id),
        Operation::MoveToFinished => acknowledged(before.worker(id)?, reply),
        Operation::RetryJob => retried(before.worker(id)?, reply),
        Operation::Naive(_) => of_naive(before, after, id, reply),
        Operation::MoveStalledJobsToWait => of_sweep(before, after, worker, reply),
        Operation::AddStandardJob | Operation::ExtendLocks | Operation::RemoveJob => None,
    }
}

fn picked_up(after: &World, id: WorkerId) -> Option<Milestone> {
    let held = after.worker(id)?.job.as_ref()?;
    Some(Milestone::PickedUp { worker: id, job: held.id.clone(), deferred: held.deferred.is_some() })
}

/// The last step of an acknowledgement, or its refusal.
fn acknowledged(before: &Worker, reply: &Reply) -> Option<Milestone> {
    let held = before.job.as_ref()?;
    let (worker, job) = (before.id, held.id.clone());
    let failed = held.deferred.is_some() || held.refused || held.attempt == Attempt::Failed;
    match reply {
        Reply::Number(0) => Some(Milestone::Finished { worker, job, failed, next: None }),
        Reply::Job(next) => Some(Milestone::Finished { worker, job, failed, next: Some(next.id.clone()) }),
        Reply::Number(code) => Some(Milestone::FinishRefused { worker, job, code: *code }),
        Reply::Id(_) | Reply::Ids(_) | Reply::Nothing | Reply::Popped(_) | Reply::TimedOut => None,
    }
}

fn retried(before: &Worker, reply: &Reply) -> Option<Milestone> {
    if *reply != Reply::Number(0) {
        return acknowledged(before, reply);
    }
    let job = before.job.as_ref()?.id.clone();
    Some(Milestone::Retried { worker: before.id, job })
}

fn of_naive(before: &World, after: &World, id: WorkerId, reply: &Reply) -> Option<Milestone> {
    let worker = before.worker(id)?;
    match worker.next_op() {
        Op::Ask => (*reply != Reply::Number(0)).then_some(Milestone::Found { worker: id }),
        Op::Move | Op::Pop => picked_up(after, id),
        Op::Unlock | Op::Remove if *reply == Reply::Number(0) => {
            let job = worker.job.as_ref()?.id.clone();
            Some(Milestone::HalfFinished { worker: id, job, step: worker.next_op().word() })
        }
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
        return Some(Milestone::Returned { worker, jobs: jobs.clone(), deferred });
    }
    let suspects = queue.key("stalled");
    let mut jobs = Vec::new();
    for id in after.keys.members(&queue.key("active")) {
        if after.keys.has_member(&suspects, id) && !before.keys.has_member(&suspects, id) {
            jobs.push(id.clone());
        }
    }
    let locked = jobs.iter().any(|id| after.keys.exists(&queue.lock(id)));
    (!jobs.is_empty()).then_some(Milestone::Marked { worker, jobs, locked })
}
