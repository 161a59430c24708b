//! A button that stays where it is, focus included, when it makes no sense for now.

use super::{Attr, El, el};
use enroll_once_core::small::cut;

/// What a button is. It listens to nothing: the element hears every press, and asks what the button's part says. What makes
/// no sense is refused there. (Yew never gives back a listener, nor what it holds on to.)
pub struct Button {
    /// Its label.
    pub label: &'static str,
    /// Its looks: `main`, `danger`, `outline` or `plain`.
    pub class: &'static str,
    /// It makes no sense now: it keeps focus and does nothing.
    pub off: bool,
    /// The id of the element that says why.
    pub reason: &'static str,
}

impl Button {
    /// A native button: Enter and Space come with it. `aria-disabled`, not `disabled`, so that focus is never lost.
    pub fn show(&self) -> El {
        let (part, _) = cut(self.label, b' ').unwrap_or((self.label, ""));
        let mut button = el("button").class(self.class).attr(Attr::Type, "button").attr(Attr::Part, part);
        if self.off {
            button = button.attr(Attr::AriaDisabled, "true").attr(Attr::AriaDescribedby, self.reason);
        }
        button.text(self.label)
    }
}
