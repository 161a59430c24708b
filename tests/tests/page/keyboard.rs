//! By keyboard alone.

use crate::table::{BACK, CRASH, CRASH_AFTER_ENROLLED, RESET, Row, STEP};
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Button, Widget},
    serve::Site,
};
use serde_json::json;

const TAB: &str = "\u{e004}";
const ENTER: &str = "\u{e007}";
const SPACE: &str = " ";

/// The one element that has focus, marked, so that another one in its place would be noticed.
fn mark_focus(hero: &Widget) -> Result<()> {
    hero.browser.run("shadow(arguments[0]).activeElement.marked = true", &[json!(hero.selector)])
}

fn focus_is_on_the_marked_one(hero: &Widget) -> Result<bool> {
    let script = "return document.activeElement === widget(arguments[0]) && shadow(arguments[0]).activeElement?.marked === true";
    hero.browser.run(script, &[json!(hero.selector)])
}

#[test]
fn tab_goes_through_the_buttons_in_order_and_back() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let all = [STEP, CRASH, BACK, RESET];
    for label in all {
        browser.keys(TAB)?;
        assert_eq!(hero.focus()?.as_deref(), Some(label));
    }
    for label in all.iter().rev().skip(1) {
        browser.shift('\u{e004}')?;
        assert_eq!(hero.focus()?.as_deref(), Some(*label));
    }
    Ok(())
}

#[test]
fn the_whole_crash_run_goes_by_enter_and_space_and_focus_is_never_lost() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    browser.keys(TAB)?;
    mark_focus(&hero)?;
    for (at, row) in Row::of(CRASH_AFTER_ENROLLED).iter().enumerate() {
        let key = if at % 2 == 0 { ENTER } else { SPACE };
        match row.button() {
            Some(CRASH) => {
                browser.keys(TAB)?;
                browser.keys(key)?;
                let look = hero.until_at(row.stage())?;
                assert!(look.button(CRASH).unwrap().off);
                assert_eq!(
                    hero.focus()?.as_deref(),
                    Some(CRASH),
                    "an action that makes no sense now keeps focus"
                );
                browser.shift('\u{e004}')?;
            }
            Some(_) => browser.keys(key)?,
            None => {}
        }
        row.check(&hero.until_at(row.stage())?);
        assert!(focus_is_on_the_marked_one(&hero)?, "focus is lost at {}", row.stage());
    }
    // Finished: the button stays, says why it makes no sense, and does nothing.
    let end = hero.markup()?;
    browser.keys(ENTER)?;
    browser.keys(SPACE)?;
    assert!(focus_is_on_the_marked_one(&hero)?);
    assert_eq!(hero.markup()?, end);
    Ok(())
}

#[test]
fn back_and_reset_go_by_keyboard_and_keep_focus() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP])?;
    browser.keys(&TAB.repeat(3))?;
    browser.keys(ENTER)?;
    hero.until_at("woken")?;
    browser.keys(SPACE)?;
    hero.until_at("waiting")?;
    assert_eq!(hero.focus()?.as_deref(), Some(BACK));
    hero.go(&[STEP])?;
    browser.keys(TAB)?;
    browser.keys(SPACE)?;
    hero.until_at("waiting")?;
    assert_eq!(hero.focus()?.as_deref(), Some(RESET));
    Ok(())
}

#[test]
fn the_proof_goes_by_keyboard() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let proof = browser.widget("#proof")?;
    browser.widget("#right")?;
    browser.run::<()>("button('#right', 'reset').focus()", &[])?;
    browser.keys(TAB)?; // what just ran, in full
    browser.keys(TAB)?;
    browser.keys(&[ENTER, SPACE, ENTER].concat())?;
    assert_eq!(proof.look_proof()?.deliveries, "of 3 deliveries");
    assert_eq!(proof.focus()?.as_deref(), Some("run the enroll job"));
    browser.keys(TAB)?;
    browser.keys(SPACE)?;
    assert_eq!(proof.look_proof()?.deliveries, "of 13 deliveries");
    browser.keys(TAB)?;
    browser.keys(ENTER)?;
    assert_eq!(proof.look_proof()?.deliveries, "of 0 deliveries");
    assert_eq!(proof.focus()?.as_deref(), Some(RESET));
    Ok(())
}

#[track_caller]
fn check_reasons(buttons: &[Button], at: &str) {
    for button in buttons.iter().filter(|button| button.off) {
        assert!(button.why.is_some(), "{}, off at {at}, does not say why", button.label);
    }
}

#[test]
fn a_button_that_makes_no_sense_says_why_and_does_nothing() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let mut checked = 0;
    for row in Row::of(CRASH_AFTER_ENROLLED) {
        let look = row.press(&hero)?;
        let before = hero.markup()?;
        for button in look.buttons.iter().filter(|button| button.off) {
            hero.press(&button.label)?;
            assert_eq!(hero.markup()?, before, "{} at {}", button.label, row.stage());
            checked += 1;
        }
        for label in [STEP, CRASH] {
            let button = look.button(label).unwrap();
            check_reasons(std::slice::from_ref(button), row.stage());
        }
    }
    assert!(checked > 5);
    Ok(())
}

#[test]
fn back_and_reset_say_why_they_make_no_sense_at_the_start() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let look = browser.widget("enroll-loop")?.look()?;
    assert!(look.button(BACK).unwrap().off && look.button(RESET).unwrap().off);
    check_reasons(&look.buttons, "the start");
    let proof = browser.widget("enroll-proof")?;
    check_reasons(&proof.look_proof()?.buttons, "the start of the proof");
    Ok(())
}
