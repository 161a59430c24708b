//! From a state to the next: by the reducer itself, but never twice for the same parts.
//!
//! An action of a worker touches what is shared and that worker, nothing else. So what it does is looked up by these
//! two parts; only the first time it is run, by [`World::act`]. Afterwards [`World::settle`] gives a raised marker to
//! who is blocked longest and lets workers block, which depends on nothing but the marker and how each worker waits.

use super::{
    bounds::Bounds,
    moves::{Kind, Move, action, leaves_shared_alone},
    parts::{Local, NEVER, ONE, Parts, WaitKind, answered},
    shared::Job,
    state::{LOCAL_BITS, MOST_WORKERS, SHARED_BITS, Slot, State},
    table::Memo,
};
use crate::{
    check::Invariant,
    reliable_loop::{Guard, Life, Setup, Wait, World},
    time::Millis,
};
use alloc::vec::Vec;

/// What an action came to.
#[derive(Clone, Copy)]
struct Act {
    shared: u32,
    local: u16,
    /// The jobs whose lock it has set, as bits.
    locks_set: u8,
    /// The invariants that it broke by what it did, as bits.
    broken: u8,
}

impl Act {
    fn pack(self) -> u64 {
        let parts = u64::from(self.shared) << LOCAL_BITS | u64::from(self.local);
        parts << 16 | u64::from(self.locks_set) << 8 | u64::from(self.broken)
    }

    fn unpack(bits: u64) -> Self {
        let parts = bits >> 16;
        Self {
            shared: (parts >> LOCAL_BITS) as u32,
            local: parts as u16 & ((1 << LOCAL_BITS) - 1),
            locks_set: (bits >> 8) as u8,
            broken: bits as u8,
        }
    }
}

/// The transitions of one loop within its bounds.
pub(super) struct Transitions {
    pub(super) parts: Parts,
    workers: usize,
    bounds: Bounds,
    /// A live owner's renewals come before its lock expires.
    renewals_keep_locks: bool,
    acts: Memo<u64>,
    settled: Memo<u32>,
    without_lock: Memo<u32>,
    with_wait: Memo<u32>,
    without_marker: Memo<u32>,
}

impl Transitions {
    /// The transitions, and the state at the beginning.
    pub(super) fn new(setup: &Setup, bounds: Bounds) -> (Self, State) {
        let mut parts = Parts::new(setup, bounds.jobs);
        let begin = World::new(Setup { workers: 1, ..setup.clone() });
        let shared = parts.keep_shared(&begin);
        let local = begin.worker(ONE).map_or(0, |worker| parts.keep_local(worker, &begin.keys));
        let mut slots = [Slot::default(); MOST_WORKERS];
        for slot in slots.iter_mut().take(bounds.workers.into()) {
            slot.local = local;
        }
        let mut begin = State::new(slots);
        begin.shared = shared;
        let transitions = Self {
            parts,
            workers: bounds.workers.into(),
            bounds,
            renewals_keep_locks: setup.renew < setup.lock,
            acts: Memo::default(),
            settled: Memo::default(),
            without_lock: Memo::default(),
            with_wait: Memo::default(),
            without_marker: Memo::default(),
        };
        (transitions, begin)
    }

    pub(super) fn slots<'a>(&self, state: &'a State) -> &'a [Slot] {
        state.slots.get(..self.workers).unwrap_or(&state.slots)
    }

    /// The workers of a state with their slots.
    pub(super) fn locals(&self, state: &State) -> impl Iterator<Item = (usize, Local)> {
        let slots = self.slots(state).iter().enumerate();
        slots.filter_map(|(at, slot)| Some((at, self.parts.local(slot.local)?)))
    }

    /// Everything that can happen in a state. Of workers that are the same in everything the first is enough.
    pub(super) fn moves(&self, state: &State, moves: &mut Vec<Move>) {
        moves.clear();
        let shared = self.parts.shared(state.shared);
        let can_go_wrong =
            |kind: Kind| kind.fault().is_none_or(|fault| state.spent(fault) < self.bounds.of(fault));
        let mut add = |kind: Kind, at: usize| {
            if can_go_wrong(kind) {
                moves.push(Move::new(kind, at));
            }
        };
        if shared.jobs < self.bounds.jobs {
            add(Kind::Add, shared.jobs.into());
        }
        let mut last = None;
        let mut someone_sweeps = false;
        for (at, local) in self.locals(state) {
            let slot = state.slots.get(at).copied();
            if last == slot {
                continue;
            }
            last = slot;
            match local.life {
                Life::Running => {
                    someone_sweeps = true;
                    add(Kind::Operate, at);
                    if local.owns {
                        add(Kind::Renew, at);
                    }
                    if local.next.acknowledges() {
                        add(Kind::LoseReply, at);
                    }
                    add(Kind::Crash, at);
                    add(Kind::Freeze, at);
                }
                Life::Frozen => {
                    add(Kind::Thaw, at);
                    add(Kind::Crash, at);
                }
                Life::Dead => add(Kind::Start, at),
            }
        }
        if someone_sweeps && self.parts.setup().guards.on(Guard::StalledSweep) {
            add(Kind::Sweep, 0);
        }
        for job in bits(shared.locked) {
            if self.can_expire(state, job) {
                add(Kind::Expire, job);
            }
            add(Kind::EvictLock, job);
        }
        if shared.marker {
            add(Kind::LoseMarker, 0);
        }
        add(if shared.portal_down { Kind::PortalUp } else { Kind::PortalDown }, 0);
    }

    /// Nobody who lives and is scheduled keeps the lock.
    pub(super) fn can_expire(&self, state: &State, job: usize) -> bool {
        let keeps = |local: Local| {
            local.life == Life::Running && local.owns && local.job.map(usize::from) == Some(job)
        };
        !(self.renewals_keep_locks && self.locals(state).any(|(_, local)| keeps(local)))
    }

    /// The state after a move, workers not yet in order, and the invariants that the move broke by what it did.
    pub(super) fn after(&mut self, state: &State, of: Move) -> (State, u8) {
        let mut after = *state;
        let acting = if of.kind.is_of_worker() { Some(usize::from(of.at)) } else { None };
        let local = acting.and_then(|at| state.slots.get(at)).map_or(0, |slot| slot.local);
        let act = self.act(state.shared, local, of);
        after.shared = act.shared;
        if let Some(at) = acting {
            if let Some(slot) = after.slots.get_mut(at) {
                slot.local = act.local;
            }
            if self.parts.local(act.local).is_some_and(|local| local.wait != WaitKind::Blocked) {
                after.unblock(at);
            }
        }
        if self.parts.shared(state.shared).locked != 0 {
            self.take_lost_locks(&mut after, acting, act.locks_set);
        }
        if let Some(fault) = of.kind.fault() {
            after.spend(fault);
        }
        self.settle(&mut after);
        (after, act.broken)
    }

    /// Workers whose lock has gone, or has been set by another, own it no more.
    fn take_lost_locks(&mut self, state: &mut State, acting: Option<usize>, locks_set: u8) {
        let there = self.parts.shared(state.shared).locked & !locks_set;
        for at in (0..self.workers).filter(|at| Some(*at) != acting) {
            let Some(slot) = state.slots.get_mut(at) else { continue };
            let Some(local) = self.parts.local(slot.local) else { continue };
            if local.owns && local.job.is_some_and(|job| there & 1 << job == 0) {
                slot.local = remember(&mut self.without_lock, u32::from(slot.local), || {
                    self.parts.without_lock(slot.local).into()
                }) as u16;
            }
        }
    }

    fn act(&mut self, shared: u32, local: u16, of: Move) -> Act {
        // The slot of a worker has no meaning to what it does; the number of a job has.
        let what = if of.kind.is_of_worker() { Move::new(of.kind, 0) } else { of };
        let alone = self.parts.local(local).is_some_and(|local| leaves_shared_alone(of.kind, &local));
        let known_by = if alone { ANY_SHARED } else { shared };
        let key =
            (u64::from(what.code()) << LOCAL_BITS | u64::from(local)) << SHARED_BITS | u64::from(known_by);
        let act =
            Act::unpack(remember(&mut self.acts, key, || run(&mut self.parts, shared, local, what).pack()));
        if alone { Act { shared, ..act } } else { act }
    }

    /// Runs what follows every action, if there is anything to do.
    fn settle(&mut self, state: &mut State) {
        let marker = self.parts.shared(state.shared).marker;
        let moved = if marker { WaitKind::Blocked } else { WaitKind::Arrived };
        if !self.locals(state).any(|(_, local)| local.wait == moved) {
            return;
        }
        let waits = self.locals(state).fold(u32::from(marker), |key, (at, local)| {
            key << 5 | u32::from(state.slots.get(at).map_or(0, |slot| slot.rank)) << 2 | local.wait as u32
        });
        let key = waits | (self.workers as u32) << 24;
        let settled = remember(&mut self.settled, key, || run_settle(&self.parts, self.workers, state));
        if marker && settled & MARKER == 0 {
            state.shared = remember(&mut self.without_marker, state.shared, || {
                self.parts.without_marker(state.shared).into()
            }) as u32;
        }
        for at in 0..self.workers {
            let Some(slot) = state.slots.get_mut(at) else { continue };
            let bits = settled >> (at * 5);
            slot.rank = bits as u8 & 7;
            let change = bits as u32 >> 3 & 3;
            if change != UNCHANGED {
                let key = u32::from(slot.local) << 2 | change;
                slot.local = remember(&mut self.with_wait, key, || {
                    let now = if change == NOW_ANSWERED {
                        answered(self.parts.setup())
                    } else {
                        Wait::Blocked { since: Millis(0) }
                    };
                    self.parts.with_wait(slot.local, now).into()
                }) as u16;
            }
        }
    }

    pub(super) fn sort(&self, state: &mut State, names: &mut [u8; MOST_WORKERS]) {
        state.sort(self.workers, names);
    }

    /// How many actions the reducer has really run.
    pub(super) fn ran(&self) -> usize {
        self.acts.len()
    }

    pub(super) fn bytes(&self) -> usize {
        let small = self.settled.bytes() + self.without_lock.bytes() + self.with_wait.bytes();
        self.parts.bytes() + self.acts.bytes() + small + self.without_marker.bytes()
    }
}

/// Stands for whatever is shared.
const ANY_SHARED: u32 = (1 << SHARED_BITS) - 1;

/// The numbers of the bits that are set.
pub(super) fn bits(set: u8) -> impl Iterator<Item = usize> {
    (0..8).filter(move |bit| set & 1 << bit != 0)
}

/// What is known, or else what `find_out` says.
fn remember<K: Copy + Eq + Into<u128>>(memo: &mut Memo<K>, key: K, find_out: impl FnOnce() -> u64) -> u64 {
    if let Some(known) = memo.get(key) {
        return known;
    }
    let value = find_out();
    memo.insert(key, value);
    value
}

/// Runs an action on the world of two parts, for real.
fn run(parts: &mut Parts, shared: u32, local: u16, of: Move) -> Act {
    let blocked = parts.local(local).is_some_and(|local| local.wait == WaitKind::Blocked);
    let mut world = parts.world(shared, core::iter::once((local, u8::from(blocked))));
    let Some(action) = action(&world, parts, of) else {
        return Act { shared, local, locks_set: 0, broken: 0 };
    };
    let recorded = world.enrolled();
    world.act(&mut Vec::new(), &action);
    let set = |job: &Job| world.keys.time_left(&job.lock, Millis(0)).is_some_and(|left| left != NEVER);
    let locks_set =
        parts.jobs().iter().enumerate().filter(|(_, job)| set(job)).fold(0, |all, (bit, _)| all | 1 << bit);
    let folds_anew = world.enrolled() != recorded;
    let by_what_it_did = [(folds_anew, Invariant::FoldIsLog), (true, Invariant::IdleIsCheap)];
    let broken = by_what_it_did.into_iter().filter(|(ask, invariant)| *ask && !invariant.holds(&world));
    let broken = broken.fold(0, |all, (_, invariant)| all | invariant.bit());
    let local = world.workers.first().map_or(local, |worker| parts.keep_local(worker, &world.keys));
    Act { shared: parts.keep_shared(&world), local, locks_set, broken }
}

/// The marker is still up after settling.
const MARKER: u64 = 1 << 32;
const UNCHANGED: u32 = 0;
const NOW_ANSWERED: u32 = 1;
const NOW_BLOCKED: u32 = 2;

/// Settles the world of a state, for real: five bits a worker (rank, change of its wait), and the marker.
fn run_settle(parts: &Parts, workers: usize, state: &State) -> u64 {
    let slots = || state.slots.iter().take(workers);
    let mut world = parts.world(state.shared, slots().map(|slot| (slot.local, slot.rank)));
    world.settle(&mut Vec::new());
    let marker = world.keys.exists(&world.setup.queue().key("marker"));
    let result = if marker { MARKER } else { 0 };
    let changed = world.workers.iter().zip(slots()).enumerate();
    changed.fold(result, |result, (at, (worker, before))| {
        let rank =
            world.keys.blocked().position(|client| client == worker.id.client()).map_or(0, |at| at + 1);
        let change = match (&worker.wait, parts.local(before.local).map(|local| local.wait)) {
            (Wait::Answered(_), Some(WaitKind::Blocked)) => NOW_ANSWERED,
            (Wait::Blocked { .. }, Some(WaitKind::Arrived)) => NOW_BLOCKED,
            (Wait::Answered(_) | Wait::Blocked { .. } | Wait::Arrived { .. } | Wait::Returned, _) => {
                UNCHANGED
            }
        };
        result | (u64::from(change) << 3 | rank as u64) << (at * 5)
    })
}
