//! The guards: one per pattern, on by default. With one off the loop does what the naive form would do, and nothing
//! else changes.

use core::fmt;
use serde::{Serialize, Serializer};

/// Are the naive forms in this build, and with them the retry and the rarer faults? Without the feature `naive` no guard
/// can be switched off; what asks for any of it is refused at the door, and the compiler drops the rest.
pub const NAIVE: bool = cfg!(feature = "naive");

/// What a story is told that asks for them all the same.
pub(crate) const LEFT_OUT: &str = "nothing that needs the naive forms: this build leaves them out";

/// One pattern of the reliable loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Guard {
    /// A taken job stands in `active`. Off: the id is popped and lives only in the worker's memory.
    ProcessingList,
    /// A taken job is under a lock that its worker renews. Off: nobody can tell a running job from a dead one's.
    Lock,
    /// The acknowledgement comes after the effect. Off: before it, so that the effect happens at most once.
    AtLeastOnce,
    /// Every worker sweeps for stalled jobs. Off: nobody does.
    StalledSweep,
    /// The finish is one script. Off: three steps, and a crash fits between them.
    AtomicFinish,
    /// An idle worker blocks on the marker. Off: it polls.
    BlockingPickup,
    /// Portal refuses a second enrollment. Off: the effect is applied again.
    IdempotentEnroll,
}

impl Guard {
    /// Every guard, in the order in which they are shown and printed.
    pub const ALL: [Self; 7] = [
        Self::ProcessingList,
        Self::Lock,
        Self::AtLeastOnce,
        Self::StalledSweep,
        Self::AtomicFinish,
        Self::BlockingPickup,
        Self::IdempotentEnroll,
    ];

    /// The word after `off=` in a story.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::ProcessingList => "processing-list",
            Self::Lock => "lock",
            Self::AtLeastOnce => "at-least-once",
            Self::StalledSweep => "stalled-sweep",
            Self::AtomicFinish => "atomic-finish",
            Self::BlockingPickup => "blocking-pickup",
            Self::IdempotentEnroll => "idempotent-enroll",
        }
    }

    /// The guard with this code; `None` if there is no such guard.
    #[must_use]
    pub fn parse(code: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|guard| guard.code() == code)
    }

    fn bit(self) -> u8 {
        1 << self as u8
    }
}

impl fmt::Display for Guard {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(self.code())
    }
}

impl Serialize for Guard {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(self.code())
    }
}

/// Which guards are on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Guards {
    off: u8,
}

impl Guards {
    /// The reliable loop.
    pub const ALL_ON: Self = Self { off: 0 };
    /// Every naive form at once.
    pub const ALL_OFF: Self = Self { off: (1 << Guard::ALL.len()) - 1 };

    /// The same with one guard off.
    #[must_use]
    pub fn without(self, guard: Guard) -> Self {
        Self { off: self.off | guard.bit() }
    }

    /// Is this guard on? Always, in a build without the naive forms.
    #[must_use]
    pub fn on(self, guard: Guard) -> bool {
        !NAIVE || self.off & guard.bit() == 0
    }

    /// Those that are off.
    pub fn off(self) -> impl Iterator<Item = Guard> {
        Guard::ALL.into_iter().filter(move |guard| !self.on(*guard))
    }
}
