//! What never changes during a run. The defaults are the protocol's (`PROTOCOL.md` section 4).

use super::Guards;
use crate::{
    portal::{DEFAULT_COURSE, DEFAULT_LEARNER},
    protocol::Queue,
    time::Millis,
};
use alloc::string::{String, ToString};

/// The fixed part of a run.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Setup {
    /// How many workers there are, 1 to [`Setup::MOST_WORKERS`].
    pub workers: u8,
    /// How long a lock lives unless it is renewed.
    pub lock: Millis,
    /// How often a live worker renews its lock: a quarter of `lock` unless said otherwise (W4).
    pub renew: Millis,
    /// How often each worker sweeps, and how long the guard of a sweep lives (W5).
    pub stalled: Millis,
    /// How many recoveries a job may have before it carries `defa`.
    pub max_stalled: u32,
    /// How long a blocking wait lasts at most (W2).
    pub drain: Millis,
    /// How long a worker sleeps between two polls, if it polls ([`super::Guard::BlockingPickup`] off).
    pub poll: Millis,
    /// How many attempts a job has, if its effect fails. 0, the default, is as good as 1 (W7).
    pub attempts: u32,
    /// Which patterns are in place.
    pub guards: Guards,
    /// The names of the queue's keys.
    pub queue: Queue,
    /// The learner of jobs that name none.
    pub learner: String,
    /// The course of jobs that name none; the one course that Portal knows.
    pub course: String,
}

impl Setup {
    /// More workers than anybody needs to see, and few enough to search.
    pub const MOST_WORKERS: u8 = 9;
    /// The shortest duration that a setup takes: bounds how often something can happen while time passes.
    pub const SHORTEST: Millis = Millis(50);
    /// The longest duration that a setup or one [`super::Action::Advance`] takes.
    pub const LONGEST: Millis = Millis(3_600_000);

    /// The names of the queue's keys.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// How often a lock of this length is renewed by default.
    #[must_use]
    pub fn default_renew(lock: Millis) -> Millis {
        Millis(lock.0 / 4)
    }
}

impl Default for Setup {
    fn default() -> Self {
        let lock = Millis(30_000);
        Self {
            workers: 2,
            lock,
            renew: Self::default_renew(lock),
            stalled: Millis(30_000),
            max_stalled: 1,
            drain: Millis(5_000),
            poll: Millis(1_000),
            attempts: 0,
            guards: Guards::ALL_ON,
            queue: Queue::named("enroll"),
            learner: DEFAULT_LEARNER.to_string(),
            course: DEFAULT_COURSE.to_string(),
        }
    }
}
