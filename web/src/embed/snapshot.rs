//! What a script gets to see of a widget: plain data, in JavaScript's spelling.

use crate::words;
use enroll_once_core::{
    portal::LearnerEnrolled,
    proof::Proof,
    view::{LaneName, LoopView},
};
use serde::Serialize;
use wasm_bindgen::JsValue;

/// Plain JavaScript data; `undefined` for what JavaScript cannot hold, which no snapshot has.
pub fn to_js<T: Serialize>(value: &T) -> JsValue {
    serde_wasm_bindgen::to_value(value).unwrap_or(JsValue::UNDEFINED)
}

/// Either widget.
#[derive(Serialize)]
#[serde(untagged)]
#[allow(clippy::large_enum_variant)] // made, handed out and dropped at once
pub enum Snapshot<'a> {
    /// The hero.
    Loop(LoopSnapshot<'a>),
    /// The proof.
    Proof(ProofSnapshot<'a>),
}

/// What the hero shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoopSnapshot<'a> {
    story: &'a str,
    at: usize,
    now_ms: u32,
    stage: &'static str,
    sentence: String,
    enrolled: usize,
    deliveries: u32,
    wait: Vec<&'a str>,
    active: Vec<&'a str>,
    completed: Vec<&'a str>,
    failed: Vec<&'a str>,
    suspects: &'a [String],
    dead: Vec<String>,
    log: &'a [LearnerEnrolled],
    can_step: bool,
    can_crash: bool,
    can_go_back: bool,
}

/// What the proof shows.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofSnapshot<'a> {
    deliveries: usize,
    enrolled: usize,
    log: &'a [LearnerEnrolled],
}

impl<'a> LoopSnapshot<'a> {
    /// Of what the hero shows.
    #[must_use]
    pub fn of(view: &'a LoopView) -> Self {
        let lane = |name: LaneName| {
            let lane = view.lanes.iter().find(|lane| lane.name == name);
            lane.map_or(Vec::new(), |lane| lane.jobs.iter().map(|job| job.id.as_str()).collect())
        };
        Self {
            story: &view.story,
            at: view.at,
            now_ms: u32::try_from(view.now.0).unwrap_or(u32::MAX),
            stage: view.milestone.as_ref().map_or("", |milestone| words::stage(milestone.stage)),
            sentence: words::sentence(view),
            enrolled: view.enrolled,
            deliveries: view.deliveries,
            wait: lane(LaneName::Wait),
            active: lane(LaneName::Active),
            completed: lane(LaneName::Completed),
            failed: lane(LaneName::Failed),
            suspects: &view.suspects,
            dead: view.dead().map(|worker| worker.to_string()).collect(),
            log: &view.log,
            can_step: view.why_no_step.is_none(),
            can_crash: view.why_no_crash.is_none(),
            can_go_back: view.can_go_back,
        }
    }
}

impl<'a> ProofSnapshot<'a> {
    /// Of a proof.
    #[must_use]
    pub fn of(proof: &'a Proof) -> Self {
        Self { deliveries: proof.deliveries(), enrolled: proof.enrolled(), log: proof.log() }
    }
}
