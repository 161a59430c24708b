//! The other side: the same calls, on the real server.

use super::{
    bench::Bench,
    call::{Call, Pop},
    side::{Side, json_of},
};
use anyhow::{Context, Result, bail};
use enroll_once_core::{protocol::Queue, time::Millis};
use redis::Cmd;
use serde_json::Value as Json;
use std::{collections::BTreeMap, time::Duration};

/// How long a client waits whose time-out shall come: seconds, as Redis takes it.
const SHORT_WAIT: &str = "0.02";
/// How long a client waits that shall not wait at all. It is reached only when the sides differ.
const NO_WAIT: &str = "1";
/// How long an answer may need that is on its way.
const PATIENCE: Duration = Duration::from_secs(10);

/// A worker's blocking connection.
struct Client {
    id: i64,
    connection: redis::Connection,
}

/// One schedule's keys and clients on a server.
pub struct Real {
    queue: Queue,
    clients: BTreeMap<u8, Client>,
    /// Those that were blocked after the last look.
    blocked: BTreeMap<u8, i64>,
}

impl Real {
    /// Nothing yet.
    #[must_use]
    pub fn new(queue: Queue) -> Self {
        Self { queue, clients: BTreeMap::new(), blocked: BTreeMap::new() }
    }

    /// What must be sent before the schedule's real wait begins; then [`Real::finish`] looks at the outcome.
    ///
    /// # Errors
    /// The server is gone.
    pub fn begin(&mut self, bench: &mut Bench, call: &Call) -> Result<()> {
        if let Call::Pop(Pop::TimeOut(worker)) = call {
            self.send_pop(bench, *worker, SHORT_WAIT)?;
        }
        Ok(())
    }

    /// Does the call (or ends what `begin` began) and looks.
    ///
    /// # Errors
    /// The server is gone, or it does not answer.
    pub fn finish(&mut self, bench: &mut Bench, call: &Call, now: Millis) -> Result<Side> {
        let queue = self.queue.clone();
        let request = match call {
            Call::Script(script) => bench.request(script, &queue, now),
            Call::Pop(Pop::AtOnce) => Some(pop(&queue, NO_WAIT)),
            Call::Evict(id) => Some(command(&["DEL", &queue.job(id)])),
            Call::Unlist(id) => Some(command(&["LREM", &queue.key("active"), "1", id])),
            Call::Pop(_) | Call::Pass(_) | Call::Nothing => None,
        };
        let reply = match call {
            Call::Pop(pop) => self.pop_of_client(bench, *pop)?,
            Call::Script(_) | Call::Evict(_) | Call::Unlist(_) | Call::Pass(_) | Call::Nothing => None,
        };
        let mut side = bench.observe(queue.prefix(), request.as_ref(), &self.blocked)?;
        if let Some(reply) = reply {
            side.reply = reply;
        }
        // Who was blocked and is not any more has its answer under way.
        let served: Vec<u8> =
            self.blocked.keys().filter(|worker| !side.blocked.contains(worker)).copied().collect();
        for worker in served {
            self.blocked.remove(&worker);
            side.handed.insert(worker, self.answer(worker)?);
        }
        // A Block that was answered at once has a reply, and nobody was handed anything.
        if let Call::Pop(Pop::Block(worker)) = call
            && let Some(answer) = side.handed.remove(worker)
        {
            side.reply = answer;
        }
        Ok(side)
    }

    /// What goes over a worker's own connection.
    fn pop_of_client(&mut self, bench: &mut Bench, pop: Pop) -> Result<Option<Json>> {
        match pop {
            Pop::AtOnce => Ok(None),
            Pop::TimeOut(worker) => self.answer(worker).map(Some),
            Pop::Block(worker) => {
                let id = self.send_pop(bench, worker, "0")?;
                bench.wait_until_popping(id)?;
                self.blocked.insert(worker, id);
                Ok(None)
            }
            Pop::Unblock(worker) => {
                let id = self.blocked.remove(&worker).context("that worker is not blocked")?;
                bench.plain(&command(&["CLIENT", "UNBLOCK", &id.to_string(), "TIMEOUT"]))?;
                self.answer(worker).map(Some)
            }
            Pop::Disconnect(worker) => {
                let id = self.blocked.remove(&worker).context("that worker is not blocked")?;
                self.clients.remove(&worker);
                // The connection is closed above; by this the server has noticed before the next step.
                let kill = command(&["CLIENT", "KILL", "ID", &id.to_string()]);
                bench.plain(&kill)?;
                Ok(None)
            }
        }
    }

    fn send_pop(&mut self, bench: &Bench, worker: u8, timeout: &str) -> Result<i64> {
        if let std::collections::btree_map::Entry::Vacant(new) = self.clients.entry(worker) {
            let mut connection = bench.server().connect()?;
            connection.set_read_timeout(Some(PATIENCE))?;
            let id = redis::cmd("CLIENT").arg("ID").query(&mut connection)?;
            new.insert(Client { id, connection });
        }
        let client = self.clients.get_mut(&worker).context("no connection")?;
        // So that the server's list shows another last command until BZPOPMIN has really run.
        redis::cmd("ECHO").arg("ready").exec(&mut client.connection)?;
        client.connection.send_packed_command(&pop(&self.queue, timeout).get_packed_command())?;
        Ok(client.id)
    }

    fn answer(&mut self, worker: u8) -> Result<Json> {
        let Some(client) = self.clients.get_mut(&worker) else { bail!("w{worker} has no connection") };
        let reply = client.connection.recv_response().context("a BZPOPMIN is not answered")?;
        Ok(json_of(&reply))
    }
}

fn pop(queue: &Queue, timeout: &str) -> Cmd {
    command(&["BZPOPMIN", &queue.key("marker"), timeout])
}

fn command(words: &[&str]) -> Cmd {
    let mut command = Cmd::new();
    for word in words {
        command.arg(*word);
    }
    command
}
