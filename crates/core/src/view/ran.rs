//! What ran: the one atomic box that matters, and a word about the rest.

use crate::{
    keyspace::RedisCommand,
    portal::{LearnerEnrolled, PortalError},
    protocol::{Operation, Reply},
    reliable_loop::{Actor, Fact, Step, WorkerId},
    timeline::Frame,
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// The atomic piece that the last press came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Box<'a> {
    /// A script, or a blocking wait.
    Redis {
        /// Who called it.
        actor: Actor,
        /// What ran.
        operation: Operation,
        /// The commands inside.
        commands: &'a [RedisCommand],
        /// The reply.
        reply: &'a Reply,
    },
    /// A call to Portal.
    Portal {
        /// Who called it.
        worker: WorkerId,
        /// The recorded event, or the refusal.
        result: Result<&'a LearnerEnrolled, PortalError>,
    },
    /// Redis removed keys because their time was over.
    Expiry {
        /// Which keys.
        keys: Vec<&'a str>,
    },
    /// A process died: nothing ran.
    Death {
        /// Which.
        worker: WorkerId,
    },
    /// A process started.
    Start {
        /// Which.
        worker: WorkerId,
    },
    /// Nothing to show.
    Nothing,
}

/// What a worker did in vain between two milestones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quiet {
    /// Who.
    pub worker: WorkerId,
    /// How often it looked for a job and found none.
    pub looks: u32,
    /// How often it swept and nothing came of it.
    pub sweeps: u32,
    /// How often it renewed its lock.
    pub renewals: u32,
}

pub(super) fn last_box(frame: &Frame) -> Box<'_> {
    let Some(last) = frame.steps.last() else { return Box::Nothing };
    let mut shown = Box::Nothing;
    for fact in &last.step.facts {
        match fact {
            Fact::Ran { actor, operation, commands, reply } => {
                shown = Box::Redis { actor: *actor, operation: *operation, commands, reply };
            }
            Fact::Enrolled { worker, event, .. } => {
                shown = Box::Portal { worker: *worker, result: Ok(event) };
            }
            Fact::EnrollRefused { worker, error, .. } => {
                shown = Box::Portal { worker: *worker, result: Err(*error) };
            }
            Fact::Expired { key } => {
                if let Box::Expiry { keys } = &mut shown {
                    keys.push(key);
                } else if matches!(shown, Box::Nothing) {
                    shown = Box::Expiry { keys: [key.as_str()].into() };
                }
            }
            Fact::Died { worker, .. } => shown = Box::Death { worker: *worker },
            Fact::Started { worker } => shown = Box::Start { worker: *worker },
            Fact::EnrollFailed { .. }
            | Fact::MarkerHandedOver { .. }
            | Fact::TimePassed { .. }
            | Fact::Froze { .. }
            | Fact::Thawed { .. }
            | Fact::PortalRestarted { .. }
            | Fact::PortalDown
            | Fact::PortalUp
            | Fact::Lost { .. }
            | Fact::ReplyLost { .. }
            | Fact::Refused(_) => {}
        }
    }
    shown
}

/// The last fact that is more than a clock reading.
pub(super) fn note(frame: &Frame) -> String {
    let facts = frame.steps.last().map_or(&[][..], |ran| &ran.step.facts);
    let telling = |fact: &&Fact| !matches!(fact, Fact::TimePassed { .. } | Fact::MarkerHandedOver { .. });
    facts.iter().rev().find(telling).or(facts.last()).map_or_else(String::new, ToString::to_string)
}

/// What ran before the step that mattered.
pub(super) fn quiet(frame: &Frame) -> Vec<Quiet> {
    let mut all: Vec<Quiet> = Vec::new();
    if let Some((_, before_last)) = frame.steps.split_last() {
        before_last.iter().for_each(|ran| count(&mut all, &ran.step));
    }
    all.retain(|quiet| quiet.looks + quiet.sweeps + quiet.renewals > 0);
    all
}

fn count(all: &mut Vec<Quiet>, step: &Step) {
    for fact in &step.facts {
        let Fact::Ran { actor: Actor::Worker(id), operation, .. } = fact else { continue };
        if !all.iter().any(|quiet| quiet.worker == *id) {
            all.push(Quiet { worker: *id, looks: 0, sweeps: 0, renewals: 0 });
        }
        let Some(quiet) = all.iter_mut().find(|quiet| quiet.worker == *id) else { continue };
        match operation {
            Operation::MoveToActive | Operation::Naive("ask") => quiet.looks += 1,
            Operation::MoveStalledJobsToWait => quiet.sweeps += 1,
            Operation::ExtendLocks => quiet.renewals += 1,
            Operation::AddStandardJob
            | Operation::WaitForJob
            | Operation::MoveToFinished
            | Operation::RetryJob
            | Operation::RemoveJob
            | Operation::Naive(_) => {}
        }
    }
}
