//! The stage rail. It grows a branch where a worker dies: the detour is seen, not told.

use crate::{
    ui::{Attr, El, el},
    words,
};
use enroll_once_core::{
    reliable_loop::Stage,
    view::{LoopView, RailStop, When},
};

pub(super) fn rail(view: &LoopView, stops: &[RailStop]) -> El {
    let mut rows = el("div.rail").attr(Attr::Role, "list").attr(Attr::AriaLabel, "Stages of this run");
    let mut row = el("div.row").attr(Attr::Role, "presentation");
    for stop in stops {
        if stop.milestone.stage.is_death() {
            rows = rows.child(row);
            row = el("div.row branch").attr(Attr::Role, "presentation");
        }
        row = row.child(stop_of(stop));
    }
    let clock = el("p.clock").child(el("span.hidden").text("virtual clock ")).text(&words::clock(view.now));
    let off = words::off(view).map(|off| el("p.off").text(&off));
    el("div.head").child(rows.child(row)).child(el("div.side").child(clock).maybe(off))
}

fn stop_of(stop: &RailStop) -> El {
    let when = match stop.when {
        When::Past => "past",
        When::Now => "now",
        When::Next => "next",
    };
    let tone = match stop.milestone.stage {
        Stage::DiedIdle
        | Stage::DiedBeforeEffect
        | Stage::DiedAfterEffect
        | Stage::EnrollFailed
        | Stage::FinishRefused
        | Stage::Failed => "red",
        Stage::MarkedLocked | Stage::MarkedUnlocked => "violet",
        Stage::Enrolled | Stage::AlreadyEnrolled | Stage::CourseNotFound | Stage::Finished => "green",
        Stage::Waiting
        | Stage::Woken
        | Stage::WokenByTimeout
        | Stage::Found
        | Stage::PickedUp
        | Stage::PickedUpToFail
        | Stage::Unlocked
        | Stage::Removed
        | Stage::Retried
        | Stage::LockExpired
        | Stage::Returned
        | Stage::ReturnedToFail
        | Stage::Started => "amber",
    };
    let mut shown =
        el("span").attr(Attr::Role, "listitem").attr_of(Attr::Class, &["stop ", when, " ", tone].concat());
    if stop.when == When::Now {
        shown = shown.attr(Attr::AriaCurrent, "step");
    }
    shown.child(el("b").text(words::stage(stop.milestone.stage)))
}
