//! Prints, as a table for the README, what each guard is for: with it off, the shortest story that breaks the loop.
//!
//! `cargo run -q -p enroll-once-core --example guards`

use enroll_once_core::{
    check::{Answer, Bounds, Invariant, Search, promised},
    reliable_loop::{Guard, Guards, Program, Setup},
    time::Millis,
};

fn main() {
    println!("| guard off | the worker then runs | breaks | shortest story |");
    println!("|---|---|---|---|");
    for guard in Guard::ALL {
        let guards = Guards::ALL_ON.without(guard);
        let invariant = promised(guard);
        let search = search(&Setup { guards, ..Setup::default() }, Bounds::default());
        let story = match search.answer(invariant) {
            Answer::Broken(story) => format!("`{story}`"),
            Answer::None { states } => format!("none in {states} states"),
            Answer::NotYet { states, .. } => format!("not found in {states} states"),
        };
        println!("| `{guard}` | {} | `{invariant}` | {story} |", Program::of(guards));
    }

    let whole = Bounds { workers: 3, jobs: 2, crashes: 2, ..Bounds::default() };
    println!("\nWith all guards on:\n");
    all_on("two crashes", &Setup::default(), whole);
    all_on("two crashes and a freeze", &Setup::default(), Bounds { freezes: 1, ..whole });
    let small = Bounds::default();
    all_on("an evicted lock", &Setup::default(), Bounds { evicted_locks: 1, ..small });
    all_on("a renewal slower than the lock", &Setup { renew: Millis(40_000), ..Setup::default() }, small);
    let retries = Setup { attempts: 2, ..Setup::default() };
    all_on("a lost reply to a retry", &retries, Bounds { lost_replies: 1, outages: 1, ..small });
    let others = Bounds { jobs: 2, lost_markers: 1, lost_replies: 1, outages: 1, ..small };
    all_on("a lost marker, a lost reply to a finish, an outage of Portal", &Setup::default(), others);
}

/// One line of the list: what is broken within these bounds, over how many states.
fn all_on(what: &str, setup: &Setup, bounds: Bounds) {
    let search = search(setup, bounds);
    let Bounds { workers, jobs, .. } = bounds;
    let states = search.progress().states;
    println!("* {what} ({workers} workers, {jobs} jobs, {states} states):");
    let mut nothing = true;
    for invariant in Invariant::ALL {
        match search.answer(invariant) {
            Answer::None { .. } => {}
            Answer::Broken(story) => println!("  `{invariant}` breaks: `{story}`"),
            Answer::NotYet { .. } => println!("  `{invariant}` is not decided"),
        }
        nothing &= matches!(search.answer(invariant), Answer::None { .. });
    }
    if nothing {
        println!("  nothing breaks.");
    }
}

fn search(setup: &Setup, bounds: Bounds) -> Search {
    let mut search = Search::new(setup, bounds);
    while !search.run(100_000).done {}
    search
}
