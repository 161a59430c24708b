//! Motion with meaning: an element that is now somewhere else slides there from where it was.
//!
//! The element is in one place all the time, the new one; only its picture starts from the old one. Under reduced
//! motion nothing slides.

use crate::embed::to_js;
use serde::Serialize;
use wasm_bindgen::{JsCast, JsValue, prelude::wasm_bindgen};
use web_sys::Element;

/// How long a move takes, in milliseconds.
const MOVE_MS: u32 = 220;

/// Where every element marked with `data-move` was at the last look, relative to the root.
#[derive(Default)]
pub struct Moves(Vec<(String, Place)>);

type Place = (f64, f64);

impl Moves {
    /// Looks again, and lets what has moved slide from where it was.
    pub fn look(&mut self, root: &Element) {
        let now = positions(root);
        if !self.0.is_empty() && !reduced_motion() {
            for (name, element, (left, top)) in &now {
                if let Some((_, (old_left, old_top))) = self.0.iter().find(|(old, _)| old == name) {
                    let (right, down) = (old_left - left, old_top - top);
                    if right.abs() + down.abs() > 1.0 {
                        slide(element, right, down);
                    }
                }
            }
        }
        self.0 = now.into_iter().map(|(name, _, place)| (name, place)).collect();
    }
}

fn positions(root: &Element) -> Vec<(String, Element, Place)> {
    let origin = root.get_bounding_client_rect();
    let Ok(found) = root.query_selector_all("[data-move]") else { return Vec::new() };
    (0..found.length())
        .filter_map(|index| found.get(index)?.dyn_into::<Element>().ok())
        .filter_map(|element| {
            let place = element.get_bounding_client_rect();
            let name = element.get_attribute("data-move")?;
            Some((name, element, (place.left() - origin.left(), place.top() - origin.top())))
        })
        .collect()
}

fn reduced_motion() -> bool {
    let query = gloo::utils::window().match_media("(prefers-reduced-motion: no-preference)");
    !query.ok().flatten().is_some_and(|query| query.matches())
}

// The Web Animations API, which web-sys still counts as unstable.
#[wasm_bindgen]
extern "C" {
    type Animates;
    #[wasm_bindgen(method)]
    fn animate(this: &Animates, frames: &JsValue, timing: &JsValue);
}

fn slide(element: &Element, right: f64, down: f64) {
    #[derive(Serialize)]
    struct Frame<'a> {
        transform: &'a str,
    }
    #[derive(Serialize)]
    struct Timing {
        duration: u32,
        easing: &'static str,
    }
    // Whole pixels: nobody sees less, and formatting floats costs bytes.
    #[allow(clippy::cast_possible_truncation)]
    let from = format!("translate({}px,{}px)", right as i32, down as i32);
    let frames = to_js(&[Frame { transform: &from }, Frame { transform: "none" }]);
    let timing = to_js(&Timing { duration: MOVE_MS, easing: "ease-out" });
    element.unchecked_ref::<Animates>().animate(&frames, &timing);
}
