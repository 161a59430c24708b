//! What a press came to, in a word for the rail and in sentences for the reader.

use super::{
    fill::fill,
    naive::{naive, rare},
    parts::{duration, list, sentence_of},
};
use enroll_once_core::{
    reliable_loop::Stage,
    small::{decimal, signed},
    view::{JobView, LoopView},
};

/// The stage, in a word or two.
#[must_use]
pub fn stage(stage: Stage) -> &'static str {
    match stage {
        Stage::Waiting => "waiting",
        Stage::Woken | Stage::WokenByTimeout | Stage::Found => "woken",
        Stage::PickedUp | Stage::PickedUpToFail => "picked up",
        Stage::Enrolled => "enrolled",
        Stage::AlreadyEnrolled => "enrolled already",
        Stage::CourseNotFound => "course not found",
        Stage::EnrollFailed => "effect failed",
        Stage::Unlocked => "unlocked",
        Stage::Removed => "removed",
        Stage::Retried => "tried again",
        Stage::Finished => "finished",
        Stage::Failed => "failed",
        Stage::FinishRefused => "refused",
        Stage::DiedIdle | Stage::DiedBeforeEffect | Stage::DiedAfterEffect => "died",
        Stage::MarkedLocked | Stage::MarkedUnlocked => "suspect",
        Stage::LockExpired => "lock gone",
        Stage::Returned | Stage::ReturnedToFail => "returned",
        Stage::Started => "started anew",
    }
}

/// What happened and why it matters.
#[must_use]
pub fn sentence(view: &LoopView) -> String {
    let Some(milestone) = view.milestone else { return sentence_of(&view.note) };
    let beginning = milestone.stage == Stage::Waiting;
    let jobs: Vec<&JobView> = view.jobs().collect();
    // At the beginning it is about the job that waits.
    let about = if beginning {
        jobs.first().copied()
    } else {
        jobs.iter().find(|job| milestone.jobs.first().is_some_and(|id| id == job.id)).copied()
    };
    let taken = about.map_or(1, |job| job.taken);
    let template = match jobs.len() {
        0 if beginning => EMPTY,
        2.. if beginning => MANY,
        _ => naive(view, milestone, about)
            .or_else(|| again(milestone.stage, taken, view.enrolled > 0))
            .unwrap_or(usual(milestone.stage)),
    };
    let names = match about {
        Some(job) if milestone.jobs.len() < 2 => job.id.to_string(),
        _ => list(&milestone.jobs),
    };
    let worker = milestone.worker.map_or(String::new(), |worker| worker.to_string());
    let count = decimal(if beginning { jobs.len() as u64 } else { taken.into() });
    let lock = about.and_then(|job| job.lock.as_ref()).map_or(String::new(), |lock| duration(lock.of));
    let code = milestone.code.map_or(String::new(), signed);
    let why = why_refused(milestone.code);
    let places = [('w', &*worker), ('j', &names), ('n', &count), ('l', &lock), ('c', &code), ('x', why)];
    let mut text = fill(template, &places);
    if let Some(next) = &milestone.next {
        text.push_str(&fill(" The same script hands over {j}.", &[('j', next)]));
    }
    text
}

const EMPTY: &str = "The queue is empty. Every worker is blocked on the marker, and asks nothing meanwhile.";
const MANY: &str = "{n} jobs wait and the marker is up, once: it says that there may be work, not how much.";

fn why_refused(code: Option<i32>) -> &'static str {
    match code {
        Some(-6) => "another token owns the lock",
        Some(-2) => "the lock is gone",
        Some(-3) => "the job is not in active",
        _ => "there is no such job",
    }
}

/// What is otherwise when the job was taken before, or its learner is enrolled.
fn again(stage: Stage, taken: u32, enrolled: bool) -> Option<&'static str> {
    Some(match (stage, taken, enrolled) {
        (Stage::PickedUp, 2.., _) => {
            "{w} takes {j} under a new lock. Redis cannot tell how far the worker before it came, so it will run the \
             enroll from the beginning."
        }
        (Stage::Failed, _, true) => {
            "{j} ends in failed, visibly: the protocol allows one recovery by default (maxStalledCount 1). The \
             learner is enrolled all the same: failed speaks of the job, not of its effect."
        }
        (Stage::Finished, 2, true) => {
            "{j} is completed. It was taken twice and enrolled once: at-least-once delivery over an idempotent \
             effect is exactly once in effect."
        }
        (Stage::Finished, 3.., true) => {
            "{j} is completed. It was taken {n} times and enrolled once: at-least-once delivery over an idempotent \
             effect is exactly once in effect."
        }
        _ => return None,
    })
}

/// What a stage means, in places: `{w}` the worker, `{j}` the jobs, `{n}` how often taken, `{l}` how long its lock
/// lives, `{c}` the code of a refusal, and `{x}` what that says.
fn usual(stage: Stage) -> &'static str {
    match stage {
        Stage::Waiting => {
            "{j} waits in wait and the marker is up. A worker blocks on the marker, so it need not ask again and \
             again."
        }
        Stage::Woken => {
            "BZPOPMIN hands {w} the marker. It only says that work may exist: the job is still in wait, for whoever \
             takes it."
        }
        Stage::WokenByTimeout => {
            "Nobody raised the marker again, so {w} wakes by its time-out and looks all the same. The job is late, \
             not lost."
        }
        Stage::PickedUp => {
            "In one script, moveToActive moves {j} from wait to active, locks it for {w} for {l} and raises the marker \
             again. The id is never only in a worker's memory."
        }
        Stage::PickedUpToFail => {
            "{w} takes {j}, sees that it stalled too often, and will not run it. It can only move it to failed."
        }
        Stage::Enrolled => {
            "Portal recorded LearnerEnrolled. The effect has happened, the acknowledgement has not: between the two is \
             where a crash hurts."
        }
        Stage::AlreadyEnrolled => "Enrolled already: nothing was written. That is why running twice is safe.",
        Stage::CourseNotFound => {
            "Portal knows no such course, or an id is malformed: nothing was written. A refusal is a result, so {j} \
             will be finished, not tried again."
        }
        Stage::Finished => {
            "In one script, moveToFinished drops the lock and moves {j} from active to completed. At no moment is it \
             in neither, or in both."
        }
        Stage::Failed => {
            "{j} ends in failed, visibly: the protocol allows one recovery by default (maxStalledCount 1). The \
             learner is not enrolled, and failed is where somebody will see it."
        }
        Stage::FinishRefused => {
            "{w}'s acknowledgement is refused with {c}: {x}. The queue's state is safe. The effect has happened all \
             the same, and only the idempotent enroll keeps the count."
        }
        Stage::DiedIdle => {
            "{w} died with the marker in its hand. The job is still in wait, but nothing is left that would wake a \
             worker: the next time-out has to find it."
        }
        Stage::DiedBeforeEffect => {
            "{w} died before its effect. {j} stays in active, under a lock that nobody renews."
        }
        Stage::DiedAfterEffect => {
            "{w} died after its effect and before its acknowledgement. {j} stays in active, under a lock that nobody \
             renews."
        }
        Stage::MarkedLocked => {
            "{w}'s sweep marks {j} as a suspect and leaves it alone: its lock is alive, so its owner might be too. \
             Only a later sweep may take it back."
        }
        Stage::MarkedUnlocked => {
            "{w}'s sweep marks {j} as a suspect and leaves it alone. Its lock is gone, but a sweep takes back only \
             what an earlier one has marked."
        }
        Stage::LockExpired => {
            "Nobody renewed the lock of {j}, so Redis let it go. Nothing else changed: {j} is still in active, and no \
             event says so."
        }
        Stage::Returned => {
            "{w}'s sweep finds {j} suspect and its lock gone. It puts {j} back into wait, next in line, and raises the \
             marker: the crash has lost nothing."
        }
        Stage::ReturnedToFail => {
            "{w}'s sweep puts {j} back into wait, with a note: it stalled more often than the limit allows. Whoever \
             takes it must fail it."
        }
        Stage::Found | Stage::Retried | Stage::EnrollFailed | Stage::Unlocked | Stage::Removed => rare(stage),
        Stage::Started => {
            "No worker was left, so a supervisor starts {w} anew. A fresh process sweeps and takes before it blocks."
        }
    }
}
