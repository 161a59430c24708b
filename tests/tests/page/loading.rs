//! How the page arrives: quietly, under any path, late, and when something is in its way.

use crate::table::{CRASH_AFTER_ENROLLED, Row, STEP};
use anyhow::Result;
use enroll_once_tests::{
    browser::Browser,
    serve::{Flaw, Site, UNDER_A_PATH},
};
use serde_json::json;

/// What every start state says in words, and a row of each table.
const LOOP_IN_WORDS: [&str; 3] = [
    "At the start, j_1 is in emq:enroll:wait",
    "the next sweep finds no lock",
    "the job ran twice and enrolled once",
];
const PROOF_IN_WORDS: [&str; 3] = [
    "Portal’s log is empty",
    "records LearnerEnrolled with user_id USR0KHTOWnGLuC",
    "Deliveries 3, enrolled 1.",
];

/// What a reader can see of an element: nothing, if it has no box.
pub fn readable(browser: &Browser, selector: &str) -> Result<String> {
    browser.run(
        "const one = widget(arguments[0]); return one.getBoundingClientRect().height > 0 ? words(one) : ''",
        &[json!(selector)],
    )
}

#[track_caller]
fn check_words(text: &str, expected: &[&str]) {
    for words in expected {
        assert!(text.contains(words), "{words} in {text}");
    }
}

#[test]
fn a_whole_visit_leaves_the_console_empty_and_asks_only_its_own_origin() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    for row in Row::of(CRASH_AFTER_ENROLLED) {
        row.press(&hero)?;
    }
    let proof = browser.widget("enroll-proof")?;
    proof.press("run 10 times")?;
    browser.run_async::<()>("scrollTo(0, document.body.scrollHeight); await frame(); await frame();", &[])?;
    assert_eq!(browser.console()?, [""; 0]);
    assert_eq!(site.breaches(), [""; 0]);
    assert!(browser.heard()?.iter().all(|heard| heard.kind != "uncaught"));
    let loaded: Vec<String> =
        browser.run("return performance.getEntriesByType('resource').map((one) => one.name)", &[])?;
    assert!(loaded.len() >= 4, "{loaded:?}");
    for address in &loaded {
        assert!(address.starts_with(&site.url("/")), "{address} is elsewhere");
    }
    for asked in site.asked() {
        assert_eq!(asked.status, 200, "{asked:?}");
        assert!(site.url("/").contains(&asked.host), "{asked:?}");
    }
    Ok(())
}

#[test]
fn under_a_path_it_works_the_same() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, UNDER_A_PATH)?;
    let hero = browser.widget("enroll-loop")?;
    hero.press_to(STEP, "woken")?;
    browser.widget("enroll-proof")?.press("run the enroll job")?;
    for asked in site.asked() {
        assert!(asked.path.starts_with(UNDER_A_PATH), "{asked:?} is not under the path");
        assert_eq!(asked.status, 200, "{asked:?}");
    }
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn the_wasm_is_asked_for_when_a_widget_comes_near() -> Result<()> {
    let site = Site::start()?;
    let wasm = || site.asked().iter().filter(|asked| asked.path.ends_with(".wasm")).count();
    let browser = Browser::open(&site, "/pages/far.html")?;
    browser.run_async::<()>("for (let i = 0; i < 10; i++) await frame();", &[])?;
    assert_eq!(wasm(), 0);
    assert_eq!(browser.run::<String>("return words(widget('#far'))", &[])?, "readable until then");
    browser.widget("#far")?.press_to(STEP, "woken")?;
    assert_eq!(wasm(), 1);
    Ok(())
}

#[test]
fn a_wasm_of_an_unknown_type_works() -> Result<()> {
    let site = Site::with(Flaw::WrongType)?;
    let browser = Browser::open(&site, "/")?;
    browser.widget("enroll-loop")?.press_to(STEP, "woken")?;
    Ok(())
}

/// The widget cannot load: it stays readable, says so once, and nothing is thrown.
fn stays_readable(flaw: Flaw, code: &str) -> Result<()> {
    let site = Site::with(flaw)?;
    let browser = Browser::open(&site, "/")?;
    for (tag, expected) in [("enroll-loop", LOOP_IN_WORDS), ("enroll-proof", PROOF_IN_WORDS)] {
        browser.run::<()>("widget(arguments[0]).scrollIntoView()", &[json!(tag)])?;
        browser.until(
            "return heard.some((one) => one.type === 'enroll-error' && one.target === arguments[0])",
            &[json!(tag)],
        )?;
        check_words(&readable(&browser, tag)?, &expected);
        assert!(!browser.run::<bool>("return isReady(arguments[0])", &[json!(tag)])?);
        assert_eq!(
            browser.run::<u32>("return all(shadow(arguments[0]), 'button').length", &[json!(tag)])?,
            0
        );
        assert!(browser.run::<bool>("return widget(arguments[0]).matches(':state(error)')", &[json!(tag)])?);
    }
    browser.run_async::<()>("scrollTo(0, 0); await frame(); await frame();", &[])?;
    let heard = browser.heard()?;
    let told: Vec<_> =
        heard.iter().map(|one| (one.kind.as_str(), one.target.as_deref(), one.code.as_deref())).collect();
    let error = |tag| ("enroll-error", Some(tag), Some(code));
    assert_eq!(told, [error("enroll-loop"), error("enroll-proof")], "{heard:?}");
    Ok(())
}

#[test]
fn without_the_wasm_the_words_stay() -> Result<()> {
    stays_readable(Flaw::NoWasm, "load")
}

#[test]
fn where_the_host_forbids_wasm_the_words_stay() -> Result<()> {
    stays_readable(Flaw::NoWasmEval, "csp")
}

#[test]
fn without_javascript_the_page_is_complete() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
    browser.visit(&site.url("/"))?;
    assert!(site.asked().iter().all(|asked| !asked.path.ends_with(".js")), "{:?}", site.asked());
    check_words(&readable(&browser, "enroll-loop")?, &LOOP_IN_WORDS);
    check_words(&readable(&browser, "enroll-proof")?, &PROOF_IN_WORDS);
    check_words(
        &readable(&browser, "enroll-loop")?,
        &["JavaScript is off, so the instrument cannot be stepped."],
    );
    let page = readable(&browser, "main")?;
    check_words(
        &page,
        &[
            "What reliable means",
            "Never dropped",
            "R3.05",
            "Exactly once, in effect",
            "The edge",
            "References",
        ],
    );
    let seen = "return all(document, 'button, input').filter((one) => one.checkVisibility()).length";
    assert_eq!(browser.run::<u32>(seen, &[])?, 0, "a button is there only when it works");
    let rows: Vec<u32> =
        browser.run("return all(document, '.fallback table').map((one) => one.rows.length)", &[])?;
    assert_eq!(rows, [16, 4], "the whole run, and three runs of the proof");
    Ok(())
}
