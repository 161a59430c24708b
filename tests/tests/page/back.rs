//! *back* and *reset*: every position of a run is there again exactly as it was.

use crate::table::{
    BACK, CLEAN, CRASH, CRASH_AFTER_ENROLLED, CRASH_AFTER_PICKED_UP, CRASH_AFTER_WOKEN, RESET, Row, STEP,
    TWO_CRASHES, Table, buttons,
};
use anyhow::Result;
use enroll_once_tests::{browser::Browser, serve::Site};

fn there_and_back(table: Table) -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let mut seen = Vec::new();
    for row in Row::of(table) {
        row.press(&hero)?;
        seen.push((row.stage(), hero.markup()?));
    }
    seen.pop();
    hero.listen()?;
    let far = seen.len();
    while let Some((stage, markup)) = seen.pop() {
        hero.press_to(BACK, stage)?;
        assert_eq!(hero.markup()?, markup, "back at {stage}");
    }
    assert_eq!(hero.said()?.len(), far, "the live region speaks once a press");
    assert!(hero.look()?.button(BACK).unwrap().off, "the start is as far back as it goes");
    Ok(())
}

#[test]
fn back_restores_every_stage_of_a_clean_run() -> Result<()> {
    there_and_back(CLEAN)
}

#[test]
fn back_restores_every_stage_of_a_crash_after_the_effect() -> Result<()> {
    there_and_back(CRASH_AFTER_ENROLLED)
}

#[test]
fn back_restores_every_stage_of_the_other_crashes() -> Result<()> {
    there_and_back(CRASH_AFTER_WOKEN)?;
    there_and_back(CRASH_AFTER_PICKED_UP)
}

#[test]
fn back_restores_every_stage_of_two_crashes() -> Result<()> {
    there_and_back(TWO_CRASHES)
}

#[test]
fn reset_leads_to_the_start_from_every_stage() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let start = hero.markup()?;
    let presses = buttons(TWO_CRASHES);
    for far in 1..=presses.len() {
        hero.go(&presses[..far])?;
        assert_ne!(hero.markup()?, start);
        hero.press_to(RESET, "waiting")?;
        assert_eq!(hero.markup()?, start, "after {far} presses");
    }
    Ok(())
}

#[test]
fn a_press_after_back_begins_another_branch() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP, CRASH])?;
    let straight = hero.markup()?;
    hero.go(&[RESET, STEP, STEP, STEP])?;
    hero.press_to(BACK, "picked up")?;
    let look = hero.press_to(CRASH, "died")?;
    assert_eq!(look.enrolled, "0", "the effect that was taken back did not happen");
    assert_eq!(hero.markup()?, straight);
    Ok(())
}

#[test]
fn back_after_a_crash_brings_the_worker_to_life_again() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP, STEP, CRASH, STEP, STEP])?;
    hero.go(&[BACK, BACK, BACK])?;
    let look = hero.press_to(STEP, "finished")?;
    assert_eq!((look.lanes_of("j_1"), look.deliveries.as_str()), (vec!["completed"], "of 1 delivery"));
    Ok(())
}
