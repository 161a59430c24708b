//! The naive forms and the faults, step by step: what they send to Redis, what a reader sees, and what is refused.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

use enroll_once_core::{
    reliable_loop::{Fact, Milestone, World},
    story::{Ran, Story, Token},
};
use serde_json::json;
use std::sync::Arc;

fn run(story: &str) -> Ran {
    Story::parse(story).unwrap().run()
}

/// The commands of the story's last step: the words before the arguments that are values.
#[track_caller]
fn sends(story: &str, expected: &[&str]) {
    let ran = run(story);
    assert_eq!(ran.refused, None);
    let facts = &ran.steps.last().unwrap().step.facts;
    let commands = facts.iter().filter_map(|fact| match fact {
        Fact::Ran { commands, .. } => Some(commands),
        _ => None,
    });
    let short = |words: &[String]| words[..2].join(" ").replace("emq:enroll:", "");
    let actual: Vec<String> =
        commands.flat_map(|commands| commands.iter()).map(|command| short(&command.words)).collect();
    assert_eq!(actual, expected, "{story}");
}

#[test]
fn a_pop_leaves_the_job_in_no_list() {
    let pop =
        ["RPOP wait", "SET j_1:lock", "XADD events", "HSET j_1", "HINCRBY j_1", "ZADD marker", "HGETALL j_1"];
    sends("off=processing-list,add,w1:wake,w1:pop", &pop);
    let without_lock = pop.map(String::from).into_iter().filter(|command| !command.starts_with("SET"));
    let without_lock: Vec<String> = without_lock.collect();
    let without_lock: Vec<&str> = without_lock.iter().map(String::as_str).collect();
    sends("off=processing-list,off=lock,add,w1:wake,w1:pop", &without_lock);
    sends("off=processing-list,w1:wake,w1:pop", &["RPOP wait"]);
}

#[test]
fn a_move_takes_no_lock() {
    let taken = ["RPOPLPUSH wait", "XADD events", "HSET j_1", "HINCRBY j_1", "ZADD marker", "HGETALL j_1"];
    sends("off=lock,add,w1:wake,w1:move", &taken);
}

#[test]
fn a_finish_in_steps_is_one_thing_each() {
    let story = "off=atomic-finish,add,w1:wake,w1:take,w1:enroll,w1:unlock";
    sends(story, &["GET j_1:lock", "DEL j_1:lock"]);
    sends(&format!("{story},w1:remove"), &["SREM stalled", "LREM active"]);
    let complete = ["HINCRBY j_1", "ZADD completed", "HSET j_1", "XADD events"];
    sends(&format!("{story},w1:remove,w1:complete"), &complete);
}

#[test]
fn a_record_does_what_is_left_to_do() {
    let complete = ["HINCRBY j_1", "ZADD completed", "HSET j_1", "XADD events"];
    let with = |before: &[&'static str]| before.iter().chain(&complete).copied().collect::<Vec<_>>();
    let story = "add,w1:wake,w1,w1:enroll,w1:record";
    sends(&format!("off=lock,{story}"), &with(&["SREM stalled", "LREM active"]));
    sends(&format!("off=processing-list,{story}"), &with(&["GET j_1:lock", "DEL j_1:lock"]));
    sends(&format!("off=processing-list,off=lock,{story}"), &with(&[]));
}

#[test]
fn an_ask_counts_what_waits() {
    sends("off=blocking-pickup,w1:ask", &["LLEN wait"]);
    sends("off=blocking-pickup,w1:ask,w1:sleep", &[]);
    assert_eq!(run("off=blocking-pickup,poll=2s,w1:ask,w1:sleep").world().now.0, 2_000);
}

#[test]
fn a_retry_without_lock_or_list_is_naive_too() {
    let story = "attempts=2,portal:down,add,w1:wake,w1,w1:enroll,w1:retry";
    let back = ["LPUSH wait", "ZADD marker", "HINCRBY j_1", "XADD events"];
    let with = |before: &[&'static str]| before.iter().chain(&back).copied().collect::<Vec<_>>();
    sends(&format!("off=lock,{story}"), &with(&["SREM stalled", "LREM active"]));
    sends(&format!("off=processing-list,{story}"), &with(&["GET j_1:lock", "DEL j_1:lock"]));
    assert_eq!(
        run(&format!("off=lock,{story},w1:move")).refused,
        None,
        "then it fetches in a call of its own"
    );
}

#[test]
fn a_job_that_stalled_too_often_is_failed_by_the_naive_forms_too() {
    for (off, finish) in [("lock", "w1:record"), ("atomic-finish", "w1:unlock,w1:remove,w1:complete")] {
        let story = format!(
            "off={off},max-stalled=0,add,w1:wake,w1,w1:crash,w2:sweep,+30s,w2:sweep,w1:start,w1,{finish}"
        );
        let ran = run(&story);
        assert_eq!(ran.refused, None, "{story}");
        let world = ran.world();
        assert!(world.keys.has_member("emq:enroll:failed", "j_1"));
        assert_eq!(world.keys.field("emq:enroll:j_1", "defa"), None);
    }
}

/// The milestones of a story's presses, by kind.
#[track_caller]
fn comes_to(story: &str, expected: &str) {
    let story = Story::parse(story).unwrap();
    let mut world = World::new(story.setup);
    let mut kinds: Vec<String> = vec![];
    for token in story.tokens {
        let ran = token.run(&world).unwrap_or_else(|refusal| panic!("{token}: {refusal}"));
        world = ran.steps.last().unwrap().step.world.clone();
        let kind = |milestone: &Arc<Milestone>| json!(**milestone)["stage"].as_str().unwrap().to_string();
        kinds.extend(ran.milestone.filter(|_| token == Token::Step).as_ref().map(kind));
    }
    assert_eq!(kinds.join(" "), expected);
}

#[test]
fn every_step_of_a_naive_program_is_a_milestone() {
    comes_to("add,step,step,step,step", "woken picked-up enrolled finished");
    comes_to("off=processing-list,add,step,step,step,step", "woken picked-up enrolled finished");
    comes_to("off=lock,add,step,step,step,step", "woken picked-up enrolled finished");
    comes_to("off=at-least-once,add,step,step,step,step", "woken picked-up finished enrolled");
    comes_to(
        "off=atomic-finish,add,step,step,step,step,step,step",
        "woken picked-up enrolled unlocked removed finished",
    );
    comes_to("off=blocking-pickup,add,step,step,step,step", "found picked-up enrolled finished");
    comes_to(
        "attempts=2,portal:down,add,step,step,step,step,portal:up,step,step,step",
        "woken picked-up enroll-failed retried picked-up enrolled finished",
    );
}

#[test]
fn the_next_job_is_not_handed_over_before_the_effect_of_this_one() {
    let second = "add:j_2:USR0KHTOWnGLuD:CRS0KHTOWnGLuC";
    comes_to(
        &format!("off=at-least-once,add,{second},step,step,step,step,step,step,step,step"),
        "woken picked-up finished enrolled woken picked-up finished enrolled",
    );
}

#[test]
fn who_comes_back_late_is_stepped_to_its_refusal() {
    comes_to(
        "add,w1:wake,w1:take,w1:freeze,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:enroll,w2:finish,w1:thaw,step,step,step",
        "already-enrolled finish-refused finish-refused",
    );
}

/// The story's last token is refused, with this reason.
#[track_caller]
fn refused(story: &str, reason: &str) {
    let ran = run(story);
    let refused = ran.refused.unwrap_or_else(|| panic!("{story} is not refused"));
    assert_eq!(refused.refusal.to_string(), reason);
    assert_eq!(refused.index, Story::parse(story).unwrap().tokens.len());
}

#[test]
fn what_cannot_happen_is_refused_with_a_reason() {
    refused("add,w1:pop", "w1 runs wake, take, enroll, finish: there is no pop in it");
    refused(
        "off=processing-list,add,w1:wake,w1:take",
        "w1 runs wake, pop, enroll, record: there is no take in it",
    );
    refused("add,w1:retry", "w1 has no job in its hands, and wake comes before retry");
    refused("off=stalled-sweep,w1:sweep", "nobody sweeps: off=stalled-sweep");
    refused("marker:lost", "the marker is down: there is nothing to lose");
    refused("add,lock:evict:j_1", "j_1 has no lock that could be lost");
    refused("add,w1:lose-reply", "w1 is not about to acknowledge a job, so there is no reply to lose");
    refused("portal:up", "Portal is not down");
    refused("portal:down,portal:down", "Portal is down already: portal:up brings it back");
    let no_lock = "w1 has no lock to renew: it has no job in its hands, or took none with it";
    refused("off=lock,add,w1:wake,w1:move,w1:renew", no_lock);
    refused("off=at-least-once,add,w1:wake,w1:take,w1:finish,w1:renew", no_lock);
    refused(
        "off=processing-list,add,w1:wake,w1:pop,w1:crash,step",
        "nothing more happens, however long one waits",
    );
}

#[track_caller]
fn unreadable(story: &str, expected: &str) {
    assert_eq!(Story::parse(story).unwrap_err().expected, expected);
}

#[test]
fn a_token_that_cannot_be_read_says_what_was_expected() {
    unreadable(
        "off=nothing",
        "a guard after `off=`, one of processing-list, lock, at-least-once, stalled-sweep, atomic-finish, \
         blocking-pickup, idempotent-enroll, not `nothing`",
    );
    unreadable("poll=10ms", "a duration from 50ms to 60m, not `10ms`");
    unreadable("attempts=101", "a number from 0 to 100, not `101`");
    unreadable(
        "of=lock",
        "one of workers=, lock=, renew=, stalled=, max-stalled=, drain=, poll=, attempts=, off=",
    );
    unreadable("marker:found", "marker:lost");
    unreadable("lock:j_1", "lock:evict:ID");
    unreadable("lock:evict:wait", "a job id that is neither a number nor a key of the queue, not `wait`");
    unreadable("portal:away", "one of portal:restart, portal:down, portal:up");
}

#[test]
fn the_setup_is_printed_in_one_order_whatever_the_order_it_came_in() {
    let story = Story::parse("off=lock off=processing-list off=lock poll=2s attempts=3 add").unwrap();
    assert_eq!(story.to_string(), "poll=2s,attempts=3,off=processing-list,off=lock,add");
}
