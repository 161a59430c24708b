//! While the page arrives, piece by piece, and the widgets after it, what the reader has begun to read stands still.

use anyhow::Result;
use enroll_once_tests::{browser::Browser, serve::Site};
use serde::Deserialize;
use serde_json::json;

/// What was there before the widgets, and whether anything moved.
const STILL: &str = "
    window.shifts = [];
    const place = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
    const shift = ({ startTime, sources }) => sources.map(({ node, previousRect, currentRect }) =>
        `${node?.outerHTML?.slice(0, 80) ?? node?.data} from ${place(previousRect)} to ${place(currentRect)} at ${Math.round(startTime)} ms`);
    new PerformanceObserver((list) => list.getEntries().forEach((entry) => shifts.push(...shift(entry))))
        .observe({ type: 'layout-shift', buffered: true });
    addEventListener('DOMContentLoaded', () => {
        const size = (one) => { const { width, height } = one.getBoundingClientRect(); return [width, height]; };
        window.stills = [...document.querySelectorAll('.still')].map(size);
    });";

#[test]
fn nothing_moves_when_the_widgets_take_the_places_of_their_pictures() -> Result<()> {
    let site = Site::start()?;
    for width in [1280, 768, 360] {
        let browser = Browser::start()?;
        browser.resize(width, 900)?;
        browser.before_every_page(STILL)?;
        browser.visit(&site.url("/"))?;
        browser.widget("enroll-loop")?;
        browser.widget("enroll-proof")?;
        let size = "return all(document, 'enroll-loop, enroll-proof').map((one) => {
            const { width, height } = one.shadowRoot.firstElementChild.getBoundingClientRect(); return [width, height]; })";
        let stills: Vec<(f64, f64)> = browser.run("return stills", &[])?;
        assert!(stills.iter().all(|(_, height)| *height > 300.0), "{stills:?}");
        assert_eq!(browser.run::<Vec<(f64, f64)>>(size, &[])?, stills, "at {width} px");
        let shifts: Vec<String> = browser.run("return shifts", &[])?;
        assert!(shifts.is_empty(), "at {width} px: {shifts:#?}");
        let left: u32 = browser.run(
            "return all(document, '.still button').filter((one) => one.checkVisibility()).length",
            &[],
        )?;
        assert_eq!(left, 0, "the picture is gone");
    }
    Ok(())
}

/// The page comes in pieces. A scrollbar that appears when it outgrows the window makes every line narrower.
#[test]
fn the_scrollbar_is_there_before_there_is_anything_to_scroll() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.visit(&site.url("/"))?;
    let full: u32 = browser.run("return document.documentElement.clientWidth", &[])?;
    let empty: u32 =
        browser.run("document.body.hidden = true; return document.documentElement.clientWidth", &[])?;
    assert_eq!(empty, full);
    Ok(())
}

/// Writes the page into a frame tag by tag, and tells what has moved when.
const PIECEMEAL: &str = "
    const [width, height] = values;
    const html = (await (await fetch(location.href)).text()).replace(/<script[^>]*><\\/script>/g, '');
    const frame = document.createElement('iframe');
    frame.style = `width: ${width}px; height: ${height}px`;
    document.body.replaceChildren(frame);
    const page = frame.contentDocument;
    page.open();
    const [head, body] = html.split(/(?=<body>)/);
    page.write(head);
    await Promise.all([...page.querySelectorAll('link[rel=stylesheet]')].map((link) =>
        link.sheet ?? new Promise((loaded) => (link.onload = loaded))));
    const before = new Map();
    const moved = [];
    let written = 0;
    for (const piece of body.split(/(?=<)/)) {
        page.write(piece);
        written += piece.length;
        for (const one of page.querySelectorAll('main > section, enroll-loop, .still, .still *')) {
            if (!one.checkVisibility()) continue;
            const { x, y } = one.getBoundingClientRect();
            const was = before.get(one);
            if (was && (was.x !== x || was.y !== y)) moved.push(`${one.outerHTML.slice(0, 60)} from ${was.x}, ${was.y} to ${x}, ${y} at ${written} of ${body.length}`);
            before.set(one, { x, y });
        }
    }
    return { seen: before.size, moved: moved.slice(0, 5) };";

#[derive(Deserialize)]
struct Arrival {
    seen: usize,
    moved: Vec<String>,
}

/// The order of the document is not everywhere the order on the screen, so the pictures of the widgets are shown when they are whole.
#[test]
fn nothing_moves_while_the_page_arrives() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.resize(1400, 1000)?;
    browser.visit(&site.url("/"))?;
    for width in [1280, 768, 360] {
        let Arrival { seen, moved } = browser.run_async(PIECEMEAL, &[json!(width), json!(900)])?;
        assert!(seen > 100, "at {width} px {seen} elements were there");
        assert!(moved.is_empty(), "at {width} px: {moved:#?}");
    }
    Ok(())
}
