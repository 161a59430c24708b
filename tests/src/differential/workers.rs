//! What the workers believe. It turns a step into a call: which job, which token.

use super::{
    call::{Call, Finish, Grab, Pop, Script},
    model::Model,
    schedule::{Act, Finishing, OnJob, Setup, Step, Token},
};
use enroll_once_core::{protocol::Target, time::Millis};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The reason of every failure: a quote and a letter outside ASCII must arrive as they were sent.
const REASON: &str = "portal says \"übervoll\"";

/// One worker's memory.
#[derive(Clone, Debug, Default)]
struct Worker {
    dead: bool,
    blocked: bool,
    /// Jobs it believes to hold, with the token it got for each; the last one taken is last.
    held: Vec<(String, String)>,
    /// How many fetches it started: the number in its next token.
    fetches: u32,
}

/// All workers, and what is known about jobs.
#[derive(Clone, Debug)]
pub struct Workers {
    setup: Setup,
    workers: BTreeMap<u8, Worker>,
    /// Tokens that have held the lock of a job, oldest first.
    tokens: BTreeMap<String, Vec<String>>,
    /// Attempts in the options of a job.
    attempts: BTreeMap<String, u32>,
}

impl Workers {
    /// All alive, idle and ignorant.
    #[must_use]
    pub fn new(setup: &Setup) -> Self {
        let workers = (1..=setup.workers).map(|number| (number, Worker::default())).collect();
        Self { setup: setup.clone(), workers, tokens: BTreeMap::new(), attempts: BTreeMap::new() }
    }

    /// Ids of all jobs that were ever added.
    pub fn jobs(&self) -> impl Iterator<Item = &str> {
        self.attempts.keys().map(String::as_str)
    }

    /// Is the worker's process alive?
    #[must_use]
    pub fn is_alive(&self, worker: u8) -> bool {
        self.workers.get(&worker).is_some_and(|worker| !worker.dead)
    }

    /// Is it blocked in `BZPOPMIN`?
    #[must_use]
    pub fn is_blocked(&self, worker: u8) -> bool {
        self.workers.get(&worker).is_some_and(|worker| worker.blocked)
    }

    /// Does it believe to hold a job?
    #[must_use]
    pub fn holds_any(&self, worker: u8) -> bool {
        self.workers.get(&worker).is_some_and(|worker| !worker.held.is_empty())
    }

    /// The call that this step is now; `None` if it means nothing now.
    #[must_use]
    pub fn call(&self, step: &Step, model: &Model) -> Option<Call> {
        let completed = model.queue().key("completed");
        match step {
            Step::Add { id, attempts } => {
                Some(Call::Script(Script::Add { id: id.clone().unwrap_or_default(), attempts: *attempts }))
            }
            // The model covers the removal of completed jobs only.
            Step::Remove(id) => {
                model.keys().has_member(&completed, id).then(|| Call::Script(Script::Remove(id.clone())))
            }
            Step::Evict(id) => model.keys().exists(&model.queue().job(id)).then(|| Call::Evict(id.clone())),
            Step::Unlist(id) => {
                let mut active = model.keys().list(&model.queue().key("active")).map(str::to_owned);
                active.any(|active| active == *id).then(|| Call::Unlist(id.clone()))
            }
            Step::Pass(time) => Some(Call::Pass(*time)),
            Step::Worker(number, act) => self.act(*number, self.workers.get(number)?, act, model),
        }
    }

    fn act(&self, number: u8, worker: &Worker, act: &Act, model: &Model) -> Option<Call> {
        let lock = |given: &Option<Millis>| given.unwrap_or(self.setup.lock);
        match act {
            Act::Start => worker.dead.then_some(Call::Nothing),
            _ if worker.dead => None,
            Act::Crash if worker.blocked => Some(Call::Pop(Pop::Disconnect(number))),
            Act::Wake if worker.blocked => Some(Call::Pop(Pop::Unblock(number))),
            _ if worker.blocked => None,
            Act::Crash => Some(Call::Nothing),
            Act::Wake if model.keys().exists(&model.queue().key("marker")) => Some(Call::Pop(Pop::AtOnce)),
            Act::Wake => Some(Call::Pop(Pop::TimeOut(number))),
            Act::Block => Some(Call::Pop(Pop::Block(number))),
            Act::Take(given) => Some(Call::Script(Script::Take(self.grab(number, worker, lock(given))))),
            Act::Finish(job, finishing) => self.finish(number, worker, job, finishing, model),
            Act::Retry(job, fields) => {
                let (id, token) = self.on_job(worker, job, model)?;
                Some(Call::Script(Script::Retry { id, token, fields: failure(*fields) }))
            }
            Act::Renew(given) => (!worker.held.is_empty())
                .then(|| Call::Script(Script::Renew { held: worker.held.clone(), lock: lock(given) })),
            Act::RenewOne(job, given) => {
                let (id, token) = self.on_job(worker, job, model)?;
                Some(Call::Script(Script::RenewOne { id, token, lock: lock(given) }))
            }
            Act::Sweep(given) => Some(Call::Script(Script::Sweep {
                max_stalled: self.setup.max_stalled,
                interval: given.unwrap_or(self.setup.stalled),
            })),
        }
    }

    fn grab(&self, number: u8, worker: &Worker, lock: Millis) -> Grab {
        let name = if number == 2 { String::new() } else { format!("w{number}") };
        Grab { token: format!("w{number}:{}", worker.fetches + 1), lock, name }
    }

    fn finish(
        &self,
        number: u8,
        worker: &Worker,
        job: &OnJob,
        finishing: &Finishing,
        model: &Model,
    ) -> Option<Call> {
        let (id, token) = self.on_job(worker, job, model)?;
        let lock = finishing.lock.unwrap_or(self.setup.lock);
        let (target, value) = if finishing.failed {
            (Target::Failed, REASON.to_owned())
        } else {
            (Target::Completed, format!("{{\"enrolled\":\"{id}\"}}"))
        };
        Some(Call::Script(Script::Finish(Finish {
            attempts: self.attempts.get(&id).copied().unwrap_or_default(),
            id,
            target,
            value,
            fields: failure(finishing.fields),
            fetch_next: !finishing.no_fetch,
            grab: Grab { token, ..self.grab(number, worker, lock) },
        })))
    }

    /// Which job, and which token. `None` if there is no such job or no such token.
    fn on_job(&self, worker: &Worker, job: &OnJob, model: &Model) -> Option<(String, String)> {
        let id = match &job.id {
            Some(id) => id.clone(),
            None => worker.held.last()?.0.clone(),
        };
        let known = self.tokens.get(&id);
        let token = match job.token {
            Token::Own => {
                let own = worker.held.iter().rev().find(|(held, _)| *held == id);
                own.map(|(_, token)| token.clone())?
            }
            Token::Stale => {
                let lock = model.queue().lock(&id);
                let now = model.keys().get(&lock).and_then(|value| value.as_type::<String>());
                known?.iter().rev().find(|token| Some(*token) != now)?.clone()
            }
            Token::Foreign => {
                let others = self.tokens.values().flatten();
                let mut foreign = others.filter(|token| known.is_none_or(|known| !known.contains(token)));
                foreign.next().cloned().unwrap_or_else(|| "nobody:1".into())
            }
        };
        Some((id, token))
    }

    /// What the workers learn from the step: `reply` is what the call answered, `handed` who was woken.
    pub fn learn(&mut self, step: &Step, call: &Call, reply: &Json, handed: impl Iterator<Item = u8>) {
        if let (Call::Script(Script::Add { attempts, .. }), Some(id)) = (call, reply.as_str()) {
            self.attempts.entry(id.to_owned()).or_insert(*attempts);
        }
        if let Call::Script(Script::Remove(id)) | Call::Evict(id) = call {
            // Added again, it may have other attempts.
            self.attempts.remove(id);
        }
        if let Step::Worker(number, act) = step {
            self.learn_act(*number, act, call, reply);
        }
        for number in handed {
            if let Some(worker) = self.workers.get_mut(&number) {
                worker.blocked = false;
            }
        }
    }

    fn learn_act(&mut self, number: u8, act: &Act, call: &Call, reply: &Json) {
        let Some(worker) = self.workers.get_mut(&number) else { return };
        match act {
            Act::Start => worker.dead = false,
            Act::Crash => *worker = Worker { dead: true, fetches: worker.fetches, ..Worker::default() },
            Act::Block => worker.blocked = reply.is_null(),
            Act::Wake => worker.blocked = false,
            Act::Take(_) => worker.fetches += 1,
            Act::Finish(..) | Act::Retry(..) | Act::Renew(_) | Act::RenewOne(..) | Act::Sweep(_) => {}
        }
        let Call::Script(script) = call else { return };
        // Acknowledged or refused: either way it lets go of that job.
        if let Script::Finish(Finish { id, grab: Grab { token, .. }, .. }) | Script::Retry { id, token, .. } =
            script
        {
            worker.held.retain(|(held, with)| held != id || with != token);
        }
        let (Script::Take(grab) | Script::Finish(Finish { grab, .. })) = script else { return };
        if let Some(id) = reply.get(1).and_then(Json::as_str) {
            worker.held.push((id.to_owned(), grab.token.clone()));
            self.tokens.entry(id.to_owned()).or_default().push(grab.token.clone());
        }
    }
}

fn failure(fields: bool) -> Vec<(String, String)> {
    if !fields {
        return Vec::new();
    }
    let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    vec![pair("failedReason", REASON), pair("stacktrace", "[\"at enroll\"]")]
}
