//! `page_bench [--visits N] [--only PART]`: how soon a widget is ready on a slow line, how soon a click is on the screen, what jumps, and what
//! stays in memory; measured on the built page in headless Chromium, beside a stand-in in plain JavaScript (tests/bench).
//! It reports, and never fails because something is slow: figures of a busy machine say little, ratios say more.

mod folder;
mod lighthouse;
mod measure;

use anyhow::{Context, Result, bail};
use enroll_once_tests::serve::Site;
use lexopt::{Arg, ValueExt};
use measure::{Clicks, Memory, Visit};

/// Visits of each page; the median counts.
const VISITS: usize = 7;

/// The pages that are visited in turn.
const STAND_IN: &str = "/stand-in.html";
const WIDGET: &str = "/widget.html";
const HINTED: &str = "/hinted.html";

/// What can be measured by itself.
const PARTS: [&str; 5] = ["ready", "clicks", "shifts", "memory", "lighthouse"];

fn main() -> Result<()> {
    let (visits, only) = options()?;
    let wants = |part: &str| only.as_ref().is_none_or(|only| only == part);
    let folder = tempfile::tempdir()?;
    folder::fill(folder.path())?;
    let site = Site::compressed(folder.path())?;
    let bytes = folder::add_stand_in(folder.path(), &site)?;
    println!(
        "the stand-in shows the same at every state of the crash run; its script is {bytes} bytes of brotli\n"
    );
    line("", "widget", "plain JS", "ratio", "aim");
    if wants("ready") {
        print_ready(&site, visits)?;
    }
    if wants("clicks") {
        print_clicks(&site, 4)?;
        print_clicks(&site, 6)?;
    }
    if wants("shifts") {
        print_shifts(&site)?;
    }
    if wants("memory") {
        print_memory(&site)?;
    }
    if wants("lighthouse") {
        lighthouse::print(&site)?;
    }
    Ok(())
}

fn options() -> Result<(usize, Option<String>)> {
    let mut parser = lexopt::Parser::from_env();
    let (mut visits, mut only) = (VISITS, None);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("visits") => visits = parser.value()?.parse()?,
            Arg::Long("only") => only = Some(parser.value()?.string()?),
            Arg::Short(_) | Arg::Long(_) | Arg::Value(_) => {
                bail!("{}\nusage: page_bench [--visits N] [--only PART]", argument.unexpected())
            }
        }
    }
    if only.as_deref().is_some_and(|part| !PARTS.contains(&part)) {
        bail!("the parts are {}", PARTS.join(", "));
    }
    Ok((visits.max(1), only))
}

fn line(what: &str, widget: &str, plain: &str, ratio: &str, aim: &str) {
    println!("{what:<52} {widget:>12} {plain:>10} {ratio:>6}  {aim}");
}

/// A line of milliseconds, side by side.
fn compare(what: &str, widget: f64, plain: f64, aim: &str) {
    let ratio = format!("{:.2}", widget / plain);
    line(what, &format!("{widget:.0} ms"), &format!("{plain:.0} ms"), &ratio, aim);
}

fn print_ready(site: &Site, visits: usize) -> Result<()> {
    let browser = measure::slow_browser(4)?;
    let (mut widget, mut hinted, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..visits {
        for (page, all) in [(STAND_IN, &mut plain), (WIDGET, &mut widget), (HINTED, &mut hinted)] {
            all.push(measure::visit(&browser, &site.url(page))?);
        }
    }
    let ready = |all: &[Visit]| median(all.iter().map(|visit| visit.ready));
    let longest = |all: &[Visit]| median(all.iter().map(|visit| visit.longest));
    compare("ready: 1.6 Mbps, 150 ms, CPU 4x", ready(&widget)?, ready(&plain)?, "ratio 3");
    compare("  the same, with the two hints in its page", ready(&hinted)?, ready(&plain)?, "ratio 3");
    let part = |name| median(widget.iter().map(|visit| visit.until(name)));
    for (name, what) in
        [("define.js", "define.js"), ("enroll-once-web.js", "glue"), ("enroll-once-web_bg.wasm", "WASM")]
    {
        line(&format!("  of this: {what} is there after"), &format!("{:.0} ms", part(name)?), "", "", "");
    }
    line("  longest task while loading", &task(longest(&widget)?), &task(longest(&plain)?), "", "50 ms");
    Ok(())
}

fn print_clicks(site: &Site, cpu: u32) -> Result<()> {
    let Clicks { times: widget, longest } = measure::clicks(&site.url(WIDGET), cpu)?;
    let Clicks { times: plain, longest: plain_longest } = measure::clicks(&site.url(STAND_IN), cpu)?;
    let count = widget.len();
    let aim = "under 50, better 17 ms";
    compare(
        &format!("click to painted, p95 of {count}, CPU {cpu}x"),
        percentile(&widget, 95)?,
        percentile(&plain, 95)?,
        aim,
    );
    compare("  median", percentile(&widget, 50)?, percentile(&plain, 50)?, "");
    line("  longest task while clicking", &task(longest), &task(plain_longest), "", "50 ms");
    Ok(())
}

fn print_shifts(site: &Site) -> Result<()> {
    for (width, height) in [(1280, 900), (360, 800)] {
        let browser = measure::slow_browser(4)?;
        browser.resize(width, height)?;
        let visit = measure::visit(&browser, &site.url("/index.html"))?;
        let sum = visit.shifts.iter().fold(0.0, |sum, shift| sum + shift.value);
        line(&format!("layout shift of the page, {width} px"), &format!("{sum:.4}"), "", "", "0");
        for shift in &visit.shifts {
            println!("  {:.4} {}", shift.value, shift.what);
        }
        measure::check_that_a_jump_is_seen(&browser)?;
    }
    Ok(())
}

fn print_memory(site: &Site) -> Result<()> {
    let at = measure::memory(&site.url(WIDGET), &[0, 100, 1000])?;
    for Memory { mounts, heap, wasm } in &at {
        let (heap, wasm) = (heap / 1024, wasm / 1024);
        line(
            &format!("memory after {mounts} mounts and removals of both"),
            &format!("{heap} KiB"),
            "",
            "",
            "",
        );
        line("  WebAssembly", &format!("{wasm} KiB"), "", "", "");
    }
    let [.., before, after] = at.as_slice() else { bail!("no memory") };
    let growth = |from: u64, to: u64| to.saturating_sub(from) / (after.mounts - before.mounts);
    let each = format!("{} B", growth(before.heap, after.heap));
    line("  growth of the JavaScript heap for each", &each, "", "", "0");
    line(
        "  growth of the WebAssembly for each",
        &format!("{} B", growth(before.wasm, after.wasm)),
        "",
        "",
        "0",
    );
    Ok(())
}

/// The browser tells only of tasks that are longer than 50 ms.
fn task(longest: f64) -> String {
    if longest == 0.0 { "under 50 ms".into() } else { format!("{longest:.0} ms") }
}

fn median(values: impl Iterator<Item = f64>) -> Result<f64> {
    percentile(&values.collect::<Vec<_>>(), 50)
}

/// The value that this share of all does not exceed.
fn percentile(values: &[f64], percent: usize) -> Result<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * percent).div_ceil(100).max(1) - 1;
    sorted.get(place).copied().context("nothing was measured")
}
