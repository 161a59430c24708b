//! What the workers share, in a few bytes: all of Redis and Portal that a later step can see.
//!
//! Left out are time stamps, the event stream, counters that only grow, and the order in active, on which nothing
//! depends. Every lock is written as one: who owns it is told by the worker. Read back, the bytes are keys again, on
//! which the reducer runs.

use super::parts::{NEVER, OWN};
use crate::{
    keyspace::{Fields, Value},
    portal::{Enroll, LearnerEnrolled, Portal, decide},
    protocol::STALLED_TOO_OFTEN,
    reliable_loop::{REFUSED, Setup, World, data_of},
    small::{SmallSet, decimal, number},
    time::Millis,
};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

/// A job of the search, and the names of its keys.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) id: String,
    hash: String,
    pub(super) lock: String,
    data: String,
    /// What is recorded when its learner is enrolled.
    event: Option<LearnerEnrolled>,
}

/// The names of everything that is shared.
#[derive(Clone, Debug)]
pub(super) struct Names {
    wait: String,
    active: String,
    pub(super) marker: String,
    stalled: String,
    completed: String,
    failed: String,
    pub(super) jobs: Vec<Job>,
    /// The counters of a job stop here: more makes no difference.
    most_stalled: u32,
    most_made: u32,
}

const MARKER: u8 = 1;
const PORTAL_DOWN: u8 = 2;

const COMPLETED: u8 = 1;
const FAILED: u8 = 2;
const SUSPECT: u8 = 4;
const LOCKED: u8 = 8;
const DEFERRED: u8 = 16;
const REFUSED_FOR_GOOD: u8 = 32;

impl Names {
    pub(super) fn new(setup: &Setup, jobs: u8) -> Self {
        let queue = setup.queue();
        let job = |before: u8| {
            let (id, learner) = job_of(before, setup);
            let enroll = Enroll::new(&learner, &setup.course, Millis(0));
            Job {
                hash: queue.job(&id),
                lock: queue.lock(&id),
                data: data_of(&learner, &setup.course),
                event: decide(Portal::default().state(), &enroll),
                id,
            }
        };
        Self {
            wait: queue.key("wait"),
            active: queue.key("active"),
            marker: queue.key("marker"),
            stalled: queue.key("stalled"),
            completed: queue.key("completed"),
            failed: queue.key("failed"),
            jobs: (0..jobs).map(job).collect(),
            most_stalled: setup.max_stalled.saturating_add(1).min(255),
            most_made: setup.attempts.min(255),
        }
    }

    /// Writes a world as bytes: wait, active (both end with a 0), what is up and down, and each job.
    pub(super) fn write(&self, world: &World, bytes: &mut Vec<u8>) {
        bytes.clear();
        let keys = &world.keys;
        let number_of = |id: &str| self.jobs.iter().position(|job| job.id == id).map_or(0, |at| at as u8 + 1);
        bytes.extend(keys.list(&self.wait).map(number_of));
        bytes.push(0);
        for job in &self.jobs {
            let times = keys.list(&self.active).filter(|id| *id == job.id).count();
            bytes.extend(core::iter::repeat_n(number_of(&job.id), times));
        }
        bytes.push(0);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        bytes.push(flag(keys.exists(&self.marker), MARKER) | flag(world.portal_down, PORTAL_DOWN));
        for job in self.jobs.iter().take_while(|job| keys.exists(&job.hash)) {
            let field = |name| keys.field(&job.hash, name);
            let count = |name, most: u32| {
                let count = field(name).and_then(number).unwrap_or(0);
                count.min(most.into()) as u8
            };
            let enrolled = world.portal.log().iter().filter(|event| {
                job.event
                    .as_ref()
                    .is_some_and(|job| (&job.user_id, &job.course_id) == (&event.user_id, &event.course_id))
            });
            bytes.extend([
                flag(keys.has_member(&self.completed, &job.id), COMPLETED)
                    | flag(keys.has_member(&self.failed, &job.id), FAILED)
                    | flag(keys.has_member(&self.stalled, &job.id), SUSPECT)
                    | flag(keys.exists(&job.lock), LOCKED)
                    | flag(field("defa").is_some(), DEFERRED)
                    | flag(field("returnvalue") == Some(REFUSED), REFUSED_FOR_GOOD),
                count("stc", self.most_stalled),
                count("atm", self.most_made),
                enrolled.count().min(2) as u8,
            ]);
        }
    }

    /// Reads bytes back into a world that is empty but for its workers.
    pub(super) fn read(&self, bytes: &[u8], world: &mut World) {
        let mut parts = bytes.splitn(3, |byte| *byte == 0);
        for name in [&self.wait, &self.active] {
            let number = |number: &u8| self.jobs.get(usize::from(*number).wrapping_sub(1));
            let jobs = parts.next().unwrap_or_default().iter().filter_map(number);
            world.keys.put(name, Value::List(jobs.map(|job| job.id.clone()).collect()), None);
        }
        let [flags, jobs @ ..] = parts.next().unwrap_or_default() else { return };
        if flags & MARKER != 0 {
            world.keys.put(&self.marker, Value::SortedSet([("0".to_string(), 0)].into()), None);
        }
        world.portal_down = flags & PORTAL_DOWN != 0;
        let mut suspects = SmallSet::default();
        let mut finished = [Vec::new(), Vec::new()];
        for (job, bytes) in self.jobs.iter().zip(jobs.chunks_exact(OF_A_JOB)) {
            let [flags, stalled, made, enrolled] = *bytes else { continue };
            world.keys.put(&job.hash, Value::Hash(job.fields(flags, stalled, made)), None);
            if flags & LOCKED != 0 {
                world.keys.put(&job.lock, Value::Text(OWN.to_string()), Some(NEVER));
            }
            if flags & SUSPECT != 0 {
                suspects.insert(job.id.clone());
            }
            for (flag, all) in [COMPLETED, FAILED].into_iter().zip(&mut finished) {
                if flags & flag != 0 {
                    all.push((job.id.clone(), 0));
                }
            }
            for event in job.event.iter().cycle().take(enrolled.into()) {
                world.portal.append(event.clone());
            }
        }
        let [completed, failed] = finished.map(Value::SortedSet);
        world.keys.put(&self.completed, completed, None);
        world.keys.put(&self.failed, failed, None);
        world.keys.put(&self.stalled, Value::Set(suspects), None);
    }
}

impl Job {
    /// The hash: the data, and what a worker or a script acts on.
    fn fields(&self, flags: u8, stalled: u8, made: u8) -> Fields {
        let mut fields = Fields::default();
        let mut keep = |keep: bool, name: &str, value: &str| {
            if keep {
                fields.0.push((name.to_string(), value.to_string()));
            }
        };
        keep(true, "data", &self.data);
        keep(stalled > 0, "stc", &decimal(stalled.into()));
        keep(made > 0, "atm", &decimal(made.into()));
        keep(flags & DEFERRED != 0, "defa", STALLED_TOO_OFTEN);
        keep(flags & REFUSED_FOR_GOOD != 0, "returnvalue", REFUSED);
        fields
    }
}

/// How many bytes a job takes.
const OF_A_JOB: usize = 4;

/// The name of the job that is added after `before` others, and its learner. The first is the default job; each has a
/// learner of its own.
pub(super) fn job_of(before: u8, setup: &Setup) -> (String, String) {
    let learner = match before {
        0 => setup.learner.clone(),
        _ => format!("{}{}", setup.learner.get(..13).unwrap_or_default(), char::from(b'C' + before)),
    };
    (format!("j_{}", before + 1), learner)
}
