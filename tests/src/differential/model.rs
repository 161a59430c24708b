//! The model's side: the scripts of the core, on a keyspace of the core.

use super::{
    call::{Call, Finish, Grab, Pop, Script},
    side::{self, Side, canonical, canonical_json},
};
use enroll_once_core::{
    keyspace::{Atomic, Client, KeySpace},
    protocol::{
        self as core, BlockingWait, NewJob, Queue, Reply, Retry, Sweep, Take, add_standard_job, extend_lock,
        extend_locks, move_stalled_jobs_to_wait, move_to_active, move_to_finished, remove_job, retry_job,
        send, serve_blocked, wait_for_job,
    },
    time::Millis,
};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// What every job is called.
pub const JOB_NAME: &str = "enroll";
/// The data of a job: a quote, a backslash and a letter outside ASCII, for they must arrive as they were sent.
pub const JOB_DATA: &str = r#"{"learner":"Zo\u00eb \"Zoë\"","course":"\\"}"#;
/// The callers' clock at the beginning. Realistic, since the scripts multiply it by 4096.
const BEGINNING: Millis = Millis(1_750_000_000_000);

/// The model, its clock, and nothing else.
pub struct Model {
    keys: KeySpace,
    queue: Queue,
    now: Millis,
    workers: u8,
}

impl Model {
    /// An empty keyspace.
    #[must_use]
    pub fn new(prefix: &str, workers: u8) -> Self {
        Self { keys: KeySpace::default(), queue: Queue::with_prefix(prefix), now: BEGINNING, workers }
    }

    /// The callers' clock: what both sides send as "now".
    #[must_use]
    pub fn now(&self) -> Millis {
        self.now
    }

    /// The keyspace.
    #[must_use]
    pub fn keys(&self) -> &KeySpace {
        &self.keys
    }

    /// The names of the keys.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// One step: the call, then the hand-over to blocked clients. Returns what can be seen.
    pub fn step(&mut self, call: &Call) -> Side {
        // Every step has an instant of its own, so that no two time stamps can be confused.
        self.now = self.now.plus(Millis(1));
        let (reply, commands) = self.run(call);
        let mut handed = BTreeMap::new();
        while let Some((client, popped)) = serve_blocked(&mut self.keys) {
            handed.insert(client.0, json!(*popped));
        }
        Side { reply: canonical_json(reply), commands, handed, ..self.look() }
    }

    /// What can be seen without doing anything.
    #[must_use]
    pub fn look(&self) -> Side {
        let blocked = (1..=self.workers).filter(|worker| self.keys.is_blocked(Client(*worker))).collect();
        Side { blocked, ..side::of_model(&self.keys, self.queue.prefix(), self.now) }
    }

    /// Redis takes suspects in an order of its own (its sets have none); the jobs it recovered lie in wait in that
    /// order, and so do they here from now on.
    pub fn reorder_recovered(&mut self, recovered: &[&str]) {
        let mut redis = Atomic::new(&mut self.keys, self.now);
        for id in recovered {
            send(&mut redis, &self.queue, "LREM @wait -1 $1\nRPUSH @wait $1", &[id]);
        }
    }

    fn run(&mut self, call: &Call) -> (Json, Vec<Vec<String>>) {
        let reply = match call {
            Call::Script(script) => return self.run_script(script),
            Call::Pop(pop) => self.run_pop(*pop),
            Call::Evict(id) => json!(u8::from(self.keys.evict(&self.queue.job(id)))),
            Call::Unlist(id) => {
                let mut redis = Atomic::new(&mut self.keys, self.now);
                json!(send(&mut redis, &self.queue, "LREM @active 1 $1", &[id]).integer())
            }
            Call::Pass(time) => {
                self.now = self.now.plus(*time);
                self.keys.expire(self.now);
                Json::Null
            }
            Call::Nothing => Json::Null,
        };
        (reply, Vec::new())
    }

    fn run_script(&mut self, script: &Script) -> (Json, Vec<Vec<String>>) {
        match script {
            Script::Add { id, attempts } => {
                let job = NewJob { custom_id: id, name: JOB_NAME, data: JOB_DATA, attempts: *attempts };
                self.atomic(|redis, queue, now| json!(add_standard_job(redis, queue, now, &job)))
            }
            Script::Take(grab) => {
                let take = take(grab);
                self.atomic(|redis, queue, now| json!(Reply::from(&move_to_active(redis, queue, now, &take))))
            }
            Script::Finish(finish) => self.finish(finish),
            Script::Retry { id, token, fields } => {
                let retry = Retry { id, token, fields: &borrowed(fields) };
                let number = |done: Result<(), core::Code>| done.map_or_else(core::Code::number, |()| 0);
                self.atomic(|redis, queue, now| json!(number(retry_job(redis, queue, now, &retry))))
            }
            Script::Renew { held, lock } => {
                let held = borrowed(held);
                self.atomic(|redis, queue, _| json!(extend_locks(redis, queue, &held, *lock)))
            }
            Script::RenewOne { id, token, lock } => {
                self.atomic(|redis, queue, _| json!(i32::from(extend_lock(redis, queue, id, token, *lock))))
            }
            Script::Sweep { max_stalled, interval } => {
                let sweep = Sweep { max_stalled_count: *max_stalled, interval: *interval };
                self.atomic(|redis, queue, now| json!(move_stalled_jobs_to_wait(redis, queue, now, sweep)))
            }
            Script::Remove(id) => {
                self.atomic(|redis, queue, _| json!(i32::from(remove_job(redis, queue, id))))
            }
        }
    }

    fn run_pop(&mut self, pop: Pop) -> Json {
        match pop {
            Pop::AtOnce | Pop::TimeOut(_) => self.pop(),
            Pop::Block(worker) => {
                let reply = self.pop();
                if reply.is_null() {
                    self.keys.block(Client(worker), &self.queue.key("marker"));
                }
                reply
            }
            Pop::Unblock(worker) | Pop::Disconnect(worker) => {
                self.keys.unblock(Client(worker));
                Json::Null
            }
        }
    }

    /// Nil where a client would block.
    fn pop(&mut self) -> Json {
        let mut redis = Atomic::new(&mut self.keys, self.now);
        match wait_for_job(&mut redis, &self.queue, Millis(1_000)) {
            BlockingWait::Popped(popped) => json!(popped.as_slice()),
            BlockingWait::MustBlock => Json::Null,
        }
    }

    fn finish(&mut self, finish: &Finish) -> (Json, Vec<Vec<String>>) {
        let call = core::Finish {
            id: &finish.id,
            target: finish.target,
            value: &finish.value,
            fields: &borrowed(&finish.fields),
            attempts: finish.attempts,
            fetch_next: finish.fetch_next,
            take: take(&finish.grab),
        };
        self.atomic(|redis, queue, now| json!(Reply::from(&move_to_finished(redis, queue, now, &call))))
    }

    fn atomic(
        &mut self,
        run: impl FnOnce(&mut Atomic<'_>, &Queue, Millis) -> Json,
    ) -> (Json, Vec<Vec<String>>) {
        let mut redis = Atomic::new(&mut self.keys, self.now);
        let reply = run(&mut redis, &self.queue, self.now);
        let commands = redis.into_commands().into_iter();
        (reply, commands.map(|command| command.words.iter().map(|word| canonical(word)).collect()).collect())
    }
}

fn take(grab: &Grab) -> Take<'_> {
    Take { token: &grab.token, lock: grab.lock, name: &grab.name }
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}
