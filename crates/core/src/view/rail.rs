//! The stage rail: the milestones behind, the one here, and those ahead if nobody interferes.

use crate::{
    reliable_loop::{Milestone, press},
    timeline::Timeline,
};
use alloc::{sync::Arc, vec::Vec};

/// Where a stop lies, seen from the reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum When {
    /// Behind.
    Past,
    /// Here.
    Now,
    /// Ahead.
    Next,
}

/// One stop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RailStop {
    /// The milestone.
    pub milestone: Arc<Milestone>,
    /// Behind, here or ahead.
    pub when: When,
    /// It lies on the detour that a death began.
    pub detour: bool,
}

/// How far ahead the rail looks.
const MOST_AHEAD: usize = 16;

/// The stages: behind, here, and ahead if nobody interferes.
///
/// The stops ahead are not written down anywhere: the natural schedule is run, press by press. That takes longer than all else
/// that is shown, so it is no part of [`super::LoopView`], which a script may ask for at any time.
#[must_use]
pub fn rail(timeline: &Timeline) -> Vec<RailStop> {
    let mut stops: Vec<RailStop> = Vec::new();
    let mut detour = false;
    let mut stop = |milestone: Arc<Milestone>, when| {
        detour |= milestone.stage.is_death();
        stops.push(RailStop { milestone, when, detour });
    };
    for frame in timeline.so_far() {
        if let Some(milestone) = &frame.milestone {
            stop(milestone.clone(), When::Past);
        }
    }
    let mut world = timeline.now().world.clone();
    for _ in 0..MOST_AHEAD {
        let Ok(press) = press(&world) else { break };
        let Some(after) = press.world() else { break };
        world = after.clone();
        stop(Arc::new(press.milestone), When::Next);
    }
    if let Some(here) = stops.iter_mut().rfind(|stop| stop.when == When::Past) {
        here.when = When::Now;
    }
    stops
}
