//! Whole runs of `<enroll-loop>`, clicked press by press.

use crate::table::{
    CLEAN, CRASH, CRASH_AFTER_ENROLLED, CRASH_AFTER_PICKED_UP, CRASH_AFTER_WOKEN, Row, STEP, TWO_CRASHES,
    Table, buttons,
};
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Look},
    serve::Site,
};

/// Clicks through the table, and returns what there is to see at the end.
fn click(table: Table) -> Result<Look> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    hero.listen()?;
    let mut sentences = Vec::new();
    let mut last = hero.look()?;
    for row in Row::of(table) {
        last = row.press(&hero)?;
        row.check(&last);
        assert!(!last.sentence.is_empty());
        if row.button().is_some() {
            sentences.push(last.sentence.clone());
            assert_eq!(hero.said()?, sentences, "the live region speaks once a press: {}", row.stage());
        }
    }
    assert_eq!(browser.console()?, [""; 0]);
    Ok(last)
}

#[test]
fn a_clean_run_enrolls_once_in_four_steps() -> Result<()> {
    let end = click(CLEAN)?;
    assert_eq!(end.rail, [["waiting", "woken", "picked up", "enrolled", "finished"]]);
    assert_eq!(end.job("j_1").unwrap().title, "taken 1×");
    assert_eq!(end.facts["Portal's log"], "LearnerEnrolled USR0KHTOWnGLuC CRS0KHTOWnGLuC 00:00.000");
    assert_eq!(end.button(STEP).unwrap().why.as_deref(), Some("Every job is finished: reset begins again."));
    assert!(!end.lanes.contains_key("failed"), "failed takes no place until it is used");
    Ok(())
}

#[test]
fn a_crash_after_the_effect_runs_the_job_twice_and_enrolls_once() -> Result<()> {
    let end = click(CRASH_AFTER_ENROLLED)?;
    let [before, after] = end.rail.as_slice() else { panic!("a death begins a branch: {:?}", end.rail) };
    assert_eq!(before.join(" "), "waiting woken picked up enrolled");
    assert_eq!(
        after.join(", "),
        "died, suspect, lock gone, returned, woken, picked up, enrolled already, finished"
    );
    assert_eq!(end.job("j_1").unwrap().title, "taken 2×, returned 1×");
    assert_eq!(end.facts["Portal's log"], "LearnerEnrolled USR0KHTOWnGLuC CRS0KHTOWnGLuC 00:00.000");
    assert!(end.sentence.contains("exactly once in effect"), "{}", end.sentence);
    Ok(())
}

#[test]
fn a_crash_with_the_marker_in_hand_is_found_by_a_time_out() -> Result<()> {
    let end = click(CRASH_AFTER_WOKEN)?;
    assert_eq!(end.job("j_1").unwrap().title, "taken 1×");
    Ok(())
}

#[test]
fn a_crash_before_the_effect_leaves_the_first_enroll_to_the_other_worker() -> Result<()> {
    let end = click(CRASH_AFTER_PICKED_UP)?;
    assert_eq!(end.job("j_1").unwrap().title, "taken 2×, returned 1×");
    assert_eq!(end.facts["Portal's log"], "LearnerEnrolled USR0KHTOWnGLuC CRS0KHTOWnGLuC 00:50.000");
    Ok(())
}

#[test]
fn a_second_crash_ends_in_failed_and_the_page_says_that_this_is_the_limit() -> Result<()> {
    let end = click(TWO_CRASHES)?;
    let job = end.job("j_1").unwrap();
    assert_eq!(job.state, "failed");
    assert_eq!(job.marks, ["job stalled more than allowable limit"]);
    assert!(end.sentence.contains("by default (maxStalledCount 1)"), "{}", end.sentence);
    assert!(end.sentence.contains("The learner is enrolled all the same"), "{}", end.sentence);
    Ok(())
}

#[test]
fn two_crashes_before_the_effect_fail_the_job_and_nobody_is_enrolled() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    // As with two crashes, but the first one comes before the effect.
    let presses: Vec<&str> =
        buttons(TWO_CRASHES).into_iter().enumerate().filter(|(at, _)| *at != 2).map(|(_, b)| b).collect();
    hero.go(&presses)?;
    let end = hero.until_at("failed")?;
    assert_eq!((end.enrolled.as_str(), end.lanes_of("j_1")), ("0", vec!["failed"]));
    assert_eq!(end.facts["Portal's log"], "no event");
    assert!(end.sentence.contains("The learner is not enrolled"), "{}", end.sentence);
    Ok(())
}

#[test]
fn looking_in_vain_is_one_quiet_line() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP, STEP, CRASH])?;
    let suspect = hero.press_to(STEP, "suspect")?;
    assert_eq!(suspect.meanwhile, "Meanwhile w2 looked 4 times, nothing to do.");
    hero.go(&[STEP, STEP])?;
    let returned = hero.until_at("returned")?;
    assert_eq!(returned.meanwhile, "Meanwhile w2 looked 4 times, nothing to do.");
    let woken = hero.press_to(STEP, "woken")?;
    assert_eq!(woken.meanwhile, "");
    Ok(())
}

#[test]
fn what_ran_is_shown_as_the_commands_of_one_atomic_step() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let shown = |stage: &str| -> Result<String> { Ok(hero.press_to(STEP, stage)?.commands.join("\n")) };
    assert_eq!(shown("woken")?, "BZPOPMIN emq:enroll:marker 5 → emq:enroll:marker 0 0");
    let take = shown("picked up")?;
    for line in ["RPOPLPUSH emq:enroll:wait emq:enroll:active → j_1", "SET emq:enroll:j_1:lock w1:1 PX 30000"]
    {
        assert!(take.lines().any(|shown| shown == line), "{line} in\n{take}");
    }
    let enroll = shown("enrolled")?;
    assert!(enroll.contains("authorize → :ok"), "{enroll}");
    assert!(
        enroll.contains("decide → %LearnerEnrolled{user_id: USR0KHTOWnGLuC, course_id: CRS0KHTOWnGLuC, at: "),
        "{enroll}"
    );
    let finish = shown("finished")?;
    for line in ["DEL emq:enroll:j_1:lock → 1", "ZADD emq:enroll:completed 0 j_1 → 1"] {
        assert!(finish.lines().any(|shown| shown == line), "{line} in\n{finish}");
    }
    Ok(())
}
