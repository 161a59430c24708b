//! The stage rail. It grows a branch where a worker dies: the detour is seen, not told.

use crate::words;
use enroll_once_core::{
    reliable_loop::Milestone,
    view::{LoopView, RailStop, When},
};
use yew::prelude::*;

pub(super) fn rail(view: &LoopView) -> Html {
    let mut rows: Vec<Vec<&RailStop>> = vec![Vec::new()];
    for stop in &view.rail {
        if matches!(stop.milestone, Milestone::Died { .. }) {
            rows.push(Vec::new());
        }
        if let Some(row) = rows.last_mut() {
            row.push(stop);
        }
    }
    html! {
        <div class="head">
            <div class="rail" role="list" aria-label="Stages of this run">
                for (index, row) in rows.into_iter().enumerate() {
                    <div class={if index == 0 { "row" } else { "row branch" }} role="presentation">
                        for stop in row { { stop_of(stop) } }
                    </div>
                }
            </div>
            <p class="clock"><span class="hidden">{ "virtual clock " }</span>{ words::clock(view.now) }</p>
        </div>
    }
}

fn stop_of(stop: &RailStop) -> Html {
    let (class, current) = match stop.when {
        When::Past => ("past", None),
        When::Now => ("now", Some("step")),
        When::Next => ("next", None),
    };
    let tone = match stop.milestone {
        Milestone::Died { .. }
        | Milestone::EnrollFailed { .. }
        | Milestone::FinishRefused { .. }
        | Milestone::Finished { failed: true, .. } => "red",
        Milestone::Marked { .. } => "violet",
        Milestone::Enrolled { .. } | Milestone::EnrollRefused { .. } | Milestone::Finished { .. } => "green",
        Milestone::Waiting
        | Milestone::Woken { .. }
        | Milestone::Found { .. }
        | Milestone::HalfFinished { .. }
        | Milestone::Retried { .. }
        | Milestone::PickedUp { .. }
        | Milestone::LockExpired { .. }
        | Milestone::Returned { .. }
        | Milestone::Started { .. } => "amber",
    };
    html! {
        <span role="listitem" class={classes!("stop", class, tone)} aria-current={current}>
            <b>{ words::stage(&stop.milestone) }</b>
        </span>
    }
}
