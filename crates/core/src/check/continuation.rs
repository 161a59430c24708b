//! What becomes of a world if nothing more goes wrong: the natural schedule to its end.

use super::invariant::ends_well_already;
use crate::reliable_loop::{Action, Life, Op, World, first_wait_end, next, ready, step, until_due};

/// More actions than any end needs: an end takes some dozens, as waits that change nothing are left out.
const MOST_ACTIONS: usize = 2_000;

/// Does every job end completed and its learner enrolled, or visibly in failed?
pub(super) fn ends_well(world: &World) -> bool {
    ends_well_already(&run_on(world))
}

/// Runs the natural schedule until nothing is left to do, or nothing more would ever happen.
///
/// Nothing more goes wrong, and what went wrong is put right: Portal comes up, and when only frozen workers are left,
/// one thaws. Polls while nothing waits and sweeps while everything is locked are left out: they change nothing, and
/// there can be any number of them.
#[must_use]
pub fn run_on(world: &World) -> World {
    let mut world = world.clone();
    for _ in 0..MOST_ACTIONS {
        let Some(action) = goes_on(&world).filter(|_| !world.is_settled()) else { break };
        world = step(&world, &action).world;
    }
    world
}

/// The next action of the natural schedule; `None` when nothing more would ever happen.
pub(super) fn goes_on(world: &World) -> Option<Action> {
    if world.portal_down {
        return Some(Action::PortalUp);
    }
    let of_life = |life| world.workers.iter().find(|worker| worker.life == life).map(|worker| worker.id);
    if of_life(Life::Running).or(of_life(Life::Dead)).is_none() {
        return of_life(Life::Frozen).map(Action::Thaw);
    }
    let in_vain = |action: &Action| changes_nothing(world, action);
    let action = next(world)?;
    if !in_vain(&action) {
        return Some(action);
    }
    ready(world).filter(|action| !in_vain(action)).or_else(|| time_passes(world))
}

/// A poll while nothing waits, or a sweep that finds nothing to return.
fn changes_nothing(world: &World, action: &Action) -> bool {
    let polls = matches!(action, Action::Operate(_, Op::Wake | Op::Ask | Op::Sleep));
    let sweeps = matches!(action, Action::Sweep(_));
    (polls && !a_job_waits(world)) || (sweeps && all_locked(world))
}

/// Nobody has anything to do now. A job that waits is found when a wait ends, one in active when its lock is gone.
fn time_passes(world: &World) -> Option<Action> {
    if a_job_waits(world) {
        return first_wait_end(world).map(|(_, worker)| Action::Operate(worker.id, worker.next_op()));
    }
    if all_locked(world) { next_lock_expires(world) } else { until_due(world).map(Action::Advance) }
}

fn a_job_waits(world: &World) -> bool {
    world.list("wait").next().is_some()
}

/// Has every job in active a lock, so that a sweep finds nothing to return?
fn all_locked(world: &World) -> bool {
    let queue = world.setup.queue();
    world.list("active").all(|job| world.keys.exists(&queue.lock(job)))
}

fn next_lock_expires(world: &World) -> Option<Action> {
    let queue = world.setup.queue();
    let left = world.list("active").filter_map(|job| world.keys.time_left(&queue.lock(job), world.now));
    left.min().map(Action::Advance)
}
