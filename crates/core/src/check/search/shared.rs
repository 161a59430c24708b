//! What the workers share, in a few bytes: all of Redis and Portal that a later step can see.
//!
//! Left out are time stamps, the event stream, counters that only grow, and the order in active, on which nothing
//! depends. Every lock is written as one: who owns it is told by the worker. Read back, the bytes are keys again, on
//! which the reducer runs.

use super::parts::{NEVER, OWN};
use crate::{
    keyspace::Atomic,
    portal::{Enroll, LearnerEnrolled, Portal, decide},
    protocol::STALLED_TOO_OFTEN,
    reliable_loop::{REFUSED, Setup, World, data_of},
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
        let number = |id: &str| self.jobs.iter().position(|job| job.id == id).map_or(0, |at| at as u8 + 1);
        bytes.extend(keys.list(&self.wait).map(number));
        bytes.push(0);
        let active = bytes.len();
        bytes.extend(keys.list(&self.active).map(number));
        bytes.get_mut(active..).unwrap_or_default().sort_unstable();
        bytes.push(0);
        let flag = |is: bool, flag: u8| if is { flag } else { 0 };
        bytes.push(flag(keys.exists(&self.marker), MARKER) | flag(world.portal_down, PORTAL_DOWN));
        for job in self.jobs.iter().take_while(|job| keys.exists(&job.hash)) {
            let field = |name| keys.field(&job.hash, name);
            let count = |name, most: u32| {
                let count = field(name).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
                count.min(most) as u8
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
        let mut redis = Atomic::silent(&mut world.keys, Millis(0));
        let mut lists = bytes.splitn(3, |byte| *byte == 0);
        for name in [&self.wait, &self.active] {
            for number in lists.next().unwrap_or_default() {
                if let Some(job) = self.jobs.get(usize::from(*number).wrapping_sub(1)) {
                    redis.rpush(name, &job.id);
                }
            }
        }
        let [flags, jobs @ ..] = lists.next().unwrap_or_default() else { return };
        if flags & MARKER != 0 {
            redis.zadd(&self.marker, 0, "0");
        }
        world.portal_down = flags & PORTAL_DOWN != 0;
        for (job, bytes) in self.jobs.iter().zip(jobs.chunks_exact(OF_A_JOB)) {
            let [flags, stalled, made, enrolled] = *bytes else { continue };
            self.read_job(&mut redis, job, flags, [("stc", stalled), ("atm", made)]);
            for event in job.event.iter().cycle().take(enrolled.into()) {
                world.portal.append(event.clone());
            }
        }
    }

    fn read_job(&self, redis: &mut Atomic<'_>, job: &Job, flags: u8, counts: [(&str, u8); 2]) {
        redis.hset(&job.hash, &[("data", &job.data)]);
        for (name, count) in counts.into_iter().filter(|(_, count)| *count > 0) {
            redis.hset(&job.hash, &[(name, &count.to_string())]);
        }
        let is = |flag: u8| flags & flag != 0;
        if is(DEFERRED) {
            redis.hset(&job.hash, &[("defa", STALLED_TOO_OFTEN)]);
        }
        if is(REFUSED_FOR_GOOD) {
            redis.hset(&job.hash, &[("returnvalue", REFUSED)]);
        }
        for (flag, name) in [(COMPLETED, &self.completed), (FAILED, &self.failed)] {
            if is(flag) {
                redis.zadd(name, 0, &job.id);
            }
        }
        if is(SUSPECT) {
            redis.sadd(&self.stalled, core::slice::from_ref(&job.id));
        }
        if is(LOCKED) {
            redis.set_px(&job.lock, OWN, NEVER);
        }
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
