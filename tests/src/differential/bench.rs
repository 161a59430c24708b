//! A private Redis with the real scripts loaded, and the means to look at everything that one step did.

use super::{
    call::{Call, Finish, Grab},
    model::{JOB_DATA, JOB_NAME},
    side::{self, Side, canonical, json_of},
};
use crate::{redis_monitor::Monitor, redis_scripts::Package, redis_server::RedisServer};
use anyhow::{Context, Result, bail};
use enroll_once_core::{
    protocol::{Queue, Target},
    time::Millis,
};
use redis::{Cmd, Value as Redis};
use rmpv::Value as Packed;
use std::collections::{BTreeMap, BTreeSet};

/// Reads every key under a prefix in one piece: type, value, time to live.
const DUMP: &str = r"
local all = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do
  local kind = redis.call('TYPE', key).ok
  local value
  if kind == 'list' then value = redis.call('LRANGE', key, 0, -1)
  elseif kind == 'set' then value = redis.call('SMEMBERS', key)
  elseif kind == 'zset' then value = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES')
  elseif kind == 'hash' then value = redis.call('HGETALL', key)
  elseif kind == 'stream' then value = redis.call('XRANGE', key, '-', '+')
  else value = redis.call('GET', key) end
  all[#all + 1] = {key, kind, value, redis.call('PTTL', key)}
end
return all";

/// The scripts in use, with the number of KEYS that each can take.
const SCRIPTS: [(&str, &[usize]); 8] = [
    ("addStandardJob", &[9]),
    ("moveToActive", &[11]),
    ("moveToFinished", &[14]),
    ("retryJob", &[11]),
    ("extendLocks", &[1]),
    ("extendLock", &[2]),
    ("moveStalledJobsToWait", &[8, 9]),
    ("removeJob", &[2]),
];

/// One server, one connection for calls, one that listens.
pub struct Bench {
    server: RedisServer,
    connection: redis::Connection,
    monitor: Monitor,
    /// Name -> digest, number of keys.
    scripts: BTreeMap<&'static str, (String, usize)>,
    dump: String,
    serial: u64,
}

impl Bench {
    /// Starts a server and loads the scripts of this version.
    ///
    /// # Errors
    /// No server, or a version whose scripts take other keys than any known one.
    pub fn start(package: &Package) -> Result<Self> {
        let server = RedisServer::start()?;
        let mut connection = server.connect()?;
        let load = |connection: &mut redis::Connection, text: &str| -> Result<String> {
            Ok(redis::cmd("SCRIPT").arg("LOAD").arg(text).query(connection)?)
        };
        let mut scripts = BTreeMap::new();
        for (name, known) in SCRIPTS {
            let script = package.script(name)?;
            if !known.contains(&script.keys) {
                bail!("{name} of bullmq {} takes {} keys, not {known:?}", package.version, script.keys);
            }
            scripts.insert(name, (load(&mut connection, &script.content)?, script.keys));
        }
        let dump = load(&mut connection, DUMP)?;
        let monitor = Monitor::listen(server.port())?;
        Ok(Self { server, connection, monitor, scripts, dump, serial: 0 })
    }

    /// The server.
    #[must_use]
    pub fn server(&self) -> &RedisServer {
        &self.server
    }

    /// A number that no other caller of this bench got.
    pub fn serial(&mut self) -> u64 {
        self.serial += 1;
        self.serial
    }

    /// Sends one command outside of any observation.
    ///
    /// # Errors
    /// The server is gone, or answers an error.
    pub fn plain(&mut self, command: &Cmd) -> Result<Redis> {
        Ok(command.query(&mut self.connection)?)
    }

    /// Sends the request, if any, and looks at everything under the prefix: one trip to the server.
    /// `clients` are looked up in the server's list of blocked clients.
    ///
    /// # Errors
    /// The server is gone or answers what was never seen. An error as the *reply* is a reply.
    pub fn observe(&mut self, prefix: &str, request: Option<&Cmd>, clients: &BTreeMap<u8, i64>) -> Result<Side> {
        let serial = self.serial();
        let (from, to) = (format!("from-{serial}"), format!("to-{serial}"));
        let mut commands = vec![echo(&from)];
        commands.extend(request.cloned());
        commands.push(echo(&to));
        let mut dump = redis::cmd("EVALSHA");
        dump.arg(&self.dump).arg(0).arg(prefix);
        commands.push(dump);
        if !clients.is_empty() {
            commands.push(client_list(clients.values()));
        }
        let mut pipeline = redis::Pipeline::with_capacity(commands.len());
        let count = commands.len();
        for command in commands {
            pipeline.add_command(command);
        }
        let packed = pipeline.get_packed_pipeline();
        let replies = redis::ConnectionLike::req_packed_commands(&mut self.connection, &packed, 0, count)?;
        let ran = self.monitor.inside_scripts(&from, &to)?;
        let after = if request.is_some() { 3 } else { 2 };
        let seen = replies.get(after).and_then(|dump| side::of_redis(dump, prefix));
        let listed = replies.get(after + 1).and_then(side::text).unwrap_or_default();
        Ok(Side {
            reply: request.and(replies.get(1)).map(json_of).unwrap_or_default(),
            commands: ran.iter().map(|words| words.iter().map(|word| canonical(word)).collect()).collect(),
            blocked: blocked_in(&listed, clients),
            ..seen.with_context(|| format!("the dump cannot be read: {replies:?}"))?
        })
    }

    /// Waits until the client has run `BZPOPMIN`, be it that it blocks or that it was served.
    pub(super) fn wait_until_popping(&mut self, client: i64) -> Result<()> {
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(10);
        while std::time::Instant::now() < deadline {
            let listed = side::text(&self.plain(&client_list([&client].into_iter()))?).unwrap_or_default();
            if listed.contains(" cmd=bzpopmin ") {
                return Ok(());
            }
        }
        bail!("a BZPOPMIN did not reach the server")
    }

    /// Removes everything under the prefix.
    ///
    /// # Errors
    /// The server is gone.
    pub fn clear(&mut self, prefix: &str) -> Result<()> {
        let mut delete = redis::cmd("EVAL");
        delete.arg("for _, k in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', k) end").arg(0);
        self.plain(delete.arg(prefix))?;
        Ok(())
    }

    /// The request for a script, packed as BullMQ's classes pack it; `None` for what is not a script.
    #[must_use]
    pub fn request(&self, call: &Call, queue: &Queue, now: Millis) -> Option<Cmd> {
        let (digest, count) = self.scripts.get(call.name())?;
        let key = |name: &str| queue.key(name);
        let all = |names: &[&str]| names.iter().map(|name| key(name)).collect::<Vec<_>>();
        let common = ["wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused", "meta", "pc"];
        let mut command = redis::cmd("EVALSHA");
        command.arg(digest).arg(*count);
        match call {
            Call::Add { id, attempts } => {
                let keys = ["wait", "paused", "meta", "id", "completed", "delayed", "active", "events", "marker"];
                let head = [Packed::from(queue.prefix()), id.as_str().into(), JOB_NAME.into(), now.0.into()];
                let packed = head.into_iter().chain(std::iter::repeat_n(Packed::Nil, 5)).collect();
                let mut options = vec![("attempts", (*attempts).into())];
                if !id.is_empty() {
                    options.push(("jobId", id.as_str().into()));
                }
                command.arg(all(&keys)).arg(pack(&Packed::Array(packed))).arg(JOB_DATA).arg(pack(&map(options)));
            }
            Call::Take(grab) => {
                command.arg(all(&common)).arg(key("marker"));
                command.arg(queue.prefix()).arg(now.0).arg(pack(&map(grab_options(grab))));
            }
            Call::Finish(finish) => {
                let target = finish.target.name();
                command.arg(all(&common)).arg(key(target)).arg(queue.job(&finish.id));
                command.arg(key(&format!("metrics:{target}"))).arg(key("marker"));
                finish_arguments(&mut command, finish, queue, now);
            }
            Call::Retry { id, token, fields } => {
                command.arg(all(&["active", "wait", "paused"])).arg(queue.job(id));
                command.arg(all(&["meta", "events", "delayed", "prioritized", "pc", "marker", "stalled"]));
                command.arg(queue.prefix()).arg(now.0).arg("LPUSH").arg(id).arg(token).arg(packed_fields(fields));
            }
            Call::Renew { held, lock } => {
                let (ids, tokens): (Vec<_>, Vec<_>) =
                    held.iter().map(|(id, token)| (Packed::from(id.as_str()), Packed::from(token.as_str()))).unzip();
                command.arg(key("stalled")).arg(queue.prefix());
                command.arg(pack(&Packed::Array(tokens))).arg(pack(&Packed::Array(ids))).arg(lock.0);
            }
            Call::RenewOne { id, token, lock } => {
                command.arg(queue.lock(id)).arg(key("stalled")).arg(token).arg(lock.0).arg(id);
            }
            Call::Sweep { max_stalled, interval } => {
                let keys =
                    ["stalled", "wait", "active", "stalled-check", "meta", "paused", "marker", "events", "repeat"];
                command.arg(all(keys.get(..*count)?));
                command.arg(*max_stalled).arg(queue.prefix()).arg(now.0).arg(interval.0);
            }
            Call::Remove { id } => {
                command.arg(queue.job(id)).arg(key("repeat")).arg(id).arg(0).arg(queue.prefix());
            }
            Call::Pop
            | Call::TimeOut { .. }
            | Call::Block { .. }
            | Call::Unblock { .. }
            | Call::Disconnect { .. }
            | Call::Evict { .. }
            | Call::Unlist { .. }
            | Call::Nothing
            | Call::Pass(_) => return None,
        }
        Some(command)
    }
}

fn finish_arguments(command: &mut Cmd, finish: &Finish, queue: &Queue, now: Millis) {
    let field = match finish.target {
        Target::Completed => "returnvalue",
        Target::Failed => "failedReason",
    };
    let mut options = grab_options(&finish.grab);
    options.push(("keepJobs", map(vec![("count", (-1).into())])));
    options.push(("attempts", finish.attempts.into()));
    options.push(("maxMetricsSize", "".into()));
    options.extend(["fpof", "cpof", "idof", "rdof"].map(|name| (name, false.into())));
    command.arg(&finish.id).arg(now.0).arg(field).arg(&finish.value).arg(finish.target.name());
    command.arg(i32::from(finish.fetch_next)).arg(queue.prefix());
    command.arg(pack(&map(options))).arg(packed_fields(&finish.fields));
}

fn grab_options(grab: &Grab) -> Vec<(&'static str, Packed)> {
    let mut options = vec![("token", grab.token.as_str().into()), ("lockDuration", grab.lock.0.into())];
    if !grab.name.is_empty() {
        options.push(("name", grab.name.as_str().into()));
    }
    options
}

fn packed_fields(fields: &[(String, String)]) -> Vec<u8> {
    if fields.is_empty() {
        return Vec::new();
    }
    let flat = fields.iter().flat_map(|(name, value)| [name.as_str().into(), value.as_str().into()]);
    pack(&Packed::Array(flat.collect()))
}

fn map(pairs: Vec<(&str, Packed)>) -> Packed {
    Packed::Map(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
}

fn pack(value: &Packed) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Writing into memory cannot fail.
    let _written = rmpv::encode::write_value(&mut bytes, value);
    bytes
}

fn echo(text: &str) -> Cmd {
    let mut command = redis::cmd("ECHO");
    command.arg(text);
    command
}

fn client_list<'a>(ids: impl Iterator<Item = &'a i64>) -> Cmd {
    let mut command = redis::cmd("CLIENT");
    command.arg("LIST").arg("ID");
    for id in ids {
        command.arg(*id);
    }
    command
}

/// The workers whose client has the flag `b` (blocked) in `CLIENT LIST`.
fn blocked_in(listed: &str, clients: &BTreeMap<u8, i64>) -> BTreeSet<u8> {
    let is_blocked = |id: &i64| {
        let start = format!("id={id} ");
        let line = listed.lines().find(|line| line.starts_with(&start));
        let flags = line.and_then(|line| line.split(' ').find_map(|field| field.strip_prefix("flags=")));
        flags.is_some_and(|flags| flags.contains('b'))
    };
    clients.iter().filter(|(_, id)| is_blocked(id)).map(|(worker, _)| *worker).collect()
}
