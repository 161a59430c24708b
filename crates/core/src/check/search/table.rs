//! Open-addressing tables: there is no hash map without `std`, and none is as small as these.

use alloc::{vec, vec::Vec};
use core::hash::Hasher;

/// An odd number with bits all over, to spread what is hashed.
const SPREAD: u64 = 0x9E37_79B9_7F4A_7C15;

/// Folds a key of 128 bits into 64 that are good in every place.
pub(super) fn fold(key: u128) -> u64 {
    let (low, high) = (key as u64, (key >> 64) as u64);
    let product = u128::from(low ^ SPREAD) * u128::from(high ^ SPREAD.rotate_left(32) | 1);
    let mixed = (product as u64) ^ ((product >> 64) as u64);
    mixed.wrapping_mul(SPREAD) ^ (mixed >> 29)
}

/// Places of entries that are kept elsewhere, found by hash; `EMPTY` where there is none.
#[derive(Clone, Debug, Default)]
pub(super) struct Places {
    slots: Vec<u32>,
    used: usize,
}

const EMPTY: u32 = u32::MAX;

impl Places {
    /// The place of the entry with this hash for which `is` says yes.
    pub(super) fn find(&self, hash: u64, is: impl Fn(u32) -> bool) -> Option<u32> {
        let mask = self.slots.len().checked_sub(1)?;
        let mut at = hash as usize & mask;
        loop {
            let place = self.slots.get(at).copied().unwrap_or(EMPTY);
            if place == EMPTY {
                return None;
            }
            if is(place) {
                return Some(place);
            }
            at = (at + 1) & mask;
        }
    }

    /// Adds an entry that is not there. `hash_of` tells the hash of those that are, should they have to move.
    pub(super) fn insert(&mut self, hash: u64, place: u32, hash_of: impl Fn(u32) -> u64) {
        if (self.used + 1) * 3 > self.slots.len() * 2 {
            let old = core::mem::take(&mut self.slots);
            self.slots = vec![EMPTY; (old.len() * 2).max(64)];
            for place in old.into_iter().filter(|place| *place != EMPTY) {
                self.put(hash_of(place), place);
            }
        }
        self.put(hash, place);
        self.used += 1;
    }

    fn put(&mut self, hash: u64, place: u32) {
        let mask = self.slots.len().wrapping_sub(1);
        let mut at = hash as usize & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if *slot == EMPTY {
                *slot = place;
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// What it takes, in bytes.
    pub(super) fn bytes(&self) -> usize {
        self.slots.capacity() * size_of::<u32>()
    }
}

/// Numbers by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Memo<K> {
    entries: Vec<(K, u64)>,
    places: Places,
}

impl<K: Copy + Eq + Into<u128>> Memo<K> {
    pub(super) fn get(&self, key: K) -> Option<u64> {
        let is = |place| self.entries.get(place as usize).is_some_and(|(known, _)| *known == key);
        let place = self.places.find(fold(key.into()), is)?;
        self.entries.get(place as usize).map(|(_, value)| *value)
    }

    /// Adds what is not there yet.
    pub(super) fn insert(&mut self, key: K, value: u64) {
        let entries = &self.entries;
        let hash_of = |place| entries.get(place as usize).map_or(0, |(key, _)| fold((*key).into()));
        self.places.insert(fold(key.into()), entries.len() as u32, hash_of);
        self.entries.push((key, value));
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn bytes(&self) -> usize {
        self.entries.capacity() * size_of::<(K, u64)>() + self.places.bytes()
    }
}

/// A hasher for what is hashed seldom: byte by byte (FNV-1a).
pub(super) struct Bytes(u64);

impl Default for Bytes {
    fn default() -> Self {
        Self(0xCBF2_9CE4_8422_2325)
    }
}

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01B3);
        }
    }

    fn finish(&self) -> u64 {
        fold(u128::from(self.0))
    }
}
