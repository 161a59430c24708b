//! Searches every schedule within bounds for the shortest story that breaks each invariant.
//!
//! `cargo run -q --release -p enroll-once-core --example search -- workers=3 jobs=2 crashes=2 freezes=1 off=lock`
//!
//! Words are bounds (`workers jobs crashes freezes lost-markers evicted-locks lost-replies outages depth states`, each
//! `=NUMBER`), or setup tokens of a story.

use enroll_once_core::{
    check::{Answer, Bounds, Invariant, Search},
    story::Story,
};
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut bounds = Bounds::default();
    let mut setup = Vec::new();
    for word in std::env::args().skip(1) {
        if !set(&mut bounds, &word)? {
            setup.push(word);
        }
    }
    let setup = Story::parse(&setup.join(","))?.setup;
    let began = Instant::now();
    let mut search = Search::new(&setup, bounds);
    while !search.run(100_000).done {}
    let (progress, took) = (search.progress(), began.elapsed());
    let per_state = progress.bytes / progress.states as usize;
    println!(
        "{} states, {} actions deep, in {took:.2?}: {:.0} states a second, {per_state} bytes each, cut by {:?}; the \
         reducer ran {} times",
        progress.states,
        progress.depth,
        f64::from(progress.states) / took.as_secs_f64(),
        progress.cut,
        search.reducer_runs(),
    );
    for invariant in Invariant::ALL {
        match search.answer(invariant) {
            Answer::Broken(story) => println!("{invariant:17} broken: {story}"),
            Answer::None { states } => println!("{invariant:17} never, in {states} states"),
            Answer::NotYet { dropped, .. } => println!("{invariant:17} not found; {dropped} dropped"),
        }
    }
    Ok(())
}

/// Sets the bound that the word names; false if it names none.
fn set(bounds: &mut Bounds, word: &str) -> Result<bool, std::num::ParseIntError> {
    let Some((name, number)) = word.split_once('=') else { return Ok(false) };
    let of_bound: &mut u8 = match name {
        "workers" => &mut bounds.workers,
        "jobs" => &mut bounds.jobs,
        "crashes" => &mut bounds.crashes,
        "freezes" => &mut bounds.freezes,
        "lost-markers" => &mut bounds.lost_markers,
        "evicted-locks" => &mut bounds.evicted_locks,
        "lost-replies" => &mut bounds.lost_replies,
        "outages" => &mut bounds.outages,
        "depth" => return number.parse().map(|depth| bounds.depth = depth).map(|()| true),
        "states" => return number.parse().map(|states| bounds.states = states).map(|()| true),
        _ => return Ok(false),
    };
    *of_bound = number.parse()?;
    Ok(true)
}
