//! What goes wrong, and what brings it back: processes die, freeze and start; things are lost; Portal is down.

use super::{Fact, Life, Worker, WorkerId, World};
use alloc::{string::String, vec::Vec};

impl World {
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
        *worker = Worker::idle(id, now, worker.program());
        worker.fetches = fetches;
        worker.go_fetch();
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

    /// The worker runs its next operation, but never learns what came of it: it will call it again.
    pub(super) fn lose_reply(&mut self, facts: &mut Vec<Fact>, id: WorkerId) {
        let Some(before) = self.worker(id).cloned() else { return };
        self.operate(facts, id, before.next_op());
        facts.push(Fact::ReplyLost { worker: id });
        if let Some(worker) = self.worker_mut(id) {
            *worker = before;
        }
    }

    /// A key vanishes without a command: evicted, or lost in a failover.
    pub(super) fn lose_key(&mut self, facts: &mut Vec<Fact>, key: String) {
        if self.keys.evict(&key) {
            facts.push(Fact::Lost { key });
        }
    }

    pub(super) fn set_portal_down(&mut self, facts: &mut Vec<Fact>, down: bool) {
        self.portal_down = down;
        facts.push(if down { Fact::PortalDown } else { Fact::PortalUp });
    }
}
