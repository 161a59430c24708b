//! Random schedules. The same seed gives the same schedule, on every machine.
//!
//! Steps are drawn with an eye on the model, so that nearly every one means something at its moment and rare states
//! (a second recovery, a late acknowledgement) come up often.

use super::{
    model::Model,
    schedule::{Act, Finishing, OnJob, Schedule, Setup, Step, Token},
    workers::Workers,
};
use enroll_once_core::time::Millis;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::collections::VecDeque;

/// A lock or a guard that expires within the schedule lives so long; every such expiry is a real one.
pub const SHORT: Millis = Millis(250);
/// One that does not.
pub const LONG: Millis = Millis(600_000);
/// Jobs per schedule, at most.
const JOBS: usize = 6;

/// What a schedule is rich in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mood {
    /// Of everything.
    Mixed,
    /// Adds, takes, acknowledgements.
    Busy,
    /// Crashes, expiries, sweeps.
    Deadly,
    /// Blocked clients.
    Sleepy,
    /// Things that no script does: hashes vanish, ids leave active.
    Torn,
}

/// The schedule of a seed: setup and `steps` steps.
#[must_use]
pub fn generate(seed: u64, steps: usize) -> Schedule {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let moods = [Mood::Mixed, Mood::Busy, Mood::Deadly, Mood::Deadly, Mood::Sleepy, Mood::Torn];
    let mood = moods.get(random.random_range(0..moods.len())).copied().unwrap_or(Mood::Mixed);
    let setup = Setup {
        workers: random.random_range(2..=4),
        lock: SHORT,
        stalled: SHORT,
        max_stalled: [0, 1, 1, 1, 2].get(random.random_range(0..5)).copied().unwrap_or(1),
    };
    let mut drawing = Drawing {
        jobs: random.random_range(1..=JOBS),
        planned: VecDeque::new(),
        random,
        mood,
        model: Model::new("m:", setup.workers),
        workers: Workers::new(&setup),
        setup: setup.clone(),
    };
    Schedule { setup, steps: (0..steps).map(|_| drawing.step()).collect() }
}

struct Drawing {
    random: ChaCha8Rng,
    mood: Mood,
    jobs: usize,
    /// Steps that are to come next.
    planned: VecDeque<Step>,
    setup: Setup,
    model: Model,
    workers: Workers,
}

impl Drawing {
    /// Draws until a step means something now (hardly ever more than twice), and runs it on the model.
    fn step(&mut self) -> Step {
        let mut step = self.draw();
        for _ in 0..20 {
            if let Some(call) = self.workers.call(&step, &self.model) {
                let side = self.model.step(&call);
                self.workers.learn(&step, &call, &side.reply, side.handed.keys().copied());
                break;
            }
            step = self.draw();
        }
        step
    }

    fn draw(&mut self) -> Step {
        if let Some(step) = self.planned.pop_front() {
            return step;
        }
        let worker = self.random.random_range(1..=self.setup.workers);
        if !self.workers.is_alive(worker) && self.chance(40) {
            return Step::Worker(worker, Act::Start);
        }
        let anything_expires =
            self.model.keys().next_expiry().is_some_and(|at| at <= self.model.now().plus(SHORT));
        let torn = u32::from(self.mood == Mood::Torn);
        let deadly = u32::from(self.mood == Mood::Deadly);
        let kinds = [
            ("add", 7 + 5 * u32::from(self.mood == Mood::Busy)),
            ("remove", 2),
            ("evict", 3 * torn),
            ("unlist", 3 * torn),
            ("pass", (5 + 10 * deadly) * u32::from(anything_expires)),
            ("sweep", 5 + 10 * deadly),
            ("worker", 34),
            ("recover", (1 + 5 * deadly) * u32::from(anything_expires)),
        ];
        match self.pick(&kinds) {
            "add" => self.add(),
            "remove" => self.of_job(Step::Remove),
            "evict" => self.of_job(Step::Evict),
            "unlist" => self.of_job(Step::Unlist),
            "pass" => Step::Pass(SHORT),
            "sweep" => Step::Worker(worker, Act::Sweep(self.long(12))),
            "recover" => {
                let sweep = || Step::Worker(worker, Act::Sweep(None));
                self.planned.extend([sweep(), Step::Pass(SHORT), sweep()]);
                Step::Pass(SHORT)
            }
            _ => Step::Worker(worker, self.act(worker)),
        }
    }

    fn pick<T: Copy + Default>(&mut self, choices: &[(T, u32)]) -> T {
        let all: u32 = choices.iter().map(|(_, weight)| weight).sum();
        let mut drawn = self.random.random_range(0..all.max(1));
        for (choice, weight) in choices {
            if drawn < *weight {
                return *choice;
            }
            drawn -= weight;
        }
        T::default()
    }

    fn chance(&mut self, percent: u32) -> bool {
        self.random.random_range(0..100) < percent
    }

    /// A duration that outlives the schedule, in so many of a hundred cases.
    fn long(&mut self, percent: u32) -> Option<Millis> {
        self.chance(percent).then_some(LONG)
    }

    fn add(&mut self) -> Step {
        let attempts = self.pick(&[(0, 5), (1, 2), (2, 2), (3, 2)]);
        let number = self.random.random_range(1..=self.jobs);
        let known = self.workers.jobs().count();
        if known < self.jobs && self.chance(15) {
            return Step::Add { id: None, attempts };
        }
        Step::Add { id: Some(format!("j_{number}")), attempts }
    }

    fn of_job(&mut self, step: fn(String) -> Step) -> Step {
        step(self.job())
    }

    /// The id of some job, mostly one that was added.
    fn job(&mut self) -> String {
        let known: Vec<String> = self.workers.jobs().map(str::to_owned).collect();
        let unknown = known.is_empty() || self.chance(5);
        let at = if unknown { known.len() } else { self.random.random_range(0..known.len()) };
        known.get(at).cloned().unwrap_or_else(|| "j_9".to_owned())
    }

    fn act(&mut self, worker: u8) -> Act {
        if self.workers.is_blocked(worker) {
            return self.pick_act(&[(Act::Wake, 3), (Act::Crash, 1)]);
        }
        let sleepy = u32::from(self.mood == Mood::Sleepy);
        let waiting = u32::from(self.model.keys().list(&self.model.queue().key("wait")).next().is_some());
        let holds = u32::from(self.workers.holds_any(worker));
        match self.pick(&[
            ("take", 1 + 9 * waiting),
            ("finish", 12 * holds),
            ("finish-other", 1),
            ("retry", 4 * holds),
            ("retry-other", 1),
            ("renew", 4 * holds),
            ("renew-one", holds),
            ("renew-other", 1),
            ("wake", 2 + sleepy),
            ("block", 2 + 12 * sleepy),
            ("crash", (1 + 2 * u32::from(self.mood == Mood::Deadly)) * holds),
        ]) {
            "take" => Act::Take(self.long(60)),
            "finish" => Act::Finish(OnJob::default(), self.finishing()),
            "finish-other" => Act::Finish(self.other(), self.finishing()),
            "retry" => Act::Retry(OnJob::default(), self.chance(50)),
            "retry-other" => Act::Retry(self.other(), self.chance(50)),
            "renew" => Act::Renew(self.long(50)),
            "renew-one" => Act::RenewOne(OnJob::default(), self.long(50)),
            "renew-other" => Act::RenewOne(self.other(), self.long(50)),
            "wake" => Act::Wake,
            "block" => Act::Block,
            _ => Act::Crash,
        }
    }

    fn pick_act(&mut self, choices: &[(Act, u32); 2]) -> Act {
        let weights = [(0, choices[0].1), (1, choices[1].1)];
        let at: usize = self.pick(&weights);
        choices.get(at).map_or(Act::Wake, |(act, _)| act.clone())
    }

    /// Some job with a token that is not the worker's, or not any more.
    fn other(&mut self) -> OnJob {
        let token = if self.chance(55) { Token::Stale } else { Token::Foreign };
        OnJob { id: Some(self.job()), token }
    }

    fn finishing(&mut self) -> Finishing {
        let failed = self.chance(30);
        Finishing {
            failed,
            no_fetch: self.chance(35),
            fields: failed && self.chance(50),
            lock: self.long(60),
        }
    }
}
