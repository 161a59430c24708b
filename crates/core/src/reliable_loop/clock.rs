//! How time passes: exactly. Keys expire and live workers renew, each at its instant, expiry before timers.

use super::{Actor, Fact, Worker, WorkerId, World};
use crate::{
    protocol::{Operation, Reply, extend_locks},
    time::Millis,
};
use alloc::vec::Vec;

impl World {
    /// Moves the clock to `until` (never back). Renewals stop the instant a lock is gone: it cannot be renewed (E2).
    pub(super) fn pass_time(&mut self, facts: &mut Vec<Fact>, until: Millis) {
        while let Some((at, worker)) = self.next_renewal(until) {
            self.expire_until(facts, at);
            self.renew(facts, worker);
        }
        self.expire_until(facts, until);
        facts.push(Fact::TimePassed { to: self.now });
    }

    fn expire_until(&mut self, facts: &mut Vec<Fact>, until: Millis) {
        while let Some(at) = self.keys.next_expiry().filter(|at| *at <= until) {
            self.now = self.now.max(at);
            for key in self.keys.expire(at) {
                facts.push(Fact::Expired { key });
            }
        }
        self.now = self.now.max(until);
    }

    /// The earliest renewal that is due by `until`. An overdue one (after a thaw) is due now.
    fn next_renewal(&self, until: Millis) -> Option<(Millis, WorkerId)> {
        let due = |worker: &Worker| {
            let job = worker.job.as_ref().filter(|_| worker.is_running())?;
            Some((job.renew_due?.max(self.now), worker.id))
        };
        self.workers.iter().filter_map(due).filter(|(at, _)| *at <= until).min()
    }

    /// A worker renews the lock of its job. If the lock is gone or another's it fails, and the worker tries again
    /// when the next renewal is due: nothing tells it to stop (W8).
    pub(super) fn renew(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(job) = self.worker(id).and_then(|worker| worker.job.clone()) else { return };
        self.atomic(facts, Actor::Worker(id), Operation::ExtendLocks, &mut |redis, setup, _| {
            let held = [(job.id.as_str(), job.token.as_str())];
            let lost = extend_locks(redis, setup.queue(), &held, setup.lock);
            Reply::Ids(lost)
        });
        let due = self.now.plus(self.setup.renew);
        if let Some(job) = self.workers.get_mut(id.index()).and_then(|worker| worker.job.as_mut()) {
            job.renew_due = Some(due);
        }
    }
}
