//! How a run ended, in one word.

use super::invariant::{Invariant, has_effect, is_completed, places};
use crate::reliable_loop::World;
use core::fmt;
use serde::{Serialize, Serializer};

/// How a run ended, from good to bad. Of several jobs the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Verdict {
    /// Completed and recorded once, however often it ran.
    ExactlyOnce,
    /// The same, but idle workers sent commands in vain.
    Busy,
    /// In failed, where somebody will look. The learner may be enrolled all the same.
    FailedVisibly,
    /// In wait or active for ever.
    Stuck,
    /// The learner is enrolled but the queue does not know it: the job is in no place, or in two.
    Torn,
    /// Not enrolled, and nothing is left that would ever do it.
    Lost,
    /// Enrolled twice.
    Twice,
}

impl Verdict {
    /// Every verdict, from good to bad.
    pub const ALL: [Self; 7] = [
        Self::ExactlyOnce,
        Self::Busy,
        Self::FailedVisibly,
        Self::Stuck,
        Self::Torn,
        Self::Lost,
        Self::Twice,
    ];

    /// The verdict on a world in which nothing more happens.
    #[must_use]
    pub fn of(end: &World) -> Self {
        if !Invariant::OneEffect.holds(end) {
            return Self::Twice;
        }
        let idle = if Invariant::IdleIsCheap.holds(end) { Self::ExactlyOnce } else { Self::Busy };
        end.jobs().map(|job| Self::of_job(end, job)).fold(idle, Self::max)
    }

    fn of_job(end: &World, job: &str) -> Self {
        let queue = end.setup.queue();
        match (places(end, job), has_effect(end, job)) {
            (0, false) => Self::Lost,
            (1, effect) if is_completed(end, job) => {
                if effect {
                    Self::ExactlyOnce
                } else {
                    Self::Lost
                }
            }
            (1, _) if end.keys.has_member(&queue.key("failed"), job) => Self::FailedVisibly,
            (1, _) => Self::Stuck,
            (_, _) => Self::Torn,
        }
    }

    /// The verdict in words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::ExactlyOnce => "exactly once in effect",
            Self::Busy => "busy",
            Self::FailedVisibly => "failed visibly",
            Self::Stuck => "stuck",
            Self::Torn => "torn",
            Self::Lost => "lost",
            Self::Twice => "twice",
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.words())
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.words())
    }
}
