//! A private Redis with the real scripts loaded, and the means to look at everything that one step did.

use super::{
    call::Script,
    request,
    side::{self, Side, canonical, json_of},
};
use crate::{redis_monitor::Monitor, redis_scripts::Package, redis_server::RedisServer};
use anyhow::{Context, Result, bail};
use enroll_once_core::{protocol::Queue, time::Millis};
use redis::{Cmd, Value as Redis};
use std::collections::{BTreeMap, BTreeSet};

/// Reads every key under a prefix in one piece: type, value, time to live.
pub const DUMP: &str = r"
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
    pub fn observe(
        &mut self,
        prefix: &str,
        request: Option<&Cmd>,
        clients: &BTreeMap<u8, i64>,
    ) -> Result<Side> {
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
        delete
            .arg("for _, k in ipairs(redis.call('KEYS', ARGV[1] .. '*')) do redis.call('DEL', k) end")
            .arg(0);
        self.plain(delete.arg(prefix))?;
        Ok(())
    }

    /// The request for a script; `None`: it was not loaded.
    #[must_use]
    pub fn request(&self, script: &Script, queue: &Queue, now: Millis) -> Option<Cmd> {
        let (digest, count) = self.scripts.get(script.name())?;
        let mut command = redis::cmd("EVALSHA");
        command.arg(digest).arg(*count);
        request::arguments(&mut command, script, *count, queue, now);
        Some(command)
    }
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
