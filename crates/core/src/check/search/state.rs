//! A state of the search, in 128 bits: what the workers share, each worker, and the faults spent.

use super::bounds::Fault;

/// A search has at most so many workers.
pub(super) const MOST_WORKERS: usize = 4;
/// A search has at most so many jobs.
pub(super) const MOST_JOBS: usize = 4;

/// How many bits the number of a shared part has.
pub(super) const SHARED_BITS: u32 = 24;
/// How many bits the number of a worker's part has.
pub(super) const LOCAL_BITS: u32 = 12;
const RANK_BITS: u32 = 3;
/// How many bits count the faults of one kind.
pub(super) const SPENT_BITS: u32 = 4;

/// One worker: the number of its own part, and where it stands among the blocked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Slot {
    pub(super) local: u16,
    /// 0: not blocked; 1: blocked longest; and so on.
    pub(super) rank: u8,
}

/// A state. Workers are interchangeable: with the slots in order, states that differ only in the workers' names are one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct State {
    /// The number of the part that the workers share: Redis and Portal.
    pub(super) shared: u32,
    pub(super) slots: [Slot; MOST_WORKERS],
    spent: u32,
}

impl State {
    pub(super) fn new(slots: [Slot; MOST_WORKERS]) -> Self {
        Self { shared: 0, slots, spent: 0 }
    }

    pub(super) fn pack(&self) -> u128 {
        let slots = self.slots.iter().fold(0u128, |bits, slot| {
            (bits << (LOCAL_BITS + RANK_BITS)) | u128::from(slot.local) << RANK_BITS | u128::from(slot.rank)
        });
        (slots << SHARED_BITS | u128::from(self.shared)) << 32 | u128::from(self.spent)
    }

    pub(super) fn unpack(bits: u128) -> Self {
        let spent = bits as u32;
        let rest = bits >> 32;
        let shared = rest as u32 & ((1 << SHARED_BITS) - 1);
        let mut packed = rest >> SHARED_BITS;
        let mut slots = [Slot::default(); MOST_WORKERS];
        for slot in slots.iter_mut().rev() {
            slot.rank = packed as u8 & ((1 << RANK_BITS) - 1);
            slot.local = (packed >> RANK_BITS) as u16 & ((1 << LOCAL_BITS) - 1);
            packed >>= LOCAL_BITS + RANK_BITS;
        }
        Self { shared, slots, spent }
    }

    /// The worker leaves the queue of the blocked; those behind it move up.
    pub(super) fn unblock(&mut self, at: usize) {
        let left = self.slots.get_mut(at).map_or(0, |slot| core::mem::take(&mut slot.rank));
        if left > 0 {
            for slot in self.slots.iter_mut().filter(|slot| slot.rank > left) {
                slot.rank -= 1;
            }
        }
    }

    pub(super) fn spent(&self, fault: Fault) -> u8 {
        (self.spent >> (fault as u32 * SPENT_BITS)) as u8 & ((1 << SPENT_BITS) - 1)
    }

    pub(super) fn spend(&mut self, fault: Fault) {
        self.spent += 1 << (fault as u32 * SPENT_BITS);
    }

    /// The same, had nothing gone wrong so far: for what comes after, only what is left matters.
    pub(super) fn without_history(mut self) -> Self {
        self.spent = 0;
        self
    }

    /// Brings the first `workers` slots in order, and `names` along.
    pub(super) fn sort(&mut self, workers: usize, names: &mut [u8; MOST_WORKERS]) {
        for end in 1..workers.min(MOST_WORKERS) {
            for at in (0..end).rev() {
                if self.slots[at] <= self.slots[at + 1] {
                    break;
                }
                self.slots.swap(at, at + 1);
                names.swap(at, at + 1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_survives_packing() {
        let slot = |local, rank| Slot { local, rank };
        let mut state = State::new([slot(4095, 4), slot(0, 0), slot(17, 1), slot(2, 3)]);
        state.shared = (1 << SHARED_BITS) - 1;
        for fault in Fault::ALL {
            for _ in 0..15 {
                state.spend(fault);
            }
        }
        assert_eq!(State::unpack(state.pack()), state);
        assert_eq!(Fault::ALL.map(|fault| state.spent(fault)), [15; 6]);
    }

    #[test]
    fn the_order_of_workers_has_no_meaning() {
        let slot = |local| Slot { local, rank: 0 };
        let mut state = State::new([slot(3), slot(1), slot(2), slot(0)]);
        let mut names = [0, 1, 2, 3];
        state.sort(3, &mut names);
        assert_eq!((state.slots.map(|slot| slot.local), names), ([1, 2, 3, 0], [1, 2, 0, 3]));
    }

    #[test]
    fn who_is_blocked_behind_one_that_leaves_moves_up() {
        let slot = |rank| Slot { local: 0, rank };
        let mut state = State::new([slot(2), slot(1), slot(3), slot(0)]);
        state.unblock(1);
        assert_eq!(state.slots.map(|slot| slot.rank), [1, 0, 2, 0]);
    }
}
