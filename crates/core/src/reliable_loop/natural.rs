//! The natural schedule: what would happen next if nobody interfered.

use super::{Action, Guard, Life, Op, Wait, Worker, World};
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
pub(crate) fn until_due(world: &World) -> Option<Millis> {
    let sweeps = sweeping(world).map(|worker| worker.sweep_due);
    let due = sweeps.chain(world.keys.next_expiry()).filter(|at| *at > world.now).min()?;
    Some(due.since(world.now))
}

/// In the order of their numbers, so that the first of equals is the lower number.
fn running(world: &World) -> impl Iterator<Item = &Worker> {
    world.workers.iter().filter(|worker| worker.is_running())
}

/// Those whose duty it is to sweep.
fn sweeping(world: &World) -> impl Iterator<Item = &Worker> {
    running(world).filter(|_| world.setup.guards.on(Guard::StalledSweep))
}

fn sweep_due(world: &World) -> Option<Action> {
    let due = sweeping(world).filter(|worker| worker.sweep_due <= world.now);
    due.min_by_key(|worker| worker.sweep_due).map(|worker| Action::Sweep(worker.id))
}

/// What a worker has to do now, without waiting for anything.
pub(crate) fn ready(world: &World) -> Option<Action> {
    let urgency = |worker: &&Worker| match worker.next_op() {
        Op::Enroll | Op::Finish | Op::Retry | Op::Record | Op::Unlock | Op::Remove | Op::Complete => Some(0),
        Op::Take | Op::Move | Op::Pop => Some(1),
        Op::Wake | Op::Sleep => can_wake_now(world, worker).then_some(2),
        Op::Ask => Some(2),
    };
    let ready = running(world).filter_map(|worker| Some((urgency(&worker)?, worker)));
    ready.min_by_key(|(urgency, _)| *urgency).map(|(_, worker)| Action::Operate(worker.id, worker.next_op()))
}

/// Has the worker's wait an answer, or can it pop the marker itself, or is its time over?
fn can_wake_now(world: &World, worker: &Worker) -> bool {
    let marker_is_up = || world.keys.exists(&world.setup.queue().key("marker"));
    let answered = match worker.wait {
        Wait::Answered(_) => true,
        Wait::Arrived { .. } => worker.next_op() == Op::Wake && marker_is_up(),
        Wait::Blocked { .. } | Wait::Returned => false,
    };
    answered || worker.wait_ends(&world.setup).is_some_and(|at| at <= world.now)
}

fn supervise(world: &World) -> Option<Action> {
    if running(world).next().is_some() || world.is_settled() {
        return None;
    }
    world.workers.iter().find(|worker| worker.life == Life::Dead).map(|worker| Action::Start(worker.id))
}

/// The wait, or sleep between two polls, that ends first, and when.
pub(crate) fn first_wait_end(world: &World) -> Option<(Millis, &Worker)> {
    running(world)
        .filter_map(|worker| Some((worker.wait_ends(&world.setup)?, worker)))
        .min_by_key(|(at, _)| *at)
}

/// The next thing that only time brings. Expiry before timers, a sweep before the end of a wait.
fn deadline(world: &World) -> Option<Action> {
    let wait_ends = first_wait_end(world);
    let other = until_due(world);
    match (wait_ends, other) {
        (Some((at, worker)), Some(other)) if at < world.now.plus(other) => {
            Some(Action::Operate(worker.id, worker.next_op()))
        }
        (Some((_, worker)), None) => Some(Action::Operate(worker.id, worker.next_op())),
        (_, Some(other)) => Some(Action::Advance(other)),
        (None, None) => None,
    }
}
