//! What each action does. The scripts hold the protocol's rules; here is what a worker makes of their replies.

use super::{
    Actor, Attempt, Fact, Guard, Held, NAIVE, NewEnrollment, Op, Wait, Worker, WorkerId, World, naive,
};
use crate::{
    keyspace::{Atomic, RedisCommand},
    portal::{Enroll, PortalError, authorize, decide},
    protocol::{
        BlockingWait, Fetched, NewJob, Operation, Reply, Sweep, Take, TakenJob, add_standard_job,
        move_stalled_jobs_to_wait, move_to_active, wait_for_job,
    },
    small::{cut, decimal, number},
    time::Millis,
};
use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec,
    vec::Vec,
};

/// The name of the job in the queue.
const JOB_NAME: &str = "enroll";

impl World {
    pub(super) fn add(&mut self, facts: &mut Vec<Fact>, new: &NewEnrollment) {
        let id = new.id.clone().unwrap_or_else(|| self.free_id());
        let (learner, course) =
            new.who.clone().unwrap_or_else(|| (self.setup.learner.clone(), self.setup.course.clone()));
        let data = data_of(&learner, &course);
        self.atomic(facts, Actor::Producer, Operation::AddStandardJob, &mut |redis, setup, now| {
            let job = NewJob { custom_id: &id, name: JOB_NAME, data: &data, attempts: setup.attempts };
            Reply::Id(add_standard_job(redis, setup.queue(), now, &job))
        });
    }

    /// The first of `j_1`, `j_2`, ... that no job has.
    fn free_id(&self) -> String {
        let queue = self.setup.queue();
        let free = |id: &String| !self.keys.exists(&queue.job(id));
        (1..).map(|number| ["j_", &decimal(number)].concat()).find(free).unwrap_or_default()
    }

    pub(super) fn operate(&mut self, facts: &mut Vec<Fact>, id: WorkerId, op: Op) {
        if op.is_left_out() {
            return;
        }
        match op {
            Op::Wake => self.wake(facts, id),
            Op::Ask => self.ask(facts, id),
            Op::Sleep => self.sleep(facts, id),
            Op::Take | Op::Move | Op::Pop => self.take(facts, id, op),
            Op::Enroll => self.enroll(facts, id),
            Op::Finish | Op::Record | Op::Unlock | Op::Remove | Op::Complete => self.finish(facts, id, op),
            Op::Retry => self.retry(facts, id),
        }
    }

    pub(super) fn worker_mut(&mut self, id: WorkerId) -> Option<&mut Worker> {
        self.workers.get_mut(id.index())
    }

    /// The blocking wait returns: with the marker, or by time-out, and then the clock moves to that instant.
    fn wake(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(worker) = self.worker(id) else { return };
        let popped = match worker.wait.clone() {
            Wait::Answered(popped) => Some(popped),
            Wait::Arrived { at } => self.pop_marker().or_else(|| self.time_out(facts, at)),
            Wait::Blocked { since } => self.time_out(facts, since),
            Wait::Returned => None,
        };
        self.keys.unblock(id.client());
        let marker = self.setup.queue().key("marker");
        facts.push(Fact::Ran {
            actor: Actor::Worker(id),
            operation: Operation::WaitForJob,
            commands: Arc::new(vec![RedisCommand::bzpopmin(&marker, self.setup.drain, popped.as_deref())]),
            reply: popped.map_or(Reply::TimedOut, Reply::Popped),
        });
        if let Some(worker) = self.worker_mut(id) {
            worker.wait = Wait::Returned;
            worker.go_to(worker.program().take());
        }
    }

    /// The naive pickup: a worker that finds nothing has sent a command in vain, and sleeps.
    fn ask(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let now = self.now;
        let operation = Operation::Naive(Op::Ask.word());
        let mut waiting = 0;
        self.atomic(facts, Actor::Worker(id), operation, &mut |redis, setup, _| {
            waiting = naive::ask(redis, setup.queue());
            Reply::Number(i32::try_from(waiting).unwrap_or(i32::MAX))
        });
        self.idle_commands += u32::from(waiting == 0);
        let Some(worker) = self.worker_mut(id) else { return };
        if waiting == 0 {
            worker.wait = Wait::Arrived { at: now };
            worker.go_to(Op::Sleep);
        } else {
            worker.wait = Wait::Returned;
            worker.go_to(worker.program().take());
        }
    }

    /// Until its time is over; if that is not yet, the clock moves to that instant.
    fn sleep(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let ends = self.worker(id).and_then(|worker| worker.wait_ends(&self.setup)).unwrap_or(self.now);
        self.pass_time(facts, ends.max(self.now));
        if let Some(worker) = self.worker_mut(id) {
            worker.go_to(Op::Ask);
        }
    }

    fn pop_marker(&mut self) -> Option<Arc<[String; 3]>> {
        let queue = self.setup.queue();
        match wait_for_job(&mut Atomic::new(&mut self.keys, self.now), queue, self.setup.drain) {
            BlockingWait::Popped(popped) => Some(popped),
            BlockingWait::MustBlock => None,
        }
    }

    /// Nobody raises the marker: the wait that began at `since` ends when its time is over.
    fn time_out(&mut self, facts: &mut Vec<Fact>, since: Millis) -> Option<Arc<[String; 3]>> {
        let until = since.plus(self.setup.drain);
        if until > self.now {
            self.pass_time(facts, until);
        }
        None
    }

    fn take(&mut self, facts: &mut Vec<Fact>, id: WorkerId, op: Op) {
        let Some(token) = self.worker_mut(id).map(Worker::new_token) else { return };
        let operation = if op == Op::Take { Operation::MoveToActive } else { Operation::Naive(op.word()) };
        let mut fetched = Fetched::Nothing;
        self.atomic(facts, Actor::Worker(id), operation, &mut |redis, setup, now| {
            let take = Take { token: &token, lock: setup.lock, name: &id.to_string() };
            fetched = if NAIVE && op != Op::Take {
                naive::take(redis, setup.queue(), now, setup.guards, &take)
            } else {
                move_to_active(redis, setup.queue(), now, &take)
            };
            Reply::from(&fetched)
        });
        match fetched {
            Fetched::Job(job) => self.hold(id, &job, token),
            Fetched::Nothing => self.go_idle(id),
        }
    }

    pub(super) fn go_idle(&mut self, id: WorkerId) {
        let now = self.now;
        if let Some(worker) = self.worker_mut(id) {
            worker.go_idle(now);
        }
    }

    /// The worker has a job in hand. One that carries `defa` is not run: it is finished as failed (W6).
    pub(super) fn hold(&mut self, id: WorkerId, job: &TakenJob, token: String) {
        let locked = self.setup.guards.on(Guard::Lock);
        let renew_due = locked.then(|| self.now.plus(self.setup.renew));
        let attempts = self.setup.attempts;
        let Some(worker) = self.worker_mut(id) else { return };
        let (learner, course) = job.fields.get("data").and_then(learner_and_course).unwrap_or_default();
        let made = job.fields.get("atm").and_then(number).unwrap_or(0);
        let deferred = job.fields.get("defa").map(String::from);
        let program = worker.program();
        let run = program.after(program.take()).unwrap_or(Op::Enroll);
        worker.go_to(if deferred.is_some() { program.acknowledgement() } else { run });
        worker.job = Some(Held {
            id: job.id.clone(),
            token,
            learner: learner.to_string(),
            course: course.to_string(),
            deferred,
            attempt: Attempt::NotRun,
            refused: false,
            attempts_left: NAIVE && made.saturating_add(1) < attempts.into(),
            renew_due,
        });
    }

    /// The effect: Portal's own enroll, which refuses a second time.
    fn enroll(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(job) = self.worker(id).and_then(|worker| worker.job.clone()) else { return };
        self.deliveries += 1;
        let attempt = self.attempt(&Enroll::new(&job.learner, &job.course, self.now));
        facts.push(match (attempt, self.portal.log().last()) {
            (Attempt::Recorded, Some(event)) => {
                Fact::Enrolled { worker: id, job: job.id, event: event.clone() }
            }
            (Attempt::Refused(error), _) => Fact::EnrollRefused { worker: id, job: job.id, error },
            (Attempt::Recorded | Attempt::Failed | Attempt::NotRun, _) => {
                Fact::EnrollFailed { worker: id, job: job.id }
            }
        });
        let now = self.now;
        let Some(worker) = self.worker_mut(id) else { return };
        if let Some(job) = &mut worker.job {
            job.attempt = attempt;
        }
        // Only before the acknowledgement can a failure still be told to the queue.
        let can_retry =
            NAIVE && attempt == Attempt::Failed && job.attempts_left && worker.is_unacknowledged();
        if can_retry {
            worker.go_to(Op::Retry);
        } else {
            worker.go_on(now);
        }
    }

    /// Portal's shell: authorize, decide, append, evolve. The guard that is off skips only the refusal of a second
    /// enrollment.
    fn attempt(&mut self, command: &Enroll) -> Attempt {
        let again = !self.setup.guards.on(Guard::IdempotentEnroll);
        match authorize(self.portal.state(), command) {
            Err(PortalError::AlreadyEnrolled) if again => {}
            Err(error) => return Attempt::Refused(error),
            Ok(()) => {}
        }
        match decide(self.portal.state(), command) {
            None => Attempt::Refused(PortalError::CourseNotFound),
            Some(_) if NAIVE && self.portal_down => Attempt::Failed,
            Some(event) => {
                self.portal.append(event);
                Attempt::Recorded
            }
        }
    }

    pub(super) fn sweep(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        self.atomic(facts, Actor::Worker(id), Operation::MoveStalledJobsToWait, &mut |redis, setup, now| {
            let sweep = Sweep { max_stalled_count: setup.max_stalled, interval: setup.stalled };
            Reply::Ids(move_stalled_jobs_to_wait(redis, setup.queue(), now, sweep))
        });
        let due = self.now.plus(self.setup.stalled);
        if let Some(worker) = self.worker_mut(id) {
            worker.sweep_due = due;
        }
    }
}

/// The job's data. Ids hold no character that JSON would have to escape: a story does not let them in.
pub(crate) fn data_of(learner: &str, course: &str) -> String {
    [r#"{"userId":""#, learner, r#"","courseId":""#, course, r#""}"#].concat()
}

/// Learner and course of data that [`data_of`] wrote.
pub(crate) fn learner_and_course(data: &str) -> Option<(&str, &str)> {
    let (learner, rest) = cut(data.strip_prefix(r#"{"userId":""#)?, b'"')?;
    Some((learner, rest.strip_prefix(r#","courseId":""#)?.strip_suffix(r#""}"#)?))
}
