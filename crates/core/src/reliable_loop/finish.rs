//! How a worker gets rid of its job: the acknowledgement in each form, the retry, and what a refusal makes of it.

use super::{Actor, Attempt, Fact, Held, NAIVE, Op, Worker, WorkerId, World, naive};
use crate::{
    portal::PortalError,
    protocol::{Finish, Finished, Operation, Reply, Retry, Take, Target, move_to_finished, retry_job},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

impl World {
    /// The acknowledgement: the script, or one step of a naive form.
    pub(super) fn finish(&mut self, facts: &mut Vec<Fact>, id: WorkerId, op: Op) {
        let Some(worker) = self.worker(id) else { return };
        let Some(job) = worker.job.clone() else { return };
        // Whoever still has the effect to run must not get the next job handed over.
        let fetch_next = worker.program().after(op).is_none();
        let operation =
            if op == Op::Finish { Operation::MoveToFinished } else { Operation::Naive(op.word()) };
        let mut finished = Finished::Done;
        self.atomic(facts, Actor::Worker(id), operation, &mut |redis, setup, now| {
            let (queue, name) = (setup.queue(), id.to_string());
            let outcome = Outcome::of(&job);
            let finish = Finish {
                id: &job.id,
                target: outcome.target(),
                value: outcome.value(),
                fields: &outcome.fields(),
                attempts: setup.attempts,
                fetch_next,
                take: Take { token: &job.token, lock: setup.lock, name: &name },
            };
            finished = if NAIVE && op != Op::Finish {
                naive::acknowledge(redis, queue, now, setup.guards, op, &finish)
            } else {
                move_to_finished(redis, queue, now, &finish)
            };
            Reply::from(&finished)
        });
        match finished {
            Finished::Next(next) => self.hold(id, &next, job.token),
            Finished::Done => self.acknowledged(id),
            Finished::Refused(_) => self.take_refusal(id),
        }
    }

    /// The step is done: the lock is gone, and what comes next is another step, the effect, or nothing.
    fn acknowledged(&mut self, id: WorkerId) {
        let now = self.now;
        let Some(worker) = self.worker_mut(id) else { return };
        let ended = worker.job.as_ref().is_none_or(|job| Outcome::of(job).failure.is_some());
        if let Some(job) = &mut worker.job {
            job.renew_due = None;
        }
        match worker.program().after(worker.next_op()) {
            Some(Op::Enroll) if ended => worker.go_idle(now),
            Some(_) | None => worker.go_on(now),
        }
    }

    /// The effect failed and attempts are left: the job goes back, and the worker fetches in a call of its own (W7).
    pub(super) fn retry(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(job) = self.worker(id).and_then(|worker| worker.job.clone()) else { return };
        let by_script = self.worker(id).is_some_and(|worker| worker.program().retries_by_script());
        let operation = if by_script { Operation::RetryJob } else { Operation::Naive(Op::Retry.word()) };
        let mut done = Ok(());
        self.atomic(facts, Actor::Worker(id), operation, &mut |redis, setup, now| {
            let outcome = Outcome::of(&job);
            let retry = Retry { id: &job.id, token: &job.token, fields: &outcome.fields() };
            done = if by_script {
                retry_job(redis, setup.queue(), now, &retry)
            } else {
                naive::retry(redis, setup.queue(), setup.guards, &retry)
            };
            Reply::Number(done.map_or_else(|code| code.number(), |()| 0))
        });
        match done {
            Ok(()) => self.let_go(id),
            Err(_) => self.take_refusal(id),
        }
    }

    fn let_go(&mut self, id: WorkerId) {
        if let Some(worker) = self.worker_mut(id) {
            worker.go_fetch();
        }
    }

    /// A refused acknowledgement is to the worker a failure of the job: it tries once more to be rid of it as failed
    /// or, with attempts left, by a retry; then it lets go and fetches on (W8).
    fn take_refusal(&mut self, id: WorkerId) {
        let Some(worker) = self.worker_mut(id) else { return };
        let program = worker.program();
        match &mut worker.job {
            Some(job) if !job.refused => {
                job.refused = true;
                let again = if NAIVE && job.attempts_left { Op::Retry } else { program.acknowledgement() };
                worker.go_to(again);
            }
            Some(_) | None => worker.go_fetch(),
        }
    }
}

impl Worker {
    /// Has it still to acknowledge the job in its hands?
    pub(super) fn is_unacknowledged(&self) -> bool {
        self.program().after(self.next_op()).is_some()
    }
}

/// What the worker makes of the job in its hands.
pub(super) struct Outcome<'a> {
    attempt: Attempt,
    /// The kind of the error and its text: the deferred failure, a refusal of the last attempt to acknowledge, or an
    /// effect that failed.
    pub(super) failure: Option<(&'static str, &'a str)>,
    stack: String,
}

impl<'a> Outcome<'a> {
    pub(super) fn of(job: &'a Held) -> Self {
        let failure = match (&job.deferred, job.refused, job.attempt) {
            (Some(reason), _, _) => Some(("UnrecoverableError", reason.as_str())),
            (None, true, _) => Some(("Error", "Lock mismatch")),
            (None, false, Attempt::Failed) => Some(("Error", "Portal could not append")),
            (None, false, Attempt::NotRun | Attempt::Recorded | Attempt::Refused(_)) => None,
        };
        let stack =
            failure.map_or_else(String::new, |(kind, reason)| ["[\"", kind, ": ", reason, "\"]"].concat());
        Self { attempt: job.attempt, failure, stack }
    }

    fn target(&self) -> Target {
        if self.failure.is_some() { Target::Failed } else { Target::Completed }
    }

    /// The reason of the failure, or the return value. An enroll that finds the learner enrolled has what it wanted,
    /// so Redis cannot tell a first run from a second.
    fn value(&self) -> &'a str {
        match (self.failure, self.attempt) {
            (Some((_, reason)), _) => reason,
            (None, Attempt::Recorded | Attempt::Refused(PortalError::AlreadyEnrolled)) => {
                r#"{"enrolled":true}"#
            }
            (None, Attempt::Refused(PortalError::CourseNotFound)) => REFUSED,
            (None, Attempt::NotRun | Attempt::Failed) => "null",
        }
    }

    /// What a failure writes along (F4).
    fn fields(&self) -> Vec<(&str, &str)> {
        match self.failure {
            Some((_, reason)) => [("failedReason", reason), ("stacktrace", self.stack.as_str())].into(),
            None => Vec::new(),
        }
    }
}

/// The return value of a job whose enroll was refused for good.
pub(crate) const REFUSED: &str = r#"{"error":"course_not_found"}"#;
