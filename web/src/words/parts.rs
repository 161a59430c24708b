//! The small texts: clocks, states, replies.

use super::fill::fill;
use enroll_once_core::{
    keyspace::CommandReply,
    portal::{LearnerEnrolled, PortalError},
    protocol::Reply,
    reliable_loop::{Actor, Attempt, Guard, Life, Refusal},
    small::{decimal, joined},
    time::Millis,
    view::{Box, Doing, JobView, LaneName, LoopView, Marker, Quiet, WorkerView},
};

/// A virtual clock value as `mm:ss.mmm`.
#[must_use]
pub fn clock(at: Millis) -> String {
    let (seconds, millis) = (at.0 / 1_000, at.0 % 1_000);
    let mut text = digits(seconds / 60, 2);
    text.push(':');
    text.push_str(&digits(seconds % 60, 2));
    text.push('.');
    text.push_str(&digits(millis, 3));
    text
}

/// A number, with zeros before it up to this width.
fn digits(number: u64, width: usize) -> String {
    let mut text = decimal(number);
    while text.len() < width {
        text.insert(0, '0');
    }
    text
}

/// A duration in seconds, with a decimal only where it says something: `30 s`, `0.4 s`.
#[must_use]
pub fn duration(of: Millis) -> String {
    let mut text = decimal(of.0 / 1_000);
    if !of.0.is_multiple_of(1_000) {
        text.push('.');
        text.push_str(&decimal((of.0 % 1_000 / 100).max(1)));
    }
    text.push_str(" s");
    text
}

/// Several names in a row.
pub(super) fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => [&joined(first, ", "), " and ", last].concat(),
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
    let template = match (job.taken, job.recovered) {
        (0, _) => "never taken",
        (_, 0) => "taken {t}×",
        _ => "taken {t}×, returned {r}×",
    };
    fill(template, &[('t', &decimal(job.taken.into())), ('r', &decimal(job.recovered.into()))])
}

/// A failed job's reason.
#[must_use]
pub fn failed_value<'a>(lane: LaneName, job: &JobView<'a>) -> Option<&'a str> {
    job.result.filter(|_| lane == LaneName::Failed)
}

/// Where the marker is.
#[must_use]
pub fn marker(marker: Marker) -> String {
    match marker {
        Marker::Up => "raised".into(),
        Marker::Down => "down".into(),
        Marker::HandedTo(worker) => fill("handed to {w}", &[('w', &worker.to_string())]),
    }
}

/// How long the guard of the sweep still lives.
#[must_use]
pub fn guard(left: Option<Millis>) -> String {
    left.map_or("none".into(), |left| duration(left) + " left")
}

/// What a worker does, or how it ended.
#[must_use]
pub fn doing(worker: &WorkerView, view: &LoopView) -> String {
    let polls = !view.guards.on(Guard::BlockingPickup);
    if worker.life == Life::Dead {
        return died(&worker.doing, polls).into();
    }
    let mut job = "";
    let now = match &worker.doing {
        Doing::Waiting if polls => "{f}sleeps until its next poll",
        Doing::Waiting => "{f}blocked on the marker",
        Doing::Called => "{f}handed the marker",
        Doing::Woken => "{f}awake, takes next",
        Doing::Starting => "{f}started anew",
        Doing::Holding { job: held, attempt, deferred, refused } => {
            job = held;
            let first =
                !view.guards.on(Guard::AtLeastOnce) && view.lane_of(held) != Some(LaneName::Completed);
            if first && *attempt == Attempt::NotRun && !deferred {
                "{f}has {j}, acknowledges next"
            } else {
                holding(*attempt, *deferred, *refused)
            }
        }
    };
    let frozen = if worker.life == Life::Frozen { "frozen; " } else { "" };
    fill(now, &[('f', frozen), ('j', job)])
}

fn holding(attempt: Attempt, deferred: bool, refused: bool) -> &'static str {
    match (refused, deferred, attempt) {
        (true, _, _) => "{f}refused, reports {j} as failed",
        (_, true, _) => "{f}has {j}, must fail it",
        (_, _, Attempt::NotRun) => "{f}has {j}, enrolls next",
        (_, _, Attempt::Failed) => "{f}has {j}, could not enroll",
        (_, _, Attempt::Recorded) => "{f}enrolled, acknowledges next",
        (_, _, Attempt::Refused(PortalError::AlreadyEnrolled)) => {
            "{f}heard already_enrolled, acknowledges next"
        }
        (_, _, Attempt::Refused(PortalError::CourseNotFound)) => {
            "{f}heard course_not_found, acknowledges next"
        }
    }
}

fn died(doing: &Doing, polls: bool) -> &'static str {
    match doing {
        Doing::Waiting => "died while it waited",
        Doing::Woken if polls => "died before it took the job",
        Doing::Called | Doing::Woken => "died with the marker",
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
    (worker.life != Life::Running || worker.mistaken).then(|| fill("{j} is mine", &[('j', job)]))
}

/// What ran in vain meanwhile, as one quiet line; empty if nothing did.
#[must_use]
pub fn meanwhile(quiet: &[Quiet]) -> String {
    let mut parts = Vec::new();
    for quiet in quiet {
        let worker = quiet.worker.to_string();
        let kinds = [
            (quiet.looks, "{w} looked {n}, nothing to do"),
            (quiet.sweeps, "{w} swept {n}, nothing came of it"),
            (quiet.renewals, "{w} renewed its lock"),
        ];
        for (count, template) in kinds {
            if count > 0 {
                parts.push(fill(template, &[('w', &worker), ('n', &times(count))]));
            }
        }
    }
    if parts.is_empty() { String::new() } else { fill("Meanwhile {p}.", &[('p', &joined(&parts, "; "))]) }
}

fn times(count: u32) -> String {
    match count {
        1 => "once".into(),
        more => decimal(more.into()) + " times",
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
    let (template, worker) = match shown {
        Box::Redis { actor: Actor::Producer, .. } => ("the producer, one atomic step", None),
        Box::Redis { actor: Actor::Worker(worker), .. } => ("{w}, one atomic step", Some(worker)),
        Box::Portal { worker, .. } => ("{w}, outside Redis", Some(worker)),
        Box::Expiry { .. } => ("Redis, by itself", None),
        Box::Death { worker } => ("{w}; nothing is written", Some(worker)),
        Box::Start { worker } => ("in the place of {w}; nothing is written", Some(worker)),
        Box::Nothing => ("", None),
    };
    fill(template, &[('w', &worker.map_or(String::new(), ToString::to_string))])
}

/// The lines of a call to Portal.
#[must_use]
pub fn portal_lines(result: Result<&LearnerEnrolled, PortalError>) -> Vec<(&'static str, String)> {
    match result {
        Ok(event) => {
            let fields = ["%LearnerEnrolled{user_id: ", event.user_id.as_str(), ", course_id: "].concat();
            let at = [event.course_id.as_str(), ", at: ", &clock(event.at), "}"].concat();
            let lines = [
                ("authorize", ":ok".into()),
                ("decide", fields + &at),
                ("append, evolve", "enrolled".into()),
            ];
            lines.into()
        }
        Err(error) => [("authorize", ["{:error, :", error.code(), "}"].concat())].into(),
    }
}

/// A script's reply, short.
#[must_use]
pub fn reply(reply: &Reply) -> String {
    match reply {
        Reply::Id(id) => id.clone(),
        Reply::Number(number) => number.to_string(),
        Reply::Ids(ids) => bracketed(ids),
        Reply::Job(job) => [job.id.as_str(), " and its hash"].concat(),
        Reply::Nothing => "[0,0,0,0]".into(),
        Reply::Popped(popped) => bracketed(popped.as_slice()),
        Reply::TimedOut => "nil".into(),
    }
}

fn bracketed(texts: &[String]) -> String {
    fill("[{t}]", &[('t', &joined(texts, ", "))])
}

/// How many commands there are behind the disclosure.
#[must_use]
pub fn all_commands(count: usize) -> String {
    fill("all {n} commands, in order", &[('n', &decimal(count as u64))])
}

/// A command's reply, short; `OK` says nothing.
#[must_use]
pub fn command_reply(reply: &CommandReply) -> Option<String> {
    match reply {
        CommandReply::Nil => Some("nil".into()),
        CommandReply::Ok => None,
        CommandReply::Integer(number) => Some(decimal(*number)),
        CommandReply::Text(text) => Some(text.clone()),
        CommandReply::List(items) => {
            let mut text = String::new();
            for item in items {
                if !text.is_empty() {
                    text.push(' ');
                }
                text.push_str(item.as_deref().unwrap_or("nil"));
            }
            Some(if items.is_empty() { "empty".into() } else { text })
        }
    }
}

/// Why a button makes no sense now, with what to do instead; empty if all do. One line serves both buttons.
#[must_use]
pub fn why_not(view: &LoopView) -> String {
    match view.why_no_step.as_ref().or(view.why_no_crash.as_ref()) {
        None => String::new(),
        Some(Refusal::AllFinished) => "Every job is finished: reset begins again.".into(),
        Some(Refusal::NothingToCrash) => "Nothing to crash yet: step until a worker has the job.".into(),
        Some(refusal) => sentence_of(&refusal.to_string()),
    }
}

/// A phrase as a sentence. The core's phrases begin with a letter of ASCII.
pub(super) fn sentence_of(phrase: &str) -> String {
    if phrase.is_empty() {
        return String::new();
    }
    let mut sentence = [phrase, "."].concat();
    if let Some(first) = sentence.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    sentence
}
