//! How a widget gets into somebody's page: what `define.js` calls.
//!
//! A handle owns a Yew app; when it is destroyed the app is gone. Options come in as text and are read totally: a bad
//! one is reported and its default used.

mod options;
mod snapshot;

pub use options::{Options, Problem};
pub use snapshot::{object, of_loop, of_proof};

use crate::widget::{Ask, Msg, Props, Source, Widget};
use enroll_once_core::small::number;
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;

/// The stylesheet for the shadow root of every widget.
#[wasm_bindgen]
#[must_use]
pub fn stylesheet() -> String {
    include_str!(concat!(env!("OUT_DIR"), "/style.css")).into()
}

/// Mounts a widget into `root`, an element of its own inside a shadow root: the proof, or else the loop. `options` are
/// those of [`Options::new`]. `emit(name, detail)` hears of changes and of what was wrong with the options.
///
/// What comes back is a function `ask(what, with, pressed)`. One function instead of a class with methods: half the bytes.
///
/// | `what` | `with` | |
/// |---|---|---|
/// | `step` `crash` `back` `reset` | | as the button with this part; `pressed` says that the reader did press it |
/// | `run` | how many times, in digits: the button's value | the same for the proof |
/// | `update` | other options | opens again |
/// | `snapshot` | | answers with what there is to see now, as plain data |
/// | `destroy` | | removes the widget from the page; it answers nothing from then on |
#[wasm_bindgen]
#[must_use]
pub fn mount(root: web_sys::Element, proof: bool, options: &Array, emit: Function) -> Function {
    let props = Props { options: Options::new(proof, options), emit };
    let mut app = Some(yew::Renderer::<Widget>::with_root_and_props(root, props).render());
    let ask = move |what: String, with: JsValue, pressed: Option<bool>| -> JsValue {
        if what == "destroy"
            && let Some(app) = app.take()
        {
            app.destroy();
        }
        let Some(app) = &mut app else { return JsValue::UNDEFINED };
        if what == "update" {
            app.send_message(Msg::Open(Options::new(proof, with.unchecked_ref())));
        } else if what == "snapshot" {
            return app.get_component().map_or(JsValue::UNDEFINED, |widget| widget.snapshot());
        } else if let Some(ask) = read(&what, &with) {
            app.send_message(Msg::Ask(ask, if pressed == Some(true) { Source::User } else { Source::Api }));
        }
        JsValue::UNDEFINED
    };
    Closure::<dyn FnMut(String, JsValue, Option<bool>) -> JsValue>::new(ask).into_js_value().unchecked_into()
}

/// What a button does, from a script. Anything else is nothing.
fn read(what: &str, with: &JsValue) -> Option<Ask> {
    Some(match what {
        "step" => Ask::Step,
        "crash" => Ask::Crash,
        "back" => Ask::Back,
        "reset" => Ask::Reset,
        "run" => Ask::Run(number(&with.as_string()?)?.try_into().ok()?),
        _ => return None,
    })
}
