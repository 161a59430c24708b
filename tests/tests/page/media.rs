//! The page under other conditions: forced colors, on paper, at 400 % zoom. (Reduced motion is in [`crate::layout`].)

use crate::{
    matrix::come_to_the_table,
    table::{CRASH_AFTER_ENROLLED, RESET, Row, STEP, TWO_CRASHES, buttons},
};
use anyhow::Result;
use enroll_once_tests::{browser::Browser, serve::Site};
use serde::Deserialize;
use serde_json::json;

/// Contrast as WCAG has it, and what is needed to tell a line from its background.
const CONTRAST: &str = "
    const light = (color) => {
        const [red, green, blue] = color.match(/[\\d.]+/g).slice(0, 3).map((part) => {
            const share = part / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const contrast = (one, other) => {
        const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
        return (bright + 0.05) / (dark + 0.05);
    };
    const seen = (line, color, style, width) =>
        line !== 'none' && style !== 'none' && parseFloat(width) >= 1 && contrast(color, line) >= 3;";

/// What a reader cannot make out where the system chooses the colors.
const NOT_SEEN: &str = "
    const canvas = document.body.appendChild(document.createElement('i'));
    canvas.style = 'background: Canvas';
    const paper = getComputedStyle(canvas).backgroundColor;
    canvas.remove();
    const root = shadow('enroll-loop');
    const framed = [...all(root, '.job'), ...all(root, 'button'), ...all(root, '.now b')].filter((one) => {
        const { borderBottomColor, borderBottomStyle, borderBottomWidth } = getComputedStyle(one);
        return !seen(paper, borderBottomColor, borderBottomStyle, borderBottomWidth);
    });
    const others = all(root, '.stop:not(.now) b').filter((one) => {
        const { borderBottomColor, borderBottomStyle, borderBottomWidth } = getComputedStyle(one);
        return seen(paper, borderBottomColor, borderBottomStyle, borderBottomWidth);
    });
    const pale = all(root, '.job :not(svg, svg *), button, .stop b, .say p').filter((one) => {
        return words(one) && contrast(getComputedStyle(one).color, paper) < 3;
    });
    return [
        ...framed.map((one) => `no frame: ${words(one)}`),
        ...others.map((one) => `marked as the current one: ${words(one)}`),
        ...pale.map((one) => `too pale: ${words(one)}`),
    ];";

fn forced_colors(scheme: &str) -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let features = json!([
        { "name": "forced-colors", "value": "active" },
        { "name": "prefers-color-scheme", "value": scheme },
    ]);
    browser.devtools("Emulation.setEmulatedMedia", json!({ "features": features }))?;
    assert!(browser.run::<bool>("return matchMedia('(forced-colors: active)').matches", &[])?);
    let hero = browser.widget("enroll-loop")?;
    let mut wrong = Vec::new();
    for table in [CRASH_AFTER_ENROLLED, TWO_CRASHES] {
        hero.go(&[RESET])?;
        for row in Row::of(table) {
            row.go(&hero)?;
            let not_seen: Vec<String> = browser.run(&format!("{CONTRAST}{NOT_SEEN}"), &[])?;
            wrong.extend(not_seen.into_iter().map(|what| format!("{}: {what}", row.stage())));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // A job without a worker is told from one with a worker by its frame, too, and focus is seen.
    hero.go(&[RESET])?;
    hero.go(&buttons(CRASH_AFTER_ENROLLED)[..4])?;
    let frame: String = browser
        .run("return getComputedStyle(shadow('enroll-loop').querySelector('.job')).borderTopStyle", &[])?;
    assert_eq!(frame, "dashed");
    browser.keys("\u{e004}")?;
    assert_eq!(hero.focus()?.as_deref(), Some(STEP));
    let focus = "
        const { outlineColor, outlineStyle, outlineWidth, backgroundColor } =
            getComputedStyle(shadow('enroll-loop').activeElement);
        return seen(backgroundColor, outlineColor, outlineStyle, outlineWidth);";
    assert!(browser.run::<bool>(&format!("{CONTRAST}{focus}"), &[])?, "focus is not seen");
    Ok(())
}

#[test]
fn forced_colors_leave_states_buttons_and_focus_visible() -> Result<()> {
    forced_colors("light")
}

#[test]
fn dark_forced_colors_leave_states_buttons_and_focus_visible() -> Result<()> {
    forced_colors("dark")
}

/// What is on the paper, of a widget.
#[derive(Debug, Deserialize)]
struct Printed {
    rail: String,
    sentence: String,
    job: String,
    buttons: usize,
    contrast: f64,
    too_wide: f64,
}

#[test]
fn on_paper_the_run_so_far_can_be_read_and_there_is_nothing_to_press() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.resize(718, 1000)?; // A4 with the usual margins
    browser.widget("enroll-proof")?.go(&["run the enroll job"; 2])?;
    let hero = browser.widget("enroll-loop")?;
    hero.go(&buttons(CRASH_AFTER_ENROLLED)[..7])?;
    hero.until_at("returned")?;
    come_to_the_table(&browser)?;
    let dark = json!([{ "name": "prefers-color-scheme", "value": "dark" }]);
    browser.devtools("Emulation.setEmulatedMedia", json!({ "media": "print", "features": dark }))?;
    assert!(browser.run::<bool>("return matchMedia('print').matches", &[])?);
    let script = "
        const visible = (one) => one !== null && one.checkVisibility() && one.getClientRects().length > 0;
        const text = (css) => {
            const one = shadow('enroll-loop').querySelector(css);
            return visible(one) ? words(one) : '';
        };
        const pressable = ['enroll-loop', 'enroll-proof'].flatMap((tag) => all(shadow(tag), 'button'));
        const says = shadow('enroll-loop').querySelector('.say p');
        return {
            rail: text('.rail'),
            sentence: text('.say'),
            job: text('.job'),
            buttons: [...pressable, ...all(document, '.needs-script, .loaded')].filter(visible).length,
            contrast: contrast(getComputedStyle(says).color, 'rgb(255, 255, 255)'),
            too_wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        };";
    let printed: Printed = browser.run(&format!("{CONTRAST}{script}"), &[])?;
    assert!(
        printed.rail.starts_with("waiting woken picked up enrolled died suspect lock gone returned"),
        "{printed:?}"
    );
    assert!(printed.sentence.contains("j_1") && printed.job.contains("j_1"), "{printed:?}");
    assert_eq!(printed.buttons, 0, "{printed:?}");
    assert!(printed.contrast > 7.0, "dark on white, also where the screen is dark: {printed:?}");
    assert!(printed.too_wide <= 0.0, "{printed:?}");
    Ok(())
}

/// What is hidden, cut off or covered in a window of 1280 by 1024 at 400 %.
const CUT_OFF: &str = "
    const root = shadow('enroll-loop');
    const cut = all(root, '*').filter((one) => {
        const style = getComputedStyle(one);
        return style.overflowX !== 'visible' && !one.matches('.hidden, svg') && one.scrollWidth > one.clientWidth;
    });
    root.querySelector('.stage').scrollIntoView();
    const { top, bottom } = root.querySelector('.controls').getBoundingClientRect();
    const covered = Math.max(0, Math.min(bottom, innerHeight) - Math.max(top, 0)) / innerHeight;
    return [
        ...cut.map((one) => `cut off: ${words(one)}`),
        ...(covered > 0.25 ? [`buttons cover ${Math.round(covered * 100)} % of the window`] : []),
    ];";

#[test]
fn at_400_percent_everything_can_be_read_and_pressed() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let size = json!({ "width": 320, "height": 256, "deviceScaleFactor": 4, "mobile": false });
    browser.devtools("Emulation.setDeviceMetricsOverride", size)?;
    let hero = browser.widget("enroll-loop")?;
    let mut wrong = Vec::new();
    for row in Row::of(CRASH_AFTER_ENROLLED) {
        row.press(&hero)?; // by pointer: it can be reached, and nothing lies on it
        let cut_off: Vec<String> = browser.run(CUT_OFF, &[])?;
        wrong.extend(cut_off.into_iter().map(|what| format!("{}: {what}", row.stage())));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}
