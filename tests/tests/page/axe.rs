//! What axe-core finds wrong with the page for people who hear it, or see it badly.

use crate::matrix::come_to_the_table;
use crate::table::{CRASH_AFTER_ENROLLED, STEP, TWO_CRASHES, buttons};
use anyhow::{Context, Result};
use enroll_once_tests::{browser::Browser, serve::Site};
use serde_json::json;
use std::{env, fs};

const WCAG: &[&str] = &["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];
const GOOD_PRACTICE: &[&str] = &["best-practice"];

/// Presses that lead to the states that matter.
fn states() -> [(&'static str, Vec<&'static str>); 4] {
    let crash_run = buttons(CRASH_AFTER_ENROLLED);
    let crashed = crash_run[..5].to_vec(); // as far as the suspect
    [("start", vec![]), ("crashed", crashed), ("finished", crash_run), ("failed", buttons(TWO_CRASHES))]
}

fn page(scheme: &str, width: u32) -> Result<(Site, Browser)> {
    let axe = env::var("AXE_JS")
        .context("AXE_JS names no axe.min.js; `cargo xtask test --only end-to-end` does")?;
    let axe = fs::read_to_string(&axe).with_context(|| axe)?;
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.before_every_page(&axe)?;
    browser.prefer("prefers-color-scheme", scheme)?;
    browser.resize(width, 900)?;
    browser.visit(&site.url("/"))?;
    come_to_the_table(&browser)?;
    browser.widget("enroll-proof")?;
    browser.widget("enroll-loop")?;
    Ok((site, browser))
}

/// What is wrong: rule, element, and why.
fn violations(browser: &Browser, tags: &[&str]) -> Result<Vec<String>> {
    let script = "
        const options = { runOnly: { type: 'tag', values: values[0] }, resultTypes: ['violations'] };
        const { violations } = await axe.run(document, options);
        const why = (node) => (node.failureSummary ?? '').replace(/\\s+/g, ' ');
        return violations.flatMap((rule) => rule.nodes.map((node) => `${rule.id}: ${node.target.flat().join(' > ')}: ${why(node)}`));";
    browser.run_async(script, &[json!(tags)])
}

fn nothing_is_wrong(scheme: &str, width: u32) -> Result<()> {
    let (_site, browser) = page(scheme, width)?;
    let hero = browser.widget("enroll-loop")?;
    let proof = browser.widget("enroll-proof")?;
    let mut wrong = Vec::new();
    for (state, presses) in states() {
        hero.go(&["reset"])?;
        hero.go(&presses)?;
        if state == "crashed" {
            proof.go(&["run 10 times"])?;
        }
        wrong.extend(violations(&browser, WCAG)?.into_iter().map(|what| format!("{state}: {what}")));
    }
    assert!(wrong.is_empty(), "{scheme}, {width} px:\n{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn nothing_is_wrong_in_light() -> Result<()> {
    nothing_is_wrong("light", 1280)
}

#[test]
fn nothing_is_wrong_in_dark() -> Result<()> {
    nothing_is_wrong("dark", 1280)
}

#[test]
fn nothing_is_wrong_on_a_phone() -> Result<()> {
    nothing_is_wrong("light", 360)
}

#[test]
fn good_practice_is_kept() -> Result<()> {
    let (_site, browser) = page("light", 1280)?;
    browser.widget("enroll-loop")?.go(&[STEP, STEP])?;
    let wrong = violations(&browser, GOOD_PRACTICE)?;
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn axe_sees_into_the_widgets() -> Result<()> {
    let (_site, browser) = page("light", 1280)?;
    browser.run::<()>("button('enroll-loop', 'back').replaceChildren()", &[])?;
    let wrong = violations(&browser, WCAG)?;
    assert!(wrong.iter().any(|what| what.starts_with("button-name: enroll-loop")), "{wrong:?}");
    Ok(())
}
