//! Replays traces recorded from the real scripts (BullMQ 5.78.0 on Redis 7.0.15): same inner commands in order, same
//! replies, same events, same keys with type, value and expiry after every step.
//!
//! The model leaves out of a trace, and why:
//! * `command.keys` and `command.argv`: how a client packs its call (KEYS, msgpack). The model's scripts take values.
//!
//! Every field of every key is compared. Time stamps and event ids are placeholders in the traces (`<t3>`, `<e2>`);
//! they are replaced by the values that the model's clock gave, and `(0,400]` is a range for the time to live.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

use enroll_once_core::{
    keyspace::{Atomic, Client, KeySpace, RedisCommand},
    protocol::{
        BlockingWait, Finish, NewJob, Queue, Reply, Retry, Sweep, Take, Target, add_standard_job,
        extend_lock, extend_locks, move_stalled_jobs_to_wait, move_to_active, move_to_finished, remove_job,
        retry_job, send, serve_blocked, wait_for_job,
    },
    time::Millis,
};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// The traces of this protocol version that the model does not cover, with the reason.
const OUT_OF_SCOPE: [(&str, &str); 7] = [
    ("11", "pause"),
    ("11b", "pause"),
    ("13", "keepJobs other than -1"),
    ("15", "lifo jobs"),
    ("17", "delayed jobs"),
    ("17b", "delayed jobs"),
    ("18", "global concurrency"),
];

macro_rules! replay {
    ($($test:ident: $file:literal),* $(,)?) => {$(
        #[test]
        fn $test() {
            Replay::of(include_str!(concat!("traces/", $file, ".json")));
        }
    )*};
}

replay! {
    clean_run: "01-clean",
    clean_run_of_a_worker_without_a_name: "01b-clean-unnamed",
    crash_after_the_effect: "02-crash-after-effect",
    marked_before_the_crash: "02b-marked-before-crash",
    crash_before_the_effect: "03-crash-before-effect",
    second_crash_fails_visibly: "04-second-crash",
    no_stall_allowed: "04b-max-stalled-0",
    slow_worker_is_refused: "05-slow-worker",
    sweep_while_alive_only_marks: "06-sweep-while-alive",
    two_jobs_one_worker: "07-two-jobs-one-worker",
    acknowledge_without_fetching: "07b-fetchnext-0",
    two_workers_one_job: "08a-two-workers-one-job",
    two_workers_two_jobs: "08b-two-workers-two-jobs",
    taking_from_an_empty_queue: "08c-empty-take",
    duplicates_are_ignored: "09-duplicates",
    automatic_ids_skip: "09b-auto-id",
    fail_then_retry: "10a-fail-then-retry",
    fail_without_attempts: "10b-fail-no-attempts",
    fail_with_attempts_left: "10c-fail-with-attempts-left",
    crash_between_marker_and_take: "12-crash-between-marker-and-take",
}

#[test]
fn every_trace_in_the_folder_is_replayed_or_named_as_out_of_scope() {
    let source = include_str!("golden.rs");
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/traces");
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let stem = name.trim_end_matches(".json");
        let number = stem.split('-').next().unwrap();
        let named = OUT_OF_SCOPE.iter().any(|(trace, _)| *trace == number);
        assert!(
            named || source.contains(&format!("\"{stem}\"")),
            "{name} is neither replayed nor out of scope"
        );
    }
}

struct Replay {
    keys: KeySpace,
    queue: Queue,
    now: Millis,
    /// `<t3>` -> what the model's clock said.
    times: BTreeMap<String, u64>,
    /// Replies of `BZPOPMIN` on their way to a client.
    answers: BTreeMap<String, [String; 3]>,
}

impl Replay {
    fn of(trace: &str) {
        let trace: Value = serde_json::from_str(trace).unwrap();
        let mut replay = Self {
            keys: KeySpace::default(),
            queue: Queue::with_prefix(trace["prefix"].as_str().unwrap()),
            now: Millis(1_000_000),
            times: BTreeMap::new(),
            answers: BTreeMap::new(),
        };
        for step in trace["steps"].as_array().unwrap() {
            replay.step(&trace["id"], step);
        }
    }

    fn step(&mut self, id: &Value, step: &Value) {
        let at = format!("{id} step {}", step["step"]);
        // Every step has a time stamp of its own, so that no two placeholders can be confused.
        self.now = self.now.plus(Millis(1));
        assert_eq!(self.keys.expire(self.now), Vec::<String>::new(), "{at}: a key expired unseen");
        let events_before = self.event_ids().len();
        let (reply, commands) = self.run(step);
        while let Some((client, popped)) = serve_blocked(&mut self.keys) {
            self.answers.insert(format!("w{}", client.0), popped);
        }
        assert_eq!(reply, self.with_model_values(&step["returns"]), "{at}: reply");
        if step["kind"] == "script" {
            let expected = self.with_model_values(&step["inner"]);
            assert_eq!(serde_json::to_value(&commands).unwrap(), expected, "{at}: commands");
        }
        let new_events = &self.events()[events_before..];
        assert_eq!(json!(new_events), self.with_model_values(&step["events"]), "{at}: events");
        self.compare_keys(&at, &step["keyspace"]);
    }

    fn run(&mut self, step: &Value) -> (Value, Vec<RedisCommand>) {
        let command = &step["command"];
        let actor = step["actor"].as_str().unwrap();
        match step["kind"].as_str().unwrap() {
            "script" => self.script(command),
            "redis" => (self.plain_command(command), vec![]),
            "redis-blocks" => {
                let client = client(actor);
                let waited = self.atomic(|redis, queue, _| wait_for_job(redis, queue, Millis(5_000))).0;
                assert_eq!(waited, BlockingWait::MustBlock);
                let marker = self.queue.key("marker");
                self.keys.block(client, &marker);
                (json!("<blocked>"), vec![])
            }
            "redis-unblocks" => {
                self.keys.unblock(client(actor));
                (json!(self.answers.remove(actor)), vec![])
            }
            "wait" => {
                let key = command["until_key_expired"].as_str().unwrap();
                let left = self.keys.time_left(key, self.now).unwrap_or_default();
                self.now = self.now.plus(left);
                assert_eq!(json!(self.keys.expire(self.now)), command["expired"]);
                (Value::Null, vec![])
            }
            "effect" | "dies" => (Value::Null, vec![]),
            other => panic!("unknown kind of step: {other}"),
        }
    }

    fn plain_command(&mut self, command: &Value) -> Value {
        let words = command["redis"].as_array().unwrap();
        if words[0] == "ZADD" {
            self.atomic(|redis, queue, _| {
                send(redis, queue, "ZADD @marker 0 0", &[]);
            });
            return json!(1);
        }
        assert_eq!(words[0], "BZPOPMIN");
        match self.atomic(|redis, queue, _| wait_for_job(redis, queue, Millis(5_000))).0 {
            BlockingWait::Popped(popped) => json!(popped),
            BlockingWait::MustBlock => Value::Null,
        }
    }

    fn atomic<R>(
        &mut self,
        run: impl FnOnce(&mut Atomic<'_>, &Queue, Millis) -> R,
    ) -> (R, Vec<RedisCommand>) {
        let mut redis = Atomic::new(&mut self.keys, self.now);
        let result = run(&mut redis, &self.queue, self.now);
        (result, redis.into_commands())
    }

    /// Remembers which placeholder stands for the model's "now" in this step.
    fn bind_now(&mut self, placeholder: &Value) {
        let placeholder = placeholder.as_str().unwrap();
        assert!(placeholder.starts_with("<t"), "not a time stamp: {placeholder}");
        let earlier = self.times.insert(placeholder.into(), self.now.0);
        assert_eq!(earlier, None, "{placeholder} stands for two instants");
    }

    fn script(&mut self, command: &Value) -> (Value, Vec<RedisCommand>) {
        let argv = command["argv"].as_array().unwrap();
        let text = |index: usize| argv[index].as_str().unwrap();
        let packed = |index: usize| &argv[index]["msgpack"];
        let name = command["script"].as_str().unwrap();
        match name.split('-').next().unwrap() {
            "addStandardJob" => {
                self.bind_now(&packed(0)[3]);
                let job = NewJob {
                    custom_id: packed(0)[1].as_str().unwrap(),
                    name: packed(0)[2].as_str().unwrap(),
                    data: text(1),
                    attempts: number(&packed(2)["attempts"]),
                };
                let (id, ran) = self.atomic(|redis, queue, now| add_standard_job(redis, queue, now, &job));
                (json!(id), ran)
            }
            "moveToActive" => {
                self.bind_now(&argv[1]);
                let take = take(packed(2));
                let (found, ran) = self.atomic(|redis, queue, now| move_to_active(redis, queue, now, &take));
                (json!(Reply::from(&found)), ran)
            }
            "moveToFinished" => {
                self.bind_now(&argv[1]);
                let fields = pairs(packed(8));
                let finish = Finish {
                    id: text(0),
                    target: if text(4) == "completed" { Target::Completed } else { Target::Failed },
                    value: text(3),
                    fields: &fields,
                    attempts: number(&packed(7)["attempts"]),
                    fetch_next: argv[5] == 1,
                    take: take(packed(7)),
                };
                let (done, ran) =
                    self.atomic(|redis, queue, now| move_to_finished(redis, queue, now, &finish));
                (json!(Reply::from(&done)), ran)
            }
            "moveStalledJobsToWait" => {
                self.bind_now(&argv[2]);
                let sweep =
                    Sweep { max_stalled_count: number(&argv[0]), interval: Millis(number(&argv[3]).into()) };
                let (ids, ran) =
                    self.atomic(|redis, queue, now| move_stalled_jobs_to_wait(redis, queue, now, sweep));
                (json!(ids), ran)
            }
            "retryJob" => {
                self.bind_now(&argv[1]);
                let fields = pairs(packed(5));
                let retry = Retry { id: text(3), token: text(4), fields: &fields };
                let (done, ran) = self.atomic(|redis, queue, now| retry_job(redis, queue, now, &retry));
                (json!(done.map_or_else(|code| code.number(), |()| 0)), ran)
            }
            "extendLock" => {
                let lock = Millis(number(&argv[1]).into());
                let (extended, ran) =
                    self.atomic(|redis, queue, _| extend_lock(redis, queue, text(2), text(0), lock));
                (json!(i32::from(extended)), ran)
            }
            "extendLocks" => {
                let lock = Millis(number(&argv[3]).into());
                let held: Vec<_> = strings(packed(2)).into_iter().zip(strings(packed(1))).collect();
                let (lost, ran) = self.atomic(|redis, queue, _| extend_locks(redis, queue, &held, lock));
                (json!(lost), ran)
            }
            "removeJob" => {
                let (removed, ran) = self.atomic(|redis, queue, _| remove_job(redis, queue, text(0)));
                (json!(i32::from(removed)), ran)
            }
            other => panic!("unknown script {other}"),
        }
    }

    fn dump(&self) -> Vec<Value> {
        let Value::Array(keys) = serde_json::to_value(self.keys.snapshot(self.now)).unwrap() else {
            panic!("a keyspace is a list of keys");
        };
        keys
    }

    fn events(&self) -> Vec<Value> {
        let key = self.queue.key("events");
        let stream = self.dump().into_iter().find(|dump| dump["key"] == key.as_str());
        stream.map_or(vec![], |stream| stream["value"].as_array().unwrap().clone())
    }

    fn event_ids(&self) -> Vec<String> {
        self.events().iter().map(|event| event["id"].as_str().unwrap().to_string()).collect()
    }

    /// The expected value with every placeholder replaced by what the model has.
    fn with_model_values(&self, expected: &Value) -> Value {
        match expected {
            Value::String(text) => json!(self.fill(text)),
            Value::Array(list) => list.iter().map(|value| self.with_model_values(value)).collect(),
            Value::Object(map) => {
                map.iter().map(|(key, value)| (key.clone(), self.with_model_values(value))).collect()
            }
            other => other.clone(),
        }
    }

    fn fill(&self, text: &str) -> String {
        let inner = |open| text.strip_prefix(open)?.strip_suffix('>');
        if let Some(number) = inner("<e") {
            let nth: usize = number.parse().unwrap();
            return self.event_ids().get(nth - 1).cloned().unwrap_or_else(|| format!("no event {text}"));
        }
        if let Some(placeholder) = text.strip_suffix("*4096+4095") {
            return (self.times[placeholder] * 4096 + 4095).to_string();
        }
        self.times.get(text).map_or_else(|| text.to_string(), u64::to_string)
    }

    fn compare_keys(&self, at: &str, expected: &Value) {
        let actual = self.dump();
        let expected = expected.as_array().unwrap();
        let names = |keys: &[Value]| keys.iter().map(|key| key["key"].clone()).collect::<Vec<_>>();
        assert_eq!(names(&actual), names(expected), "{at}: which keys exist");
        for (actual, expected) in actual.iter().zip(expected) {
            let key = &actual["key"];
            assert_eq!(actual["type"], expected["type"], "{at}: type of {key}");
            assert_eq!(actual["value"], self.with_model_values(&expected["value"]), "{at}: value of {key}");
            let pttl = actual["pttl"].as_i64().unwrap();
            match expected["pttl"].as_str() {
                None => assert_eq!(json!(pttl), expected["pttl"], "{at}: expiry of {key}"),
                Some(range) => {
                    let most: i64 =
                        range.strip_prefix("(0,").unwrap().strip_suffix(']').unwrap().parse().unwrap();
                    assert!(0 < pttl && pttl <= most, "{at}: {key} has {pttl} ms to live, not {range}");
                }
            }
        }
    }
}

fn client(actor: &str) -> Client {
    Client(actor.strip_prefix('w').unwrap().parse().unwrap())
}

fn number(value: &Value) -> u32 {
    value.as_u64().unwrap().try_into().unwrap()
}

fn take(options: &Value) -> Take<'_> {
    Take {
        token: options["token"].as_str().unwrap(),
        lock: Millis(number(&options["lockDuration"]).into()),
        name: options["name"].as_str().unwrap_or(""),
    }
}

fn strings(list: &Value) -> Vec<&str> {
    list.as_array().map_or(vec![], |list| list.iter().map(|value| value.as_str().unwrap()).collect())
}

fn pairs(list: &Value) -> Vec<(&str, &str)> {
    strings(list).chunks(2).map(|pair| (pair[0], pair[1])).collect()
}
