//! The four buttons, and the line that says why one of them makes no sense now.

use crate::{
    ui::{Attr, Button, El, el},
    words::{self, label},
};
use enroll_once_core::view::LoopView;

const REASON: &str = "why-not";
/// The id of the text that says why there is nothing behind.
pub(crate) const AT_START: &str = "at-start";

pub(super) fn controls(view: &LoopView) -> El {
    let show = |label, class, off, reason| Button { label, class, off, reason }.show();
    let apart = el("span.apart").child(show(label::BACK, "plain", !view.can_go_back, AT_START)).child(show(
        label::RESET,
        "plain",
        !view.can_reset,
        AT_START,
    ));
    let buttons = el("div.buttons")
        .child(show(label::STEP, "main", view.why_no_step.is_some(), REASON))
        .child(show(label::CRASH, "danger", view.why_no_crash.is_some(), REASON))
        .child(apart);
    let reason = el("p.why-not").attr(Attr::Id, REASON).text(&words::why_not(view));
    el("div.controls").child(buttons).child(reason).child(at_start())
}

/// Why back and reset do nothing: read with the button that it describes, and nowhere else.
pub(crate) fn at_start() -> El {
    el("span").attr(Attr::Id, AT_START).text(label::AT_START)
}
