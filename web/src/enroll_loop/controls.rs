//! The four buttons, and the line that says why one of them makes no sense now.

use crate::{
    ui::Button,
    widget::{Ask, Link, asks},
    words::{self, label},
};
use enroll_once_core::view::LoopView;
use yew::prelude::*;

const REASON: &str = "why-not";

pub(super) fn controls(view: &LoopView, link: &Link) -> Html {
    let show = |label, class, off, ask| {
        let reason = matches!(ask, Ask::Step | Ask::Crash).then_some(REASON);
        Button { label, class, off, reason }.show(asks(link, ask))
    };
    html! {
        <div class="controls">
            <div class="buttons">
                { show(label::STEP, "main", view.why_no_step.is_some(), Ask::Step) }
                { show(label::CRASH, "danger", view.why_no_crash.is_some(), Ask::Crash) }
                <span class="apart">
                    { show(label::BACK, "plain", !view.can_go_back, Ask::Back) }
                    { show(label::RESET, "plain", !view.can_reset, Ask::Reset) }
                </span>
            </div>
            <p class="why-not" id={REASON}>{ words::why_not(view).unwrap_or_default() }</p>
        </div>
    }
}
