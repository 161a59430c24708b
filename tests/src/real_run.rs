//! Real BullMQ workers in processes of their own, one of them killed: observed, and written down.

use crate::{
    differential::{bench::DUMP, side},
    process::NodeProcess,
    recorded_run::{Recording, Step, What, seen},
    redis_monitor::{Monitor, Seen},
    redis_scripts::Package,
    redis_server::RedisServer,
};
use anyhow::{Context, Result, bail};
use rmpv::Value as Packed;
use serde_json::{Value as Json, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Short, so that a recovery takes a few seconds; long enough that a busy machine does not lose the second lock too.
const LOCK_MS: u64 = 1_500;
const STALLED_MS: u64 = 750;
const PREFIX: &str = "emq:enroll:";
const LEARNER: &str = "USR0Nl3pIhGtWa";
/// Where the effect goes: keys outside of the queue.
const ENROLLED: &str = "portal:enrolled";
const ENROLLMENTS: &str = "portal:enrollments";
/// How long a process may need for what it is to do.
const PATIENCE: Duration = Duration::from_secs(30);
/// Commands that connections send for themselves and that touch no key.
const HOUSEKEEPING: [&str; 5] = ["INFO", "CLIENT", "HELLO", "PING", "QUIT"];

/// A producer adds a job; w1 takes it, has its effect, and is killed before it acknowledges; w2 starts, recovers the
/// job, has the effect again, and acknowledges.
///
/// # Errors
/// A process does not do its part in time, or something ran that nobody expected.
pub fn crash_after_the_effect(package: &Package) -> Result<Recording> {
    let mut stage = Stage::set(package)?;
    stage.mark("actor producer")?;
    let mut producer = stage.start("producer", false)?;
    producer.wait_for("add")?;
    stage.collect(producer);
    stage.mark("actor w1")?;
    let mut first = stage.start("w1", true)?;
    first.wait_for("effect")?;
    stage.collect(first); // this kills it
    stage.mark("dies")?;
    stage.mark("actor w2")?;
    let mut second = stage.start("w2", false)?;
    second.wait_for("completed")?;
    stage.wait_until_at_rest()?;
    let keyspace = stage.look()?;
    stage.collect(second);
    stage.mark("end")?;
    stage.write_down(keyspace)
}

struct Stage<'a> {
    package: &'a Package,
    server: RedisServer,
    control: redis::Connection,
    control_address: String,
    monitor: Monitor,
    /// Digest, and also the text -> name, number of keys. The first time a connection sends the text.
    scripts: BTreeMap<String, (String, usize)>,
    dump: String,
    /// (script, its arguments in hex) -> reply, as the workers told.
    replies: BTreeMap<(String, Vec<String>), Json>,
}

impl<'a> Stage<'a> {
    fn set(package: &'a Package) -> Result<Self> {
        let server = RedisServer::start()?;
        let mut control = server.connect()?;
        let mut scripts = BTreeMap::new();
        for script in package.all() {
            let digest: String = redis::cmd("SCRIPT").arg("LOAD").arg(&script.content).query(&mut control)?;
            for call in [digest, script.content.clone()] {
                scripts.insert(call, (script.name.clone(), script.keys));
            }
        }
        let dump = redis::cmd("SCRIPT").arg("LOAD").arg(DUMP).query(&mut control)?;
        let info: String = redis::cmd("CLIENT").arg("INFO").query(&mut control)?;
        let address = info.split(' ').find_map(|field| field.strip_prefix("addr="));
        let control_address = address.context("CLIENT INFO has no address")?.to_owned();
        let monitor = Monitor::listen(server.port())?;
        Ok(Self {
            package,
            server,
            control,
            control_address,
            monitor,
            scripts,
            dump,
            replies: BTreeMap::new(),
        })
    }

    /// A line in the record.
    fn mark(&mut self, text: &str) -> Result<()> {
        Ok(redis::cmd("ECHO").arg(text).exec(&mut self.control)?)
    }

    fn start(&self, name: &str, hangs: bool) -> Result<NodeProcess> {
        let (prefix, queue) = PREFIX.trim_end_matches(':').split_once(':').context("prefix:queue")?;
        let options = json!({
            "bullmq": self.package.folder.join("node_modules/bullmq"), "port": self.server.port(),
            "role": if name == "producer" { "producer" } else { "worker" }, "name": name, "hangs": hangs,
            "prefix": prefix, "queue": queue, "learner": LEARNER, "enrolled": ENROLLED, "enrollments": ENROLLMENTS,
            "lockMs": LOCK_MS, "stalledMs": STALLED_MS,
        });
        NodeProcess::start(name, &worker_program(), &[options.to_string()], PATIENCE)
    }

    /// Kills the process and keeps what it told.
    fn collect(&mut self, process: NodeProcess) {
        for line in process.end() {
            let (Some(script), Some(args)) = (line.get("script").and_then(Json::as_str), line.get("args"))
            else {
                continue;
            };
            let args =
                args.as_array().into_iter().flatten().filter_map(Json::as_str).map(str::to_owned).collect();
            let reply = line.get("reply").cloned().unwrap_or_default();
            self.replies.insert((script.to_owned(), args), side::canonical_json(reply));
        }
    }

    /// The marker is taken, and a client is blocked.
    fn wait_until_at_rest(&mut self) -> Result<()> {
        let deadline = Instant::now() + PATIENCE;
        while Instant::now() < deadline {
            let marker: u8 =
                redis::cmd("EXISTS").arg(PREFIX.to_owned() + "marker").query(&mut self.control)?;
            let clients: String = redis::cmd("CLIENT").arg("LIST").query(&mut self.control)?;
            let blocked =
                clients.lines().any(|line| line.contains(" flags=b ") && line.contains(" cmd=bzpopmin "));
            if marker == 0 && blocked {
                return Ok(());
            }
            thread::yield_now();
        }
        bail!("the worker does not come to rest")
    }

    fn look(&mut self) -> Result<Json> {
        let dump = redis::cmd("EVALSHA").arg(&self.dump).arg(0).arg(PREFIX).query(&mut self.control)?;
        Ok(seen(&side::of_redis(&dump, PREFIX).context("the dump cannot be read")?))
    }

    /// Turns what the server ran into steps.
    fn write_down(mut self, keyspace: Json) -> Result<Recording> {
        let enrolled = redis::cmd("SMEMBERS").arg(ENROLLED).query(&mut self.control)?;
        let enrollments = redis::cmd("LRANGE").arg(ENROLLMENTS).arg(0).arg(-1).query(&mut self.control)?;
        let (mut actor, mut steps, mut looking) = (String::new(), Vec::<Step>::new(), false);
        for seen in self.monitor.until("end")? {
            let words = seen.words();
            if seen.source == self.control_address {
                looking = words.get(1) == Some(&self.dump);
                let mark = words.get(1).map_or("", String::as_str);
                let what = match mark.split_once(' ') {
                    Some(("actor", name)) => {
                        name.clone_into(&mut actor);
                        continue;
                    }
                    _ if mark == "dies" => What::Dies,
                    _ if looking => What::Look { keyspace: keyspace.clone() },
                    _ => continue,
                };
                steps.push(Step { at_ms: seen.at_ms, actor: actor.clone(), what });
            } else if seen.source == "lua" {
                match steps.last_mut().map(|step| &mut step.what) {
                    _ if looking => {}
                    Some(What::Script { inner, .. }) => inner.push(words),
                    _ => bail!("a command in no script: {words:?}"),
                }
            } else if let Some(what) = self.what(&seen, words)? {
                steps.push(Step { at_ms: seen.at_ms, actor: actor.clone(), what });
            }
        }
        Ok(Recording {
            bullmq: self.package.version.clone(),
            redis: self.server.version().to_owned(),
            node: node_version()?,
            lock_ms: LOCK_MS,
            stalled_ms: STALLED_MS,
            prefix: PREFIX.to_owned(),
            steps,
            enrolled,
            enrollments,
        })
    }

    /// What a process's own command is. `None`: it touches no key.
    fn what(&mut self, seen: &Seen, words: Vec<String>) -> Result<Option<What>> {
        let command = words.first().map(|word| word.to_ascii_uppercase()).unwrap_or_default();
        match command.as_str() {
            "EVALSHA" | "EVAL" => self.script(seen).map(Some),
            "BZPOPMIN" | "HSET" => Ok(Some(What::Redis { command: words })),
            "SADD" | "RPUSH" => Ok(Some(What::Effect { command: words })),
            other if HOUSEKEEPING.contains(&other) => Ok(None),
            _ => bail!("nobody expected {words:?}"),
        }
    }

    fn script(&mut self, seen: &Seen) -> Result<What> {
        let words = seen.words();
        let digest = words.get(1).context("EVALSHA without a digest")?;
        let (name, count) =
            self.scripts.get(digest).context("a script that the package does not have")?.clone();
        let arguments = seen.raw.get(3..).unwrap_or_default();
        let hex = arguments.iter().map(|argument| hex(argument)).collect();
        let returns = self.replies.remove(&(name.clone(), hex));
        let (keys, argv) = arguments.split_at_checked(count).context("fewer arguments than keys")?;
        let packed = packed_arguments(&name);
        Ok(What::Script {
            script: format!("{name}-{count}"),
            keys: keys.iter().map(|key| String::from_utf8_lossy(key).into_owned()).collect(),
            argv: argv.iter().enumerate().map(|(at, raw)| argument(raw, packed.contains(&at))).collect(),
            inner: Vec::new(),
            returns,
        })
    }
}

/// Which ARGV of a script are msgpack, counted from 0.
fn packed_arguments(script: &str) -> &'static [usize] {
    match script {
        "addStandardJob" => &[0, 2],
        "moveToActive" => &[2],
        "moveToFinished" => &[7, 8],
        "extendLocks" => &[1, 2],
        _ => &[],
    }
}

fn argument(raw: &[u8], is_packed: bool) -> Json {
    // An empty argument is no msgpack, also where one is expected.
    match rmpv::decode::read_value(&mut &*raw) {
        Ok(value) if is_packed => json!({ "msgpack": unpacked(&value) }),
        Ok(_) | Err(_) => json!(String::from_utf8_lossy(raw)),
    }
}

fn unpacked(value: &Packed) -> Json {
    match value {
        Packed::Nil | Packed::Ext(..) => Json::Null,
        Packed::Boolean(yes) => json!(yes),
        Packed::Integer(number) => {
            number.as_u64().map_or_else(|| json!(number.as_i64()), |number| json!(number))
        }
        Packed::F32(number) => json!(number),
        // JavaScript packs a large whole number, such as a time stamp, as a float.
        Packed::F64(number) if number.fract() == 0.0 => {
            format!("{number:.0}").parse::<i64>().map_or(Json::Null, |whole| json!(whole))
        }
        Packed::F64(number) => json!(number),
        Packed::String(text) => json!(text.as_str()),
        Packed::Binary(bytes) => json!(String::from_utf8_lossy(bytes)),
        Packed::Array(list) => list.iter().map(unpacked).collect(),
        Packed::Map(pairs) => {
            let entry = |(name, value): &(Packed, Packed)| {
                (name.as_str().unwrap_or_default().to_owned(), unpacked(value))
            };
            Json::Object(pairs.iter().map(entry).collect())
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

fn worker_program() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("real-worker/worker.js")
}

fn node_version() -> Result<String> {
    let output = Command::new("node").arg("--version").output()?;
    Ok(String::from_utf8_lossy(&output.stdout).trim().trim_start_matches('v').to_owned())
}
