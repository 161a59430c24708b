//! Portal, the consumer: an event-sourced enroll that may run twice and enrolls once.
//!
//! It knows no queue. A command is authorized, then decided into events; the shell appends an event to the log before
//! it evolves the state. The log is the truth: [`replay`] folds it into the same state again.
//!
//! ```
//! use enroll_once_core::portal::{Enroll, Portal, PortalError};
//! use enroll_once_core::time::Millis;
//!
//! let mut portal = Portal::default();
//! let enroll = Enroll::new("USR0KHTOWnGLuC", "CRS0KHTOWnGLuC", Millis(12));
//! assert!(portal.enroll(&enroll).is_ok());
//! assert_eq!(portal.enroll(&enroll), Err(PortalError::AlreadyEnrolled));
//! assert_eq!(portal.log().len(), 1);
//! ```

mod branded_id;
mod engine;

pub use branded_id::{BrandedId, CourseId, UserId};
pub use engine::{Enroll, LearnerEnrolled, PortalError, State, authorize, decide, evolve, replay};

use alloc::vec::Vec;

/// The learner of every example.
pub const DEFAULT_LEARNER: &str = "USR0KHTOWnGLuC";
/// The course of every example.
pub const DEFAULT_COURSE: &str = "CRS0KHTOWnGLuC";

/// The shell around the engine: the catalogue, the log, and the state that is the fold of the log.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Portal {
    catalogue: Vec<CourseId>,
    log: Vec<LearnerEnrolled>,
    state: State,
}

impl Default for Portal {
    /// A Portal that knows the default course, and nobody is enrolled.
    fn default() -> Self {
        Self::with_courses(CourseId::parse(DEFAULT_COURSE).into_iter().collect())
    }
}

impl Portal {
    /// A Portal that knows these courses.
    #[must_use]
    pub fn with_courses(catalogue: Vec<CourseId>) -> Self {
        let state = replay(&catalogue, &[]);
        Self { catalogue, log: Vec::new(), state }
    }

    /// Authorizes, decides, appends, evolves; returns the event that was recorded.
    ///
    /// # Errors
    /// One of the closed set [`PortalError`]; then nothing was written.
    pub fn enroll(&mut self, command: &Enroll) -> Result<LearnerEnrolled, PortalError> {
        authorize(&self.state, command)?;
        let event = decide(&self.state, command).ok_or(PortalError::CourseNotFound)?;
        self.append(event.clone());
        Ok(event)
    }

    /// The log first, then the state: a crash between the two loses nothing, since the state is only a fold.
    pub(crate) fn append(&mut self, event: LearnerEnrolled) {
        self.log.push(event.clone());
        self.state = evolve(core::mem::take(&mut self.state), &event);
    }

    /// The process restarts: the state is gone and is folded from the log again.
    pub fn restart(&mut self) {
        self.state = replay(&self.catalogue, &self.log);
    }

    /// Loses the state without folding the log again, as no code outside tests can.
    #[cfg(test)]
    pub(crate) fn lose_state(&mut self) {
        self.state = replay(&self.catalogue, &[]);
    }

    /// Every recorded event, oldest first.
    #[must_use]
    pub fn log(&self) -> &[LearnerEnrolled] {
        &self.log
    }

    /// The courses that this Portal knows.
    #[must_use]
    pub fn catalogue(&self) -> &[CourseId] {
        &self.catalogue
    }

    /// The state as it is held in memory.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }
}
