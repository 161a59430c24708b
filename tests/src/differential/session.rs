//! One schedule on its way: step by step on both sides, parked while it waits for a real expiry.

use super::{
    bench::Bench,
    call::{Call, Pop, Script},
    compare::{Difference, Part, compare, kind_of_key, sort_events, sort_sweep},
    model::Model,
    real::Real,
    schedule::Schedule,
    side::Side,
    tally::Tally,
    workers::Workers,
};
use anyhow::Result;
use enroll_once_core::time::Millis;
use std::{
    collections::BTreeMap,
    ops::Range,
    time::{Duration, Instant},
};

/// How long a parked schedule waits for a time-out of `BZPOPMIN`.
const TIME_OUT: Duration = Duration::from_millis(20);
/// How soon a key that should be gone is looked at again.
const AGAIN: Duration = Duration::from_millis(2);
/// How much later than due a key may vanish before that counts as a difference.
const OVERDUE: Duration = Duration::from_secs(5);
/// How far the two clocks (this program's, the server's) may be apart within one life of a key.
const TOLERANCE: Duration = Duration::from_millis(3);

/// Where a schedule stands.
pub enum Progress {
    /// Nothing to do before this instant.
    Parked(Instant),
    /// It ran to its end, or to its first visible difference.
    Done,
    /// This program was held up so long that a key may have expired between two steps. What it saw from there on
    /// means nothing: it must run again from the beginning.
    Slipped,
}

/// A key that expires: since when at the latest, and how long it lives.
struct Clock {
    expires_at: Millis,
    since: Instant,
    lives: Duration,
}

/// A step that has begun.
struct Pending {
    call: Call,
    model: Side,
    before: Instant,
    /// Full names of the keys that must vanish, and since when they should have.
    vanishing: Vec<String>,
    due: Instant,
}

/// One schedule, both sides.
pub struct Session {
    schedule: Schedule,
    model: Model,
    workers: Workers,
    real: Real,
    next: usize,
    pending: Option<Pending>,
    clocks: BTreeMap<String, Clock>,
    /// Where in the stream the events of a sweep lie.
    sweeps: Vec<Range<usize>>,
    /// What differed, with the number of the step.
    pub differences: Vec<(usize, Difference)>,
    /// What was done and answered.
    pub tally: Tally,
}

impl Session {
    /// At the beginning, with a prefix of its own.
    #[must_use]
    pub fn new(schedule: Schedule, prefix: &str) -> Self {
        let model = Model::new(prefix, schedule.setup.workers);
        Self {
            workers: Workers::new(&schedule.setup),
            schedule,
            real: Real::new(model.queue().clone()),
            model,
            next: 0,
            pending: None,
            clocks: BTreeMap::new(),
            sweeps: Vec::new(),
            differences: Vec::new(),
            tally: Tally::default(),
        }
    }

    /// What all its keys begin with.
    #[must_use]
    pub fn prefix(&self) -> &str {
        self.model.queue().prefix()
    }

    /// Runs as far as it can without waiting.
    ///
    /// # Errors
    /// The server is gone.
    pub fn advance(&mut self, bench: &mut Bench) -> Result<Progress> {
        loop {
            let Some(pending) = self.pending.take() else {
                match self.begin(bench)? {
                    None => return Ok(Progress::Done),
                    Some(now) if now => continue,
                    Some(_) => return Ok(Progress::Parked(self.wake_at())),
                }
            };
            if self.is_too_early(bench, &pending)? {
                self.pending = Some(pending);
                return Ok(Progress::Parked(self.wake_at().max(Instant::now() + AGAIN)));
            }
            let redis = self.real.finish(bench, &pending.call, self.model.now())?;
            if self.has_slipped(&pending) {
                return Ok(Progress::Slipped);
            }
            if self.compare(pending, redis) {
                return Ok(Progress::Done);
            }
        }
    }

    /// When the first key expires that must not expire before the next steps are done.
    #[must_use]
    pub fn next_expiry(&self) -> Option<Instant> {
        let vanishing = self.pending.iter().flat_map(|pending| &pending.vanishing).collect::<Vec<_>>();
        let lasting = self.clocks.iter().filter(|(key, _)| !vanishing.contains(key));
        lasting.map(|(_, clock)| clock.since + clock.lives).min()
    }

    fn wake_at(&self) -> Instant {
        self.pending.as_ref().map_or_else(Instant::now, |pending| pending.due)
    }

    /// Begins the next step that means something. `None`: there is none left. False: it must wait.
    fn begin(&mut self, bench: &mut Bench) -> Result<Option<bool>> {
        let call = loop {
            let Some(step) = self.schedule.steps.get(self.next) else { return Ok(None) };
            self.next += 1;
            match self.workers.call(step, &self.model) {
                Some(call) => break call,
                None => self.tally.passed_over += 1,
            }
        };
        let before = Instant::now();
        let alive: Vec<String> = self.clocks.keys().cloned().collect();
        let model = self.model.step(&call);
        let is_gone = |key: &String| !self.model.keys().exists(key);
        let vanishing: Vec<String> = match call {
            Call::Pass(_) => alive.into_iter().filter(is_gone).collect(),
            Call::Script(_) | Call::Pop(_) | Call::Evict(_) | Call::Unlist(_) | Call::Nothing => Vec::new(),
        };
        self.real.begin(bench, &call)?;
        let ends =
            vanishing.iter().filter_map(|key| self.clocks.get(key)).map(|clock| clock.since + clock.lives);
        let due = match call {
            Call::Pop(Pop::TimeOut(_)) => before + TIME_OUT,
            Call::Pop(_)
            | Call::Script(_)
            | Call::Evict(_)
            | Call::Unlist(_)
            | Call::Nothing
            | Call::Pass(_) => ends.max().unwrap_or(before),
        };
        self.pending = Some(Pending { call, model, before, vanishing, due });
        Ok(Some(due <= Instant::now()))
    }

    /// Is something still there that must vanish? After long enough it is not waited for any more.
    fn is_too_early(&mut self, bench: &mut Bench, pending: &Pending) -> Result<bool> {
        if pending.vanishing.is_empty() || Instant::now() > pending.due + OVERDUE {
            return Ok(Instant::now() < pending.due);
        }
        let mut exists = redis::cmd("EXISTS");
        exists.arg(&pending.vanishing);
        Ok(bench.plain(&exists)? != redis::Value::Int(0))
    }

    /// Could a key that lives in the model have expired in Redis by now? Also brings the clocks up to date.
    fn has_slipped(&mut self, pending: &Pending) -> bool {
        let now = Instant::now();
        let overdue = |clock: &Clock| clock.since + clock.lives <= now + TOLERANCE;
        let vanishing = |key: &String| pending.vanishing.contains(key);
        let before = self.clocks.iter().any(|(key, clock)| overdue(clock) && !vanishing(key));
        let mut clocks = BTreeMap::new();
        for (key, entry) in self.model.keys().iter() {
            let Some(expires_at) = entry.expires_at else { continue };
            let clock = match self.clocks.remove(key) {
                Some(clock) if clock.expires_at == expires_at => clock,
                Some(_) | None => {
                    let lives = Duration::from_millis(expires_at.since(self.model.now()).0);
                    Clock { expires_at, since: pending.before, lives }
                }
            };
            clocks.insert(key.clone(), clock);
        }
        self.clocks = clocks;
        before || self.clocks.values().any(overdue)
    }

    /// True if the schedule ends here.
    fn compare(&mut self, pending: Pending, mut redis: Side) -> bool {
        let Pending { call, mut model, .. } = pending;
        if let Call::Script(Script::Sweep { .. }) = call {
            self.follow_order(&mut model, &mut redis);
        }
        sort_events(&mut model.events, &self.sweeps);
        sort_events(&mut redis.events, &self.sweeps);
        let mut found = compare(call.name(), &model, &redis);
        found.extend(self.compare_expiries(call.name(), &redis));
        let Some(step) = self.schedule.steps.get(self.next - 1) else { return true };
        self.tally.count(&call, &model);
        self.workers.learn(step, &call, &model.reply, model.handed.keys().copied());
        let ends = found.iter().any(Difference::is_visible);
        let prefix = self.model.queue().prefix();
        self.differences.extend(found.into_iter().map(|difference| (self.next, difference.without(prefix))));
        if ends || self.next == self.schedule.steps.len() {
            self.tally.count_events(&model.events);
        }
        ends
    }

    /// A sweep takes its suspects in the order of Redis' set, which is random: see [`sort_sweep`]. In the model's
    /// wait the recovered jobs are put into the order that Redis took.
    fn follow_order(&mut self, model: &mut Side, redis: &mut Side) {
        let since = self.sweeps.last().map_or(0, |sweep| sweep.end);
        let (Some(mut own), Some(theirs)) = (sort_sweep(model), sort_sweep(redis)) else { return };
        self.sweeps.push(since.max(model.events.len() - own.len() * 2)..model.events.len());
        own.sort();
        let mut sorted = theirs.clone();
        sorted.sort();
        if own == sorted && own.len() > 1 {
            self.model.reorder_recovered(&theirs.iter().map(String::as_str).collect::<Vec<_>>());
            model.keys = self.model.look().keys;
        }
    }

    /// Both keep or both expire, and what is left is what the script gave minus the time since.
    fn compare_expiries(&self, call: &str, redis: &Side) -> Vec<Difference> {
        let mut found = Vec::new();
        for (name, state) in &redis.keys {
            let clock = self.clocks.get(&[self.prefix(), name].concat());
            let (fits, model) = match clock {
                None => (state.pttl == -1, "never".to_owned()),
                Some(Clock { since, lives, .. }) => {
                    let least = lives.saturating_sub(since.elapsed() + TOLERANCE);
                    let left = u64::try_from(state.pttl).map(Duration::from_millis);
                    let fits = left.is_ok_and(|left| least <= left && left <= *lives);
                    (fits, format!("in {} to {} ms", least.as_millis(), lives.as_millis()))
                }
            };
            if !fits {
                let part = Part::Expiry(kind_of_key(name));
                found.push(Difference {
                    call: call.to_owned(),
                    part,
                    model,
                    redis: format!("in {} ms", state.pttl),
                });
            }
        }
        found
    }
}
