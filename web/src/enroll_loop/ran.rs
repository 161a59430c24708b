//! What just ran: the Redis commands of one atomic box.

use crate::{
    ui::{Attr, El, el, fragment},
    words,
};
use enroll_once_core::{
    keyspace::{CommandReply, RedisCommand},
    view::{Box, LoopView},
};

pub(super) fn ran(view: &LoopView) -> El {
    let shown = &view.ran;
    if matches!(shown, Box::Nothing) {
        return fragment();
    }
    let prefix = view.lanes.first().map_or("", |lane| lane.prefix);
    let title = el("h3")
        .attr(Attr::Id, "ran")
        .child(el("b").text(words::box_title(shown)))
        .text(" ")
        .child(el("span").text(&words::actor_line(shown)));
    let section = el("div.ran")
        .attr(Attr::Role, "group")
        .attr(Attr::AriaLabelledby, "ran")
        .attr(Attr::Part, "ran")
        .child(title);
    match shown {
        Box::Redis { commands, reply, .. } => {
            let reply = (commands.len() != 1)
                .then(|| el("p.reply").text("reply ").child(el("code").text(&words::reply(reply))));
            section.child(telling(commands, prefix)).maybe(disclosure(commands, prefix)).maybe(reply)
        }
        Box::Portal { result, .. } => {
            let mut lines = el("ol.commands");
            for (name, outcome) in words::portal_lines(*result) {
                let outcome = el("em").text(" → ").text(&outcome);
                lines = lines.child(el("li").child(el("code").text(name)).child(outcome));
            }
            section.child(lines)
        }
        Box::Expiry { keys } => {
            let mut lines = el("ol.commands");
            for key in keys {
                let gone = el("em").text(" is gone");
                lines = lines.child(el("li").child(el("code").child(word(key, prefix))).child(gone));
            }
            section.child(lines)
        }
        Box::Death { .. } | Box::Start { .. } | Box::Nothing => section,
    }
}

/// The commands that changed or decided something.
fn telling(commands: &[RedisCommand], prefix: &str) -> El {
    let mut lines = el("ol.commands");
    for command in commands {
        if tells(command) {
            lines = lines.child(line(command, prefix));
        }
    }
    lines
}

/// All of them, when some only look.
fn disclosure(commands: &[RedisCommand], prefix: &str) -> Option<El> {
    if commands.iter().all(tells) {
        return None;
    }
    let mut lines = el("ol.commands");
    for command in commands {
        lines = lines.child(line(command, prefix));
    }
    Some(el("details").child(el("summary").text(&words::all_commands(commands.len()))).child(lines))
}

/// Did the command change something, or look at a lock, a guard or the suspects, on which the script then decided?
fn tells(command: &RedisCommand) -> bool {
    let [name, key, ..] = command.words.as_slice() else { return false };
    match name.as_str() {
        "EXISTS" | "GET" => key.ends_with(":lock") || key.ends_with(":stalled-check"),
        "SMEMBERS" | "RPOPLPUSH" | "BZPOPMIN" => true,
        "DEL" | "LREM" | "SREM" | "HDEL" => command.reply != CommandReply::Integer(0),
        "SET" | "LPUSH" | "RPUSH" | "SADD" | "ZADD" | "HSET" | "HMSET" | "HINCRBY" | "XADD" | "INCR" => true,
        _ => false,
    }
}

fn line(command: &RedisCommand, prefix: &str) -> El {
    let mut words = el("code");
    for (index, text) in command.words.iter().enumerate() {
        if index > 0 {
            words = words.text(" ");
        }
        words = words.child(word(text, prefix));
    }
    let line = el("li").child(words);
    match words::command_reply(&command.reply) {
        Some(reply) => line.child(el("em").text(" → ").text(&reply)),
        None => line,
    }
}

/// The queue's prefix is the same in every key, so it steps back.
fn word(text: &str, prefix: &str) -> El {
    match text.strip_prefix(prefix) {
        Some(rest) => fragment().child(el("i").text(prefix)).text(rest),
        None => fragment().text(text),
    }
}
