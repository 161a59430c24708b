//! What just ran: the Redis commands of one atomic box.

use crate::words;
use enroll_once_core::{
    keyspace::{CommandReply, RedisCommand},
    view::{Box, LoopView},
};
use yew::prelude::*;

pub(super) fn ran(view: &LoopView) -> Html {
    let shown = &view.ran;
    if matches!(shown, Box::Nothing) {
        return html! {};
    }
    let prefix = view.lanes.first().map_or("", |lane| lane.prefix.as_str());
    html! {
        <section class="ran" aria-labelledby="ran" part="ran">
            <h3 id="ran"><b>{ words::box_title(shown) }</b>{ " " }<span>{ words::actor_line(shown) }</span></h3>
            { lines(shown, prefix) }
        </section>
    }
}

fn lines(shown: &Box, prefix: &str) -> Html {
    match shown {
        Box::Redis { commands, reply, .. } => html! {
            <>
                { redis(commands, prefix) }
                if commands.len() != 1 {
                    <p class="reply">{ "reply " }<code>{ words::reply(reply) }</code></p>
                }
            </>
        },
        Box::Portal { result, .. } => html! {
            <ol class="commands">
                for (name, outcome) in words::portal_lines(result) {
                    <li><code>{ name }</code><em>{ " → " }{ outcome }</em></li>
                }
            </ol>
        },
        Box::Expiry { keys } => html! {
            <ol class="commands">
                for key in keys { <li><code>{ word(key, prefix) }</code><em>{ " is gone" }</em></li> }
            </ol>
        },
        Box::Death { .. } | Box::Start { .. } | Box::Nothing => html! {},
    }
}

/// The commands that changed or decided something; the rest, which only looks, behind a disclosure.
fn redis(commands: &[RedisCommand], prefix: &str) -> Html {
    let (telling, looking): (Vec<_>, Vec<_>) = commands.iter().partition(|command| tells(command));
    html! {
        <>
            <ol class="commands">
                for command in &telling { { line(command, prefix) } }
            </ol>
            if !looking.is_empty() {
                <details>
                    <summary>{ format!("all {} commands, in order", commands.len()) }</summary>
                    <ol class="commands">
                        for command in commands { { line(command, prefix) } }
                    </ol>
                </details>
            }
        </>
    }
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

fn line(command: &RedisCommand, prefix: &str) -> Html {
    html! {
        <li>
            <code>
                for (index, text) in command.words.iter().enumerate() {
                    if index > 0 { { " " } }
                    { word(text, prefix) }
                }
            </code>
            { arrow(&command.reply) }
        </li>
    }
}

/// The queue's prefix is the same in every key, so it steps back.
fn word(text: &str, prefix: &str) -> Html {
    match text.strip_prefix(prefix) {
        Some(rest) => html! { <><i>{ prefix }</i>{ rest }</> },
        None => html! { { text } },
    }
}

fn arrow(reply: &CommandReply) -> Html {
    let text = match reply {
        CommandReply::Nil => "nil".to_string(),
        CommandReply::Ok => return html! {},
        CommandReply::Integer(number) => number.to_string(),
        CommandReply::Text(text) => text.clone(),
        CommandReply::List(items) if items.is_empty() => "empty".to_string(),
        CommandReply::List(items) => {
            let items: Vec<&str> = items.iter().map(|item| item.as_deref().unwrap_or("nil")).collect();
            items.join(" ")
        }
    };
    html! { <em>{ " → " }{ text }</em> }
}
