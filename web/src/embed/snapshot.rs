//! What a script gets to see of a widget: plain data, in JavaScript's spelling.

use crate::{
    ui::{list, object},
    words,
};
use enroll_once_core::{
    portal::LearnerEnrolled,
    proof::Proof,
    time::Millis,
    view::{LaneName, LoopView},
};
use wasm_bindgen::JsValue;

#[allow(clippy::cast_precision_loss)] // a virtual clock never comes near 2^53 ms
fn millis(of: Millis) -> JsValue {
    (of.0 as f64).into()
}

fn count(number: usize) -> JsValue {
    u32::try_from(number).unwrap_or(u32::MAX).into()
}

#[allow(clippy::ptr_arg)] // it goes over lists of String
fn text(text: &String) -> JsValue {
    text.as_str().into()
}

fn event(event: &LearnerEnrolled) -> JsValue {
    object(&[
        ("user_id", event.user_id.as_str().into()),
        ("course_id", event.course_id.as_str().into()),
        ("at", millis(event.at)),
    ])
}

/// Of what the hero shows.
#[must_use]
pub fn loop_snapshot(view: &LoopView) -> JsValue {
    let lane = |name: LaneName| {
        let lane = view.lanes.iter().find(|lane| lane.name == name);
        list(lane.map_or(&[], |lane| lane.jobs.as_slice()), |job| text(&job.id))
    };
    let dead: Vec<String> = view.dead().map(|worker| worker.to_string()).collect();
    object(&[
        ("story", text(&view.story)),
        ("at", count(view.at)),
        ("nowMs", millis(view.now)),
        ("stage", view.milestone.as_deref().map_or("", words::stage).into()),
        ("sentence", text(&words::sentence(view))),
        ("enrolled", count(view.enrolled)),
        ("deliveries", view.deliveries.into()),
        ("wait", lane(LaneName::Wait)),
        ("active", lane(LaneName::Active)),
        ("completed", lane(LaneName::Completed)),
        ("failed", lane(LaneName::Failed)),
        ("suspects", list(&view.suspects, text)),
        ("dead", list(&dead, text)),
        ("log", list(&view.log, event)),
        ("canStep", view.why_no_step.is_none().into()),
        ("canCrash", view.why_no_crash.is_none().into()),
        ("canGoBack", view.can_go_back.into()),
    ])
}

/// Of a proof.
#[must_use]
pub fn proof_snapshot(proof: &Proof) -> JsValue {
    object(&[
        ("deliveries", count(proof.deliveries())),
        ("enrolled", count(proof.enrolled())),
        ("log", list(proof.log(), event)),
    ])
}
