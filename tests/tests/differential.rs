//! The model against the real scripts, as every test run does it; and whether the kept report is still worth something.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails by panicking

use anyhow::Result;
use enroll_once_tests::{
    differential::{
        bench::Bench,
        generate::generate,
        how_we_know,
        report::{RENEW, Report, Run, kept, sources_sha256},
        run::{Plan, run, run_one},
        schedule::Schedule,
    },
    redis_scripts::{PINNED, Package},
};
use std::thread;

fn plan(schedules: u64) -> Plan {
    let threads = thread::available_parallelism().map_or(1, usize::from) as u64;
    Plan { seeds: 1..1 + schedules, steps: 30, threads }
}

#[test]
fn five_hundred_random_schedules_do_not_differ() -> Result<()> {
    let package = Package::get(PINNED)?;
    let plan = plan(500);
    let summary = run(&package, &plan)?;
    let figures = Run::of(&package, &plan, &summary)?;
    assert!(figures.kinds.is_empty(), "the model is not what the scripts are:\n{:#?}", figures.kinds);
    assert_eq!(figures.schedules, 500);
    // A run in which the interesting things did not happen proves nothing.
    for answer in [
        "addStandardJob duplicate in wait",
        "addStandardJob duplicate in active",
        "addStandardJob duplicate in completed",
        "addStandardJob duplicate in failed",
        "moveToActive a job",
        "moveToActive nothing",
        "moveToFinished a job",
        "moveToFinished 0",
        "moveToFinished -1",
        "moveToFinished -2",
        "moveToFinished -3",
        "moveToFinished -6",
        "retryJob 0",
        "retryJob -2",
        "retryJob -6",
        "extendLock 1",
        "extendLocks 1 ids",
        "moveStalledJobsToWait 1 ids",
        "moveStalledJobsToWait 2 ids",
        "moveStalledJobsToWait sets defa",
        "removeJob 1",
    ] {
        assert!(figures.answers.contains_key(answer), "{answer} did not come up: {:?}", figures.answers);
    }
    assert!(figures.handed_over_by_age > 0, "nobody was served before somebody else");
    Ok(())
}

#[test]
fn a_script_with_a_broken_rule_is_seen_and_shrunk_to_a_short_story() -> Result<()> {
    // The take does not raise the marker any more.
    let (call, nothing) = ("addBaseMarkerIfNeeded(markerKey, false)\n", "\n");
    let package = Package::get(PINNED)?.with_change("moveToActive", call, nothing)?;
    let plan = plan(20);
    let figures = Run::of(&package, &plan, &run(&package, &plan)?)?;
    let visible = figures.kinds.first().expect("a broken rule was not seen");
    assert_eq!(visible.kind, "moveToActive: key marker");
    let story: Schedule = visible.story.parse()?;
    // Add, take the marker away, take: three steps, or as many in other words.
    assert!(story.steps.len() <= 3, "not short: {story}");
    assert_eq!((visible.model.as_str(), visible.redis.as_str()), ("zset [[\"0\",\"0\"]]", "no such key"));
    Ok(())
}

#[test]
fn the_story_of_every_schedule_can_be_read_back() -> Result<()> {
    for seed in 0..300 {
        let schedule = generate(seed, 30);
        assert_eq!(schedule.to_string().parse::<Schedule>()?, schedule);
        assert_eq!(generate(seed, 30), schedule, "a seed is a schedule");
    }
    let error = format!("{:#}", "add:j_1,w1:dance".parse::<Schedule>().unwrap_err());
    assert!(error.contains("token 2, `w1:dance`: expected wake"), "{error}");
    Ok(())
}

#[test]
fn a_late_acknowledgement_is_refused_by_both() -> Result<()> {
    let mut bench = Bench::start(&Package::get(PINNED)?)?;
    let story = "add:j_1,w1:take,w1:sweep,+250ms,w2:sweep,w2:take:lock=1m,w1:finish,w2:finish,w1:finish:j_1:stale-token";
    assert_eq!(run_one(&mut bench, &story.parse()?)?, []);
    Ok(())
}

#[test]
fn the_kept_report_is_of_the_current_sources() -> Result<()> {
    let report = Report::read(&kept())?;
    assert_eq!(
        report.sources_sha256,
        sources_sha256(),
        "keyspace, protocol or time have changed since the report was made. Renew it: {RENEW}"
    );
    let pinned = report.runs.get(PINNED).unwrap_or_else(|| panic!("no run with {PINNED}: {RENEW}"));
    assert_eq!((pinned.differences, pinned.differences_in_commands_only), (0, 0));
    assert!(pinned.schedules >= 10_000, "{} schedules are few: {RENEW}", pinned.schedules);
    Ok(())
}

#[test]
fn the_page_shows_what_the_kept_report_says() -> Result<()> {
    let expected = how_we_know::html(&Report::read(&kept())?)?;
    let shown = std::fs::read_to_string(how_we_know::file())?;
    assert_eq!(shown, expected, "web/how-we-know.html is not of the kept report. Renew both: {RENEW}");
    Ok(())
}
