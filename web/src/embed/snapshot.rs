//! What a script gets to see of a widget: plain data, in JavaScript's spelling.

use crate::words;
use enroll_once_core::{
    portal::LearnerEnrolled,
    proof::Proof,
    view::{LaneName, LoopView},
};
use serde::Serialize;

/// The hero.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct LoopSnapshot {
    story: String,
    at: u32,
    now_ms: f64,
    stage: &'static str,
    sentence: String,
    enrolled: u32,
    deliveries: u32,
    wait: Vec<String>,
    active: Vec<String>,
    completed: Vec<String>,
    failed: Vec<String>,
    suspects: Vec<String>,
    dead: Vec<String>,
    log: Vec<EventSnapshot>,
    can_step: bool,
    can_crash: bool,
    can_go_back: bool,
}

/// The proof.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ProofSnapshot {
    deliveries: u32,
    enrolled: u32,
    log: Vec<EventSnapshot>,
}

/// A recorded event.
#[derive(Serialize)]
struct EventSnapshot {
    user_id: String,
    course_id: String,
    at: f64,
}

#[allow(clippy::cast_precision_loss)] // a virtual clock never comes near 2^53 ms
fn event(event: &LearnerEnrolled) -> EventSnapshot {
    EventSnapshot {
        user_id: event.user_id.as_str().into(),
        course_id: event.course_id.as_str().into(),
        at: event.at.0 as f64,
    }
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

impl LoopSnapshot {
    /// Of what the hero shows.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // as above
    pub fn of(view: &LoopView) -> Self {
        let lane = |name: LaneName| {
            let lanes = view.lanes.iter().filter(|lane| lane.name == name);
            lanes.flat_map(|lane| lane.jobs.iter().map(|job| job.id.clone())).collect()
        };
        Self {
            story: view.story.clone(),
            at: count(view.at),
            now_ms: view.now.0 as f64,
            stage: view.milestone.as_ref().map_or("", words::stage),
            sentence: words::sentence(view),
            enrolled: count(view.enrolled),
            deliveries: view.deliveries,
            wait: lane(LaneName::Wait),
            active: lane(LaneName::Active),
            completed: lane(LaneName::Completed),
            failed: lane(LaneName::Failed),
            suspects: view.suspects.clone(),
            dead: view.dead().map(|worker| worker.to_string()).collect(),
            log: view.log.iter().map(event).collect(),
            can_step: view.why_no_step.is_none(),
            can_crash: view.why_no_crash.is_none(),
            can_go_back: view.can_go_back,
        }
    }
}

impl ProofSnapshot {
    /// Of a proof.
    #[must_use]
    pub fn of(proof: &Proof) -> Self {
        Self {
            deliveries: count(proof.deliveries()),
            enrolled: count(proof.enrolled()),
            log: proof.log().iter().map(event).collect(),
        }
    }
}
