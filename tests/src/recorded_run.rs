//! A run of real workers, written down: what the server ran, in order, with what the workers got for an answer.
//!
//! The steps have the shape of the golden traces (`script`, `keys`, `argv`, `inner`, `returns`), each with the
//! server's clock. [`replay`] runs them on the model, in the same order and at the same instants.

use crate::differential::side::{self, Side, canonical, canonical_json};
use anyhow::{Context, Result, bail};
use enroll_once_core::{
    keyspace::{Atomic, Client, KeySpace},
    protocol::{
        BlockingWait, Finish, NewJob, Queue, Reply, Sweep, Take, Target, add_standard_job, extend_locks,
        move_stalled_jobs_to_wait, move_to_active, move_to_finished, serve_blocked, wait_for_job,
    },
    time::Millis,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;

/// The clock of the server that expires keys and the one that `MONITOR` prints are read at slightly different
/// moments. This near to its end a key may be there or not; what the script did tells.
const TOLERANCE: Millis = Millis(5);

/// One recorded run.
#[derive(Debug, Serialize, Deserialize)]
pub struct Recording {
    /// The version of the package.
    pub bullmq: String,
    /// The version of the server.
    pub redis: String,
    /// The version of Node.js.
    pub node: String,
    /// How long the workers' locks live.
    pub lock_ms: u64,
    /// How often they sweep, and how long the guard lives.
    pub stalled_ms: u64,
    /// What all keys begin with.
    pub prefix: String,
    /// What happened, in the server's order.
    pub steps: Vec<Step>,
    /// The idempotent effect: the members of a set.
    pub enrolled: Vec<String>,
    /// The naive effect: a list.
    pub enrollments: Vec<String>,
}

/// One thing that happened.
#[derive(Debug, Serialize, Deserialize)]
pub struct Step {
    /// The server's clock: milliseconds since 1970.
    pub at_ms: u64,
    /// `producer`, `w1`, `w2`.
    pub actor: String,
    /// What.
    #[serde(flatten)]
    pub what: What,
}

/// What can happen.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum What {
    /// A script ran.
    Script {
        /// Its name and number of keys, such as `moveToActive-11`.
        script: String,
        /// KEYS.
        keys: Vec<String>,
        /// ARGV; what was msgpack is `{"msgpack": ...}`.
        argv: Vec<Json>,
        /// The commands inside.
        inner: Vec<Vec<String>>,
        /// The reply that the worker got. None if it was killed before it could say.
        returns: Option<Json>,
    },
    /// A command of the queue outside of scripts.
    Redis {
        /// Its words.
        command: Vec<String>,
    },
    /// A command of the effect.
    Effect {
        /// Its words.
        command: Vec<String>,
    },
    /// The process was killed (SIGKILL).
    Dies,
    /// Somebody looks: all keys of the queue as they are.
    Look {
        /// Names without the prefix, in the shape that [`seen`] makes.
        keyspace: Json,
    },
}

impl Recording {
    /// The file: one step per line, so that a change of it can be read.
    ///
    /// # Errors
    /// None that is known; the type of a serialisation has one.
    pub fn to_text(&self) -> Result<String> {
        let mut whole = serde_json::to_value(self)?;
        let steps = whole.get_mut("steps").map(Json::take).unwrap_or_default();
        let lines: Vec<String> =
            steps.as_array().into_iter().flatten().map(|step| format!("    {step}")).collect();
        let head = serde_json::to_string_pretty(&whole)?;
        Ok(head.replace("\"steps\": null", &format!("\"steps\": [\n{}\n  ]", lines.join(",\n"))) + "\n")
    }
}

/// A side as it is written down: every key with type and value, and whether it expires.
#[must_use]
pub fn seen(side: &Side) -> Json {
    let mut keys: BTreeMap<&str, Json> = BTreeMap::new();
    for (name, state) in &side.keys {
        keys.insert(name, json!({"type": state.kind, "value": state.value, "expires": state.pttl >= 0}));
    }
    if !side.events.is_empty() {
        keys.insert(side::EVENTS, json!({"type": "stream", "value": side.events, "expires": false}));
    }
    json!(keys)
}

/// Runs the recording on the model. Every script must run the same commands and answer the same; the keys must be the
/// same whenever somebody looked. Returns the number of scripts that were compared.
///
/// # Errors
/// The first difference, with both sides.
pub fn replay(recording: &Recording) -> Result<usize> {
    let mut replay = Replay {
        keys: KeySpace::default(),
        queue: Queue::with_prefix(&recording.prefix),
        clients: BTreeMap::new(),
    };
    let mut scripts = 0;
    for (number, step) in recording.steps.iter().enumerate() {
        let place = || format!("step {} of {}: {}", number + 1, step.actor, json!(step.what));
        replay.step(step).with_context(place)?;
        scripts += usize::from(matches!(step.what, What::Script { .. }));
    }
    Ok(scripts)
}

struct Replay {
    keys: KeySpace,
    queue: Queue,
    /// A number for every actor.
    clients: BTreeMap<String, u8>,
}

impl Replay {
    fn step(&mut self, step: &Step) -> Result<()> {
        let now = Millis(step.at_ms);
        self.keys.expire(Millis(now.0 - TOLERANCE.0));
        let client = self.client(&step.actor);
        match &step.what {
            What::Script { script, argv, inner, returns, .. } => {
                let expected = (inner.iter().map(|words| canonical_words(words)).collect(), returns.clone());
                self.either_way(now, |keys, queue| {
                    let (reply, ran) = run(keys, queue, now, script, argv)?;
                    // A reply that nobody told can be any.
                    let reply = expected.1.as_ref().map(|_| canonical_json(reply));
                    same(&(ran, reply), &expected)
                })
            }
            What::Redis { command } => self.plain(client, now, command),
            What::Look { keyspace } => self.either_way(now, |keys, queue| {
                same(&seen(&side::of_model(keys, queue.prefix(), now)), keyspace)
            }),
            What::Dies => {
                self.keys.unblock(client);
                Ok(())
            }
            What::Effect { .. } => Ok(()),
        }?;
        while serve_blocked(&mut self.keys).is_some() {}
        Ok(())
    }

    fn client(&mut self, actor: &str) -> Client {
        let next = u8::try_from(self.clients.len()).unwrap_or(u8::MAX);
        Client(*self.clients.entry(actor.to_owned()).or_insert(next))
    }

    /// With the keys that are just about to expire, and if that does not fit, without them.
    fn either_way(&mut self, now: Millis, run: impl Fn(&mut KeySpace, &Queue) -> Result<()>) -> Result<()> {
        let mut with = self.keys.clone();
        let mut without = self.keys.clone();
        let any_expired = !without.expire(now.plus(TOLERANCE)).is_empty();
        let outcome = run(&mut with, &self.queue);
        if outcome.is_err() && any_expired && run(&mut without, &self.queue).is_ok() {
            self.keys = without;
            return Ok(());
        }
        self.keys = with;
        outcome
    }

    fn plain(&mut self, client: Client, now: Millis, command: &[String]) -> Result<()> {
        let words: Vec<&str> = command.iter().map(String::as_str).collect();
        match words.as_slice() {
            [pop, key, _timeout] if pop.eq_ignore_ascii_case("BZPOPMIN") => {
                // If it was blocked before, that time is over.
                self.keys.unblock(client);
                let mut redis = Atomic::new(&mut self.keys, now);
                if wait_for_job(&mut redis, &self.queue, Millis(0)) == BlockingWait::MustBlock {
                    self.keys.block(client, key);
                }
                Ok(())
            }
            // The Queue class writes its version into meta; no script does.
            [set, key, fields @ ..] if set.eq_ignore_ascii_case("HSET") => {
                let words = ["HSET", key].iter().chain(fields).map(ToString::to_string).collect();
                Atomic::new(&mut self.keys, now).call(words);
                Ok(())
            }
            _ => bail!("the model has no word for this command"),
        }
    }
}

fn same<T: PartialEq + std::fmt::Debug>(model: &T, recorded: &T) -> Result<()> {
    if model != recorded {
        bail!("model and recording differ\n  model:    {model:?}\n  recorded: {recorded:?}");
    }
    Ok(())
}

fn canonical_words(words: &[String]) -> Vec<String> {
    words.iter().map(|word| canonical(word)).collect()
}

type Ran = (Json, Vec<Vec<String>>);

/// One script on the model, its arguments taken from the recorded ARGV.
fn run(keys: &mut KeySpace, queue: &Queue, now: Millis, script: &str, argv: &[Json]) -> Result<Ran> {
    let text = |at: usize| argv.get(at).and_then(Json::as_str).with_context(|| format!("ARGV[{}]", at + 1));
    let packed = |at: usize| argv.get(at).and_then(|arg| arg.get("msgpack")).unwrap_or(&Json::Null);
    let millis = |text: &str| text.parse().map(Millis).context("a number");
    let mut redis = Atomic::new(keys, now);
    let reply = match script.split('-').next().unwrap_or_default() {
        "addStandardJob" => {
            let head = |at: usize| packed(0).get(at).and_then(Json::as_str).unwrap_or_default();
            let at = packed(0).get(3).and_then(Json::as_u64).context("time stamp")?;
            let attempts = packed(2).get("attempts").and_then(Json::as_u64).unwrap_or_default();
            let job = NewJob {
                custom_id: head(1),
                name: head(2),
                data: text(1)?,
                attempts: u32::try_from(attempts)?,
            };
            json!(add_standard_job(&mut redis, queue, Millis(at), &job))
        }
        "moveToActive" => {
            json!(Reply::from(&move_to_active(&mut redis, queue, millis(text(1)?)?, &take(packed(2)))))
        }
        "moveToFinished" => {
            let options = packed(7);
            let fields: Vec<&str> =
                packed(8).as_array().into_iter().flatten().filter_map(Json::as_str).collect();
            let fields: Vec<_> =
                fields.chunks_exact(2).filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect();
            let finish = Finish {
                id: text(0)?,
                target: if text(4)? == "completed" { Target::Completed } else { Target::Failed },
                value: text(3)?,
                fields: &fields,
                attempts: u32::try_from(options.get("attempts").and_then(Json::as_u64).unwrap_or_default())?,
                fetch_next: text(5)? == "1",
                take: take(options),
            };
            json!(Reply::from(&move_to_finished(&mut redis, queue, millis(text(1)?)?, &finish)))
        }
        "moveStalledJobsToWait" => {
            let sweep = Sweep { max_stalled_count: text(0)?.parse()?, interval: millis(text(3)?)? };
            json!(move_stalled_jobs_to_wait(&mut redis, queue, millis(text(2)?)?, sweep))
        }
        "extendLocks" => {
            let list = |at: usize| packed(at).as_array().into_iter().flatten().filter_map(Json::as_str);
            let held: Vec<_> = list(2).zip(list(1)).collect();
            json!(extend_locks(&mut redis, queue, &held, millis(text(3)?)?))
        }
        other => bail!("{other} is not replayed"),
    };
    let ran = redis.into_commands().iter().map(|command| canonical_words(&command.words)).collect();
    Ok((reply, ran))
}

fn take(options: &Json) -> Take<'_> {
    let text = |name: &str| options.get(name).and_then(Json::as_str).unwrap_or_default();
    let lock = options.get("lockDuration").and_then(Json::as_u64).unwrap_or_default();
    Take { token: text("token"), lock: Millis(lock), name: text("name") }
}
