//! How a widget gets into somebody's page: what `define.js` calls.
//!
//! A handle owns a Yew app; when it is destroyed the app is gone. Options come in as text and are read totally: a bad
//! one is reported and its default used.

mod options;
mod snapshot;

pub use options::{Options, Problem, Tag};
pub use snapshot::{LoopSnapshot, ProofSnapshot};

use crate::widget::{Ask, Props, Source, Widget};
use js_sys::Function;
use serde::Serialize;
use std::cell::RefCell;
use wasm_bindgen::prelude::*;
use yew::{AppHandle, Callback};

thread_local! {
    static REPORT: RefCell<Option<Function>> = const { RefCell::new(None) };
}

/// The stylesheet for the shadow root of every widget.
#[wasm_bindgen]
#[must_use]
pub fn stylesheet() -> String {
    include_str!("style.css").into()
}

/// Calls `report` with a message when the code panics. After that no widget of this instance can go on.
#[wasm_bindgen(js_name = onPanic)]
pub fn on_panic(report: Function) {
    REPORT.with(|slot| slot.replace(Some(report)));
    yew::set_custom_panic_hook(Box::new(|info| {
        let message = JsValue::from_str(&info.to_string());
        REPORT.with(|slot| {
            if let Some(report) = slot.borrow().as_ref() {
                // A listener that throws cannot make things worse.
                drop(report.call1(&JsValue::NULL, &message));
            }
        });
    }));
}

/// A running widget. It is gone when [`Handle::destroy`] is called.
#[wasm_bindgen]
pub struct Handle {
    app: AppHandle<Widget>,
    emit: Callback<(&'static str, JsValue)>,
}

/// Mounts a widget into `root`, an element of its own inside a shadow root. `emit(name, detail)` hears of changes and
/// of what was wrong with the options.
#[wasm_bindgen]
#[must_use]
pub fn mount(root: web_sys::Element, options: Options, emit: Function) -> Handle {
    let emit = Callback::from(move |(name, detail): (&'static str, JsValue)| {
        // The element's own function: it only dispatches an event, and a listener that throws is the page's affair.
        drop(emit.call2(&JsValue::NULL, &JsValue::from_str(name), &detail));
    });
    let props = Props { options, emit: emit.clone() };
    Handle { app: yew::Renderer::with_root_and_props(root, props).render(), emit }
}

#[wasm_bindgen]
impl Handle {
    /// *step the job*, from a script.
    pub fn step(&self) {
        self.app.send_message((Ask::Step, Source::Api));
    }

    /// *crash mid-process*, from a script.
    pub fn crash(&self) {
        self.app.send_message((Ask::Crash, Source::Api));
    }

    /// *back*, from a script.
    pub fn back(&self) {
        self.app.send_message((Ask::Back, Source::Api));
    }

    /// *reset*, from a script.
    pub fn reset(&self) {
        self.app.send_message((Ask::Reset, Source::Api));
    }

    /// Runs the job `times` times, from a script.
    pub fn run(&self, times: u32) {
        self.app.send_message((Ask::Run(times), Source::Api));
    }

    /// Opens again with other options.
    pub fn update(&mut self, options: Options) {
        self.app.update(Props { options, emit: self.emit.clone() });
    }

    /// What there is to see now, as plain data.
    #[must_use]
    pub fn snapshot(&self) -> JsValue {
        self.app.get_component().map_or(JsValue::UNDEFINED, |widget| widget.snapshot())
    }

    /// Removes the app from the page.
    pub fn destroy(self) {
        self.app.destroy();
    }
}

/// A value as plain JavaScript data; `undefined` if it could not be made.
pub(crate) fn to_js<T: Serialize>(value: &T) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}
