//! The small texts: clocks, states, replies.

use enroll_once_core::{
    portal::{LearnerEnrolled, PortalError},
    protocol::Reply,
    reliable_loop::{Actor, Attempt, Life, Refusal},
    time::Millis,
    view::{Box, Doing, JobView, LaneName, LoopView, Marker, Quiet, WorkerView},
};

/// A virtual clock value as `mm:ss.mmm`.
#[must_use]
pub fn clock(at: Millis) -> String {
    format!("{:02}:{:02}.{:03}", at.0 / 60_000, at.0 / 1_000 % 60, at.0 % 1_000)
}

/// A duration in seconds, with a decimal only where it says something: `30 s`, `0.4 s`.
#[must_use]
pub fn duration(of: Millis) -> String {
    match of.0 % 1_000 {
        0 => format!("{} s", of.0 / 1_000),
        rest => format!("{}.{} s", of.0 / 1_000, (rest / 100).max(1)),
    }
}

/// Several names in a row.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// How it stands with a job, in a word.
#[must_use]
pub fn job_state(lane: LaneName, job: &JobView) -> &'static str {
    match lane {
        LaneName::Wait => "waiting",
        LaneName::Active if job.stranded => "stranded",
        LaneName::Active => "in flight",
        LaneName::Completed => "completed",
        LaneName::Failed => "failed",
    }
}

/// What more there is to say of a job: how often it was taken and returned.
#[must_use]
pub fn job_title(job: &JobView) -> String {
    match (job.taken, job.recovered) {
        (0, _) => "never taken".into(),
        (taken, 0) => format!("taken {taken}×"),
        (taken, recovered) => format!("taken {taken}×, returned {recovered}×"),
    }
}

/// A failed job's reason.
#[must_use]
pub fn failed_value(lane: LaneName, job: &JobView) -> Option<&str> {
    job.result.as_deref().filter(|_| lane == LaneName::Failed)
}

/// Where the marker is.
#[must_use]
pub fn marker(marker: Marker) -> String {
    match marker {
        Marker::Up => "raised".into(),
        Marker::Down => "down".into(),
        Marker::HandedTo(worker) => format!("handed to {worker}"),
    }
}

/// What a worker does, or how it ended.
#[must_use]
pub fn doing(worker: &WorkerView) -> String {
    let now = match &worker.doing {
        Doing::Waiting => "blocked on the marker".into(),
        Doing::Woken => "awake, takes next".into(),
        Doing::Starting => "started anew".into(),
        Doing::Holding { job, attempt, deferred, refused } => holding(job, *attempt, *deferred, *refused),
    };
    match worker.life {
        Life::Running => now,
        Life::Frozen => format!("frozen; {now}"),
        Life::Dead => died(&worker.doing).into(),
    }
}

fn holding(job: &str, attempt: Attempt, deferred: bool, refused: bool) -> String {
    match (refused, deferred, attempt) {
        (true, _, _) => format!("refused, reports {job} as failed"),
        (_, true, _) => format!("has {job}, must fail it"),
        (_, _, Attempt::NotRun) => format!("has {job}, enrolls next"),
        (_, _, Attempt::Failed) => format!("has {job}, could not enroll"),
        (_, _, Attempt::Recorded) => "enrolled, acknowledges next".into(),
        (_, _, Attempt::Refused(PortalError::AlreadyEnrolled)) => {
            "heard already_enrolled, acknowledges next".into()
        }
        (_, _, Attempt::Refused(PortalError::CourseNotFound)) => {
            "heard course_not_found, acknowledges next".into()
        }
    }
}

fn died(doing: &Doing) -> &'static str {
    match doing {
        Doing::Waiting => "died while it waited",
        Doing::Woken => "died with the marker",
        Doing::Starting => "died as it started",
        Doing::Holding { attempt: Attempt::NotRun | Attempt::Failed, .. } => "died before its effect",
        Doing::Holding { attempt: Attempt::Recorded, .. } => "died after its effect",
        Doing::Holding { attempt: Attempt::Refused(_), .. } => "died after running it again",
    }
}

/// What a dead, frozen or outrun worker still believes: shown struck through beside what is true.
#[must_use]
pub fn belief(worker: &WorkerView) -> Option<String> {
    let Doing::Holding { job, .. } = &worker.doing else { return None };
    (worker.life != Life::Running || worker.mistaken).then(|| format!("{job} is mine"))
}

/// What ran in vain meanwhile, as one quiet line.
#[must_use]
pub fn meanwhile(quiet: &[Quiet]) -> Option<String> {
    let parts: Vec<String> = quiet
        .iter()
        .flat_map(|quiet| {
            let looked = (quiet.looks > 0)
                .then(|| format!("{} looked {}, nothing to do", quiet.worker, times(quiet.looks)));
            let swept = (quiet.sweeps > 0)
                .then(|| format!("{} swept {}, nothing came of it", quiet.worker, times(quiet.sweeps)));
            let renewed = (quiet.renewals > 0).then(|| format!("{} renewed its lock", quiet.worker));
            [looked, swept, renewed].into_iter().flatten()
        })
        .collect();
    (!parts.is_empty()).then(|| format!("Meanwhile {}.", parts.join("; ")))
}

fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        more => format!("{more} times"),
    }
}

/// The name of an atomic box.
#[must_use]
pub fn box_title(shown: &Box) -> &'static str {
    match shown {
        Box::Redis { operation, .. } => operation.name(),
        Box::Portal { .. } => "Portal.enroll/2",
        Box::Expiry { .. } => "expired",
        Box::Death { .. } => "SIGKILL",
        Box::Start { .. } => "a new process",
        Box::Nothing => "",
    }
}

/// Who ran it, and in how many pieces.
#[must_use]
pub fn actor_line(shown: &Box) -> String {
    match shown {
        Box::Redis { actor: Actor::Producer, .. } => "the producer, one atomic step".into(),
        Box::Redis { actor: Actor::Worker(worker), .. } => format!("{worker}, one atomic step"),
        Box::Portal { worker, .. } => format!("{worker}, outside Redis"),
        Box::Expiry { .. } => "Redis, by itself".into(),
        Box::Death { worker } => format!("{worker}; nothing is written"),
        Box::Start { worker } => format!("in the place of {worker}; nothing is written"),
        Box::Nothing => String::new(),
    }
}

/// The lines of a call to Portal.
#[must_use]
pub fn portal_lines(result: &Result<LearnerEnrolled, PortalError>) -> Vec<(&'static str, String)> {
    match result {
        Ok(event) => vec![
            ("authorize", ":ok".into()),
            (
                "decide",
                format!(
                    "%LearnerEnrolled{{user_id: {}, course_id: {}, at: {}}}",
                    event.user_id.as_str(),
                    event.course_id.as_str(),
                    event.at
                ),
            ),
            ("append, evolve", "enrolled".into()),
        ],
        Err(error) => vec![("authorize", format!("{{:error, :{}}}", error.code()))],
    }
}

/// A script's reply, short.
#[must_use]
pub fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Id(id) => id.clone(),
        Reply::Number(number) => number.to_string(),
        Reply::Ids(ids) => format!("[{}]", ids.join(", ")),
        Reply::Job(job) => format!("{} and its hash", job.id),
        Reply::Nothing => "[0,0,0,0]".into(),
        Reply::Popped(popped) => format!("[{}]", popped.join(", ")),
        Reply::TimedOut => "nil".into(),
    }
}

/// Why a button makes no sense now, with what to do instead. One line serves both buttons.
#[must_use]
pub fn why_not(view: &LoopView) -> Option<String> {
    let of = |refusal: &Refusal| {
        if *refusal == Refusal::AllFinished {
            return "Every job is finished: reset begins again.".to_string();
        }
        if *refusal == Refusal::NothingToCrash {
            return "Nothing to crash yet: step until a worker has the job.".to_string();
        }
        sentence_of(&refusal.to_string())
    };
    view.why_no_step.as_ref().or(view.why_no_crash.as_ref()).map(of)
}

/// A phrase as a sentence.
pub(super) fn sentence_of(phrase: &str) -> String {
    let mut letters = phrase.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).chain(['.']).collect())
}
