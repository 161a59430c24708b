//! The proof: the same enroll job, run as often as one likes, through Portal's real fold.

use crate::{
    portal::{CourseId, Enroll, LearnerEnrolled, Portal, PortalError},
    time::Millis,
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Portal, one command, and what each run of it came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proof {
    portal: Portal,
    learner: String,
    course: String,
    runs: Vec<Result<LearnerEnrolled, PortalError>>,
}

impl Proof {
    /// More runs than anybody presses for: the list is bounded.
    pub const MOST_RUNS: usize = 10_000;

    /// An empty log, and a Portal that knows this course if it is one.
    #[must_use]
    pub fn new(learner: &str, course: &str) -> Self {
        Self {
            portal: Portal::with_courses(CourseId::parse(course).into_iter().collect()),
            learner: learner.to_string(),
            course: course.to_string(),
            runs: Vec::new(),
        }
    }

    /// Delivers the job once more: Portal's own authorize, decide, append, evolve. One second passes between runs.
    /// False when there have been [`Proof::MOST_RUNS`].
    pub fn run(&mut self) -> bool {
        if self.runs.len() >= Self::MOST_RUNS {
            return false;
        }
        let at = Millis(self.runs.len() as u64 * 1_000);
        self.runs.push(self.portal.enroll(&Enroll::new(&self.learner, &self.course, at)));
        true
    }

    /// Forgets every run, and with them the log.
    pub fn reset(&mut self) {
        *self = Self::new(&self.learner, &self.course);
    }

    /// What every run came to, oldest first.
    pub fn runs(&self) -> &[Result<LearnerEnrolled, PortalError>] {
        &self.runs
    }

    /// Portal's log as it is.
    #[must_use]
    pub fn log(&self) -> &[LearnerEnrolled] {
        self.portal.log()
    }

    /// How often the job was delivered.
    #[must_use]
    pub fn deliveries(&self) -> usize {
        self.runs.len()
    }

    /// How many enrollments are in the folded state.
    #[must_use]
    pub fn enrolled(&self) -> usize {
        self.portal.state().enrolled()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal::{DEFAULT_COURSE, DEFAULT_LEARNER};

    #[test]
    fn however_often_it_runs_one_event_is_recorded() {
        let mut proof = Proof::new(DEFAULT_LEARNER, DEFAULT_COURSE);
        for _ in 0..25 {
            assert!(proof.run());
        }
        assert_eq!((proof.deliveries(), proof.enrolled(), proof.log().len()), (25, 1, 1));
        assert!(proof.runs()[0].is_ok());
        assert!(proof.runs()[1..].iter().all(|run| *run == Err(PortalError::AlreadyEnrolled)));
    }

    #[test]
    fn a_malformed_course_is_never_found_and_nothing_is_written() {
        let mut proof = Proof::new(DEFAULT_LEARNER, "nowhere");
        proof.run();
        assert_eq!(proof.runs(), [Err(PortalError::CourseNotFound)]);
        assert_eq!((proof.enrolled(), proof.log().len()), (0, 0));
    }
}
