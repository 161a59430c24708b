//! The loop as a model of stateright, written apart from the search of this crate, to check the one by the other.
//!
//! It shares with the search the reducer's public `step`, the invariants, and one page of rules about time (a lock may
//! expire unless its live owner renews it, a sweep may act and a wait may end at any moment). All else is its own. Where
//! the search rewrites a world so that nothing needless is left and takes it apart, the model keeps whole worlds as the
//! reducer made them and compares them by a *look* at what matters.

#![allow(clippy::wildcard_enum_match_arm, clippy::unwrap_used)]

use enroll_once_core::{
    check::{Bounds, Invariant},
    keyspace::{Client, Value},
    portal::PortalError,
    reliable_loop::{
        Action, Attempt, Guard, Held, Life, NewEnrollment, Op, Setup, Wait, Worker, WorkerId, World, step,
    },
    time::Millis,
};
use stateright::{Model, Property};
use std::{
    hash::{Hash, Hasher},
    sync::atomic::{AtomicBool, Ordering},
};

/// The loop with this setup, within these bounds.
pub struct Loop {
    pub setup: Setup,
    pub bounds: Bounds,
    /// Look at `no-loss` too: it runs every state to its end.
    pub no_loss: bool,
    /// An idle worker has sent a command. This is seen on the way, not in a state.
    pub idle_was_busy: AtomicBool,
}

impl Loop {
    pub fn new(setup: &Setup, bounds: Bounds) -> Self {
        let setup = Setup { workers: bounds.workers, ..setup.clone() };
        Self { setup, bounds, no_loss: true, idle_was_busy: AtomicBool::new(false) }
    }
}

/// A world, the faults spent on the way to it, and the look by which it is known.
#[derive(Clone, Debug)]
pub struct State {
    pub world: World,
    pub spent: Spent,
    look: Look,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Spent {
    crashes: u8,
    freezes: u8,
    lost_markers: u8,
    evicted_locks: u8,
    lost_replies: u8,
    outages: u8,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        (&self.look, self.spent) == (&other.look, other.spent)
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.look.hash(state);
        self.spent.hash(state);
    }
}

/// What matters about a world.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Look {
    wait: Vec<String>,
    active: Vec<String>,
    marker: bool,
    portal_down: bool,
    enrolled: Vec<(String, u8)>,
    jobs: Vec<JobLook>,
    workers: Vec<WorkerLook>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct JobLook {
    id: String,
    completed: bool,
    failed: bool,
    suspect: bool,
    locked: bool,
    stalled: u32,
    made: u32,
    deferred: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum WorkerLook {
    Dead,
    Alive { frozen: bool, next: &'static str, answered: bool, blocked: Option<usize>, job: Option<HeldLook> },
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct HeldLook {
    id: String,
    owns: bool,
    deferred: bool,
    refused: bool,
    attempts_left: bool,
    attempt: u8,
}

/// An action of the model.
#[derive(Clone, Debug, PartialEq)]
pub enum Move {
    /// An action of the reducer, as it is.
    Plain(Action),
    /// The sweep, effective.
    Sweep(WorkerId),
    /// The lock of a job expires.
    Expire(String),
}

impl Model for Loop {
    type State = State;
    type Action = Move;

    fn init_states(&self) -> Vec<State> {
        vec![self.state(World::new(self.setup.clone()), Spent::default())]
    }

    fn actions(&self, state: &State, moves: &mut Vec<Move>) {
        let (world, spent, bounds) = (&state.world, &state.spent, &self.bounds);
        let added = world.jobs().count();
        if added < bounds.jobs.into() {
            moves.push(Move::Plain(Action::Add(Box::new(job(added, &self.setup)))));
        }
        for worker in &world.workers {
            self.actions_of(state, worker, moves);
        }
        let sweeper = world.workers.iter().find(|worker| worker.is_running());
        if self.setup.guards.on(Guard::StalledSweep) {
            moves.extend(sweeper.map(|worker| Move::Sweep(worker.id)));
        }
        for id in world.jobs().filter(|id| world.keys.exists(&lock(id))) {
            let kept = world.workers.iter().any(|worker| worker.is_running() && owns(world, worker, id));
            if !kept || self.setup.renew >= self.setup.lock {
                moves.push(Move::Expire(id.to_string()));
            }
            if spent.evicted_locks < bounds.evicted_locks {
                moves.push(Move::Plain(Action::EvictLock(id.to_string())));
            }
        }
        if world.keys.exists("emq:enroll:marker") && spent.lost_markers < bounds.lost_markers {
            moves.push(Move::Plain(Action::LoseMarker));
        }
        if world.portal_down {
            moves.push(Move::Plain(Action::PortalUp));
        } else if spent.outages < bounds.outages {
            moves.push(Move::Plain(Action::PortalDown));
        }
    }

    fn next_state(&self, last: &State, of: Move) -> Option<State> {
        let mut world = last.world.clone();
        let mut spent = last.spent;
        let action = match of {
            Move::Expire(id) => {
                world.keys.evict(&lock(&id));
                return Some(self.state(world, spent));
            }
            Move::Sweep(worker) => {
                world.keys.evict("emq:enroll:stalled-check");
                Action::Sweep(worker)
            }
            Move::Plain(action) => action,
        };
        match action {
            Action::Crash(_) => spent.crashes += 1,
            Action::Freeze(_) => spent.freezes += 1,
            Action::LoseMarker => spent.lost_markers += 1,
            Action::EvictLock(_) => spent.evicted_locks += 1,
            Action::LoseReply(_) => spent.lost_replies += 1,
            Action::PortalDown => spent.outages += 1,
            _ => {}
        }
        Some(self.state(step(&world, &action).world, spent))
    }

    fn properties(&self) -> Vec<Property<Self>> {
        macro_rules! always {
            ($($invariant:ident: $code:literal),*) => {
                vec![$(Property::<Self>::always($code, |model, state| {
                    let skipped = Invariant::$invariant == Invariant::NoLoss && !model.no_loss;
                    skipped || Invariant::$invariant.holds(&state.world)
                })),*]
            };
        }
        let mut properties = always! {
            OnePlace: "one-place",
            OneEffect: "one-effect",
            OneOwner: "one-owner",
            EffectBeforeAck: "effect-before-ack",
            NoLoss: "no-loss",
            FoldIsLog: "fold-is-log"
        };
        // With every property discovered the checker would stop before it has seen all states.
        properties.push(Property::<Self>::always("time stands still", |_, state| {
            state.world.now == Setup::LONGEST
        }));
        properties
    }
}

impl Loop {
    fn actions_of(&self, state: &State, worker: &Worker, moves: &mut Vec<Move>) {
        let (id, bounds, spent) = (worker.id, &self.bounds, &state.spent);
        let mut add = |can: bool, action: Action| {
            if can {
                moves.push(Move::Plain(action));
            }
        };
        let held = worker.job.as_ref();
        let owns = held.is_some_and(|held| owns(&state.world, worker, &held.id));
        add(worker.is_running(), Action::Operate(id, worker.next_op()));
        add(worker.is_running() && owns, Action::Renew(id));
        add(worker.life != Life::Dead && spent.crashes < bounds.crashes, Action::Crash(id));
        add(worker.life == Life::Dead, Action::Start(id));
        add(worker.is_running() && spent.freezes < bounds.freezes, Action::Freeze(id));
        add(worker.life == Life::Frozen, Action::Thaw(id));
        let acknowledges = held.is_some() && worker.next_op() != Op::Enroll;
        add(
            worker.is_running() && acknowledges && spent.lost_replies < bounds.lost_replies,
            Action::LoseReply(id),
        );
    }

    /// The world at the instant at which time stands still: every wait began long ago, nothing expires by itself.
    fn state(&self, mut world: World, spent: Spent) -> State {
        world.now = Setup::LONGEST;
        for worker in &mut world.workers {
            if let Wait::Arrived { at: since } | Wait::Blocked { since } = &mut worker.wait {
                *since = Millis(0);
            }
        }
        // Nothing reads the events; without them a world stays small.
        world.keys.evict("emq:enroll:events");
        if world.idle_commands > 0 {
            self.idle_was_busy.store(true, Ordering::Relaxed);
            world.idle_commands = 0;
        }
        State { look: look(&world), world, spent }
    }
}

fn lock(id: &str) -> String {
    format!("emq:enroll:{id}:lock")
}

/// Does the worker hold this job, and its lock?
fn owns(world: &World, worker: &Worker, id: &str) -> bool {
    let held = worker.job.as_ref().filter(|held| held.id == id);
    held.is_some_and(|held| world.keys.get(&lock(id)) == Some(&Value::Text(held.token.clone())))
}

/// The job that is added after so many others, each of its own learner; the first is the default one.
fn job(added: usize, setup: &Setup) -> NewEnrollment {
    let learners = ["USR0KHTOWnGLuC", "USR0KHTOWnGLuD", "USR0KHTOWnGLuE", "USR0KHTOWnGLuF"];
    let who = Some((learners[added].to_string(), setup.course.clone()));
    NewEnrollment { id: Some(format!("j_{}", added + 1)), who }
}

fn look(world: &World) -> Look {
    let mut active: Vec<String> = world.list("active").map(String::from).collect();
    active.sort();
    let mut enrolled: Vec<(String, u8)> = vec![];
    for event in world.portal.log() {
        let learner = event.user_id.as_str();
        match enrolled.iter_mut().find(|(known, _)| known == learner) {
            Some((_, times)) => *times = 2,
            None => enrolled.push((learner.to_string(), 1)),
        }
    }
    enrolled.sort();
    let mut workers: Vec<WorkerLook> =
        world.workers.iter().map(|worker| worker_look(world, worker)).collect();
    workers.sort();
    Look {
        wait: world.list("wait").map(String::from).collect(),
        active,
        marker: world.keys.exists("emq:enroll:marker"),
        portal_down: world.portal_down,
        enrolled,
        jobs: world.jobs().map(|id| job_look(world, id)).collect(),
        workers,
    }
}

fn job_look(world: &World, id: &str) -> JobLook {
    let is_in = |name: &str| world.keys.has_member(&format!("emq:enroll:{name}"), id);
    let field = |name: &str| world.keys.field(&format!("emq:enroll:{id}"), name);
    let count = |name: &str| field(name).map_or(0, |number| number.parse().unwrap());
    JobLook {
        id: id.to_string(),
        completed: is_in("completed"),
        failed: is_in("failed"),
        suspect: is_in("stalled"),
        locked: world.keys.exists(&lock(id)),
        stalled: count("stc").min(world.setup.max_stalled + 1),
        made: count("atm").min(world.setup.attempts),
        deferred: field("defa").is_some(),
    }
}

fn worker_look(world: &World, worker: &Worker) -> WorkerLook {
    if worker.life == Life::Dead {
        return WorkerLook::Dead;
    }
    let waits = worker.next_op() == Op::Wake;
    let mut blocked = world.keys.blocked();
    WorkerLook::Alive {
        frozen: worker.life == Life::Frozen,
        next: worker.next_op().word(),
        answered: waits && matches!(worker.wait, Wait::Answered(_)),
        blocked: blocked.position(|Client(number)| number + 1 == worker.id.0),
        job: worker.job.as_ref().map(|held| held_look(world, worker, held)),
    }
}

fn held_look(world: &World, worker: &Worker, held: &Held) -> HeldLook {
    let only_to_fail = held.refused || held.deferred.is_some();
    HeldLook {
        id: held.id.clone(),
        owns: owns(world, worker, &held.id),
        deferred: held.deferred.is_some(),
        refused: held.refused,
        attempts_left: held.attempts_left,
        attempt: match held.attempt {
            _ if only_to_fail => 0,
            Attempt::NotRun => 0,
            Attempt::Recorded | Attempt::Refused(PortalError::AlreadyEnrolled) => 1,
            Attempt::Refused(PortalError::CourseNotFound) => 2,
            Attempt::Failed => 3,
        },
    }
}
