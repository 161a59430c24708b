//! The search against stateright: the same number of states, pinned, and the same verdict on every invariant.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

#[path = "independent/model.rs"]
mod model;

use enroll_once_core::{
    check::{Answer, Bounds, Invariant, Search},
    reliable_loop::{Guard, Guards, Setup},
    time::Millis,
};
use model::Loop;
use stateright::{Checker, Model};
use std::{collections::BTreeSet, sync::atomic::Ordering};

/// Runs both over everything within the bounds: so many states, and these invariants broken.
#[track_caller]
fn check(setup: &Setup, bounds: Bounds, states: usize, broken: &[&str]) {
    let mut search = Search::new(setup, bounds);
    while !search.run(1_000).done {}
    let found = Invariant::ALL.into_iter().filter(|invariant| match search.answer(*invariant) {
        Answer::Broken(_) => true,
        Answer::None { .. } => false,
        Answer::NotYet { .. } => panic!("{invariant} is not decided"),
    });
    let found: BTreeSet<&str> = found.map(Invariant::code).collect();

    let checker = Loop::new(setup, bounds).checker().threads(1).spawn_bfs().join();
    let mut discovered: BTreeSet<&str> = checker.discoveries().into_keys().collect();
    if checker.model().idle_was_busy.load(Ordering::Relaxed) {
        discovered.insert(Invariant::IdleIsCheap.code());
    }
    assert_eq!(
        (search.progress().states as usize, checker.unique_state_count()),
        (states, states),
        "states of the search, and of stateright"
    );
    let broken: BTreeSet<&str> = broken.iter().copied().collect();
    assert_eq!((&found, &discovered), (&broken, &broken), "broken by the search, and by stateright");
}

fn off(guards: &[Guard]) -> Setup {
    let guards = guards.iter().fold(Guards::ALL_ON, |guards, guard| guards.without(*guard));
    Setup { guards, ..Setup::default() }
}

const ONE_JOB: Bounds = Bounds {
    workers: 2,
    jobs: 1,
    crashes: 1,
    freezes: 0,
    lost_markers: 0,
    evicted_locks: 0,
    lost_replies: 0,
    outages: 0,
    depth: u32::MAX,
    states: 1_000_000,
};

#[test]
fn all_guards_on() {
    check(&off(&[]), ONE_JOB, 317, &[]);
}

#[test]
fn each_guard_off() {
    let one = |guard, states, broken: &[&str]| check(&off(&[guard]), ONE_JOB, states, broken);
    one(Guard::ProcessingList, 142, &["one-place", "no-loss"]);
    one(Guard::Lock, 1_056, &["one-place", "one-owner"]);
    one(Guard::AtLeastOnce, 219, &["effect-before-ack", "no-loss"]);
    one(Guard::StalledSweep, 142, &["no-loss"]);
    one(Guard::AtomicFinish, 2_067, &["one-place", "one-owner", "no-loss"]);
    one(Guard::BlockingPickup, 177, &["idle-is-cheap"]);
    one(Guard::IdempotentEnroll, 342, &["one-effect"]);
}

#[test]
fn guards_off_together() {
    let everything = ["one-place", "effect-before-ack", "no-loss", "idle-is-cheap"];
    check(&off(&Guard::ALL), ONE_JOB, 66, &everything);
    check(
        &off(&[Guard::Lock, Guard::IdempotentEnroll]),
        ONE_JOB,
        1_243,
        &["one-place", "one-owner", "one-effect"],
    );
    check(
        &off(&[Guard::AtLeastOnce, Guard::AtomicFinish]),
        ONE_JOB,
        2_253,
        &["one-place", "one-owner", "effect-before-ack", "no-loss"],
    );
}

#[test]
fn two_crashes_and_a_freeze() {
    check(&off(&[]), Bounds { crashes: 2, freezes: 1, ..ONE_JOB }, 4_616, &["one-owner"]);
}

#[test]
fn three_workers() {
    check(&off(&[]), Bounds { workers: 3, freezes: 1, ..ONE_JOB }, 4_514, &["one-owner"]);
}

#[test]
fn two_jobs() {
    check(&off(&[]), Bounds { jobs: 2, ..ONE_JOB }, 1_681, &[]);
}

#[test]
fn every_other_fault() {
    let bounds =
        Bounds { crashes: 0, lost_markers: 1, evicted_locks: 1, lost_replies: 1, outages: 1, ..ONE_JOB };
    check(&off(&[]), bounds, 3_238, &["one-owner"]);
    let attempts = Setup { attempts: 2, ..off(&[]) };
    check(&attempts, Bounds { crashes: 0, lost_replies: 1, outages: 2, ..ONE_JOB }, 946, &["one-owner"]);
}

#[test]
fn other_setups() {
    check(&Setup { max_stalled: 0, ..off(&[]) }, ONE_JOB, 314, &[]);
    let slow = Setup { renew: Millis(40_000), ..off(&[]) };
    check(&slow, ONE_JOB, 1_350, &["one-owner"]);
}
