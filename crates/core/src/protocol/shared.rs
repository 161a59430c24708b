//! What several scripts have in common, as the real ones share their includes.

use super::{Code, Queue};
use crate::{
    keyspace::{Atomic, CommandReply, Fields},
    small::{decimal, pieces},
    time::Millis,
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Sends commands, written as Redis reads them and separated by line ends; answers the reply of the last.
///
/// `@` stands for what every key of the queue begins with, `$1`, `$2`, ... for the arguments. So a script here reads
/// as the real one does: `send(redis, queue, "LREM @active -1 $1", &["j_1"])`. An argument stays one word, whatever
/// is in it.
pub fn send<'a>(
    redis: &'a mut Atomic<'_>,
    queue: &Queue,
    commands: &str,
    arguments: &[&str],
) -> &'a CommandReply {
    for command in pieces(commands, b'\n') {
        redis.call(words(queue, command, arguments));
    }
    redis.reply()
}

/// The same for one command with more words at its end.
pub(crate) fn send_with<'a>(
    redis: &'a mut Atomic<'_>,
    queue: &Queue,
    [command, argument]: [&str; 2],
    more: &[&str],
) -> &'a CommandReply {
    let mut words = words(queue, command, &[argument]);
    for word in more {
        words.push(word.to_string());
    }
    redis.call(words)
}

fn words(queue: &Queue, command: &str, arguments: &[&str]) -> Vec<String> {
    let mut words = Vec::new();
    for word in pieces(command, b' ') {
        words.push(filled(queue, word, arguments));
    }
    words
}

fn filled(queue: &Queue, word: &str, arguments: &[&str]) -> String {
    let mut text = String::new();
    let mut letters = word.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '@' => text.push_str(queue.prefix()),
            '$' => {
                let number = letters.next().and_then(|digit| digit.to_digit(10)).unwrap_or(0) as usize;
                text.push_str(arguments.get(number.wrapping_sub(1)).copied().unwrap_or_default());
            }
            _ => text.push(letter),
        }
    }
    text
}

/// Rule A2: the stream's bound stands in `meta`; write it if it is missing.
pub(super) fn ensure_meta(redis: &mut Atomic<'_>, queue: &Queue) {
    if *send(redis, queue, "HGET @meta opts.maxLenEvents", &[]) == CommandReply::Nil {
        send(redis, queue, "HSET @meta opts.maxLenEvents 10000", &[]);
    }
}

/// The same, and trims the stream to the bound.
pub(super) fn trim_events(redis: &mut Atomic<'_>, queue: &Queue) {
    ensure_meta(redis, queue);
    send(redis, queue, "XTRIM @events MAXLEN ~ 10000", &[]);
}

/// Reads what would pause or bound the queue. Nothing here ever sets it, so the answer is always "neither".
pub(super) const PROBE_TARGET: &str = "HMGET @meta paused concurrency max duration";

/// Looks for delayed jobs that are due. There are none in the model's scope. The bound is due time * 4096 + 4095.
pub(super) fn probe_delayed(redis: &mut Atomic<'_>, queue: &Queue, now: Millis) {
    let bound = decimal(now.0.saturating_mul(4096).saturating_add(4095));
    send(redis, queue, "ZRANGEBYSCORE @delayed 0 $1 LIMIT 0 1000", &[&bound]);
}

/// Rules F2, F3: only the owner of the lock passes, and then the lock is gone.
pub(crate) fn drop_lock(redis: &mut Atomic<'_>, queue: &Queue, id: &str, token: &str) -> Result<(), Code> {
    match send(redis, queue, "GET @$1:lock", &[id]) {
        CommandReply::Text(owner) if owner == token => {}
        CommandReply::Text(_) => return Err(Code::LockMismatch),
        CommandReply::Nil | CommandReply::Ok | CommandReply::Integer(_) | CommandReply::List(_) => {
            return Err(Code::MissingLock);
        }
    }
    send(redis, queue, "DEL @$1:lock", &[id]);
    Ok(())
}

/// The same, and the mark goes with the lock.
pub(super) fn release_lock(redis: &mut Atomic<'_>, queue: &Queue, id: &str, token: &str) -> Result<(), Code> {
    drop_lock(redis, queue, id, token)?;
    send(redis, queue, "SREM @stalled $1", &[id]);
    Ok(())
}

/// Rule F4: fields that the worker passes along, such as the reason of a failure.
pub(super) fn write_fields(redis: &mut Atomic<'_>, queue: &Queue, job: &str, fields: &[(&str, &str)]) {
    if !fields.is_empty() {
        let mut words = Vec::new();
        for (name, value) in fields {
            words.extend([*name, *value]);
        }
        send_with(redis, queue, ["HMSET @$1", job], &words);
    }
}

/// The job's hash as it is now.
pub(crate) fn read_job(redis: &mut Atomic<'_>, queue: &Queue, id: &str) -> Fields {
    let mut words = send(redis, queue, "HGETALL @$1", &[id]).texts().into_iter();
    let mut fields = Fields::default();
    while let (Some(name), Some(value)) = (words.next(), words.next()) {
        fields.0.push((name, value));
    }
    fields
}

/// A string as JSON writes it.
pub(super) fn json_string(text: &str) -> String {
    let mut json = String::from("\"");
    for letter in text.chars() {
        if matches!(letter, '"' | '\\') {
            json.push('\\');
        }
        json.push(letter);
    }
    json.push('"');
    json
}
