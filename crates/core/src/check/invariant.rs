//! What must hold after every step: each a small pure function of the world.

use super::continuation::ends_well;
use crate::{
    portal::{LearnerEnrolled, replay},
    reliable_loop::{Guard, REFUSED, World, learner_and_course},
};
use alloc::vec::Vec;
use core::fmt;
use serde::{Serialize, Serializer};

/// A sentence about the world that must always be true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Invariant {
    /// Every job is in exactly one of wait, active, completed, failed.
    OnePlace,
    /// At most one `LearnerEnrolled` per learner and course.
    OneEffect,
    /// No two live, unfrozen workers hold the same job.
    OneOwner,
    /// Completed implies enrolled, or a refusal recorded as the job's result.
    EffectBeforeAck,
    /// If nothing more goes wrong, every job still ends completed and its learner enrolled, or visibly in failed.
    NoLoss,
    /// Portal's state equals the replay of its log.
    FoldIsLog,
    /// An idle worker sends no command but its blocking wait.
    IdleIsCheap,
}

impl Invariant {
    /// Every invariant, in the order in which they are shown.
    pub const ALL: [Self; 7] = [
        Self::OnePlace,
        Self::OneEffect,
        Self::OneOwner,
        Self::EffectBeforeAck,
        Self::NoLoss,
        Self::FoldIsLog,
        Self::IdleIsCheap,
    ];

    /// Its place in a set of invariants.
    pub(super) fn bit(self) -> u8 {
        1 << self as u8
    }

    /// Its name in a story's `broken`.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::OnePlace => "one-place",
            Self::OneEffect => "one-effect",
            Self::OneOwner => "one-owner",
            Self::EffectBeforeAck => "effect-before-ack",
            Self::NoLoss => "no-loss",
            Self::FoldIsLog => "fold-is-log",
            Self::IdleIsCheap => "idle-is-cheap",
        }
    }

    /// What it says, in one sentence.
    #[must_use]
    pub fn says(self) -> &'static str {
        match self {
            Self::OnePlace => "every job is in exactly one of wait, active, completed, failed",
            Self::OneEffect => "at most one LearnerEnrolled per learner and course",
            Self::OneOwner => "no two live, unfrozen workers hold the same job",
            Self::EffectBeforeAck => "completed implies enrolled, or a refusal recorded as the job's result",
            Self::NoLoss => {
                "if nothing more goes wrong, every job still ends completed and its learner enrolled, or visibly in failed"
            }
            Self::FoldIsLog => "Portal's state equals the replay of its log",
            Self::IdleIsCheap => "an idle worker sends no command but its blocking wait",
        }
    }

    /// Does it hold in this world? [`Invariant::NoLoss`] runs the natural schedule to its end, which costs some
    /// hundred steps; the others only look.
    #[must_use]
    pub fn holds(self, world: &World) -> bool {
        match self {
            Self::OnePlace => world.jobs().all(|job| places(world, job) == 1),
            Self::OneEffect => !has_twins(world.portal.log(), same_enrollment),
            Self::OneOwner => one_owner(world),
            Self::EffectBeforeAck => {
                world.jobs().all(|job| !is_completed(world, job) || has_effect(world, job))
            }
            Self::NoLoss => ends_well(world),
            Self::FoldIsLog => *world.portal.state() == replay(world.portal.catalogue(), world.portal.log()),
            Self::IdleIsCheap => world.idle_commands == 0,
        }
    }
}

impl fmt::Display for Invariant {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

impl Serialize for Invariant {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

/// The invariants that do not hold.
#[must_use]
pub fn broken(world: &World) -> Vec<Invariant> {
    Invariant::ALL.into_iter().filter(|invariant| !invariant.holds(world)).collect()
}

/// The invariant that the loop loses with this guard off.
#[must_use]
pub fn promised(guard: Guard) -> Invariant {
    match guard {
        Guard::ProcessingList | Guard::StalledSweep => Invariant::NoLoss,
        Guard::Lock => Invariant::OneOwner,
        Guard::AtLeastOnce => Invariant::EffectBeforeAck,
        Guard::AtomicFinish => Invariant::OnePlace,
        Guard::BlockingPickup => Invariant::IdleIsCheap,
        Guard::IdempotentEnroll => Invariant::OneEffect,
    }
}

/// Has every job ended completed and its learner enrolled, or in failed?
pub(super) fn ends_well_already(world: &World) -> bool {
    let failed = world.setup.queue().key("failed");
    let well = |job: &str| {
        world.keys.has_member(&failed, job) || (is_completed(world, job) && has_effect(world, job))
    };
    world.jobs().all(well)
}

/// In how many places the job stands; a list that holds it twice counts twice.
pub(super) fn places(world: &World, job: &str) -> usize {
    let listed = world.list("wait").chain(world.list("active")).filter(|id| *id == job).count();
    let queue = world.setup.queue();
    let recorded = ["completed", "failed"].map(|name| world.keys.has_member(&queue.key(name), job));
    listed + recorded.into_iter().filter(|there| *there).count()
}

pub(super) fn is_completed(world: &World, job: &str) -> bool {
    world.keys.has_member(&world.setup.queue().key("completed"), job)
}

/// Is the job's learner enrolled, or the enroll's refusal the job's result?
pub(super) fn has_effect(world: &World, job: &str) -> bool {
    let hash = world.setup.queue().job(job);
    let field = |name| world.keys.field(&hash, name);
    let who = field("data").and_then(learner_and_course);
    let same = |event: &LearnerEnrolled| Some((event.user_id.as_str(), event.course_id.as_str())) == who;
    field("returnvalue") == Some(REFUSED) || world.portal.log().iter().any(same)
}

fn same_enrollment(one: &LearnerEnrolled, other: &LearnerEnrolled) -> bool {
    (&one.user_id, &one.course_id) == (&other.user_id, &other.course_id)
}

fn one_owner(world: &World) -> bool {
    let running = world.workers.iter().filter(|worker| worker.is_running());
    let held: Vec<&str> =
        running.filter_map(|worker| worker.job.as_ref()).map(|job| job.id.as_str()).collect();
    !has_twins(&held, |one, other| one == other)
}

/// Are two of them the same? The lists are a handful long.
fn has_twins<T>(all: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    all.iter().enumerate().any(|(index, one)| all.iter().take(index).any(|other| same(one, other)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::Story;

    /// What is broken at the end of a story; the searches and the scenarios look at it on the way.
    #[track_caller]
    fn check(story: &str, expected: &[Invariant]) -> World {
        let ran = Story::parse(story).unwrap().run();
        assert_eq!(ran.refused, None);
        assert_eq!(broken(ran.world()), expected);
        ran.world().clone()
    }

    #[test]
    fn a_state_that_is_not_the_fold_of_the_log() {
        let mut world = check("add,w1:wake,w1:take,w1:enroll", &[]);
        world.portal.lose_state();
        assert_eq!(broken(&world), [Invariant::FoldIsLog]);
        world.portal.restart();
        assert_eq!(broken(&world), []);
    }

    #[test]
    fn a_refusal_recorded_as_the_result_is_as_good_as_the_effect() {
        check("add:j_1:USR0KHTOWnGLuC:CRS0KHTOWnGLuD,w1:wake,w1:take,w1:enroll,w1:finish", &[]);
        check("add:j_1:nobody:nothing,w1:wake,w1:take,w1:enroll,w1:finish", &[]);
    }

    #[test]
    fn a_job_in_two_places_is_in_no_one_place() {
        let twice = "off=lock,add,w1:wake,w1:move,w2:sweep,+30s,w2:sweep,w1:enroll,w1:record";
        check(twice, &[Invariant::OnePlace]);
    }

    #[test]
    fn two_jobs_of_one_learner_are_two_enrollments_only_without_the_guard() {
        let jobs = "add,add,w1:wake,w1:take,w1:enroll,w1:finish,w1:enroll";
        check(jobs, &[]);
        check(&["off=idempotent-enroll", jobs].join(","), &[Invariant::OneEffect]);
    }

    #[test]
    fn what_the_dead_and_the_frozen_hold_is_not_owned() {
        let two = "add,w1:wake,w1:take,w1:freeze,w2:sweep,+30s,w2:sweep,w2:wake,w2:take";
        check(two, &[]);
        check(&[two, "w1:thaw"].join(","), &[Invariant::OneOwner]);
        check(&[two, "w1:crash"].join(","), &[]);
    }

    #[test]
    fn each_sentence_and_code_is_its_own() {
        for (at, one) in Invariant::ALL.iter().enumerate() {
            for other in &Invariant::ALL[..at] {
                assert_ne!(one.code(), other.code());
                assert_ne!(one.says(), other.says());
            }
        }
    }
}
