//! Runs many schedules side by side: while one waits for a real expiry, others go on.

use super::{
    bench::Bench,
    compare::Difference,
    generate::generate,
    schedule::Schedule,
    session::{Progress, Session},
    tally::Tally,
};
use crate::redis_scripts::Package;
use anyhow::{Context, Result, bail};
use std::{
    ops::Range,
    thread,
    time::{Duration, Instant},
};

/// Schedules under way per server.
const SIDE_BY_SIDE: usize = 48;
/// How often a schedule is run again because this program was held up, before the machine is called too slow. Every
/// time its short durations are twice as long: at last they last half a minute.
const TRIES: u32 = 7;

/// Later than anything that expires in a schedule.
const FAR: Duration = Duration::from_secs(3600);

/// What a run of many schedules is to do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The seeds: one schedule each.
    pub seeds: Range<u64>,
    /// Steps per schedule.
    pub steps: usize,
    /// Threads, each with a server of its own.
    pub threads: u64,
}

/// What a schedule came to.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Its seed.
    pub seed: u64,
    /// The schedule itself.
    pub schedule: Schedule,
    /// Number of the step, and what differed.
    pub differences: Vec<(usize, Difference)>,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Summary {
    /// Schedules that ran.
    pub schedules: u64,
    /// The version of the server.
    pub redis: String,
    /// Everything that was done.
    pub tally: Tally,
    /// The schedules that differ, by seed.
    pub differing: Vec<Outcome>,
    /// How many runs were thrown away because a key might have expired between two steps.
    pub run_again: u64,
}

/// Runs the plan against the scripts of one version.
///
/// # Errors
/// No server, an unknown script, or a machine so slow that keys expire between steps that take milliseconds.
pub fn run(package: &Package, plan: &Plan) -> Result<Summary> {
    let threads = plan.threads.max(1);
    let parts = thread::scope(|scope| {
        let start = |nth| scope.spawn(move || run_part(package, plan, nth, threads));
        let running: Vec<_> = (0..threads).map(start).collect();
        let join = |part: thread::ScopedJoinHandle<'_, Result<Summary>>| {
            part.join().map_err(|_| anyhow::anyhow!("a thread of the differential panicked")).flatten()
        };
        running.into_iter().map(join).collect::<Result<Vec<_>>>()
    })?;
    let mut all = Summary::default();
    for part in parts {
        all.schedules += part.schedules;
        all.redis = part.redis;
        all.run_again += part.run_again;
        all.tally.add(&part.tally);
        all.differing.extend(part.differing);
    }
    all.differing.sort_by_key(|outcome| outcome.seed);
    Ok(all)
}

/// Every `threads`-th seed, on one server.
fn run_part(package: &Package, plan: &Plan, nth: u64, threads: u64) -> Result<Summary> {
    let mut bench = Bench::start(package)?;
    let mut summary = Summary { redis: bench.server().version().to_owned(), ..Summary::default() };
    let mut seeds = plan.seeds.clone().filter(|seed| seed % threads == nth);
    loop {
        let batch: Vec<(u64, Schedule)> =
            seeds.by_ref().take(SIDE_BY_SIDE).map(|seed| (seed, generate(seed, plan.steps))).collect();
        if batch.is_empty() {
            return Ok(summary);
        }
        run_batch(&mut bench, batch, &mut summary)?;
    }
}

fn run_batch(bench: &mut Bench, batch: Vec<(u64, Schedule)>, summary: &mut Summary) -> Result<()> {
    let mut runs: Vec<Running<'_>> = Vec::with_capacity(batch.len());
    for (seed, schedule) in &batch {
        runs.push(Running::start(bench, *seed, schedule, 0));
    }
    while let Some(at) = most_urgent(&runs) {
        let Some(run) = runs.get_mut(at) else { break };
        if !run.go_on(bench)? {
            continue;
        }
        let run = runs.swap_remove(at);
        summary.schedules += 1;
        summary.run_again += u64::from(run.tries);
        summary.tally.add(&run.session.tally);
        if !run.session.differences.is_empty() {
            let (seed, schedule) = (run.seed, run.schedule.clone());
            summary.differing.push(Outcome { seed, schedule, differences: run.session.differences });
        }
    }
    Ok(())
}

/// Of those that can go on now the one whose keys expire first; if there is none, the one that can go on first.
fn most_urgent(runs: &[Running<'_>]) -> Option<usize> {
    let now = Instant::now();
    let urgency =
        |run: &Running<'_>| (run.parked_until.max(now), run.session.next_expiry().unwrap_or(now + FAR));
    runs.iter().enumerate().min_by_key(|(_, run)| urgency(run)).map(|(at, _)| at)
}

struct Running<'a> {
    seed: u64,
    schedule: &'a Schedule,
    session: Session,
    parked_until: Instant,
    tries: u32,
}

impl<'a> Running<'a> {
    fn start(bench: &mut Bench, seed: u64, schedule: &'a Schedule, tries: u32) -> Self {
        let prefix = format!("emq:s{seed}-{}:", bench.serial());
        let session = Session::new(schedule.slower(1 << tries), &prefix);
        Self { seed, schedule, session, parked_until: Instant::now(), tries }
    }

    /// Waits until it can, and goes on. True: it is done.
    fn go_on(&mut self, bench: &mut Bench) -> Result<bool> {
        // Not a guess at how long something takes: a key's own time, after which it is looked at.
        thread::sleep(self.parked_until.saturating_duration_since(Instant::now()));
        let place = || format!("seed {}: {}", self.seed, self.schedule);
        match self.session.advance(bench).with_context(place)? {
            Progress::Parked(until) => {
                self.parked_until = until;
                Ok(false)
            }
            Progress::Done => {
                bench.clear(self.session.prefix())?;
                Ok(true)
            }
            Progress::Slipped => {
                bench.clear(self.session.prefix())?;
                if self.tries >= TRIES {
                    bail!(
                        "this machine is held up so often that keys expire between two steps (seed {})",
                        self.seed
                    );
                }
                *self = Self::start(bench, self.seed, self.schedule, self.tries + 1);
                Ok(false)
            }
        }
    }
}

/// Runs one schedule by itself.
///
/// # Errors
/// As [`run`].
pub fn run_one(bench: &mut Bench, schedule: &Schedule) -> Result<Vec<(usize, Difference)>> {
    let mut run = Running::start(bench, 0, schedule, 0);
    while !run.go_on(bench)? {}
    Ok(run.session.differences)
}
