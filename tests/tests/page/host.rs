//! In other people's pages: several widgets, moved, removed, under hosts with keys of their own.

use crate::{
    script::of_kind,
    table::{BACK, CRASH, RESET, STEP},
};
use anyhow::Result;
use enroll_once_tests::{browser::Browser, serve::Site};
use serde_json::json;

#[test]
fn two_widgets_on_a_page_do_not_disturb_each_other() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let (left, right) = (browser.widget("#left")?, browser.widget("#right")?);
    let (proof, other) = (browser.widget("#proof")?, browser.widget("#other")?);
    let start = right.markup()?;
    assert_eq!(left.markup()?, start);
    left.press_to(STEP, "woken")?;
    left.press_to(STEP, "picked up")?;
    left.press_to(CRASH, "died")?;
    assert_eq!(right.markup()?, start);
    let left_is = left.markup()?;
    right.press_to(STEP, "woken")?;
    right.press_to(BACK, "waiting")?;
    right.press_to(STEP, "woken")?;
    right.press_to(RESET, "waiting")?;
    proof.press("run 10 times")?;
    assert_eq!(other.look_proof()?.deliveries, "of 0 deliveries");
    assert_eq!(left.markup()?, left_is);
    assert_eq!(right.markup()?, start);
    let wasm = site.asked().iter().filter(|asked| asked.path.ends_with(".wasm")).count();
    assert_eq!(wasm, 1, "one WASM serves all");
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn a_widget_that_is_moved_keeps_its_state() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    left.go(&[STEP, STEP, STEP])?;
    let before = left.markup()?;
    browser.run_async::<()>(
        "widget('#elsewhere').append(widget('#left')); await frame(); await frame();",
        &[],
    )?;
    assert_eq!(left.markup()?, before);
    browser.run_async::<()>(
        "document.body.moveBefore(widget('#left'), null); await frame(); await frame();",
        &[],
    )?;
    assert_eq!(left.markup()?, before);
    left.press_to(CRASH, "died")?;
    left.press_to(BACK, "enrolled")?;
    assert_eq!(left.markup()?, before);
    assert_eq!(of_kind(&browser.heard()?, "enroll-ready", "left").len(), 1);
    Ok(())
}

#[test]
fn a_widget_that_is_removed_and_added_again_begins_anew() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    let start = left.markup()?;
    left.go(&[STEP, STEP, STEP, CRASH])?;
    browser.run_async::<()>(
        "window.away = widget('#left'); away.remove(); await frame(); await frame();",
        &[],
    )?;
    assert!(!browser.run::<bool>("return away.matches(':state(ready)')", &[])?);
    browser.run_async::<()>("document.body.append(away); await frame();", &[])?;
    let left = browser.widget("#left")?;
    assert_eq!(left.markup()?, start);
    left.press_to(STEP, "woken")?;
    left.press_to(STEP, "picked up")?;
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn a_widget_that_is_added_again_is_no_longer_crashed() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.widget("#left")?.go(&[STEP, STEP, STEP, CRASH])?;
    browser.until("return widget('#left').matches(':state(crashed)')", &[])?;
    browser.run_async::<()>(
        "window.away = widget('#left'); away.remove(); await frame(); await frame();",
        &[],
    )?;
    browser.run_async::<()>("document.body.append(away); await frame();", &[])?;
    browser.widget("#left")?;
    assert!(!browser.run::<bool>("return widget('#left').matches(':state(crashed)')", &[])?);
    Ok(())
}

#[test]
fn a_widget_that_is_removed_while_it_loads_gets_ready_once_it_is_back() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.run_async::<()>(
        "const one = Object.assign(document.createElement('enroll-loop'), { id: 'made', loading: 'eager' });
        document.body.append(one); one.remove(); document.body.append(one);
        one.remove(); await frame(); document.body.append(one);",
        &[],
    )?;
    browser.widget("#made")?.press_to(STEP, "woken")?;
    assert_eq!(of_kind(&browser.heard()?, "enroll-ready", "made").len(), 1);
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn of_a_widget_that_is_removed_nothing_stays_in_memory() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.widget("#left")?.press_to(STEP, "woken")?;
    browser.widget("#proof")?.press("run 10 times")?;
    browser.run::<()>(
        "window.gone = ['#left', '#proof'].map((one) => new WeakRef(shadow(one).firstElementChild));
        heard.length = 0; // it holds the elements
        widget('#left').remove();
        widget('#proof').remove();",
        &[],
    )?;
    // It goes in turns: what the scripts let go first, then what the WebAssembly held for them.
    for _ in 0..10 {
        browser.run_async::<()>("await frame(); await frame();", &[])?;
        browser.devtools("HeapProfiler.collectGarbage", json!({}))?;
    }
    assert_eq!(browser.run::<Vec<bool>>("return gone.map((one) => !one.deref())", &[])?, [true, true]);
    Ok(())
}

#[test]
fn keys_on_the_page_trigger_nothing() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    let before = left.markup()?;
    browser.keys("scbr \u{e007}\u{e00c}\u{e012}\u{e014}1")?; // letters, Space, Enter, Escape, arrows
    browser.run::<()>("widget('#name').focus()", &[])?;
    browser.keys("step back reset 1 ?\u{e007}")?;
    assert_eq!(left.markup()?, before);
    assert_eq!(browser.run::<String>("return widget('#name').value", &[])?, "step back reset 1 ?");
    Ok(())
}
