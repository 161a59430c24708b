//! How fast is a step, how fast is the search, and how fast is stateright on the same loop?
//!
//! `cargo bench -p enroll-once-core`. First the table of divan; then the comparison as a ratio, measured turn by turn in
//! this process: both look at everything within the same bounds, on one thread, breadth first, for the same invariants
//! (all but `no-loss`, which runs a state to its end). The bytes are what the search holds at its end, a state.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, missing_docs)]

#[path = "../tests/independent/model.rs"]
mod model;

use divan::{Bencher, counter::ItemsCount};
use enroll_once_core::{
    check::{Bounds, Invariant, Progress, Search},
    reliable_loop::{Action, Setup, World, step},
    story::{Story, Token},
};
use model::Loop;
use stateright::{Checker, Model};
use std::{
    sync::LazyLock,
    time::{Duration, Instant},
};

fn main() {
    divan::main();
    // `cargo test --benches` runs everything once, to see that it runs: there is nothing to compare then.
    if std::env::args().any(|argument| argument == "--bench") {
        compare();
    }
}

/// A run with a crash: every script, expiry and the sweep.
const RUN: &str =
    "add,w1:wake,w1:take,w1:enroll,w1:crash,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:enroll,w2:finish";

/// One step of each kind, from the world in which it happens.
#[divan::bench(args = ["add", "w1:wake", "w1:take", "w1:enroll", "w1:crash", "+30s", "w2:sweep", "w2:finish"])]
fn a_step(bencher: Bencher<'_, '_>, token: &str) {
    let story = Story::parse(RUN).unwrap();
    let mut world = World::new(story.setup.clone());
    let mut found = None;
    for of_story in &story.tokens {
        let Token::Act(action) = of_story else { continue };
        if of_story.to_string() == token {
            found = Some((world.clone(), action.clone()));
        }
        world = step(&world, action).world;
    }
    let (world, action): (World, Action) = found.unwrap();
    bencher.bench(|| step(&world, &action));
}

/// Every run of a search: the bounds by name.
const BOUNDS: [(&str, Bounds); 6] = [
    ("2 workers, 1 job, 1 crash", of(2, 1, 1, 0)),
    ("2 workers, 2 jobs, 1 crash", of(2, 2, 1, 0)),
    ("2 workers, 3 jobs, 1 crash", of(2, 3, 1, 0)),
    ("2 workers, 2 jobs, 2 crashes", of(2, 2, 2, 0)),
    ("3 workers, 2 jobs, 2 crashes", of(3, 2, 2, 0)),
    ("3 workers, 2 jobs, 2 crashes, 1 freeze", of(3, 2, 2, 1)),
];

const fn of(workers: u8, jobs: u8, crashes: u8, freezes: u8) -> Bounds {
    Bounds {
        workers,
        jobs,
        crashes,
        freezes,
        lost_markers: 0,
        evicted_locks: 0,
        lost_replies: 0,
        outages: 0,
        depth: u32::MAX,
        states: 16_000_000,
    }
}

fn named(name: &str) -> Bounds {
    BOUNDS.iter().find(|(known, _)| *known == name).unwrap().1
}

/// Everything within the bounds; the number of states.
fn search(bounds: Bounds, no_loss: bool) -> usize {
    look_at_all(bounds, no_loss).states as usize
}

fn look_at_all(bounds: Bounds, no_loss: bool) -> Progress {
    let search = Search::new(&Setup::default(), bounds);
    let mut search = if no_loss { search } else { search.without(Invariant::NoLoss) };
    while !search.run(100_000).done {}
    search.progress()
}

fn stateright(bounds: Bounds) -> usize {
    let model = Loop { no_loss: false, ..Loop::new(&Setup::default(), bounds) };
    model.checker().threads(1).spawn_bfs().join().unique_state_count()
}

#[divan::bench(args = BOUNDS.map(|(name, _)| name), sample_count = 5)]
fn the_search_with_no_loss(bencher: Bencher<'_, '_>, name: &str) {
    let states = search(named(name), true);
    bencher.counter(ItemsCount::new(states)).bench(|| search(named(name), true));
}

#[divan::bench(args = BOUNDS.map(|(name, _)| name), sample_count = 5)]
fn the_search(bencher: Bencher<'_, '_>, name: &str) {
    let states = search(named(name), false);
    bencher.counter(ItemsCount::new(states)).bench(|| search(named(name), false));
}

#[divan::bench(args = ["2 workers, 1 job, 1 crash", "2 workers, 2 jobs, 1 crash"], sample_count = 3)]
fn stateright_on_the_same(bencher: Bencher<'_, '_>, name: &str) {
    let states = search(named(name), false);
    bencher.counter(ItemsCount::new(states)).bench(|| assert_eq!(stateright(named(name)), states));
}

/// In CPU time, so that it says the same on a busy machine.
fn compare() {
    println!("\nstates a second of CPU time, one thread, breadth first, the same invariants:");
    println!("{:41}{:>8}{:>8}{:>12}{:>12}{:>8}", "", "states", "bytes", "search", "stateright", "ratio");
    for (name, bounds) in BOUNDS {
        let whole = look_at_all(bounds, false);
        let states = whole.states as usize;
        let ours = states as f64 / time_of(|| assert_eq!(search(bounds, false), states));
        let theirs = states as f64 / time_of(|| assert_eq!(stateright(bounds), states));
        let bytes = whole.bytes / states;
        println!("{name:41}{states:8}{bytes:8}{ours:12.0}{theirs:12.0}{:7.1}x", ours / theirs);
    }
}

/// Seconds that one run takes, over as many as make half a second.
fn time_of(run: impl Fn()) -> f64 {
    let (began, mut runs) = (clock(), 0);
    loop {
        run();
        runs += 1;
        let took = clock() - began;
        if took > Duration::from_millis(500) {
            return took.as_secs_f64() / f64::from(runs);
        }
    }
}

/// The CPU time of this process, as Linux counts it in hundredths of a second; elsewhere the time of day.
fn clock() -> Duration {
    static BEGAN: LazyLock<Instant> = LazyLock::new(Instant::now);
    let ticks = || {
        let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
        let mut fields = stat.rsplit(')').next()?.split_whitespace().skip(11);
        let (user, system): (u64, u64) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        Some(Duration::from_millis((user + system) * 10))
    };
    ticks().unwrap_or_else(|| BEGAN.elapsed())
}
