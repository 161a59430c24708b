//! Scenarios that people meet, from public reports about queues, as stories with their right answers.
//!
//! The right answers follow from the measured rules of the protocol. A scenario's name is its number in the list that
//! the project keeps; the faults without a number are at the end.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

use enroll_once_core::{
    check::broken,
    keyspace::{StreamEntry, Value},
    protocol::Operation,
    reliable_loop::{Actor, Fact, Setup, Wait, World, next, step},
    story::{Ran, Story},
    time::Millis,
};
use serde_json::json;
use std::collections::BTreeMap;

/// What is right at the end of a story. Lists are written head first, separated by blanks.
#[derive(Default)]
struct Right {
    enrolled: usize,
    deliveries: u32,
    wait: &'static str,
    active: &'static str,
    completed: &'static str,
    failed: &'static str,
    /// Every event of the stream, in order; empty: not looked at.
    events: &'static str,
    /// Fields of `j_1`; an empty value: the field is not there.
    job: &'static [(&'static str, &'static str)],
    broken: &'static str,
}

#[track_caller]
fn check(story: &str, right: &Right) -> Ran {
    let ran = run(story);
    let world = ran.world();
    assert_eq!(
        (world.enrolled(), world.deliveries),
        (right.enrolled, right.deliveries),
        "enrolled, deliveries"
    );
    let places = ["wait", "active", "completed", "failed"].map(|name| (name, members(world, name)));
    let expected = [right.wait, right.active, right.completed, right.failed];
    for ((name, actual), expected) in places.iter().zip(expected) {
        assert_eq!(actual, expected, "{name}");
    }
    if !right.events.is_empty() {
        assert_eq!(events(world), right.events);
    }
    for (field, expected) in right.job {
        let actual = world.keys.field("emq:enroll:j_1", field).unwrap_or_default();
        assert_eq!(actual, *expected, "{field} of j_1");
    }
    let codes: Vec<&str> = broken(world).into_iter().map(|invariant| invariant.code()).collect();
    assert_eq!(codes.join(" "), right.broken, "broken");
    ran
}

#[track_caller]
fn run(story: &str) -> Ran {
    let ran = Story::parse(story).unwrap().run();
    assert_eq!(ran.refused, None);
    ran
}

fn members(world: &World, name: &str) -> String {
    let key = format!("emq:enroll:{name}");
    let members: Vec<String> = match world.keys.get(&key) {
        Some(Value::List(list)) => list.clone(),
        Some(Value::SortedSet(set)) => set.iter().map(|(member, _)| member.clone()).collect(),
        Some(Value::Set(set)) => set.as_slice().to_vec(),
        _ => vec![],
    };
    members.join(" ")
}

fn events(world: &World) -> String {
    let stream = world.keys.get("emq:enroll:events").and_then(Value::as_type::<Vec<StreamEntry>>).unwrap();
    stream.iter().map(|entry| entry.fields.get("event").unwrap()).collect::<Vec<_>>().join(" ")
}

/// The reply of the last script.
fn reply(ran: &Ran) -> serde_json::Value {
    let facts = ran.steps.iter().flat_map(|ran| &ran.step.facts);
    let replies =
        facts.filter_map(|fact| if let Fact::Ran { reply, .. } = fact { Some(reply) } else { None });
    json!(replies.collect::<Vec<_>>().pop().unwrap())
}

/// The keys after the step that ran this token for the last time.
fn keys_after(ran: &Ran, token: &str) -> serde_json::Value {
    let world = ran.steps.iter().rev().find(|ran| ran.action.to_string() == token).map(|ran| &ran.step.world);
    let world = world.unwrap_or_else(|| panic!("{token} did not run"));
    json!(world.keys.snapshot(world.now))
}

/// A worker dies with the job in its hands, and the next one brings it to its end.
const RECOVERY: &str = "w1:crash,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:enroll,w2:finish";

#[test]
fn s01_a_clean_run() {
    check(
        "add,w1:wake,w1:take,w1:enroll,w1:finish",
        &Right {
            enrolled: 1,
            deliveries: 1,
            completed: "j_1",
            events: "added waiting active completed drained",
            job: &[("returnvalue", r#"{"enrolled":true}"#), ("ats", "1"), ("atm", "1"), ("stc", "")],
            ..Right::default()
        },
    );
}

#[test]
fn s02_the_worker_dies_after_the_effect_and_the_second_enroll_is_refused() {
    let ran = check(
        &format!("add,w1:wake,w1:take,w1:enroll,{RECOVERY}"),
        &Right {
            enrolled: 1,
            deliveries: 2,
            completed: "j_1",
            events: "added waiting active waiting stalled active completed drained",
            job: &[("stc", "1"), ("ats", "2"), ("atm", "1"), ("returnvalue", r#"{"enrolled":true}"#)],
            ..Right::default()
        },
    );
    let refused = ran.steps.iter().flat_map(|ran| &ran.step.facts);
    let refused: Vec<String> =
        refused.filter(|fact| matches!(fact, Fact::EnrollRefused { .. })).map(ToString::to_string).collect();
    assert_eq!(refused, ["w2 enrolled again for j_1: already_enrolled, nothing written"]);
}

#[test]
fn s03_redis_cannot_tell_whether_the_worker_died_before_or_after_the_effect() {
    let right = Right { enrolled: 1, deliveries: 1, completed: "j_1", ..Right::default() };
    let before = check(&format!("add,w1:wake,w1:take,{RECOVERY}"), &right);
    let after = run(&format!("add,w1:wake,w1:take,w1:enroll,{RECOVERY}"));
    for token in RECOVERY.split(',') {
        assert_eq!(keys_after(&before, token), keys_after(&after, token), "after {token}");
    }
}

#[test]
fn s04_a_marker_taken_to_the_grave_makes_the_job_late_not_lost() {
    let waits = Right { wait: "j_1", ..Right::default() };
    let ran = check("add,w1:wake,w1:crash,w2:sweep,+4s", &waits);
    assert!(!ran.world().keys.exists("emq:enroll:marker"));
    let sweeps = check("drain=10m,add,w1:wake,w1:crash,w2:sweep,+30s,w2:sweep,+30s,w2:sweep", &waits);
    assert!(!sweeps.world().keys.exists("emq:enroll:marker"), "sweeps do not help");
    let ran = check("add,w1:wake,w1:crash,w2:wake,w2:take", &Right { active: "j_1", ..Right::default() });
    assert_eq!(ran.world().now, Millis(5_000), "the time-out of the next worker finds it");
}

const SLOW: &str = "add,w1:wake,w1:take,w1:freeze,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:enroll,w2:finish,\
                    w1:thaw,w1:enroll,w1:finish";

#[test]
fn s05_a_late_finish_is_refused_and_only_the_idempotent_enroll_keeps_the_count() {
    let right = Right { enrolled: 1, deliveries: 2, completed: "j_1", ..Right::default() };
    let ran = check(SLOW, &right);
    assert_eq!(reply(&ran), -2);
    assert_eq!(keys_after(&ran, "w1:finish"), keys_after(&ran, "w2:finish"), "nothing changes");
    let twice = Right { enrolled: 2, broken: "one-effect", ..right };
    check(&format!("off=idempotent-enroll,{SLOW}"), &twice);
}

#[test]
fn s05_before_the_successor_is_done_the_token_of_another_is_in_the_way() {
    let story = SLOW.replace("w2:enroll,w2:finish,", "");
    let right = Right { enrolled: 1, deliveries: 1, active: "j_1", broken: "one-owner", ..Right::default() };
    assert_eq!(reply(&check(&story, &right)), -6);
}

#[test]
fn s08_a_false_alarm_costs_nothing() {
    let right = Right { active: "j_1", ..Right::default() };
    let ran = check("add,w1:wake,w1:take,w2:sweep,w1:renew", &right);
    assert_eq!(members(ran.world(), "stalled"), "", "the renewal takes the mark off");
    let ran = check("add,w1:wake,w1:take,w2:sweep,w1:renew,+30s,w2:sweep", &right);
    assert_eq!(reply(&ran), json!([]), "nothing is returned");
}

#[test]
fn s09_one_sweep_only_marks() {
    let right = Right { active: "j_1", ..Right::default() };
    let ran = check("add,w1:wake,w1:take,w1:crash,+30s,w2:sweep", &right);
    assert_eq!(members(ran.world(), "stalled"), "j_1");
    let right = Right { wait: "j_1", ..Right::default() };
    check("add,w1:wake,w1:take,w2:sweep,w1:crash,+30s,w2:sweep", &right);
}

#[test]
fn s10_a_job_that_two_workers_died_on_is_failed_by_the_third_without_being_run() {
    let story = "workers=3,add,w1:wake,w1:take,w1:enroll,w1:crash,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:crash,\
                 +30s,w3:sweep,+30s,w3:sweep";
    let returned = Right {
        enrolled: 1,
        deliveries: 1,
        wait: "j_1",
        job: &[("stc", "2"), ("defa", "job stalled more than allowable limit")],
        ..Right::default()
    };
    check(story, &returned);
    let failed = Right {
        wait: "",
        failed: "j_1",
        events: "added waiting active waiting stalled active waiting stalled active failed retries-exhausted drained",
        job: &[
            ("stc", "2"),
            ("ats", "3"),
            ("atm", "1"),
            ("defa", ""),
            ("failedReason", "job stalled more than allowable limit"),
        ],
        ..returned
    };
    check(&format!("{story},w3:wake,w3:take,w3:finish"), &failed);
    let run_all_the_same = Story::parse(&format!("{story},w3:wake,w3:take,w3:enroll")).unwrap().run();
    assert_eq!(
        run_all_the_same.refused.unwrap().refusal.to_string(),
        "j_1 stalled too often: w3 does not run it, it can only finish it as failed"
    );
}

#[test]
fn s11_a_failed_job_may_have_enrolled_its_learner() {
    let story = "max-stalled=0,add,w1:wake,w1:take,w1:enroll,w1:crash,w2:sweep,+30s,w2:sweep,w2:wake,w2:take,w2:finish";
    check(story, &Right { enrolled: 1, deliveries: 1, failed: "j_1", ..Right::default() });
}

#[test]
fn s12_nobody_sweeps_and_the_job_of_a_dead_worker_stays_in_active() {
    let right = Right { active: "j_1", broken: "no-loss", ..Right::default() };
    check("off=stalled-sweep,add,w1:wake,w1:take,w1:crash,+60m", &right);
}

#[test]
fn s13_a_lock_proves_life_not_progress() {
    let hangs = "add,w1:wake,w1:take,w2:sweep,+30s,w2:sweep,+30s,w2:sweep,+60m,w2:sweep";
    let ran = check(hangs, &Right { active: "j_1", ..Right::default() });
    assert!(ran.world().keys.exists("emq:enroll:j_1:lock"));
}

#[test]
fn s14_a_renewal_slower_than_the_lock_loses_a_healthy_workers_job() {
    let story = "lock=30s,renew=40s,add,w1:wake,w1:take,w2:sweep,+30s,w2:sweep,w2:wake,w2:take";
    check(story, &Right { active: "j_1", broken: "one-owner", ..Right::default() });
}

#[test]
fn s15_an_evicted_lock_is_as_good_as_a_frozen_worker() {
    let story = "add,w1:wake,w1:take,lock:evict:j_1,w2:sweep,+30s,w2:sweep,w2:wake,w2:take";
    check(story, &Right { active: "j_1", broken: "one-owner", ..Right::default() });
    let right = Right { enrolled: 1, deliveries: 2, completed: "j_1", ..Right::default() };
    let ran = check(&format!("{story},w2:enroll,w2:finish,w1:enroll,w1:finish"), &right);
    assert_eq!(reply(&ran), -2);
}

#[test]
fn s18_a_second_job_of_the_same_id_is_ignored_whatever_became_of_the_first() {
    let ignored = |before: &str, right: &Right| {
        let ran = check(&format!("{before},add:j_1"), right);
        assert!(events(ran.world()).ends_with("duplicated"), "{before}");
    };
    ignored("add:j_1", &Right { wait: "j_1", ..Right::default() });
    ignored("add:j_1,w1:wake,w1:take", &Right { active: "j_1", ..Right::default() });
    let done = Right { enrolled: 1, deliveries: 1, completed: "j_1", ..Right::default() };
    ignored("add:j_1,w1:wake,w1:take,w1:enroll,w1:finish", &done);
    let failed = Right { deliveries: 1, failed: "j_1", ..Right::default() };
    ignored("portal:down,add:j_1,w1:wake,w1:take,w1:enroll,w1:finish", &failed);
}

#[test]
fn s20_without_the_idempotent_enroll_the_second_delivery_enrolls_again() {
    let story = format!("off=idempotent-enroll,add,w1:wake,w1:take,w1:enroll,{RECOVERY}");
    let right =
        Right { enrolled: 2, deliveries: 2, completed: "j_1", broken: "one-effect", ..Right::default() };
    check(&story, &right);
}

#[test]
fn s21_without_a_lock_the_sweep_returns_a_running_job() {
    let story = "off=lock,add,w1:wake,w1:move,w2:sweep,+30s,w2:sweep,w2:wake,w2:move";
    check(story, &Right { active: "j_1", broken: "one-owner", ..Right::default() });
    check(
        &format!("{story},w1:enroll,w1:record,w2:enroll,w2:record"),
        &Right { enrolled: 1, deliveries: 2, completed: "j_1", ..Right::default() },
    );
}

#[test]
fn s22_a_crash_inside_a_finish_of_three_steps() {
    let story = "off=atomic-finish,add,w1:wake,w1:take,w1:enroll,w1:unlock";
    let unlocked = Right { enrolled: 1, deliveries: 1, active: "j_1", ..Right::default() };
    let ran = check(&format!("{story},w1:crash"), &unlocked);
    assert!(
        !ran.world().keys.exists("emq:enroll:j_1:lock"),
        "in active without a lock: a sweep can return it"
    );
    check(&format!("off=stalled-sweep,{story},w1:crash"), &Right { broken: "no-loss", ..unlocked });
    let removed = Right { enrolled: 1, deliveries: 1, broken: "one-place no-loss", ..Right::default() };
    check(&format!("{story},w1:remove,w1:crash"), &removed);
}

#[test]
fn s24_a_popped_job_dies_with_its_worker() {
    let story = "off=processing-list,add,w1:wake,w1:pop,w1:crash";
    check(story, &Right { broken: "one-place no-loss", ..Right::default() });
}

#[test]
fn s26_acknowledged_first_means_at_most_once() {
    let story = "off=at-least-once,add,w1:wake,w1:take,w1:finish,w1:crash";
    check(story, &Right { completed: "j_1", broken: "effect-before-ack no-loss", ..Right::default() });
}

/// How often one worker calls Redis while nothing happens for a minute, by operation.
fn calls_of_an_idle_minute(setup: &str) -> BTreeMap<&'static str, u32> {
    let mut world = World::new(Story::parse(&format!("workers=1,{setup}")).unwrap().setup);
    let mut calls = BTreeMap::new();
    while let Some(action) = next(&world) {
        let after = step(&world, &action);
        if after.world.now > Millis(60_000) {
            break;
        }
        for fact in &after.facts {
            if let Fact::Ran { actor: Actor::Worker(_), operation, .. } = fact {
                *calls.entry(operation.name()).or_default() += 1;
            }
        }
        world = after.world;
    }
    calls
}

#[test]
fn s33_what_an_idle_worker_costs() {
    let sweeps = (Operation::MoveStalledJobsToWait.name(), 2);
    let blocking = [("BZPOPMIN", 12), ("moveToActive", 12), sweeps];
    assert_eq!(calls_of_an_idle_minute("drain=5s"), BTreeMap::from(blocking));
    // As late as 5 s after an add that lost its marker, but at once after any other. A poll is late by its interval.
    assert_eq!(calls_of_an_idle_minute("off=blocking-pickup"), BTreeMap::from([("ask", 61), sweeps]));
    assert_eq!(
        calls_of_an_idle_minute("off=blocking-pickup,poll=100ms"),
        BTreeMap::from([("ask", 601), sweeps])
    );
    check("off=blocking-pickup,w1:ask", &Right { broken: "idle-is-cheap", ..Right::default() });
}

#[test]
fn s34_a_finish_hands_over_the_next_job_under_the_same_token() {
    let story = "workers=1,add,add:j_2:USR0KHTOWnGLuD:CRS0KHTOWnGLuC,w1:wake,w1:take,w1:enroll,w1:finish";
    let right = Right { enrolled: 1, deliveries: 1, active: "j_2", completed: "j_1", ..Right::default() };
    let ran = check(story, &right);
    let world = ran.world();
    assert_eq!(world.workers[0].job.as_ref().unwrap().token, "w1:1");
    assert_eq!(world.keys.get("emq:enroll:j_2:lock"), Some(&Value::Text("w1:1".into())));
    assert_eq!(members(world, "marker"), "0");
}

#[test]
fn s35_the_take_wakes_a_second_worker_for_nothing() {
    let story = "+1s,add,w1:wake,w1:take";
    let ran = check(story, &Right { active: "j_1", ..Right::default() });
    assert!(matches!(ran.world().workers[1].wait, Wait::Answered(_)));
    let ran = check(&format!("{story},w2:wake,w2:take"), &Right { active: "j_1", ..Right::default() });
    assert_eq!(reply(&ran), json!([0, 0, 0, 0]));
    assert_eq!(ran.world().workers[1].wait, Wait::Blocked { since: Millis(1_000) });
}

#[test]
fn a_lost_marker_makes_the_job_late() {
    let right = Right { active: "j_1", ..Right::default() };
    let ran = check("add,marker:lost,w1:wake,w1:take", &right);
    assert_eq!(ran.world().now, Millis(5_000));
}

#[test]
fn a_finish_whose_reply_is_lost_is_called_again_and_refused() {
    let right = Right { enrolled: 1, deliveries: 1, completed: "j_1", ..Right::default() };
    let ran = check("add,w1:wake,w1:take,w1:enroll,w1:lose-reply,w1:finish", &right);
    assert_eq!(reply(&ran), -2);
    let ran = check("add,w1:wake,w1:take,w1:enroll,w1:lose-reply,w1:finish,w1:finish,w1:take", &right);
    assert_eq!(reply(&ran), json!([0, 0, 0, 0]), "it lets go and fetches on");
}

#[test]
fn a_job_handed_over_in_a_lost_reply_comes_back_by_the_sweep() {
    let second = "add:j_2:USR0KHTOWnGLuD:CRS0KHTOWnGLuC";
    let story = format!("add,{second},w1:wake,w1:take,w1:enroll,w1:lose-reply,w2:sweep,+30s,w2:sweep");
    let right = Right { enrolled: 1, deliveries: 1, completed: "j_1", wait: "j_2", ..Right::default() };
    check(&story, &right);
}

#[test]
fn an_append_that_fails_is_a_failed_job_not_a_refusal() {
    let failed = Right {
        deliveries: 1,
        failed: "j_1",
        job: &[("failedReason", "Portal could not append"), ("atm", "1")],
        ..Right::default()
    };
    check("portal:down,add,w1:wake,w1:take,w1:enroll,w1:finish", &failed);
    let retried = Right {
        deliveries: 1,
        wait: "j_1",
        events: "added waiting active waiting",
        job: &[("atm", "1"), ("failedReason", "Portal could not append")],
        ..Right::default()
    };
    let story = "attempts=2,portal:down,add,w1:wake,w1:take,w1:enroll,w1:retry";
    check(story, &retried);
    let done = Right {
        enrolled: 1,
        deliveries: 2,
        completed: "j_1",
        job: &[("atm", "2"), ("ats", "2")],
        ..Right::default()
    };
    check(&format!("{story},portal:up,w1:take,w1:enroll,w1:finish"), &done);
    check(
        &format!("{story},w1:take,w1:enroll,w1:finish"),
        &Right { deliveries: 2, failed: "j_1", ..Right::default() },
    );
}

#[test]
fn a_retry_with_attempts_left_is_refused_like_a_finish() {
    let story = "attempts=2,add,w1:wake,w1:take,w1:enroll,lock:evict:j_1,w1:finish,w1:retry,w1:take";
    let ran = check(story, &Right { enrolled: 1, deliveries: 1, active: "j_1", ..Right::default() });
    let replies: Vec<_> = ran.steps.iter().flat_map(|ran| &ran.step.facts).map(ToString::to_string).collect();
    assert!(replies.contains(&"w1 ran moveToFinished: -2".to_string()));
    assert!(replies.contains(&"w1 ran retryJob: -2".to_string()));
}

#[test]
fn portal_restarts_and_is_what_its_log_says() {
    let right = Right { enrolled: 1, deliveries: 2, completed: "j_1", ..Right::default() };
    check(&format!("add,w1:wake,w1:take,w1:enroll,portal:restart,{RECOVERY}"), &right);
}

#[test]
fn every_guard_off_at_once_still_runs() {
    let off = "off=processing-list,off=lock,off=at-least-once,off=stalled-sweep,off=atomic-finish,\
               off=blocking-pickup,off=idempotent-enroll";
    let right = Right { enrolled: 1, deliveries: 1, completed: "j_1", ..Right::default() };
    check(&format!("{off},add,step,step,step,step"), &right);
}

#[test]
fn the_defaults_are_the_protocols() {
    let setup = Setup::default();
    let durations = [setup.lock, setup.renew, setup.stalled, setup.drain].map(|duration| duration.0);
    assert_eq!((durations, setup.max_stalled, setup.attempts), ([30_000, 7_500, 30_000, 5_000], 1, 0));
}
