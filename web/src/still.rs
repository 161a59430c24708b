//! What the page shows until a widget is ready: the widget itself at its start, rendered by the same Yew component and kept
//! in `web/fallback`, with its stylesheet. So nothing moves when the widget takes its place. Written anew by
//! `WRITE_STILL=1 cargo test -p enroll-once-widgets still`.

use crate::{
    embed::Options,
    widget::{Props, Widget},
};
use std::{env, fs, path::Path};
use wasm_bindgen::{JsCast, JsValue};
use yew::LocalServerRenderer;

/// The widget at its start. Nothing in it can be pressed, and its ids are its own in a page that has several.
fn still(proof: bool, name: &str) -> String {
    // Nobody is told anything: that begins in a browser.
    let emit = JsValue::UNDEFINED.unchecked_into();
    let mut options = Options::default();
    (options.proof, options.quiet) = (proof, true);
    let props = Props { options, emit };
    let renderer = LocalServerRenderer::<Widget>::with_props(props).hydratable(false);
    let mut html = pollster::block_on(renderer.render()).replace("<button", "<button disabled");
    for attribute in [" id=\"", " aria-labelledby=\"", " aria-describedby=\""] {
        html = html.replace(attribute, &format!("{attribute}still-{name}-"));
    }
    format!("<div class=\"still\"><div dir=\"ltr\" lang=\"en\">{html}</div></div>\n")
}

/// The widgets' stylesheet for elements of the page: what it says of the host holds for `.still`, and the page's own rules end there.
fn style() -> String {
    let style = fs::read_to_string(here("src/style.css")).unwrap();
    let style = style.replace(":host(", "&:is(").replace(":host", "&");
    let head =
        "/* Made of web/src/style.css. */\n.still.still {\n& > :where(div) :where(*) { all: revert; }\n";
    [head, &style, "}\n"].concat()
}

fn here(path: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[track_caller]
fn check(file: &str, made: &str) {
    let path = here("fallback").join(file);
    if env::var_os("WRITE_STILL").is_some() {
        fs::write(&path, made).unwrap();
    }
    let kept = fs::read_to_string(path).unwrap_or_default();
    assert!(
        kept == made,
        "{file} has drifted: `WRITE_STILL=1 cargo test -p enroll-once-widgets still` writes it anew"
    );
}

#[test]
fn the_still_hero_is_the_hero_at_its_start() {
    check("loop-still.html", &still(false, "loop"));
}

#[test]
fn the_still_proof_is_the_proof_at_its_start() {
    check("proof-still.html", &still(true, "proof"));
}

#[test]
fn the_still_widgets_look_like_the_widgets() {
    check("still.css", &style());
}
