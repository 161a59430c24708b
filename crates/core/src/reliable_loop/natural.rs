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
    let mut due = world.keys.next_expiry().filter(|at| *at > world.now);
    for worker in running(world) {
        let at = worker.sweep_due;
        if sweeps(world) && at > world.now && due.is_none_or(|due| at < due) {
            due = Some(at);
        }
    }
    Some(due?.since(world.now))
}

/// In the order of their numbers, so that the first of equals is the lower number.
fn running(world: &World) -> impl Iterator<Item = &Worker> {
    world.workers.iter().filter(|worker| worker.is_running())
}

/// Is it the workers' duty to sweep?
fn sweeps(world: &World) -> bool {
    world.setup.guards.on(Guard::StalledSweep)
}

fn sweep_due(world: &World) -> Option<Action> {
    let mut first: Option<&Worker> = None;
    for worker in running(world) {
        let due = sweeps(world) && worker.sweep_due <= world.now;
        if due && first.is_none_or(|first| worker.sweep_due < first.sweep_due) {
            first = Some(worker);
        }
    }
    first.map(|worker| Action::Sweep(worker.id))
}

/// What a worker has to do now, without waiting for anything.
pub(crate) fn ready(world: &World) -> Option<Action> {
    let mut first: Option<(u8, &Worker)> = None;
    for worker in running(world) {
        let Some(urgency) = urgency(world, worker) else { continue };
        if first.is_none_or(|(most, _)| urgency < most) {
            first = Some((urgency, worker));
        }
    }
    first.map(|(_, worker)| Action::Operate(worker.id, worker.next_op()))
}

/// The lower the more urgent; `None` if it has nothing to do now.
fn urgency(world: &World, worker: &Worker) -> Option<u8> {
    match worker.next_op() {
        Op::Enroll | Op::Finish | Op::Retry | Op::Record | Op::Unlock | Op::Remove | Op::Complete => Some(0),
        Op::Take | Op::Move | Op::Pop => Some(1),
        Op::Wake | Op::Sleep => can_wake_now(world, worker).then_some(2),
        Op::Ask => Some(2),
    }
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
    let mut first: Option<(Millis, &Worker)> = None;
    for worker in running(world) {
        let Some(at) = worker.wait_ends(&world.setup) else { continue };
        if first.is_none_or(|(soonest, _)| at < soonest) {
            first = Some((at, worker));
        }
    }
    first
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
