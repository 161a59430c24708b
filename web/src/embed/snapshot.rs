//! What a script gets to see of a widget: plain data, in JavaScript's spelling.
//!
//! A flat object is put together here field by field. serde-wasm-bindgen does that for whatever is nested, in the lab; for
//! these few fields it would cost the readers of every page a kilobyte.

use crate::words;
use enroll_once_core::{
    portal::LearnerEnrolled,
    proof::Proof,
    view::{LaneName, LoopView},
};
use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;

/// A plain object with these fields.
#[must_use]
pub fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // Only a frozen object refuses a field, and this one is new.
        drop(Reflect::set(&object, &JsValue::from_str(name), value));
    }
    object.into()
}

/// An array of texts.
fn texts<'a>(texts: impl Iterator<Item = &'a str>) -> JsValue {
    texts.map(JsValue::from_str).collect::<Array>().into()
}

/// What the hero shows.
#[must_use]
pub fn of_loop(view: &LoopView) -> JsValue {
    let lane = |name: LaneName| {
        texts(
            view.lanes.iter().filter(|lane| lane.name == name).flat_map(|lane| &lane.jobs).map(|job| job.id),
        )
    };
    let dead: Vec<String> = view.dead().map(|worker| worker.to_string()).collect();
    object(&[
        ("story", JsValue::from_str(&view.story)),
        ("at", number(view.at as u64)),
        ("nowMs", number(view.now.0)),
        (
            "stage",
            JsValue::from_str(view.milestone.as_ref().map_or("", |milestone| words::stage(milestone.stage))),
        ),
        ("sentence", JsValue::from_str(&words::sentence(view))),
        ("enrolled", number(view.enrolled as u64)),
        ("deliveries", number(view.deliveries.into())),
        ("wait", lane(LaneName::Wait)),
        ("active", lane(LaneName::Active)),
        ("completed", lane(LaneName::Completed)),
        ("failed", lane(LaneName::Failed)),
        ("suspects", texts(view.suspects.iter().map(String::as_str))),
        ("dead", texts(dead.iter().map(String::as_str))),
        ("log", log(view.log)),
        ("canStep", view.why_no_step.is_none().into()),
        ("canCrash", view.why_no_crash.is_none().into()),
        ("canGoBack", view.can_go_back.into()),
    ])
}

/// What the proof shows.
#[must_use]
pub fn of_proof(proof: &Proof) -> JsValue {
    object(&[
        ("deliveries", number(proof.deliveries() as u64)),
        ("enrolled", number(proof.enrolled() as u64)),
        ("log", log(proof.log())),
    ])
}

/// Portal's events, in Portal's spelling.
fn log(log: &[LearnerEnrolled]) -> JsValue {
    let events = Array::new();
    for event in log {
        events.push(&object(&[
            ("user_id", JsValue::from_str(event.user_id.as_str())),
            ("course_id", JsValue::from_str(event.course_id.as_str())),
            ("at", number(event.at.0)),
        ]));
    }
    events.into()
}

/// A count or a time in milliseconds: far below what JavaScript's numbers hold exactly.
#[allow(clippy::cast_precision_loss)]
fn number(number: u64) -> JsValue {
    JsValue::from_f64(number as f64)
}
