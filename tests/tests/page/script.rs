//! Steered by scripts: properties, methods, events and states.

use crate::table::{BACK, CRASH, RESET, STEP};
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Heard},
    serve::Site,
};
use serde_json::json;

/// What came from this element.
pub fn of_kind<'a>(heard: &'a [Heard], kind: &str, target: &str) -> Vec<&'a Heard> {
    heard.iter().filter(|heard| heard.kind == kind && heard.target.as_deref() == Some(target)).collect()
}

#[test]
fn properties_that_were_set_before_the_script_came_count() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/early.html")?;
    let look = browser.widget("#loop")?.look()?;
    assert_eq!(look.current, ["picked up"]);
    assert_eq!(browser.widget("#proof")?.look_proof()?.deliveries, "of 3 deliveries");
    let regions: u32 = browser.run("return all(shadow('#loop'), '[role=status]').length", &[])?;
    assert_eq!(regions, 0, "no-announce leaves the live region out");
    let attributes: Vec<String> = browser.run("return widget('#loop').getAttributeNames()", &[])?;
    assert_eq!(attributes, ["id", "loading"], "we never write an attribute of the host's");
    Ok(())
}

#[test]
fn methods_do_what_the_buttons_do() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let (left, right) = (browser.widget("#left")?, browser.widget("#right")?);
    for (method, label) in [
        ("step", STEP),
        ("step", STEP),
        ("step", STEP),
        ("crash", CRASH),
        ("back", BACK),
        ("step", STEP),
        ("reset", RESET),
    ] {
        browser.run_async::<()>("await widget('#left')[values[0]](); await frame();", &[json!(method)])?;
        right.go(&[label])?;
        assert_eq!(left.markup()?, right.markup()?, "{method}()");
    }
    browser.run_async::<()>(
        "await widget('#proof').run(7); await widget('#proof').run(); await frame();",
        &[],
    )?;
    assert_eq!(browser.widget("#proof")?.look_proof()?.deliveries, "of 8 deliveries");
    browser.run_async::<()>("await widget('#proof').reset(); await frame();", &[])?;
    assert_eq!(browser.widget("#proof")?.look_proof()?.deliveries, "of 0 deliveries");
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn a_method_that_is_called_before_the_widget_is_ready_waits_for_it() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.before_every_page(
        "addEventListener('DOMContentLoaded', () => {
            const left = document.querySelector('#left');
            customElements.whenDefined('enroll-loop').then(() => { left.step(); left.step(); });
        });",
    )?;
    browser.visit(&site.url("/pages/two.html"))?;
    let left = browser.widget("#left")?;
    left.until_at("picked up")?;
    assert!(browser.run_async::<bool>("return (await widget('#left').ready) === widget('#left')", &[])?);
    Ok(())
}

#[test]
fn events_say_who_asked_and_what_there_is_to_see() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    browser.widget("#proof")?;
    left.press_to(STEP, "woken")?;
    browser
        .run_async::<()>("await widget('#left').step(); await widget('#left').step(); await frame();", &[])?;
    browser.widget("#proof")?.press("run 10 times")?;
    let heard = browser.heard()?;
    for event in &heard {
        let manners = json!({ "bubbles": true, "composed": true, "cancelable": false });
        assert_eq!(event.manners.as_ref(), Some(&manners), "{event:?}");
    }
    let ready = of_kind(&heard, "enroll-ready", "left");
    let [ready] = ready.as_slice() else { panic!("ready once: {ready:?}") };
    assert_eq!(ready.snapshot.as_ref().unwrap()["wait"], json!(["j_1"]));
    let changes = of_kind(&heard, "enroll-change", "left");
    let sources: Vec<_> = changes.iter().map(|change| change.source.as_deref().unwrap()).collect();
    assert_eq!(sources, ["user", "api", "api"]);
    let last = changes[2].snapshot.as_ref().unwrap();
    for (name, value) in [
        ("story", json!("add,step,step,step")),
        ("stage", json!("enrolled")),
        ("at", json!(3)),
        ("nowMs", json!(0)),
        ("enrolled", json!(1)),
        ("deliveries", json!(1)),
        ("wait", json!([])),
        ("active", json!(["j_1"])),
        ("completed", json!([])),
        ("failed", json!([])),
        ("suspects", json!([])),
        ("dead", json!([])),
        ("canStep", json!(true)),
        ("canCrash", json!(true)),
        ("canGoBack", json!(true)),
        ("log", json!([{ "user_id": "USR0KHTOWnGLuC", "course_id": "CRS0KHTOWnGLuC", "at": 0 }])),
    ] {
        assert_eq!(last[name], value, "{name} of {last}");
    }
    assert_eq!(&browser.run::<serde_json::Value>("return widget('#left').snapshot", &[])?, last);
    let runs = of_kind(&heard, "enroll-change", "proof");
    assert_eq!(runs.len(), 1, "one press, one event");
    assert_eq!(runs[0].snapshot.as_ref().unwrap()["deliveries"], json!(10));
    assert_eq!(of_kind(&heard, "enroll-error", "left").len(), 0);
    Ok(())
}

#[test]
fn an_action_that_changes_nothing_fires_nothing() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    let before = left.markup()?;
    let script = "const left = widget('#left'); await left.crash(); await left.back(); await left.reset(); await frame();";
    browser.run_async::<()>(script, &[])?;
    assert_eq!(left.markup()?, before);
    assert_eq!(of_kind(&browser.heard()?, "enroll-change", "left").len(), 0);
    Ok(())
}

#[test]
fn states_follow_what_happens() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    let states = || -> Result<Vec<String>> {
        let script = "return ['ready', 'crashed', 'done', 'error'].filter((one) => widget('#left').matches(`:state(${one})`))";
        browser.run(script, &[])
    };
    assert_eq!(states()?, ["ready"]);
    left.go(&[STEP, STEP, STEP, CRASH])?;
    assert_eq!(states()?, ["ready", "crashed"]);
    left.go(&[STEP; 7])?;
    assert_eq!(states()?, ["ready", "crashed", "done"]);
    left.go(&[RESET])?;
    assert_eq!(states()?, ["ready"]);
    Ok(())
}

#[test]
fn a_story_that_opens_crashed_is_in_that_state() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.widget("#left")?;
    browser.run_async::<()>(
        "const one = document.createElement('enroll-loop');
        Object.assign(one, { id: 'made', story: 'add,step,step,step,crash', loading: 'eager' });
        document.body.append(one); await one.ready; await frame();",
        &[],
    )?;
    assert_eq!(browser.widget("#made")?.look()?.current, ["died"]);
    assert!(browser.run::<bool>("return widget('#made').matches(':state(crashed)')", &[])?);
    Ok(())
}

#[test]
fn the_script_may_be_loaded_twice() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.run_async::<()>("await import(new URL('../define.js?again', location.href).href)", &[])?;
    browser.widget("#left")?.press_to(STEP, "woken")?;
    assert!(browser.heard()?.iter().all(|heard| heard.kind != "uncaught"));
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}
