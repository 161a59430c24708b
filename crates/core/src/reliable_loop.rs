//! The pure reducer: the only place where queue and consumer meet.
//!
//! [`step`] is total and pure: same world, same action, same result. An [`Action`] is one thing that can really happen
//! in one piece (one script, one blocking pop, one Portal call, one process dying), so a worker can die between any two
//! of them and nowhere inside. Time moves only by [`Action::Advance`], and by a wake that ends in a time-out.
//!
//! ```
//! use enroll_once_core::reliable_loop::{Setup, World, next, step};
//!
//! let world = World::new(Setup::default());
//! let first = next(&world).expect("workers poll, so something always comes next");
//! assert_eq!(step(&world, &first), step(&world, &first));
//! ```

mod action;
mod clock;
mod fact;
mod faults;
mod finish;
mod guards;
mod milestone;
mod naive;
mod natural;
mod operate;
mod program;
mod refusal;
mod setup;
mod worker;

pub use action::{Action, NewEnrollment, available, why_not};
pub use fact::{Actor, Fact};
pub(crate) use finish::REFUSED;
pub(crate) use guards::LEFT_OUT;
pub use guards::{Guard, Guards, NAIVE};
pub use milestone::{Milestone, Press, RanStep, Stage, milestone, press, press_crash};
pub use natural::next;
pub(crate) use natural::{first_wait_end, ready, until_due};
pub(crate) use operate::{data_of, learner_and_course};
pub use program::{Op, Program};
pub use refusal::Refusal;
pub use setup::Setup;
pub use worker::{Attempt, Held, Life, Wait, Worker, WorkerId};

use crate::{
    keyspace::{Atomic, KeySpace, Value},
    portal::{CourseId, Portal},
    protocol::{Operation, Reply, serve_blocked},
    time::Millis,
};
use alloc::{string::String, sync::Arc, vec::Vec};

/// Everything there is: the clock, Redis, the workers, Portal, and how they are set up.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct World {
    /// The virtual clock.
    pub now: Millis,
    /// Redis.
    pub keys: KeySpace,
    /// The workers, `w1` first.
    pub workers: Vec<Worker>,
    /// The consumer.
    pub portal: Portal,
    /// Portal cannot append to its log now.
    pub portal_down: bool,
    /// How often the enroll ran, refused or not.
    pub deliveries: u32,
    /// How many commands idle workers have sent in vain, their blocking wait not counted.
    pub idle_commands: u32,
    /// What never changes during a run.
    pub setup: Arc<Setup>,
}

/// One step: the world after it, and what happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The world after the action.
    pub world: World,
    /// What happened. A single [`Fact::Refused`] if the action could not.
    pub facts: Vec<Fact>,
}

impl World {
    /// An empty queue and idle workers, each about to send its first blocking wait.
    ///
    /// The workers' sweeps are due one after the other, spread evenly over the interval.
    #[must_use]
    pub fn new(setup: Setup) -> Self {
        let program = Program::of(setup.guards);
        let mut workers = Vec::new();
        for number in 1..=setup.workers {
            let share = setup.stalled.0.saturating_mul(number.into()) / (u64::from(setup.workers) + 1);
            workers.push(Worker::idle(WorkerId(number), Millis(share), program));
        }
        let courses = CourseId::parse(&setup.course).into_iter().collect();
        Self {
            now: Millis(0),
            keys: KeySpace::default(),
            workers,
            portal: Portal::with_courses(courses),
            portal_down: false,
            deliveries: 0,
            idle_commands: 0,
            setup: Arc::new(setup),
        }
    }

    /// The worker with this name, if there is one.
    #[must_use]
    pub fn worker(&self, id: WorkerId) -> Option<&Worker> {
        self.workers.get(id.index())
    }

    /// How many enrollments are recorded.
    #[must_use]
    pub fn enrolled(&self) -> usize {
        self.portal.log().len()
    }

    /// The members of one of the queue's lists, head first.
    pub fn list(&self, name: &str) -> impl DoubleEndedIterator<Item = &str> {
        self.keys.list(&self.setup.queue().key(name))
    }

    /// Is this list of the queue empty?
    pub(crate) fn list_is_empty(&self, name: &str) -> bool {
        !self.keys.exists(&self.setup.queue().key(name))
    }

    /// Is nothing left to do: no job waits, and none is stranded or in a running worker's hands?
    #[must_use]
    pub fn is_settled(&self) -> bool {
        let at_work = |worker: &Worker| worker.is_running() && worker.job.is_some();
        self.list_is_empty("wait") && self.list_is_empty("active") && !self.workers.iter().any(at_work)
    }

    /// Every job that was added: those that have a hash, sorted by name.
    pub fn jobs(&self) -> impl Iterator<Item = &str> {
        let prefix = self.setup.queue().prefix().len();
        let hashes = self.keys.iter().filter(|(_, entry)| matches!(entry.value, Value::Hash(_)));
        hashes.filter_map(move |(key, _)| key.get(prefix..)).filter(|name| *name != "meta")
    }

    /// Has the job been acknowledged: is it in completed or failed?
    #[must_use]
    pub fn is_finished(&self, job: &str) -> bool {
        let queue = self.setup.queue();
        ["completed", "failed"].iter().any(|target| self.keys.has_member(&queue.key(target), job))
    }

    /// Runs one script or command as one atomic piece at the instant `now`, and keeps it as a fact.
    fn atomic(
        &mut self,
        facts: &mut Vec<Fact>,
        actor: Actor,
        operation: Operation,
        run: &mut dyn FnMut(&mut Atomic<'_>, &Setup, Millis) -> Reply,
    ) {
        let mut redis = Atomic::new(&mut self.keys, self.now);
        let reply = run(&mut redis, &self.setup, self.now);
        facts.push(Fact::Ran { actor, operation, commands: Arc::new(redis.into_commands()), reply });
    }

    /// After an action: a raised marker goes to the client blocked longest (rule B2), and workers that have come to
    /// their blocking wait meanwhile block on it, unless the marker is up.
    pub(crate) fn settle(&mut self, facts: &mut Vec<Fact>) {
        while let Some((client, popped)) = serve_blocked(&mut self.keys) {
            if let Some(worker) = self.workers.get_mut(usize::from(client.0)) {
                worker.wait = Wait::Answered(popped);
                facts.push(Fact::MarkerHandedOver { to: worker.id });
            }
        }
        let marker: String = self.setup.queue().key("marker");
        if self.keys.exists(&marker) {
            return;
        }
        for worker in &mut self.workers {
            if let Wait::Arrived { at } = worker.wait
                && worker.is_running()
                && worker.next_op() == Op::Wake
            {
                self.keys.block(worker.id.client(), &marker);
                worker.wait = Wait::Blocked { since: at };
            }
        }
    }
}

/// Applies one action. Total: what cannot happen now gives the same world and one [`Fact::Refused`].
#[must_use]
pub fn step(world: &World, action: &Action) -> Step {
    let mut facts = Vec::new();
    let mut world = world.clone();
    if let Some(refusal) = why_not(&world, action) {
        facts.push(Fact::Refused(refusal));
        return Step { world, facts };
    }
    world.act(&mut facts, action);
    world.settle(&mut facts);
    Step { world, facts }
}

impl World {
    /// What the action itself does. It touches Redis, Portal, the clock and, of the workers, only the one it names;
    /// time that passes is the exception.
    pub(crate) fn act(&mut self, facts: &mut Vec<Fact>, action: &Action) {
        if action.is_left_out() {
            return;
        }
        match action {
            Action::Add(enrollment) => self.add(facts, enrollment),
            Action::Operate(worker, op) => self.operate(facts, *worker, *op),
            Action::Renew(worker) => self.renew(facts, *worker),
            Action::Sweep(worker) => self.sweep(facts, *worker),
            Action::Crash(worker) => self.crash(facts, *worker),
            Action::Start(worker) => self.start(facts, *worker),
            Action::Freeze(worker) => self.freeze(facts, *worker),
            Action::Thaw(worker) => self.thaw(facts, *worker),
            Action::Advance(by) => self.pass_time(facts, self.now.plus(*by)),
            Action::RestartPortal => self.restart_portal(facts),
            Action::PortalDown => self.set_portal_down(facts, true),
            Action::PortalUp => self.set_portal_down(facts, false),
            Action::LoseMarker => self.lose_key(facts, self.setup.queue().key("marker")),
            Action::EvictLock(job) => self.lose_key(facts, self.setup.queue().lock(job)),
            Action::LoseReply(worker) => self.lose_reply(facts, *worker),
        }
    }
}
