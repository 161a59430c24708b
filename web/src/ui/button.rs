//! A button that stays where it is, focus included, when it makes no sense for now.

use yew::prelude::*;

/// What a button is. A plain value and a function, no component: every component type costs thousands of bytes.
pub struct Button {
    /// Its label.
    pub label: &'static str,
    /// Its looks: `main`, `danger`, `outline` or `plain`.
    pub class: &'static str,
    /// It makes no sense now: it keeps focus and does nothing.
    pub off: bool,
    /// The id of the element that says why.
    pub reason: Option<&'static str>,
}

impl Button {
    /// A native button: Enter and Space come with it. `aria-disabled`, not `disabled`, so that focus is never lost.
    pub fn show(&self, onpress: Callback<MouseEvent>) -> Html {
        let part = self.label.split(' ').next().unwrap_or_default();
        let onclick = if self.off { Callback::noop() } else { onpress };
        html! {
            <button
                type="button"
                class={self.class}
                {part}
                aria-disabled={self.off.then_some("true")}
                aria-describedby={self.reason.filter(|_| self.off)}
                {onclick}
            >
                { self.label }
            </button>
        }
    }
}
