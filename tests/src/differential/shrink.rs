//! The shortest schedule that still shows a difference: a story that a person can read.

use super::{
    bench::Bench,
    compare::Difference,
    run::run_one,
    schedule::{Act, Finishing, OnJob, Schedule, Step, Token},
};
use anyhow::Result;

/// More than any schedule needed; a bound all the same.
const ROUNDS: usize = 20;

/// A schedule, and the step and difference that it comes down to.
#[derive(Clone, Debug)]
pub struct Shrunk {
    /// Nothing can be left out of it.
    pub schedule: Schedule,
    /// The last step: its number.
    pub step: usize,
    /// What differs there.
    pub difference: Difference,
}

/// Leaves out and simplifies as long as a difference of this kind remains.
///
/// # Errors
/// The server is gone.
pub fn shrink(bench: &mut Bench, schedule: &Schedule, kind: &str) -> Result<Option<Shrunk>> {
    let Some(mut best) = shows(bench, schedule, kind)? else { return Ok(None) };
    for _ in 0..ROUNDS {
        let before = best.schedule.clone();
        best = leave_out(bench, best, kind)?;
        best = simplify(bench, best, kind)?;
        if best.schedule == before {
            break;
        }
    }
    Ok(Some(best))
}

/// The schedule cut off behind the first difference of this kind, if it has one.
fn shows(bench: &mut Bench, schedule: &Schedule, kind: &str) -> Result<Option<Shrunk>> {
    let differences = run_one(bench, schedule)?;
    let first = differences.into_iter().find(|(_, difference)| difference.kind() == kind);
    Ok(first.map(|(step, difference)| {
        let mut schedule = schedule.clone();
        schedule.steps.truncate(step);
        Shrunk { schedule, step, difference }
    }))
}

/// Halves, quarters, ... single steps.
fn leave_out(bench: &mut Bench, mut best: Shrunk, kind: &str) -> Result<Shrunk> {
    let mut size = best.schedule.steps.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.schedule.steps.len() {
            let mut shorter = best.schedule.clone();
            let end = (at + size).min(shorter.steps.len());
            shorter.steps.drain(at..end);
            match shows(bench, &shorter, kind)? {
                Some(shown) => best = shown,
                None => at += size,
            }
        }
        size /= 2;
    }
    Ok(best)
}

/// Lower numbers, fewer workers, plainer steps.
fn simplify(bench: &mut Bench, mut best: Shrunk, kind: &str) -> Result<Shrunk> {
    for plainer in plainer_wholes(&best.schedule) {
        if let Some(shown) = shows(bench, &plainer, kind)? {
            best = shown;
            break;
        }
    }
    for at in 0..best.schedule.steps.len() {
        let Some(step) = best.schedule.steps.get(at) else { break };
        for plainer in plainer(step) {
            let mut changed = best.schedule.clone();
            if let Some(step) = changed.steps.get_mut(at) {
                *step = plainer;
            }
            if let Some(shown) = shows(bench, &changed, kind)? {
                best = shown;
                break;
            }
        }
    }
    Ok(best)
}

/// The schedule with one change that goes through all of it.
fn plainer_wholes(schedule: &Schedule) -> Vec<Schedule> {
    let mut all = Vec::new();
    let mut change = |change: &dyn Fn(&mut Schedule)| {
        let mut changed = schedule.clone();
        change(&mut changed);
        if changed != *schedule {
            all.push(changed);
        }
    };
    change(&|schedule| schedule.setup.max_stalled = 1);
    for workers in 1..schedule.setup.workers {
        change(&|schedule| schedule.setup.workers = workers);
    }
    let mut seen: Vec<u8> = Vec::new();
    let mut ids: Vec<String> = Vec::new();
    for step in &schedule.steps {
        match step {
            Step::Worker(worker, _) if !seen.contains(worker) => seen.push(*worker),
            Step::Add { id: Some(id), .. } if !ids.contains(id) => ids.push(id.clone()),
            Step::Worker(..)
            | Step::Add { .. }
            | Step::Remove(_)
            | Step::Evict(_)
            | Step::Unlist(_)
            | Step::Pass(_) => {}
        }
    }
    // Whoever acts first is w1, the job that is added first is j_1. Names are changed by way of the story's text:
    // there is one place that knows every token.
    change(&|schedule| {
        for step in &mut schedule.steps {
            if let Step::Worker(worker, _) = step
                && let Some(at) = seen.iter().position(|seen| seen == worker)
            {
                *worker = u8::try_from(at + 1).unwrap_or(u8::MAX);
            }
        }
    });
    change(&|schedule| {
        for step in &mut schedule.steps {
            let parts = step.to_string();
            let parts = parts.split(':').map(|part| match ids.iter().position(|id| id == part) {
                Some(at) => format!("j_{}", at + 1),
                None => part.to_owned(),
            });
            if let Ok(renamed) = parts.collect::<Vec<_>>().join(":").parse() {
                *step = renamed;
            }
        }
    });
    all
}

/// The same step with less to it, the plainest first.
fn plainer(step: &Step) -> Vec<Step> {
    let all = match step {
        Step::Add { id, .. } => {
            let first = Some("j_1".to_owned());
            vec![Step::Add { id: first, attempts: 0 }, Step::Add { id: id.clone(), attempts: 0 }]
        }
        Step::Worker(worker, act) => {
            let acts = plainer_acts(act);
            let plain = acts.iter().cloned().map(|act| Step::Worker(*worker, act));
            let first = acts.iter().cloned().chain([act.clone()]).map(|act| Step::Worker(1, act));
            first.chain(plain).collect()
        }
        Step::Remove(_) | Step::Evict(_) | Step::Unlist(_) | Step::Pass(_) => Vec::new(),
    };
    all.into_iter().take_while(|plainer| plainer != step).collect()
}

fn plainer_acts(act: &Act) -> Vec<Act> {
    let own = OnJob::default();
    match act {
        Act::Take(_) => vec![Act::Take(None)],
        Act::Renew(_) => vec![Act::Renew(None)],
        Act::Sweep(_) => vec![Act::Sweep(None)],
        Act::RenewOne(job, _) => vec![Act::RenewOne(own, None), Act::RenewOne(job.clone(), None)],
        Act::Retry(job, _) => vec![Act::Retry(own, false), Act::Retry(job.clone(), false)],
        Act::Finish(job, finishing) => {
            let on_own = OnJob { id: None, token: job.token };
            let foreign = OnJob { id: job.id.clone(), token: Token::Foreign };
            let with = |change: fn(&mut Finishing)| {
                let mut changed = *finishing;
                change(&mut changed);
                Act::Finish(job.clone(), changed)
            };
            vec![
                Act::Finish(own, Finishing::default()),
                Act::Finish(on_own, Finishing::default()),
                Act::Finish(foreign, Finishing::default()),
                Act::Finish(job.clone(), Finishing::default()),
                with(|finishing| finishing.fields = false),
                with(|finishing| finishing.lock = None),
                with(|finishing| finishing.failed = false),
                with(|finishing| finishing.no_fetch = false),
            ]
        }
        Act::Wake | Act::Block | Act::Crash | Act::Start => Vec::new(),
    }
}
