//! What a search looks at: how many of everything, and how much of it may go wrong.

use super::state::{MOST_JOBS, MOST_WORKERS};
use serde::Serialize;

/// A kind of fault that is bounded by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    Crash,
    Freeze,
    LostMarker,
    EvictedLock,
    LostReply,
    Outage,
}

impl Fault {
    #[cfg(test)]
    pub(super) const ALL: [Self; 6] =
        [Self::Crash, Self::Freeze, Self::LostMarker, Self::EvictedLock, Self::LostReply, Self::Outage];
}

/// The bounds of a search. Whatever is within them is looked at, in every order.
///
/// A dead worker may be started again and a frozen one thawed at any time: only what goes wrong is bounded. A restart
/// of Portal is left out: it changes nothing as long as the fold is the log, which is checked after every step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Bounds {
    /// Workers, 1 to 4.
    pub workers: u8,
    /// Jobs that are added, each of another learner, 0 to 4. The first is the default one.
    pub jobs: u8,
    /// Workers that die, at most 15; so are the other faults.
    pub crashes: u8,
    /// Workers that freeze.
    pub freezes: u8,
    /// Markers that are lost.
    pub lost_markers: u8,
    /// Locks that are evicted.
    pub evicted_locks: u8,
    /// Replies to an acknowledgement that are lost.
    pub lost_replies: u8,
    /// Times that Portal goes down.
    pub outages: u8,
    /// How many actions from the beginning at most.
    pub depth: u32,
    /// How many states are kept at most: the bound on memory, about 60 bytes each.
    pub states: u32,
}

impl Default for Bounds {
    /// One job, two workers, one crash; no other fault, and no other bound that a small machine would feel.
    fn default() -> Self {
        Self {
            workers: 2,
            jobs: 1,
            crashes: 1,
            freezes: 0,
            lost_markers: 0,
            evicted_locks: 0,
            lost_replies: 0,
            outages: 0,
            depth: u32::MAX,
            states: 16_000_000,
        }
    }
}

impl Bounds {
    /// Within what the search can represent.
    pub(super) fn clamped(self) -> Self {
        let most = |number: u8| number.min(15);
        Self {
            workers: self.workers.clamp(1, MOST_WORKERS as u8),
            jobs: self.jobs.min(MOST_JOBS as u8),
            crashes: most(self.crashes),
            freezes: most(self.freezes),
            lost_markers: most(self.lost_markers),
            evicted_locks: most(self.evicted_locks),
            lost_replies: most(self.lost_replies),
            outages: most(self.outages),
            ..self
        }
    }

    pub(super) fn of(&self, fault: Fault) -> u8 {
        match fault {
            Fault::Crash => self.crashes,
            Fault::Freeze => self.freezes,
            Fault::LostMarker => self.lost_markers,
            Fault::EvictedLock => self.evicted_locks,
            Fault::LostReply => self.lost_replies,
            Fault::Outage => self.outages,
        }
    }
}
