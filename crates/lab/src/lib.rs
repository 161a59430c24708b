//! The lab: the widgets with every pattern's off switch, and the model for scripts: a story read, a story run, the crash
//! matrix, as plain data.
//!
//! A WASM of its own, since most readers never switch a pattern off. The page loads it for its table, an element when
//! its story asks for it, and whoever draws a picture of their own loads it alone.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

mod parsed;
mod table;

use enroll_once_core::{
    check::matrix::{Row, guard_sets},
    reliable_loop::Setup,
    story::Story,
};
pub use enroll_once_widgets::embed::{mount, stylesheet};
use parsed::Parsed;
use serde::Serialize;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::prelude::*;

/// A third of the bytes of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();

/// Reads a story: its setup and its tokens as far as it is good, and the problem that ended it, or `null`. It never
/// throws.
#[wasm_bindgen]
#[must_use]
pub fn parse(story: &str) -> JsValue {
    let (story, problem) = Story::parse_good_part(story, Setup::default());
    to_js(&Parsed::of(&story, problem.as_ref()))
}

/// Runs a story: an object for every atomic step, as the example `story` prints them. A token that cannot be read, or
/// cannot happen, is the last one, with the reason in `refused`. It never throws.
#[wasm_bindgen]
#[must_use]
pub fn run(story: &str) -> JsValue {
    let (story, problem) = Story::parse_good_part(story, Setup::default());
    let ran = story.run();
    let mut lines = ran.lines();
    if let (None, Some(problem)) = (&ran.refused, problem) {
        let why = problem.to_string();
        lines.push(ran.refused_line(problem.token, why));
    }
    to_js(&lines)
}

/// The crash matrix: a row for every form of the loop. It takes some thousand steps of the model.
#[wasm_bindgen]
#[must_use]
pub fn matrix() -> JsValue {
    to_js(&rows())
}

/// The crash matrix as the page's table, with a button for every run.
#[wasm_bindgen]
#[must_use]
pub fn table() -> String {
    table::alive(&rows())
}

fn rows() -> Vec<Row> {
    guard_sets().into_iter().map(Row::of).collect()
}

/// What JSON would be. `undefined` for what JavaScript cannot hold, which nothing here has.
fn to_js<T: Serialize>(value: &T) -> JsValue {
    value.serialize(&Serializer::json_compatible()).unwrap_or(JsValue::UNDEFINED)
}

#[cfg(test)]
mod tests {
    use super::*;

    const STATIC: &str = "../../web/fallback/matrix.html";

    #[test]
    fn the_static_table_is_the_model_s() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(STATIC);
        let table = table::page(&rows());
        if std::env::var_os("WRITE_MATRIX").is_some() {
            std::fs::write(&path, &table).unwrap();
        }
        assert_eq!(
            std::fs::read_to_string(path).unwrap_or_default(),
            table,
            "web/fallback/matrix.html has drifted: `WRITE_MATRIX=1 cargo test -p enroll-once-lab` writes it anew"
        );
    }
}
