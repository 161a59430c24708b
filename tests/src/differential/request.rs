//! The arguments of every script, packed as BullMQ's classes pack them: which KEYS in which order, which ARGV as
//! msgpack.

use super::{
    call::{Finish, Grab, Script},
    model::{JOB_DATA, JOB_NAME},
};
use enroll_once_core::{
    protocol::{Queue, Target},
    time::Millis,
};
use redis::Cmd;
use rmpv::Value as Packed;

/// Adds KEYS and ARGV of a script that takes `count` keys. "now" is the caller's clock.
pub(super) fn arguments(command: &mut Cmd, script: &Script, count: usize, queue: &Queue, now: Millis) {
    let key = |name: &str| queue.key(name);
    let all = |names: &[&str]| names.iter().map(|name| key(name)).collect::<Vec<_>>();
    let common =
        ["wait", "active", "prioritized", "events", "stalled", "limiter", "delayed", "paused", "meta", "pc"];
    match script {
        Script::Add { id, attempts } => {
            let keys = ["wait", "paused", "meta", "id", "completed", "delayed", "active", "events", "marker"];
            let head = [Packed::from(queue.prefix()), id.as_str().into(), JOB_NAME.into(), now.0.into()];
            let packed = head.into_iter().chain(std::iter::repeat_n(Packed::Nil, 5)).collect();
            let mut options = vec![("attempts", (*attempts).into())];
            if !id.is_empty() {
                options.push(("jobId", id.as_str().into()));
            }
            command.arg(all(&keys)).arg(pack(&Packed::Array(packed))).arg(JOB_DATA).arg(pack(&map(options)));
        }
        Script::Take(grab) => {
            command.arg(all(&common)).arg(key("marker"));
            command.arg(queue.prefix()).arg(now.0).arg(pack(&map(grab_options(grab))));
        }
        Script::Finish(finish) => {
            let target = finish.target.name();
            command.arg(all(&common)).arg(key(target)).arg(queue.job(&finish.id));
            command.arg(key(&format!("metrics:{target}"))).arg(key("marker"));
            finish_arguments(command, finish, queue, now);
        }
        Script::Retry { id, token, fields } => {
            command.arg(all(&["active", "wait", "paused"])).arg(queue.job(id));
            command.arg(all(&["meta", "events", "delayed", "prioritized", "pc", "marker", "stalled"]));
            command.arg(queue.prefix()).arg(now.0).arg("LPUSH").arg(id).arg(token).arg(packed_fields(fields));
        }
        Script::Renew { held, lock } => {
            let (ids, tokens): (Vec<_>, Vec<_>) = held
                .iter()
                .map(|(id, token)| (Packed::from(id.as_str()), Packed::from(token.as_str())))
                .unzip();
            command.arg(key("stalled")).arg(queue.prefix());
            command.arg(pack(&Packed::Array(tokens))).arg(pack(&Packed::Array(ids))).arg(lock.0);
        }
        Script::RenewOne { id, token, lock } => {
            command.arg(queue.lock(id)).arg(key("stalled")).arg(token).arg(lock.0).arg(id);
        }
        Script::Sweep { max_stalled, interval } => {
            let keys = [
                "stalled",
                "wait",
                "active",
                "stalled-check",
                "meta",
                "paused",
                "marker",
                "events",
                "repeat",
            ];
            command.arg(all(keys.get(..count).unwrap_or(&keys)));
            command.arg(*max_stalled).arg(queue.prefix()).arg(now.0).arg(interval.0);
        }
        Script::Remove(id) => {
            command.arg(queue.job(id)).arg(key("repeat")).arg(id).arg(0).arg(queue.prefix());
        }
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
