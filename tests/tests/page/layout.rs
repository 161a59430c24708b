//! Where things are: nothing sticks out, nothing jumps away from under the pointer, everything can be hit.

use crate::table::{CRASH_AFTER_ENROLLED, Row, STEP, TWO_CRASHES};
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Look},
    serve::Site,
};
use serde::Deserialize;
use serde_json::json;
use std::collections::BTreeMap;

const WIDTHS: [u32; 4] = [1280, 768, 360, 320];

/// What sticks out to the right of the page, if it can be scrolled there.
const TOO_WIDE: &str = "
    const page = document.documentElement;
    if (page.scrollWidth <= page.clientWidth) return [];
    const everything = [document, ...all(document, '*').map((one) => one.shadowRoot)].filter(Boolean);
    return everything.flatMap((root) => all(root, '*'))
        .filter((one) => one.getBoundingClientRect().right > page.clientWidth + 0.5)
        .map((one) => `${one.localName}.${one.className} to ${Math.round(one.getBoundingClientRect().right)} px`);";

#[test]
fn nothing_sticks_out_at_any_stage_at_any_width() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    browser.widget("enroll-proof")?.go(&["run 10 times"])?;
    let mut wrong = Vec::new();
    for table in [CRASH_AFTER_ENROLLED, TWO_CRASHES] {
        hero.go(&["reset"])?;
        for row in Row::of(table) {
            row.go(&hero)?;
            for width in WIDTHS {
                browser.resize(width, 900)?;
                for what in browser.run::<Vec<String>>(TOO_WIDE, &[])? {
                    wrong.push(format!("{width} px, {}: {what}", row.stage()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
struct Place {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

/// Where the buttons are, from the widget's corner.
fn places(browser: &Browser, selector: &str) -> Result<BTreeMap<String, Place>> {
    let script = "
        const from = widget(arguments[0]).getBoundingClientRect();
        return Object.fromEntries(all(shadow(arguments[0]), 'button').map((one) => {
            const { left, top, width, height } = one.getBoundingClientRect();
            return [words(one), { left: left - from.left, top: top - from.top, width, height }];
        }));";
    browser.run(script, &[json!(selector)])
}

fn stays(width: u32) -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.resize(width, 900)?;
    let hero = browser.widget("enroll-loop")?;
    let at_first = places(&browser, "enroll-loop")?;
    let mut wrong = Vec::new();
    for table in [CRASH_AFTER_ENROLLED, TWO_CRASHES] {
        hero.go(&["reset"])?;
        for row in Row::of(table) {
            row.go(&hero)?;
            for (label, place) in places(&browser, "enroll-loop")? {
                let (right, down) = (place.left - at_first[&label].left, place.top - at_first[&label].top);
                if right.abs().max(down.abs()) > 0.5 {
                    wrong
                        .push(format!("{width} px, {}: {label} moved by {right:.1}, {down:.1}", row.stage()));
                    break; // the others have moved with it, or will be seen when this one stays
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

#[test]
fn the_buttons_stay_where_they_are_through_a_run() -> Result<()> {
    stays(1280)
}

#[test]
fn the_buttons_stay_where_they_are_in_a_narrower_window() -> Result<()> {
    stays(1000)
}

#[test]
fn the_buttons_of_the_proof_stay_where_they_are() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let proof = browser.widget("enroll-proof")?;
    let at_first = places(&browser, "enroll-proof")?;
    for presses in 1..=12 {
        proof.go(&["run the enroll job"])?;
        assert_eq!(places(&browser, "enroll-proof")?, at_first, "after {presses} presses");
    }
    proof.go(&["run 10 times"])?;
    assert_eq!(places(&browser, "enroll-proof")?, at_first);
    Ok(())
}

#[test]
fn everything_that_can_be_pressed_is_large_enough() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.widget("enroll-proof")?;
    browser.widget("enroll-loop")?.go(&[STEP, STEP])?;
    let script = "
        const targets = ['enroll-loop', 'enroll-proof'].flatMap((one) => all(shadow(one), 'button, summary, a'));
        return targets.map((one) => [words(one), one.getBoundingClientRect().width, one.getBoundingClientRect().height]);";
    for width in WIDTHS {
        browser.resize(width, 900)?;
        let targets: Vec<(String, f64, f64)> = browser.run(script, &[])?;
        assert!(targets.len() >= 8, "{targets:?}");
        for (label, wide, high) in targets {
            assert!(wide >= 24.0 && high >= 24.0, "{label} is {wide} by {high} at {width} px");
        }
    }
    Ok(())
}

/// What moves after a press.
#[derive(Debug, PartialEq, Deserialize)]
struct Move {
    /// The job, or what else it is.
    what: String,
    time_ms: f64,
    /// Where its picture starts, seen from where it is: further right, and further down.
    from: (f64, f64),
}

/// Presses by script and returns what moves then. Waits until it is over.
const PRESS_AND_WATCH: &str = "
    const root = shadow('enroll-loop');
    const moving = new Set();
    const watch = () => [document, root].forEach((one) => one.getAnimations().forEach((found) => moving.add(found)));
    button('enroll-loop', values[0]).click();
    for (let turn = 0; turn < 3; turn++) {
        await new Promise((then) => setTimeout(then)); // what Yew puts off has its turn, and comes first
        watch(); // computes styles, so that what begins now has begun
        await frame();
        watch();
    }
    await Promise.all([...moving].map((one) => one.finished));
    return [...moving].map(({ effect }) => {
        const [right, down = '0'] = effect.getKeyframes()[0].translate.split(' ').map(parseFloat);
        return {
            what: effect.target.querySelector('.id')?.textContent ?? effect.target.className,
            time_ms: effect.getComputedTiming().endTime,
            from: [right, parseFloat(down)],
        };
    });";

fn moves(browser: &Browser, label: &str) -> Result<Vec<Move>> {
    browser.run_async(PRESS_AND_WATCH, &[json!(label)])
}

/// Presses through the run; wherever the job comes into another lane it comes from this side, and else nothing moves.
#[track_caller]
fn check_slides(width: u32, from_before: (f64, f64)) -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.prefer("prefers-reduced-motion", "no-preference")?;
    browser.resize(width, 900)?;
    browser.before_every_page(
        "addEventListener('enroll-ready', ({ target }) => { window.early = target.shadowRoot.getAnimations().length; })",
    )?;
    browser.visit(&site.url("/"))?;
    let hero = browser.widget("enroll-loop")?;
    assert_eq!(browser.run::<u32>("return early", &[])?, 0, "nothing moves unless the reader acts");
    browser.until("return widget('enroll-loop').matches(':state(settled)')", &[])?;
    let lanes = ["wait", "active", "completed", "failed"];
    let lane_now = |hero: &Look| lanes.iter().position(|lane| *lane == hero.lanes_of("j_1").join(""));
    let mut lane = lane_now(&hero.look()?);
    for row in Row::of(CRASH_AFTER_ENROLLED) {
        let Some(label) = row.button() else { continue };
        let moving = moves(&browser, label)?;
        let now = lane_now(&hero.until_at(row.stage())?);
        // Back into wait it comes from the other side.
        let side = if now < lane { -1.0 } else { 1.0 };
        let from = (from_before.0 * side, from_before.1 * side);
        let slide = (now != lane).then(|| Move { what: "j_1".into(), time_ms: 220.0, from });
        assert_eq!(moving, Vec::from_iter(slide), "at {}", row.stage());
        lane = now;
    }
    Ok(())
}

#[test]
fn the_job_slides_in_from_the_lane_where_it_was() -> Result<()> {
    check_slides(1280, (-100.0, 0.0))
}

#[test]
fn where_lanes_are_stacked_it_slides_down_and_up() -> Result<()> {
    check_slides(360, (0.0, -100.0))
}

#[test]
fn under_reduced_motion_nothing_moves() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.prefer("prefers-reduced-motion", "reduce")?;
    browser.visit(&site.url("/"))?;
    let hero = browser.widget("enroll-loop")?;
    for row in Row::of(CRASH_AFTER_ENROLLED) {
        let Some(label) = row.button() else { continue };
        assert_eq!(moves(&browser, label)?, [], "at {}", row.stage());
        hero.until_at(row.stage())?;
    }
    Ok(())
}
