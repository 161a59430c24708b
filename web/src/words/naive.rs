//! What is otherwise with a pattern off: what happened, as the usual sentence would not say it.

use enroll_once_core::{
    reliable_loop::{Guard, Milestone, NAIVE, Stage},
    view::{JobView, LaneName, LoopView},
};

/// Which patterns are off, if any is.
#[must_use]
pub fn off(view: &LoopView) -> Option<String> {
    if !NAIVE {
        return None;
    }
    let off: Vec<&str> = view.guards.off().map(Guard::code).collect();
    match off.len() {
        0 => None,
        all if all == Guard::ALL.len() => Some("every pattern off".into()),
        _ => Some([&off.join(", "), " off"].concat()),
    }
}

/// The sentence, with places, about a job; `None` where the usual one is true.
pub fn naive(view: &LoopView, milestone: &Milestone, about: Option<&JobView>) -> Option<&'static str> {
    if milestone.stage.is_death() {
        return died(view, milestone.stage, about);
    }
    if !NAIVE {
        return None;
    }
    let off = |guard| !view.guards.on(guard);
    let again = about.is_some_and(|job| job.taken > 1);
    let twice = off(Guard::IdempotentEnroll) && again && view.enrolled > 1;
    let cases = [
        (Stage::Waiting, off(Guard::BlockingPickup), POLLING),
        (Stage::PickedUp, off(Guard::ProcessingList), POPPED),
        (Stage::PickedUp, off(Guard::Lock), NO_LOCK),
        (Stage::Enrolled, twice, ENROLLED_TWICE),
        (Stage::Enrolled, off(Guard::AtLeastOnce), EFFECT_LAST),
        (Stage::Finished, off(Guard::AtLeastOnce), ACKNOWLEDGED_FIRST),
        (Stage::Finished, twice, FINISHED_TWICE),
        (Stage::Finished, !again && (off(Guard::ProcessingList) || off(Guard::Lock)), RECORDED),
        (Stage::Finished, !again && off(Guard::AtomicFinish), THIRD_PIECE),
        (Stage::LockExpired, off(Guard::StalledSweep), NOBODY_SWEEPS),
        (Stage::MarkedUnlocked, off(Guard::Lock), SUSPECT_ANYWAY),
        (Stage::Returned, off(Guard::Lock), RETURNED_ANYWAY),
        (Stage::Started, off(Guard::StalledSweep) || off(Guard::BlockingPickup), STARTED),
    ];
    cases.into_iter().find(|(stage, so, _)| *stage == milestone.stage && *so).map(|(_, _, text)| text)
}

const POLLING: &str =
    "{j} waits in wait. Nobody blocks on the marker: the workers poll, and each has asked in vain already.";
const POPPED: &str =
    "{w} pops {j} from wait. From now on the id is in the memory of {w} alone: no list has it.";
const NO_LOCK: &str =
    "{w} moves {j} from wait to active and sets no lock. Whether anybody works on it, nobody can tell.";
const ENROLLED_TWICE: &str = "Portal recorded LearnerEnrolled once more. The learner is enrolled twice, for nothing refused the second run.";
const EFFECT_LAST: &str =
    "Portal recorded LearnerEnrolled, after the acknowledgement. Nobody died between the two this time.";
const ACKNOWLEDGED_FIRST: &str = "{w} acknowledges before it enrolls. {j} is completed, and its learner is not enrolled \
                                  yet: a crash now would lose the effect.";
const FINISHED_TWICE: &str = "{j} is completed. It was taken twice and enrolled twice: the queue has to deliver again, \
                              and nothing made the second run harmless.";
const RECORDED: &str = "In one piece, {w} puts {j} into completed. Nobody died on the way this time.";
const THIRD_PIECE: &str =
    "The third piece: {w} puts {j} into completed. Nobody died between the pieces this time.";
const NOBODY_SWEEPS: &str =
    "Nobody renewed the lock of {j}, so Redis let it go. And nobody sweeps: {j} stays in active for ever.";
const SUSPECT_ANYWAY: &str = "{w}'s sweep marks {j} as a suspect. No lock says whether its owner is alive, so the next \
                              sweep takes it back in any case.";
const RETURNED_ANYWAY: &str = "{w}'s sweep finds {j} suspect, and no lock protects it. It puts {j} back into wait, next \
                               in line, and raises the marker.";
const STARTED: &str = "No worker was left, so a supervisor starts {w} anew.";

/// The usual sentence of a stage that no run comes to with every pattern in place and Portal up.
pub fn rare(stage: Stage) -> &'static str {
    if !NAIVE {
        return "";
    }
    match stage {
        Stage::Found => "{w} asks once more, and this time a job waits. The asking before was in vain.",
        Stage::Unlocked => {
            "{w} has deleted the lock and done no more. {j} stands in active as if nobody worked on it, and a crash \
             fits in here."
        }
        Stage::Removed => {
            "{w} has taken {j} out of active and put it nowhere yet. At this moment it is in no list, and a crash fits \
             in here."
        }
        Stage::Retried => {
            "retryJob puts {j} back into wait, last in line. {w} drops the lock and takes what is next."
        }
        Stage::EnrollFailed => {
            "Portal could not append, so nothing is written. The effect has failed, and {j} with it: a failure is \
             tried again, a refusal is not."
        }
        Stage::Waiting
        | Stage::Woken
        | Stage::WokenByTimeout
        | Stage::PickedUp
        | Stage::PickedUpToFail
        | Stage::Enrolled
        | Stage::AlreadyEnrolled
        | Stage::CourseNotFound
        | Stage::Finished
        | Stage::Failed
        | Stage::FinishRefused
        | Stage::DiedIdle
        | Stage::DiedBeforeEffect
        | Stage::DiedAfterEffect
        | Stage::MarkedLocked
        | Stage::MarkedUnlocked
        | Stage::LockExpired
        | Stage::Returned
        | Stage::ReturnedToFail
        | Stage::Started => "",
    }
}

/// A death is told by where it leaves the job, whatever is off.
fn died(view: &LoopView, stage: Stage, job: Option<&JobView>) -> Option<&'static str> {
    let after_effect = stage == Stage::DiedAfterEffect;
    if stage == Stage::DiedIdle {
        let waits = view.lanes.iter().any(|lane| lane.name == LaneName::Wait && !lane.jobs.is_empty());
        let polls = !view.guards.on(Guard::BlockingPickup);
        return if waits { polls.then_some(ASKED) } else { Some(IDLE) };
    }
    let Some(job) = job else { return Some(if after_effect { TORN } else { LOST }) };
    match (view.lane_of(job.id), &job.lock, after_effect) {
        (Some(LaneName::Completed), _, false) => Some(UNDONE),
        (Some(LaneName::Active), None, true) => Some(AFTER_UNLOCKED),
        (Some(LaneName::Active), None, false) => Some(BEFORE_UNLOCKED),
        _ => None,
    }
}

const IDLE: &str = "{w} died with no job in its hands. Nothing is lost.";
const ASKED: &str = "{w} died before it took the job. It is still in wait, and whoever asks next finds it.";
const LOST: &str =
    "{w} died before its effect, and the id died with it. {j} is in no list: nothing will ever look for it.";
const TORN: &str = "{w} died after its effect. The learner is enrolled and {j} is in no list: the queue will never know \
                    that it is done.";
const UNDONE: &str = "{w} died after its acknowledgement and before its effect. {j} is completed, so nobody will look at \
                      it again. The learner is not enrolled.";
const BEFORE_UNLOCKED: &str =
    "{w} died before its effect. {j} stays in active, and no lock says whether anybody works on it.";
const AFTER_UNLOCKED: &str = "{w} died after its effect and before its acknowledgement was complete. {j} stays in active, without a lock.";

#[cfg(test)]
mod tests {
    use super::super::{belief, doing, sentence};
    use super::*;
    use enroll_once_core::{
        check::matrix::{Cell, Row, guard_sets},
        reliable_loop::Life,
        story::{Story, Token},
        timeline::Timeline,
        view::{Doing, WorkerView},
    };

    /// What a sentence claims in these words must be so.
    #[track_caller]
    fn check(view: &LoopView, cell: &Cell) {
        let said = sentence(view);
        let job = view.jobs().next();
        let lane = job.and_then(|job| view.lane_of(job.id));
        let claim = |words: &str, so: bool| {
            assert!(!said.contains(words) || so, "`{said}` at {} of {}", view.at, cell.story);
        };
        for words in ["stays in active", "is still in active", "stands in active", "from wait to active"] {
            claim(words, lane == Some(LaneName::Active));
        }
        for words in ["still in wait", "waits in wait", "back into wait"] {
            claim(words, lane == Some(LaneName::Wait));
        }
        claim("in no list", lane.is_none());
        claim("no list has it", lane.is_none());
        claim("is completed", lane == Some(LaneName::Completed));
        claim("in failed", lane == Some(LaneName::Failed));
        claim("under a lock", job.is_some_and(|job| job.lock.is_some()));
        claim("under a new lock", job.is_some_and(|job| job.lock.is_some()));
        claim("without a lock", job.is_some_and(|job| job.lock.is_none()));
        claim("no lock", job.is_some_and(|job| job.lock.is_none()));
        claim("enrolled once", view.enrolled == 1);
        claim("enrolled twice", view.enrolled == 2);
        claim("not enrolled", view.enrolled == 0);
        claim("is enrolled", view.enrolled > 0);
        claim("BZPOPMIN", view.guards.on(Guard::BlockingPickup));
        claim("moveToFinished", view.guards.on(Guard::AtomicFinish) && view.guards.on(Guard::Lock));
        let held = |job: &JobView| {
            let has = |worker: &WorkerView| matches!(&worker.doing, Doing::Holding { job: held, .. } if **held == *job.id);
            view.workers.iter().any(|worker| worker.life == Life::Running && has(worker))
        };
        if let Some(job) = job.filter(|_| lane == Some(LaneName::Active)) {
            assert_eq!(job.stranded, !held(job), "at {} of {}", view.at, cell.story);
        }
        for worker in view.workers.iter().filter(|worker| worker.life == Life::Running) {
            assert_eq!(belief(worker), None, "{} is struck through: {}", worker.id, cell.story);
            let blocked = doing(worker, view).contains("blocked on the marker");
            assert!(!blocked || view.guards.on(Guard::BlockingPickup), "{}: {}", worker.id, cell.story);
        }
    }

    #[test]
    fn what_is_said_of_every_run_of_the_matrix_is_so() {
        let mut moments = 0;
        for row in guard_sets().into_iter().map(Row::of) {
            let crashed = row.crashes.iter().flat_map(|crash| [Some(&crash.once), crash.twice.as_ref()]);
            for cell in crashed.flatten().chain([&row.calm]) {
                let (mut timeline, _) = Timeline::open(&Story::parse(&cell.story).unwrap());
                while timeline.back() {}
                loop {
                    check(&LoopView::of(&timeline), cell);
                    moments += 1;
                    if !timeline.forward() {
                        break;
                    }
                }
                assert!(timeline.press(&Token::Step).is_err(), "{} goes on", cell.story);
            }
        }
        assert!(moments > 400, "{moments}");
    }
}
