//! What each action does. The scripts hold the protocol's rules; here is what a worker makes of their replies.

use super::{Actor, Attempt, Fact, Held, Life, NewEnrollment, Op, Wait, Worker, WorkerId, World};
use crate::{
    keyspace::{Atomic, RedisCommand},
    portal::Enroll,
    protocol::{
        BlockingWait, Fetched, Finish, Finished, NewJob, Operation, Reply, Sweep, Take, TakenJob, Target,
        add_standard_job, move_stalled_jobs_to_wait, move_to_active, move_to_finished, wait_for_job,
    },
    time::Millis,
};
use alloc::{
    format,
    string::{String, ToString},
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
        self.atomic(facts, Actor::Producer, Operation::AddStandardJob, |redis, setup, now| {
            let job = NewJob { custom_id: &id, name: JOB_NAME, data: &data, attempts: 0 };
            let id = add_standard_job(redis, &setup.queue(), now, &job);
            ((), Reply::Id(id))
        });
    }

    /// The first of `j_1`, `j_2`, ... that no job has.
    fn free_id(&self) -> String {
        let queue = self.setup.queue();
        let free = |id: &String| !self.keys.exists(&queue.job(id));
        (1u32..).map(|number| format!("j_{number}")).find(free).unwrap_or_default()
    }

    pub(super) fn operate(&mut self, facts: &mut Vec<Fact>, id: WorkerId, op: Op) {
        match op {
            Op::Wake => self.wake(facts, id),
            Op::Take => self.take(facts, id),
            Op::Enroll => self.enroll(facts, id),
            Op::Finish => self.finish(facts, id),
        }
    }

    fn worker_mut(&mut self, id: WorkerId) -> Option<&mut Worker> {
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
            commands: vec![RedisCommand::bzpopmin(&marker, self.setup.drain, popped.as_ref())],
            reply: popped.map_or(Reply::TimedOut, Reply::Popped),
        });
        if let Some(worker) = self.worker_mut(id) {
            worker.wait = Wait::Returned;
            worker.go_on();
        }
    }

    fn pop_marker(&mut self) -> Option<[String; 3]> {
        let queue = self.setup.queue();
        match wait_for_job(&mut Atomic::new(&mut self.keys, self.now), &queue, self.setup.drain) {
            BlockingWait::Popped(popped) => Some(popped),
            BlockingWait::MustBlock => None,
        }
    }

    /// Nobody raises the marker: the wait that began at `since` ends when its time is over.
    fn time_out(&mut self, facts: &mut Vec<Fact>, since: Millis) -> Option<[String; 3]> {
        let until = since.plus(self.setup.drain);
        if until > self.now {
            self.pass_time(facts, until);
        }
        None
    }

    fn take(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(token) = self.worker_mut(id).map(Worker::new_token) else { return };
        let fetched = self.atomic(facts, Actor::Worker(id), Operation::MoveToActive, |redis, setup, now| {
            let take = Take { token: &token, lock: setup.lock, name: &id.to_string() };
            let fetched = move_to_active(redis, &setup.queue(), now, &take);
            let reply = Reply::from(&fetched);
            (fetched, reply)
        });
        match fetched {
            Fetched::Job(job) => self.hold(id, &job, token),
            Fetched::Nothing => self.go_idle(id),
        }
    }

    fn go_idle(&mut self, id: WorkerId) {
        let now = self.now;
        if let Some(worker) = self.worker_mut(id) {
            worker.go_idle(now);
        }
    }

    /// The worker has a job in hand. One that carries `defa` is not run: it is finished as failed (W6).
    fn hold(&mut self, id: WorkerId, job: &TakenJob, token: String) {
        let renew_due = self.now.plus(self.setup.renew);
        let Some(worker) = self.worker_mut(id) else { return };
        let (learner, course) = job.fields.get("data").and_then(who_of).unwrap_or_default();
        let deferred = job.fields.get("defa").map(String::from);
        worker.go_to(if deferred.is_some() { Op::Finish } else { Op::Enroll });
        worker.job = Some(Held {
            id: job.id.clone(),
            token,
            learner: learner.to_string(),
            course: course.to_string(),
            deferred,
            attempt: Attempt::NotRun,
            refused: false,
            renew_due,
        });
    }

    /// The effect: Portal's own enroll, which refuses a second time.
    fn enroll(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(job) = self.worker(id).and_then(|worker| worker.job.clone()) else { return };
        self.deliveries += 1;
        let attempt = match self.portal.enroll(&Enroll::new(&job.learner, &job.course, self.now)) {
            Ok(event) => {
                facts.push(Fact::Enrolled { worker: id, job: job.id, event });
                Attempt::Recorded
            }
            Err(error) => {
                facts.push(Fact::EnrollRefused { worker: id, job: job.id, error });
                Attempt::Refused(error)
            }
        };
        if let Some(worker) = self.worker_mut(id) {
            worker.go_on();
            if let Some(job) = &mut worker.job {
                job.attempt = attempt;
            }
        }
    }

    fn finish(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(job) = self.worker(id).and_then(|worker| worker.job.clone()) else { return };
        let finished =
            self.atomic(facts, Actor::Worker(id), Operation::MoveToFinished, |redis, setup, now| {
                let name = id.to_string();
                let take = Take { token: &job.token, lock: setup.lock, name: &name };
                let finished =
                    acknowledge(&job, take, |finish| move_to_finished(redis, &setup.queue(), now, finish));
                let reply = Reply::from(&finished);
                (finished, reply)
            });
        match finished {
            Finished::Done => self.go_idle(id),
            Finished::Next(next) => self.hold(id, &next, job.token),
            Finished::Refused(_) => self.take_refusal(id, job.refused),
        }
    }

    /// A refused acknowledgement is tried once more, as a failure; then the worker lets go and fetches on (W8).
    fn take_refusal(&mut self, id: WorkerId, second: bool) {
        let Some(worker) = self.worker_mut(id) else { return };
        if second {
            worker.job = None;
            worker.go_to(Op::Take);
        } else if let Some(job) = &mut worker.job {
            job.refused = true;
        }
    }

    pub(super) fn sweep(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        self.atomic(facts, Actor::Worker(id), Operation::MoveStalledJobsToWait, |redis, setup, now| {
            let sweep = Sweep { max_stalled_count: setup.max_stalled, interval: setup.stalled };
            let recovered = move_stalled_jobs_to_wait(redis, &setup.queue(), now, sweep);
            ((), Reply::Ids(recovered))
        });
        let due = self.now.plus(self.setup.stalled);
        if let Some(worker) = self.worker_mut(id) {
            worker.sweep_due = due;
        }
    }

    /// The process is gone: nothing is written, its blocked connection closes, a marker on its way to it is lost.
    pub(super) fn crash(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        self.keys.unblock(id.client());
        let Some(worker) = self.worker_mut(id) else { return };
        worker.life = Life::Dead;
        let job = worker.job.as_ref().map(|job| job.id.clone());
        facts.push(Fact::Died { worker: id, job });
    }

    /// A fresh process sweeps and takes before it blocks (W1). Its tokens go on counting, so that none is used twice.
    pub(super) fn start(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let now = self.now;
        let Some(worker) = self.worker_mut(id) else { return };
        let fetches = worker.fetches;
        *worker = Worker::idle(id, now);
        worker.fetches = fetches;
        worker.go_to(Op::Take);
        facts.push(Fact::Started { worker: id });
    }

    pub(super) fn freeze(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(worker) = self.worker_mut(id) else { return };
        worker.life = Life::Frozen;
        facts.push(Fact::Froze { worker: id });
    }

    /// It goes on where it was. An overdue renewal is due now, but an expired lock cannot be renewed.
    pub(super) fn thaw(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(worker) = self.worker_mut(id) else { return };
        worker.life = Life::Running;
        facts.push(Fact::Thawed { worker: id });
    }

    pub(super) fn restart_portal(&mut self, facts: &mut Vec<Fact>) {
        self.portal.restart();
        facts.push(Fact::PortalRestarted { events: self.portal.log().len() });
    }
}

/// What the worker sends to be rid of its job, by what it knows: the effect's result, the deferred failure, or the
/// refusal of its last attempt to acknowledge.
fn acknowledge(job: &Held, take: Take<'_>, send: impl FnOnce(&Finish<'_>) -> Finished) -> Finished {
    let reason = match (&job.deferred, job.refused) {
        (Some(reason), _) => Some(("UnrecoverableError", reason.as_str())),
        (None, true) => Some(("Error", "Lock mismatch")),
        (None, false) => None,
    };
    let Some((kind, reason)) = reason else {
        let finish = Finish {
            id: &job.id,
            target: Target::Completed,
            value: return_value(job.attempt),
            fields: &[],
            attempts: 0,
            fetch_next: true,
            take,
        };
        return send(&finish);
    };
    let stack = format!("[\"{kind}: {reason}\"]");
    let fields = [("failedReason", reason), ("stacktrace", stack.as_str())];
    let finish = Finish {
        id: &job.id,
        target: Target::Failed,
        value: reason,
        fields: &fields,
        attempts: 0,
        fetch_next: true,
        take,
    };
    send(&finish)
}

/// The job's return value. An enroll that finds the learner enrolled has what it wanted, so Redis cannot tell a first
/// run from a second.
fn return_value(attempt: Attempt) -> &'static str {
    use crate::portal::PortalError::{AlreadyEnrolled, CourseNotFound};
    match attempt {
        Attempt::Recorded | Attempt::Refused(AlreadyEnrolled) => r#"{"enrolled":true}"#,
        Attempt::Refused(CourseNotFound) => r#"{"error":"course_not_found"}"#,
        Attempt::NotRun => "null",
    }
}

/// The job's data. Ids hold no character that JSON would have to escape: a story does not let them in.
fn data_of(learner: &str, course: &str) -> String {
    format!(r#"{{"userId":"{learner}","courseId":"{course}"}}"#)
}

/// Learner and course of data that [`data_of`] wrote.
fn who_of(data: &str) -> Option<(&str, &str)> {
    data.strip_prefix(r#"{"userId":""#)?.strip_suffix(r#""}"#)?.split_once(r#"","courseId":""#)
}
