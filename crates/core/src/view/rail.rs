//! The stage rail: the milestones behind, the one here, and those ahead if nobody interferes.

use crate::{
    reliable_loop::{Milestone, press},
    timeline::Timeline,
};
use alloc::vec::Vec;

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
    pub milestone: Milestone,
    /// Behind, here or ahead.
    pub when: When,
    /// It lies on the detour that a death began.
    pub detour: bool,
}

/// How far ahead the rail looks.
const MOST_AHEAD: usize = 16;

/// The stops ahead are not written down anywhere: the natural schedule is run, press by press.
pub(super) fn of(timeline: &Timeline) -> Vec<RailStop> {
    let mut milestones: Vec<(Milestone, When)> = timeline
        .so_far()
        .filter_map(|frame| frame.milestone.clone())
        .map(|milestone| (milestone, When::Past))
        .collect();
    if let Some((_, when)) = milestones.last_mut() {
        *when = When::Now;
    }
    let mut world = timeline.now().world.clone();
    for _ in 0..MOST_AHEAD {
        let Ok(press) = press(&world) else { break };
        let Some(after) = press.world() else { break };
        world = after.clone();
        milestones.push((press.milestone, When::Next));
    }
    let mut detour = false;
    milestones
        .into_iter()
        .map(|(milestone, when)| {
            detour |= matches!(milestone, Milestone::Died { .. });
            RailStop { milestone, when, detour }
        })
        .collect()
}
