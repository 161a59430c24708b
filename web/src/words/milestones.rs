//! What a press came to, in a word for the rail and in sentences for the reader.

use super::parts::{duration, list, sentence_of};
use enroll_once_core::{
    portal::PortalError,
    reliable_loop::{Milestone, WorkerId},
    view::{JobView, LoopView},
};

/// The stage, in a word or two.
#[must_use]
pub fn stage(milestone: &Milestone) -> &'static str {
    match milestone {
        Milestone::Waiting => "waiting",
        Milestone::Woken { .. } | Milestone::Found { .. } => "woken",
        Milestone::PickedUp { .. } => "picked up",
        Milestone::Enrolled { .. } => "enrolled",
        Milestone::EnrollRefused { error: PortalError::AlreadyEnrolled, .. } => "enrolled already",
        Milestone::EnrollRefused { error: PortalError::CourseNotFound, .. } => "course not found",
        Milestone::Finished { failed: false, .. } => "finished",
        Milestone::Finished { failed: true, .. } => "failed",
        Milestone::EnrollFailed { .. } => "effect failed",
        Milestone::HalfFinished { .. } => "half finished",
        Milestone::Retried { .. } => "tried again",
        Milestone::FinishRefused { .. } => "refused",
        Milestone::Died { .. } => "died",
        Milestone::Marked { .. } => "suspect",
        Milestone::LockExpired { .. } => "lock gone",
        Milestone::Returned { .. } => "returned",
        Milestone::Started { .. } => "started anew",
    }
}

/// What happened and why it matters.
#[must_use]
pub fn sentence(view: &LoopView) -> String {
    match &view.milestone {
        Some(Milestone::Waiting) => waiting(view),
        Some(milestone) => of_milestone(view, milestone),
        None => sentence_of(&view.note),
    }
}

fn waiting(view: &LoopView) -> String {
    let jobs: Vec<&str> = view.jobs().map(|job| job.id.as_str()).collect();
    match jobs.as_slice() {
        [] => "The queue is empty. Every worker is blocked on the marker, and asks nothing meanwhile.".into(),
        [job] => format!(
            "{job} waits in wait and the marker is up. A worker blocks on the marker, so it need not ask again and \
             again."
        ),
        jobs => format!(
            "{} jobs wait and the marker is up, once: it says that there may be work, not how much.",
            jobs.len()
        ),
    }
}

fn job<'a>(view: &'a LoopView, id: &str) -> Option<&'a JobView> {
    view.jobs().find(|job| job.id == id)
}

fn of_milestone(view: &LoopView, milestone: &Milestone) -> String {
    match milestone {
        Milestone::Waiting => waiting(view),
        Milestone::Woken { worker, by_marker: true } => format!(
            "BZPOPMIN hands {worker} the marker. It only says that work may exist: the job is still in wait, for \
             whoever takes it."
        ),
        Milestone::Woken { worker, by_marker: false } => format!(
            "Nobody raised the marker again, so {worker} wakes by its time-out and looks all the same. The job is \
             late, not lost."
        ),
        Milestone::PickedUp { worker, job: id, deferred } => picked_up(view, worker, id, *deferred),
        Milestone::Enrolled { .. } => "Portal recorded LearnerEnrolled. The effect has happened, the \
             acknowledgement has not: between the two is where a crash hurts."
            .into(),
        Milestone::EnrollRefused { error: PortalError::AlreadyEnrolled, .. } => {
            "Enrolled already: nothing was written. That is why running twice is safe.".into()
        }
        Milestone::EnrollRefused { error: PortalError::CourseNotFound, job, .. } => format!(
            "Portal knows no such course, or an id is malformed: nothing was written. A refusal is a result, so \
             {job} will be finished, not tried again."
        ),
        Milestone::Found { worker } => {
            format!("{worker} asks once more, and this time a job waits. The asking before was in vain.")
        }
        Milestone::EnrollFailed { job, .. } => format!(
            "Portal could not append, so nothing is written. The effect has failed, and {job} with it: a failure is \
             tried again, a refusal is not."
        ),
        Milestone::HalfFinished { worker, job, .. } => format!(
            "{worker} has done one step of its acknowledgement of {job} and not the next. A crash fits in between."
        ),
        Milestone::Retried { worker, job } => format!(
            "retryJob puts {job} back into wait, last in line. {worker} drops the lock and takes what is next."
        ),
        Milestone::Finished { job: id, failed, next, .. } => finished(view, id, *failed, next.as_deref()),
        Milestone::FinishRefused { worker, code, .. } => finish_refused(worker, *code),
        Milestone::Died { worker, job, after_effect } => died(worker, job.as_deref(), *after_effect),
        Milestone::Marked { worker, jobs, locked } => marked(worker, &list(jobs), *locked),
        Milestone::LockExpired { job: id } => format!(
            "Nobody renewed the lock of {id}, so Redis let it go. Nothing else changed: {id} is still in active, \
             and no event says so."
        ),
        Milestone::Returned { worker, jobs, deferred } => returned(worker, &list(jobs), *deferred),
        Milestone::Started { worker } => format!(
            "No worker was left, so a supervisor starts {worker} anew. A fresh process sweeps and takes before it \
             blocks."
        ),
    }
}

fn picked_up(view: &LoopView, worker: &WorkerId, id: &str, deferred: bool) -> String {
    if deferred {
        return format!(
            "{worker} takes {id}, sees that it stalled too often, and will not run it. It can only move it to failed."
        );
    }
    if job(view, id).is_some_and(|job| job.taken > 1) {
        return format!(
            "{worker} takes {id} under a new lock. Redis cannot tell how far the worker before it came, so it will \
             run the enroll from the beginning."
        );
    }
    let lock = job(view, id)
        .and_then(|job| job.lock.as_ref())
        .map_or(String::new(), |lock| format!(" for {}", duration(lock.of)));
    format!(
        "In one script, moveToActive moves {id} from wait to active, locks it for {worker}{lock} and raises the \
         marker again. The id is never only in a worker's memory."
    )
}

fn finished(view: &LoopView, id: &str, failed: bool, next: Option<&str>) -> String {
    let taken = job(view, id).map_or(1, |job| job.taken);
    let handed = next.map_or(String::new(), |next| format!(" The same script hands over {next}."));
    if failed {
        let learner = if view.enrolled > 0 {
            "The learner is enrolled all the same: failed speaks of the job, not of its effect."
        } else {
            "The learner is not enrolled, and failed is where somebody will see it."
        };
        return format!(
            "{id} ends in failed, visibly: the protocol allows one recovery by default (maxStalledCount 1). \
             {learner}{handed}"
        );
    }
    if taken > 1 && view.enrolled > 0 {
        return format!(
            "{id} is completed. It was taken {} and enrolled once: at-least-once delivery over an idempotent effect \
             is exactly once in effect.{handed}",
            times(taken)
        );
    }
    format!(
        "In one script, moveToFinished drops the lock and moves {id} from active to completed. At no moment is it in \
         neither, or in both.{handed}"
    )
}

fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

fn finish_refused(worker: &WorkerId, code: i32) -> String {
    let why = match code {
        -6 => "another token owns the lock",
        -2 => "the lock is gone",
        -3 => "the job is not in active",
        _ => "there is no such job",
    };
    format!(
        "{worker}'s acknowledgement is refused with {code}: {why}. The queue's state is safe. The effect has happened \
         all the same, and only the idempotent enroll keeps the count."
    )
}

fn died(worker: &WorkerId, job: Option<&str>, after_effect: bool) -> String {
    match (job, after_effect) {
        (Some(job), true) => format!(
            "{worker} died after its effect and before its acknowledgement. {job} stays in active, under a lock that \
             nobody renews."
        ),
        (Some(job), false) => format!(
            "{worker} died before its effect. {job} stays in active, under a lock that nobody renews."
        ),
        (None, _) => format!(
            "{worker} died with the marker in its hand. The job is still in wait, but nothing is left that would wake \
             a worker: the next time-out has to find it."
        ),
    }
}

fn marked(worker: &WorkerId, jobs: &str, locked: bool) -> String {
    if locked {
        return format!(
            "{worker}'s sweep marks {jobs} as a suspect and leaves it alone: its lock is alive, so its owner might be \
             too. Only a later sweep may take it back."
        );
    }
    format!(
        "{worker}'s sweep marks {jobs} as a suspect and leaves it alone. Its lock is gone, but a sweep takes back only \
         what an earlier one has marked."
    )
}

fn returned(worker: &WorkerId, jobs: &str, deferred: bool) -> String {
    if deferred {
        return format!(
            "{worker}'s sweep puts {jobs} back into wait, with a note: it stalled more often than the limit allows. \
             Whoever takes it must fail it."
        );
    }
    format!(
        "{worker}'s sweep finds {jobs} suspect and its lock gone. It puts {jobs} back into wait, next in line, and \
         raises the marker: the crash has lost nothing."
    )
}
