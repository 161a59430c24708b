//! The natural schedule: what would happen next if nobody interfered.

use super::{Action, Life, Op, Wait, Worker, World};
use crate::time::Millis;

/// The one thing that would happen next; `None` only if no process is left that could do anything.
///
/// Operations take no time. At one instant, first a sweep that is due, then a worker with a job, then one that was
/// woken, then one whose wait can end; among equals the lower number. With nothing to do now the clock goes to the
/// next deadline: an expiry, a sweep, the end of a blocking wait. When no worker is left and jobs are, a supervisor
/// starts one.
#[must_use]
pub fn next(world: &World) -> Option<Action> {
    sweep_due(world).or_else(|| ready(world)).or_else(|| supervise(world)).or_else(|| deadline(world))
}

/// How long until the next expiry or sweep, if that is not now.
pub(super) fn until_due(world: &World) -> Option<Millis> {
    let sweeps = running(world).map(|worker| worker.sweep_due);
    let due = sweeps.chain(world.keys.next_expiry()).filter(|at| *at > world.now).min()?;
    Some(due.since(world.now))
}

fn running(world: &World) -> impl Iterator<Item = &Worker> {
    world.workers.iter().filter(|worker| worker.is_running())
}

fn sweep_due(world: &World) -> Option<Action> {
    let due = running(world).filter(|worker| worker.sweep_due <= world.now);
    due.min_by_key(|worker| (worker.sweep_due, worker.id)).map(|worker| Action::Sweep(worker.id))
}

fn ready(world: &World) -> Option<Action> {
    let urgency = |worker: &&Worker| match worker.next_op() {
        Op::Enroll | Op::Finish => Some(0),
        Op::Take => Some(1),
        Op::Wake => can_wake_now(world, worker).then_some(2),
    };
    let ready = running(world).filter_map(|worker| Some((urgency(&worker)?, worker)));
    ready
        .min_by_key(|(urgency, worker)| (*urgency, worker.id))
        .map(|(_, worker)| Action::Operate(worker.id, worker.next_op()))
}

/// Has the worker's wait an answer, or can it pop the marker itself, or is its time over?
fn can_wake_now(world: &World, worker: &Worker) -> bool {
    match worker.wait {
        Wait::Answered(_) => true,
        Wait::Arrived { .. } => world.keys.exists(&world.setup.queue().key("marker")),
        Wait::Blocked { since } => since.plus(world.setup.drain) <= world.now,
        Wait::Returned => false,
    }
}

fn supervise(world: &World) -> Option<Action> {
    if running(world).next().is_some() || world.is_settled() {
        return None;
    }
    world.workers.iter().find(|worker| worker.life == Life::Dead).map(|worker| Action::Start(worker.id))
}

/// The next thing that only time brings. Expiry before timers, a sweep before the end of a wait.
fn deadline(world: &World) -> Option<Action> {
    let wait_ends = running(world)
        .filter_map(|worker| match worker.wait {
            Wait::Arrived { at: since } | Wait::Blocked { since } => {
                Some((since.plus(world.setup.drain), worker))
            }
            Wait::Answered(_) | Wait::Returned => None,
        })
        .min_by_key(|(at, worker)| (*at, worker.id));
    let other = until_due(world);
    match (wait_ends, other) {
        (Some((at, worker)), Some(other)) if at < world.now.plus(other) => {
            Some(Action::Operate(worker.id, Op::Wake))
        }
        (Some((_, worker)), None) => Some(Action::Operate(worker.id, Op::Wake)),
        (_, Some(other)) => Some(Action::Advance(other)),
        (None, None) => None,
    }
}
