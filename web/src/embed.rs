//! How a widget gets into somebody's page: what `define.js` calls.
//!
//! A handle owns a Yew app; when it is destroyed the app is gone. Options come in as text and are read totally: a bad
//! one is reported and its default used.

mod options;
mod snapshot;

pub use options::{Options, Problem};
pub use snapshot::{LoopSnapshot, ProofSnapshot, Snapshot, to_js};

use crate::widget::{Ask, Props, Source, Widget};
use js_sys::{Array, Function};
use wasm_bindgen::prelude::*;
use yew::AppHandle;

/// The stylesheet for the shadow root of every widget.
#[wasm_bindgen]
#[must_use]
pub fn stylesheet() -> String {
    include_str!("style.css").into()
}

/// A running widget. It is gone when [`Handle::destroy`] is called.
#[wasm_bindgen]
pub struct Handle {
    app: AppHandle<Widget>,
    proof: bool,
    emit: Function,
}

/// Mounts a widget into `root`, an element of its own inside a shadow root: the proof, or else the loop. `options` are
/// those of [`Options::new`]. `emit(name, detail)` hears of changes and of what was wrong with the options.
#[wasm_bindgen]
#[must_use]
pub fn mount(root: web_sys::Element, proof: bool, options: &Array, emit: Function) -> Handle {
    let props = Props { options: Options::new(proof, options), emit: emit.clone() };
    Handle { app: yew::Renderer::with_root_and_props(root, props).render(), proof, emit }
}

#[wasm_bindgen]
impl Handle {
    /// What a button does, from a script: `step`, `crash`, `back`, `reset`, or `run` so many `times`. Anything else is
    /// nothing.
    pub fn ask(&self, what: &str, times: u32) {
        let ask = match what {
            "step" => Ask::Step,
            "crash" => Ask::Crash,
            "back" => Ask::Back,
            "reset" => Ask::Reset,
            "run" => Ask::Run(times),
            _ => return,
        };
        self.app.send_message((ask, Source::Api));
    }

    /// Opens again with other options.
    pub fn update(&mut self, options: &Array) {
        let options = Options::new(self.proof, options);
        self.app.update(Props { options, emit: self.emit.clone() });
    }

    /// What there is to see now, as plain data.
    #[must_use]
    pub fn snapshot(&self) -> JsValue {
        self.app.get_component().map_or(JsValue::UNDEFINED, |widget| to_js(&widget.snapshot()))
    }

    /// Removes the app from the page.
    pub fn destroy(self) {
        self.app.destroy();
    }
}
