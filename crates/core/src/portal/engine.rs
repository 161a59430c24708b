//! `Portal.Engine.Core`: authorize, decide, evolve. Pure, and the only place with enrollment rules.

use super::{CourseId, UserId};
use crate::{small::SmallSet, time::Millis};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;
use serde::Serialize;

/// The command: enroll this learner in this course. The ids are as they came, possibly malformed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Enroll {
    /// The learner's id.
    pub learner: String,
    /// The course's id.
    pub course: String,
    /// The caller's clock.
    pub at: Millis,
}

impl Enroll {
    /// A command from the ids as they came.
    #[must_use]
    pub fn new(learner: &str, course: &str, at: Millis) -> Self {
        Self { learner: learner.to_string(), course: course.to_string(), at }
    }
}

/// The event: this learner is enrolled in this course since then.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct LearnerEnrolled {
    /// The learner.
    pub user_id: UserId,
    /// The course.
    pub course_id: CourseId,
    /// When it was decided.
    pub at: Millis,
}

/// Why a command is refused: a closed set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PortalError {
    /// Unknown course, or an id that is none.
    CourseNotFound,
    /// The learner is enrolled in this course.
    AlreadyEnrolled,
}

impl PortalError {
    /// The code, as Portal's callers match it.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            PortalError::CourseNotFound => "course_not_found",
            PortalError::AlreadyEnrolled => "already_enrolled",
        }
    }
}

impl fmt::Display for PortalError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            PortalError::CourseNotFound => "course not found",
            PortalError::AlreadyEnrolled => "already enrolled in this course",
        })
    }
}

/// What Portal knows: the courses that exist, and who is enrolled in which.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct State {
    courses: Vec<CourseId>,
    enrolled: SmallSet<(UserId, CourseId)>,
}

impl State {
    /// How many enrollments it holds.
    #[must_use]
    pub fn enrolled(&self) -> usize {
        self.enrolled.as_slice().len()
    }
}

/// Holds every rule: may this command happen in this state?
///
/// # Errors
/// [`PortalError::CourseNotFound`] for a malformed id or an unknown course; [`PortalError::AlreadyEnrolled`] for a
/// second enrollment. This refusal is what makes running twice safe.
pub fn authorize(state: &State, command: &Enroll) -> Result<(), PortalError> {
    let known = |event: &LearnerEnrolled| state.courses.contains(&event.course_id);
    let event = decide(state, command).filter(known).ok_or(PortalError::CourseNotFound)?;
    if state.enrolled.contains(&(event.user_id, event.course_id)) {
        return Err(PortalError::AlreadyEnrolled);
    }
    Ok(())
}

/// The event that the command leads to. It refuses nothing: that is what [`authorize`] is for, so nothing here looks
/// at the state. `None` only for ids that are none, which no event could name.
#[must_use]
pub fn decide(_state: &State, command: &Enroll) -> Option<LearnerEnrolled> {
    let (user_id, course_id) = UserId::parse(&command.learner).zip(CourseId::parse(&command.course))?;
    Some(LearnerEnrolled { user_id, course_id, at: command.at })
}

/// Folds one event into the state. It cannot fail: what is recorded has happened.
#[must_use]
pub fn evolve(mut state: State, event: &LearnerEnrolled) -> State {
    state.enrolled.insert((event.user_id.clone(), event.course_id.clone()));
    state
}

/// The state of a log: the left fold of [`evolve`] over its events.
#[must_use]
pub fn replay(catalogue: &[CourseId], log: &[LearnerEnrolled]) -> State {
    let empty = State { courses: catalogue.to_vec(), enrolled: SmallSet::default() };
    log.iter().fold(empty, evolve)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portal::{DEFAULT_COURSE, DEFAULT_LEARNER};
    use alloc::vec;

    const OTHER_LEARNER: &str = "USR0KHTOWnGLuD";

    /// Given a log, when this command comes, then this is decided.
    #[track_caller]
    fn check(given: &[&str], when: (&str, &str), then: Result<(), PortalError>) {
        let catalogue: Vec<CourseId> = vec![CourseId::parse(DEFAULT_COURSE).unwrap()];
        let log: Vec<LearnerEnrolled> = given
            .iter()
            .map(|learner| Enroll::new(learner, DEFAULT_COURSE, Millis(1)))
            .map(|command| decide(&State::default(), &command).unwrap())
            .collect();
        let command = Enroll::new(when.0, when.1, Millis(2));
        assert_eq!(authorize(&replay(&catalogue, &log), &command), then);
    }

    #[test]
    fn the_first_enroll_is_allowed() {
        check(&[], (DEFAULT_LEARNER, DEFAULT_COURSE), Ok(()));
        check(&[OTHER_LEARNER], (DEFAULT_LEARNER, DEFAULT_COURSE), Ok(()));
    }

    #[test]
    fn the_second_enroll_is_refused() {
        check(&[DEFAULT_LEARNER], (DEFAULT_LEARNER, DEFAULT_COURSE), Err(PortalError::AlreadyEnrolled));
    }

    #[test]
    fn an_unknown_course_or_a_malformed_id_is_course_not_found() {
        let not_found = Err(PortalError::CourseNotFound);
        check(&[], (DEFAULT_LEARNER, "CRS0KHTOWnGLuD"), not_found);
        check(&[], (DEFAULT_LEARNER, DEFAULT_LEARNER), not_found);
        check(&[], ("nobody", DEFAULT_COURSE), not_found);
        check(&[], ("", ""), not_found);
    }

    #[test]
    fn two_closed_codes_have_two_messages() {
        let both = [PortalError::CourseNotFound, PortalError::AlreadyEnrolled];
        assert_eq!(both.map(PortalError::code), ["course_not_found", "already_enrolled"]);
        assert_eq!(both.map(|e| e.to_string()), ["course not found", "already enrolled in this course"]);
    }
}
