//! What a press came to, in a word for the rail and in sentences for the reader.

use super::{
    fill::fill,
    parts::{duration, list, sentence_of},
};
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
    let Some(milestone) = &view.milestone else { return sentence_of(&view.note) };
    let (worker, mut id) = who_and_what(milestone);
    let jobs: Vec<&JobView> = view.lanes.iter().flat_map(|lane| &lane.jobs).collect();
    if *milestone == Milestone::Waiting {
        id = jobs.first().map_or(String::new(), |job| job.id.clone());
    }
    let job = jobs.iter().find(|job| job.id == id).copied();
    let (number, more) = numbers(milestone, jobs.len(), job);
    let worker = worker.map_or(String::new(), |worker| worker.to_string());
    let places = [('w', worker.as_str()), ('j', id.as_str()), ('n', &number), ('x', &more)];
    fill(template(view, milestone, jobs.len(), job), &places)
}

/// Who did it, for `{w}`, and to which jobs, for `{j}`.
fn who_and_what(milestone: &Milestone) -> (Option<WorkerId>, String) {
    match milestone {
        Milestone::Waiting => (None, String::new()),
        Milestone::Woken { worker, .. } | Milestone::Found { worker } | Milestone::Started { worker } => {
            (Some(*worker), String::new())
        }
        Milestone::PickedUp { worker, job, .. }
        | Milestone::Enrolled { worker, job }
        | Milestone::EnrollRefused { worker, job, .. }
        | Milestone::EnrollFailed { worker, job }
        | Milestone::HalfFinished { worker, job, .. }
        | Milestone::Retried { worker, job }
        | Milestone::Finished { worker, job, .. }
        | Milestone::FinishRefused { worker, job, .. } => (Some(*worker), job.clone()),
        Milestone::Died { worker, job, .. } => (Some(*worker), job.clone().unwrap_or_default()),
        Milestone::Marked { worker, jobs, .. } | Milestone::Returned { worker, jobs, .. } => {
            (Some(*worker), list(jobs))
        }
        Milestone::LockExpired { job } => (None, job.clone()),
    }
}

/// What there is to count, for `{n}`, and what more there is to say, for `{x}`.
fn numbers(milestone: &Milestone, jobs: usize, job: Option<&JobView>) -> (String, String) {
    match milestone {
        Milestone::Waiting => (jobs.to_string(), String::new()),
        Milestone::PickedUp { .. } => {
            let lock = job.and_then(|job| job.lock.as_ref());
            (String::new(), lock.map_or(String::new(), |lock| fill(" for {t}", &[('t', &duration(lock.of))])))
        }
        Milestone::Finished { next, .. } => {
            let handed = " The same script hands over {j}.";
            let handed = next.as_ref().map_or(String::new(), |next| fill(handed, &[('j', next)]));
            (taken(job).to_string(), handed)
        }
        Milestone::FinishRefused { code, .. } => (code.to_string(), why_refused(*code).to_string()),
        Milestone::Woken { .. }
        | Milestone::Found { .. }
        | Milestone::Enrolled { .. }
        | Milestone::EnrollRefused { .. }
        | Milestone::EnrollFailed { .. }
        | Milestone::HalfFinished { .. }
        | Milestone::Retried { .. }
        | Milestone::Died { .. }
        | Milestone::Marked { .. }
        | Milestone::LockExpired { .. }
        | Milestone::Returned { .. }
        | Milestone::Started { .. } => (String::new(), String::new()),
    }
}

fn taken(job: Option<&JobView>) -> u32 {
    job.map_or(1, |job| job.taken)
}

fn why_refused(code: i32) -> &'static str {
    match code {
        -6 => "another token owns the lock",
        -2 => "the lock is gone",
        -3 => "the job is not in active",
        _ => "there is no such job",
    }
}

fn template(view: &LoopView, milestone: &Milestone, jobs: usize, job: Option<&JobView>) -> &'static str {
    match milestone {
        Milestone::Waiting => waiting(jobs),
        Milestone::Woken { by_marker: true, .. } => {
            "BZPOPMIN hands {w} the marker. It only says that work may exist: the job is still in wait, for whoever \
             takes it."
        }
        Milestone::Woken { by_marker: false, .. } => {
            "Nobody raised the marker again, so {w} wakes by its time-out and looks all the same. The job is late, \
             not lost."
        }
        Milestone::Found { .. } => {
            "{w} asks once more, and this time a job waits. The asking before was in vain."
        }
        Milestone::PickedUp { deferred, .. } => picked_up(*deferred, taken(job)),
        Milestone::Enrolled { .. } | Milestone::EnrollRefused { .. } | Milestone::EnrollFailed { .. } => {
            enrolled(milestone)
        }
        Milestone::HalfFinished { .. } => {
            "{w} has done one step of its acknowledgement of {j} and not the next. A crash fits in between."
        }
        Milestone::Retried { .. } => {
            "retryJob puts {j} back into wait, last in line. {w} drops the lock and takes what is next."
        }
        Milestone::Finished { failed, .. } => finished(*failed, view.enrolled > 0, taken(job)),
        Milestone::FinishRefused { .. } => {
            "{w}'s acknowledgement is refused with {n}: {x}. The queue's state is safe. The effect has happened all \
             the same, and only the idempotent enroll keeps the count."
        }
        Milestone::Died { job, after_effect, .. } => died(job.is_some(), *after_effect),
        Milestone::Marked { locked, .. } => marked(*locked),
        Milestone::LockExpired { .. } => {
            "Nobody renewed the lock of {j}, so Redis let it go. Nothing else changed: {j} is still in active, and \
             no event says so."
        }
        Milestone::Returned { deferred, .. } => returned(*deferred),
        Milestone::Started { .. } => {
            "No worker was left, so a supervisor starts {w} anew. A fresh process sweeps and takes before it blocks."
        }
    }
}

fn waiting(jobs: usize) -> &'static str {
    match jobs {
        0 => "The queue is empty. Every worker is blocked on the marker, and asks nothing meanwhile.",
        1 => {
            "{j} waits in wait and the marker is up. A worker blocks on the marker, so it need not ask again and \
             again."
        }
        _ => "{n} jobs wait and the marker is up, once: it says that there may be work, not how much.",
    }
}

fn picked_up(deferred: bool, taken: u32) -> &'static str {
    if deferred {
        return "{w} takes {j}, sees that it stalled too often, and will not run it. It can only move it to failed.";
    }
    if taken > 1 {
        return "{w} takes {j} under a new lock. Redis cannot tell how far the worker before it came, so it will run \
                the enroll from the beginning.";
    }
    "In one script, moveToActive moves {j} from wait to active, locks it for {w}{x} and raises the marker again. The \
     id is never only in a worker's memory."
}

fn enrolled(milestone: &Milestone) -> &'static str {
    if let Milestone::EnrollRefused { error: PortalError::AlreadyEnrolled, .. } = milestone {
        return "Enrolled already: nothing was written. That is why running twice is safe.";
    }
    if let Milestone::EnrollRefused { .. } = milestone {
        return "Portal knows no such course, or an id is malformed: nothing was written. A refusal is a result, so \
                {j} will be finished, not tried again.";
    }
    if let Milestone::EnrollFailed { .. } = milestone {
        return "Portal could not append, so nothing is written. The effect has failed, and {j} with it: a failure is \
                tried again, a refusal is not.";
    }
    "Portal recorded LearnerEnrolled. The effect has happened, the acknowledgement has not: between the two is where a \
     crash hurts."
}

fn finished(failed: bool, enrolled: bool, taken: u32) -> &'static str {
    match (failed, enrolled, taken) {
        (true, true, _) => {
            "{j} ends in failed, visibly: the protocol allows one recovery by default (maxStalledCount 1). The \
             learner is enrolled all the same: failed speaks of the job, not of its effect.{x}"
        }
        (true, false, _) => {
            "{j} ends in failed, visibly: the protocol allows one recovery by default (maxStalledCount 1). The \
             learner is not enrolled, and failed is where somebody will see it.{x}"
        }
        (false, true, 2) => {
            "{j} is completed. It was taken twice and enrolled once: at-least-once delivery over an idempotent \
             effect is exactly once in effect.{x}"
        }
        (false, true, 3..) => {
            "{j} is completed. It was taken {n} times and enrolled once: at-least-once delivery over an idempotent \
             effect is exactly once in effect.{x}"
        }
        (false, _, _) => {
            "In one script, moveToFinished drops the lock and moves {j} from active to completed. At no moment is it \
             in neither, or in both.{x}"
        }
    }
}

fn died(had_a_job: bool, after_effect: bool) -> &'static str {
    match (had_a_job, after_effect) {
        (true, true) => {
            "{w} died after its effect and before its acknowledgement. {j} stays in active, under a lock that nobody \
             renews."
        }
        (true, false) => "{w} died before its effect. {j} stays in active, under a lock that nobody renews.",
        (false, _) => {
            "{w} died with the marker in its hand. The job is still in wait, but nothing is left that would wake a \
             worker: the next time-out has to find it."
        }
    }
}

fn marked(locked: bool) -> &'static str {
    if locked {
        return "{w}'s sweep marks {j} as a suspect and leaves it alone: its lock is alive, so its owner might be too. \
                Only a later sweep may take it back.";
    }
    "{w}'s sweep marks {j} as a suspect and leaves it alone. Its lock is gone, but a sweep takes back only what an \
     earlier one has marked."
}

fn returned(deferred: bool) -> &'static str {
    if deferred {
        return "{w}'s sweep puts {j} back into wait, with a note: it stalled more often than the limit allows. \
                Whoever takes it must fail it.";
    }
    "{w}'s sweep finds {j} suspect and its lock gone. It puts {j} back into wait, next in line, and raises the marker: \
     the crash has lost nothing."
}
