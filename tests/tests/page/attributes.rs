//! Attributes, good and bad, at the beginning and later.

use crate::table::STEP;
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Heard},
    serve::Site,
};
use serde_json::json;

const SPACED: &str = "USR and eleven letters or digits, such as USR0KHTOWnGLuC";

fn errors(heard: &[Heard], target: &str) -> Vec<String> {
    let of = |heard: &&Heard| heard.kind == "enroll-error" && heard.target.as_deref() == Some(target);
    heard.iter().filter(of).map(|error| error.code.clone().unwrap_or_default()).collect()
}

/// It names the attribute, what was there and what was expected; it is said once; and the rest works.
fn check_loop(
    browser: &Browser,
    id: &str,
    code: &str,
    says: &[&str],
    opens_at: &str,
    next: &str,
) -> Result<()> {
    let selector = format!("#{id}");
    let hero = browser.widget(&selector)?;
    let look = hero.look()?;
    let [problem] = look.problems.as_slice() else { panic!("{id}: one message, not {:?}", look.problems) };
    for words in says {
        assert!(problem.contains(words), "{id}: {words} in {problem}");
    }
    assert_eq!(look.current, [opens_at], "{id}");
    assert_eq!(look.lanes_of("j_1").len(), 1, "{id}");
    hero.press_to(STEP, next)?;
    assert_eq!(hero.look()?.problems, look.problems, "the message stays");
    assert_eq!(errors(&browser.heard()?, id), [code]);
    Ok(())
}

#[test]
fn a_bad_attribute_is_named_in_place_and_the_rest_works() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/bad.html")?;
    let story = ["story", "token 3", "`stepp`", "character 10", "expected add, step, crash"];
    check_loop(&browser, "story", "story", &story, "woken", "picked up")?;
    check_loop(&browser, "never", "story", &["`w2:finish` cannot happen there", "w2"], "woken", "picked up")?;
    check_loop(&browser, "learner", "learner", &["learner", "`CRS0KHTOWnGLuC`", SPACED], "waiting", "woken")?;
    let course = ["course", "`CRS-0KHTOWnGLuC`", "CRS and eleven letters or digits", "the default is used"];
    check_loop(&browser, "course", "course", &course, "waiting", "woken")?;
    let queue =
        ["queue", "`a queue: with {braces}`", "1 to 32 letters, digits, `_` or `-`", "the default is used"];
    check_loop(&browser, "queue", "queue", &queue, "waiting", "woken")?;
    check_loop(
        &browser,
        "markup",
        "learner",
        &["`<img src=x onerror=alert(1)>`", SPACED],
        "waiting",
        "woken",
    )?;
    assert!(browser.heard()?.iter().all(|heard| heard.kind != "uncaught"), "nothing is thrown");
    assert_eq!(browser.console()?, [""; 0]);
    assert_eq!(site.breaches(), [""; 0]);
    Ok(())
}

#[test]
fn a_bad_attribute_of_the_proof_is_named_in_place_and_the_rest_works() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/bad.html")?;
    for (id, says, codes) in [
        ("runs", vec!["runs: `three` is not a number from 0 to 1000"], vec!["runs"]),
        ("too-many", vec!["runs: `1001` is not a number from 0 to 1000"], vec!["runs"]),
        ("negative", vec!["runs: `-1` is not a number from 0 to 1000"], vec!["runs"]),
        (
            "proof-learner",
            vec!["learner: `USR` is not USR and eleven", "course: `ÜÖÄ0KHTOWnGLuC` is not CRS and eleven"],
            vec!["learner", "course"],
        ),
    ] {
        let selector = format!("#{id}");
        let proof = browser.widget(&selector)?;
        let look = proof.look_proof()?;
        assert_eq!(look.problems.len(), says.len(), "{id}: {:?}", look.problems);
        for (problem, words) in look.problems.iter().zip(says) {
            assert!(problem.contains(words), "{id}: {words} in {problem}");
        }
        assert_eq!(look.deliveries, "of 0 deliveries");
        proof.press("run the enroll job")?;
        assert_eq!(proof.look_proof()?.enrolled, "1");
        assert_eq!(errors(&browser.heard()?, id), codes);
    }
    assert!(browser.heard()?.iter().all(|heard| heard.kind != "uncaught"), "nothing is thrown");
    Ok(())
}

#[test]
fn several_bad_attributes_are_all_named() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/bad.html")?;
    let look = browser.widget("#many")?.look()?;
    let mut named: Vec<_> = look.problems.iter().filter_map(|text| text.split(": ").next()).collect();
    named.sort_unstable();
    assert_eq!(
        named,
        ["Not understood. course", "Not understood. learner", "Not understood. story"],
        "an empty queue is the default: {:?}",
        look.problems
    );
    let mut codes = errors(&browser.heard()?, "many");
    codes.sort_unstable();
    assert_eq!(codes, ["course", "learner", "story"], "each is said once");
    Ok(())
}

#[test]
fn good_attributes_are_what_the_widget_shows() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/bad.html")?;
    let good = browser.widget("#good")?;
    let look = good.look()?;
    assert_eq!((look.problems.len(), look.current.join("")), (0, "woken".into()));
    let taken = good.press_to(STEP, "picked up")?;
    assert_eq!(taken.job("j_1").unwrap().lock.as_deref(), Some("lock w1 20 s"));
    assert!(
        taken.commands.iter().any(|line| line.contains("emq:other-queue_1:active")),
        "{:?}",
        taken.commands
    );
    let enrolled = good.press_to(STEP, "enrolled")?;
    assert_eq!(enrolled.facts["Portal's log"], "LearnerEnrolled USRzzzzzzzzzzz CRS00000000000 00:00.000");
    assert_eq!(errors(&browser.heard()?, "good"), [""; 0]);
    Ok(())
}

#[test]
fn an_attribute_that_changes_later_opens_the_widget_anew() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    left.go(&[STEP])?;
    let set = "widget('#left').setAttribute(...arguments)";
    browser.run::<()>(set, &[json!("story"), json!("add,step,step,step,crash")])?;
    assert_eq!(left.until_at("died")?.enrolled, "1");
    browser.run::<()>("widget('#left').learner = 'USRzzzzzzzzzzz'", &[])?;
    browser.until("return look('#left').facts[\"Portal's log\"].includes('USRzzzzzzzzzzz')", &[])?;
    left.press_to("back", "enrolled")?;
    left.press_to("reset", "died")?;
    browser.run::<()>("widget('#left').removeAttribute('story')", &[])?;
    left.until_at("waiting")?;
    browser.run::<()>("widget('#proof').setAttribute('runs', '4')", &[])?;
    browser.until("return lookProof('#proof').deliveries === 'of 4 deliveries'", &[])?;
    let proof = browser.widget("#proof")?;
    proof.go(&["run the enroll job", "reset"])?;
    assert_eq!(proof.look_proof()?.deliveries, "of 4 deliveries", "reset leads to where it opened");
    Ok(())
}

#[test]
fn a_bad_attribute_that_comes_later_is_said_once_and_forgotten_when_it_is_mended() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let left = browser.widget("#left")?;
    let set = "widget('#left').setAttribute(...arguments)";
    browser.run::<()>(set, &[json!("learner"), json!("nobody")])?;
    browser.until("return look('#left').problems.length === 1", &[])?;
    left.press_to(STEP, "woken")?;
    assert!(browser.run::<bool>("return widget('#left').matches(':state(error)')", &[])?);
    browser.run::<()>(set, &[json!("learner"), json!("USR0KHTOWnGLuC")])?;
    browser.until("return look('#left').problems.length === 0", &[])?;
    left.press_to(STEP, "woken")?;
    assert_eq!(errors(&browser.heard()?, "left"), ["learner"]);
    Ok(())
}

#[test]
fn a_mended_attribute_ends_the_error_state() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.widget("#left")?;
    browser.run::<()>("widget('#left').learner = 'nobody'", &[])?;
    browser.until("return widget('#left').matches(':state(error)')", &[])?;
    browser.run::<()>("widget('#left').learner = null", &[])?;
    browser.until("return look('#left').problems.length === 0", &[])?;
    browser.run_async::<()>("await frame();", &[])?;
    assert!(!browser.run::<bool>("return widget('#left').matches(':state(error)')", &[])?);
    Ok(())
}
