//! What is served: the built page, the pages of the benchmark, and the stand-in, each file with its brotli beside it.

use anyhow::{Context, Result, ensure};
use brotli::enc::BrotliEncoderParams;
use enroll_once_tests::{
    browser::Browser,
    serve::{Site, dist},
};
use serde_json::{Value as Json, json};
use std::{fs, path::Path};

const RECORD: &str = include_str!("../../../bench/record.js");
const STAND_IN: &str = include_str!("../../../bench/stand-in.js");
const PAGES: [(&str, &str); 3] = [
    ("widget.html", include_str!("../../../bench/widget.html")),
    ("hinted.html", include_str!("../../../bench/hinted.html")),
    ("stand-in.html", include_str!("../../../bench/stand-in.html")),
];

/// The buttons that lead through the crash run, by their parts.
pub const CRASH_RUN: [&str; 11] =
    ["step", "step", "step", "crash", "step", "step", "step", "step", "step", "step", "step"];

/// Puts the built page and the pages of the benchmark into a folder.
pub fn fill(folder: &Path) -> Result<()> {
    for entry in fs::read_dir(dist()?)? {
        let path = entry?.path();
        if let Some(name) = path.file_name().and_then(|name| name.to_str()).filter(|_| path.is_file()) {
            put(folder, name, &fs::read(&path)?)?;
        }
    }
    PAGES.iter().try_for_each(|(name, page)| put(folder, name, page.as_bytes()).map(drop))
}

/// Records the crash run, makes the stand-in of it, and holds the two against each other. Returns its compressed size.
pub fn add_stand_in(folder: &Path, site: &Site) -> Result<usize> {
    let browser = Browser::open(site, "/widget.html")?;
    browser.widget("enroll-loop")?;
    let (mut states, mut shown): (Vec<Json>, Vec<String>) = (Vec::new(), Vec::new());
    for next in CRASH_RUN.into_iter().map(Some).chain([None]) {
        let mut state: Json = browser.run(RECORD, &[])?;
        state["next"] = json!(next);
        states.push(state);
        shown.push(markup(&browser)?);
        next.map(|button| press(&browser, button)).transpose()?;
    }
    let style = "const { lab } = await import(new URL('define.js', location.href).href); return (await lab()).stylesheet();";
    let style: String = browser.run_async(style, &[])?;
    let states = serde_json::to_string(&states)?;
    let script =
        STAND_IN.replace("[/* states */]", &states).replace("/* style */ \"\"", &json!(style).to_string());
    let bytes = put(folder, "stand-in.js", script.as_bytes())?;

    browser.visit(&site.url("/stand-in.html"))?;
    browser.widget("enroll-loop")?;
    for (at, expected) in shown.iter().enumerate() {
        let found = markup(&browser)?;
        let same = found.chars().zip(expected.chars()).take_while(|(ours, theirs)| ours == theirs).count();
        let rest = |markup: &str| markup.chars().skip(same).take(200).collect::<String>();
        let (ours, theirs) = (rest(expected), rest(&found));
        ensure!(
            found == *expected,
            "at state {at} the widget shows …{ours}…
and the stand-in …{theirs}…"
        );
        CRASH_RUN.get(at).map(|button| press(&browser, button)).transpose()?;
    }
    Ok(bytes)
}

fn markup(browser: &Browser) -> Result<String> {
    browser.run("return markup(shadow('enroll-loop').querySelector('.instrument'))", &[])
}

fn press(browser: &Browser, part: &str) -> Result<()> {
    // What Yew puts off has had its turn after two frames.
    let script =
        "shadow('enroll-loop').querySelector(`[part=${values[0]}]`).click(); await frame(); await frame();";
    browser.run_async(script, &[json!(part)])
}

fn put(folder: &Path, name: &str, content: &[u8]) -> Result<usize> {
    let mut compressed = Vec::new();
    brotli::BrotliCompress(&mut &*content, &mut compressed, &BrotliEncoderParams::default())?;
    fs::write(folder.join(name), content).with_context(|| name.to_owned())?;
    fs::write(folder.join(format!("{name}.br")), &compressed)?;
    Ok(compressed.len())
}
