//! The measurements, in a browser with a watcher in every page (tests/bench/watch.js).

use crate::folder::CRASH_RUN;
use anyhow::{Context, Result};
use enroll_once_tests::browser::Browser;
use serde::Deserialize;
use serde_json::json;
use std::{collections::BTreeMap, thread, time::Duration};

const WATCH: &str = include_str!("../../../bench/watch.js");

/// How often is clicked.
const CLICKS: usize = 200;

/// A visit of a page, until its widget is ready and on the screen. Milliseconds.
#[derive(Debug, Deserialize)]
pub struct Visit {
    /// Since the page was asked for.
    pub ready: f64,
    /// The longest task; none if all are shorter than 50 ms.
    pub longest: f64,
    /// What jumped.
    pub shifts: Vec<Shift>,
    /// When each file was there, by its name.
    files: BTreeMap<String, f64>,
}

impl Visit {
    /// When this file was there.
    pub fn until(&self, file: &str) -> f64 {
        self.files.get(file).copied().unwrap_or(f64::NAN)
    }
}

/// What jumped, and how far, as browsers count it.
#[derive(Debug, Deserialize)]
pub struct Shift {
    pub value: f64,
    pub what: String,
}

/// From the time of each click until it is painted, and the longest task in between. Milliseconds.
pub struct Clicks {
    pub times: Vec<f64>,
    pub longest: f64,
}

/// Bytes that are in use after so many mounts and removals.
pub struct Memory {
    pub mounts: u64,
    pub heap: u64,
    pub wasm: u64,
}

/// A browser on a slow line, with a slower processor, and without a cache.
pub fn slow_browser(cpu: u32) -> Result<Browser> {
    let browser = watching()?;
    browser.devtools("Network.enable", json!({}))?;
    browser.devtools("Network.setCacheDisabled", json!({ "cacheDisabled": true }))?;
    // 1.6 Mbit/s down, as many bytes a second.
    let line = json!({ "offline": false, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 93_750 });
    browser.devtools("Network.emulateNetworkConditions", line)?;
    slow_down(&browser, cpu)?;
    Ok(browser)
}

fn watching() -> Result<Browser> {
    let browser = Browser::start()?;
    browser.before_every_page(WATCH)?;
    Ok(browser)
}

fn slow_down(browser: &Browser, cpu: u32) -> Result<()> {
    browser.devtools("Emulation.setCPUThrottlingRate", json!({ "rate": cpu })).map(drop)
}

/// Visits a page anew.
pub fn visit(browser: &Browser, url: &str) -> Result<Visit> {
    browser.visit("about:blank")?;
    browser.visit(url)?;
    browser.until("return watched.ready", &[]).with_context(|| url.to_owned())?;
    let script = "
        const files = performance.getEntriesByType('resource').map((one) => [one.name.replace(/.*\\//, ''), one.responseEnd]);
        const { ready, longest, shifts } = watched;
        return { ready, longest, shifts, files: Object.fromEntries(files) };";
    browser.run(script, &[])
}

/// That something jumps is noticed.
pub fn check_that_a_jump_is_seen(browser: &Browser) -> Result<()> {
    let jump = "
        const high = Object.assign(document.createElement('p'), { textContent: 'high' });
        watched.shifts = [];
        document.querySelector('main').before(high);
        await new Promise((then) => setTimeout(then, 600)); // input before that would excuse it
        high.replaceChildren(...Array.from({ length: 9 }, () => document.createElement('br')));
        await frame();
        await frame();";
    browser.run_async::<()>(jump, &[])?;
    browser.until("return watched.shifts.length > 0", &[]).context("a jump is not seen").map(drop)
}

/// Clicks through the crash run and back again, with a pointer.
pub fn clicks(url: &str, cpu: u32) -> Result<Clicks> {
    let browser = watching()?;
    browser.visit(url)?;
    browser.widget("enroll-loop")?;
    let start = "
        shadow('enroll-loop').querySelector('.controls').scrollIntoView({ block: 'center' });
        watchClicks(widget('enroll-loop'));
        watched.longest = 0;";
    browser.run::<()>(start, &[])?;
    slow_down(&browser, cpu)?;
    let there_and_back = CRASH_RUN.into_iter().chain(["back"; CRASH_RUN.len()]);
    for (at, part) in there_and_back.cycle().take(CLICKS).enumerate() {
        let place = "
            const one = shadow('enroll-loop').querySelector(`[part=${arguments[0]}]`);
            const { x, y, width, height } = one.getBoundingClientRect();
            return [x + width / 2, y + height / 2];";
        let (x, y): (f64, f64) = browser.run(place, &[json!(part)])?;
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({ "type": kind, "x": x, "y": y, "button": "left", "clickCount": 1 });
            browser.devtools("Input.dispatchMouseEvent", event)?;
        }
        // Asking takes time in the page, too, so it is left alone at first.
        thread::sleep(Duration::from_millis(100));
        browser.until("return watched.clicks.length === arguments[0]", &[json!(at + 1)]).context(part)?;
    }
    let (times, longest) = browser.run("return [watched.clicks, watched.longest]", &[])?;
    Ok(Clicks { times, longest })
}

/// Mounts and removes both widgets, and looks at the memory after so many times.
pub fn memory(url: &str, after: &[u64]) -> Result<Vec<Memory>> {
    let browser = watching()?;
    browser.visit(url)?;
    browser.widget("enroll-loop")?;
    let mut all = Vec::new();
    let mut mounts = 0;
    for &wanted in after {
        while mounts < wanted {
            let some = (wanted - mounts).min(50);
            browser.run_async::<()>(MOUNT_AND_REMOVE, &[json!(some)])?;
            mounts += some;
        }
        browser.devtools("HeapProfiler.collectGarbage", json!({}))?;
        let heap = browser.devtools("Runtime.getHeapUsage", json!({}))?;
        let heap = heap["usedSize"].as_f64().context("no heap")? as u64;
        let wasm =
            browser.run("return watched.memory.reduce((sum, one) => sum + one.buffer.byteLength, 0)", &[])?;
        all.push(Memory { mounts, heap, wasm });
    }
    Ok(all)
}

const MOUNT_AND_REMOVE: &str = "
    for (let turn = 0; turn < values[0]; turn++) {
        const made = ['enroll-loop', 'enroll-proof'].map((tag) => Object.assign(document.createElement(tag), { loading: 'eager' }));
        document.body.append(...made);
        await Promise.all(made.map((one) => one.ready));
        made.forEach((one) => one.remove());
        await new Promise((then) => setTimeout(then));
    }
    // What the tests keep of every event.
    heard.length = 0;
    ";
