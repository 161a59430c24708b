//! A button that stays where it is, focus included, when it makes no sense for now.

use super::{Attr, El, el};
use enroll_once_core::small::cut;
use std::rc::Rc;
use yew::virtual_dom::{Listener, ListenerKind};

/// What a button is. A plain value and a function, no component: every component type costs thousands of bytes.
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
    pub fn show(&self, onpress: impl Fn() + 'static) -> El {
        let (part, _) = cut(self.label, b' ').unwrap_or((self.label, ""));
        let mut button = el("button").class(self.class).attr(Attr::Type, "button").attr(Attr::Part, part);
        if self.off {
            button = button.attr(Attr::AriaDisabled, "true").attr(Attr::AriaDescribedby, self.reason);
        }
        button.listener(Rc::new(Press { off: self.off, onpress })).text(self.label)
    }
}

/// yew's own listener also brings a cast of the event, which nobody reads here.
struct Press<F> {
    off: bool,
    onpress: F,
}

impl<F: Fn()> Listener for Press<F> {
    fn kind(&self) -> ListenerKind {
        ListenerKind::onclick
    }

    fn handle(&self, _: web_sys::Event) {
        if !self.off {
            (self.onpress)();
        }
    }

    fn passive(&self) -> bool {
        false
    }
}
