//! The proof's texts.

use super::fill::fill;
use enroll_once_core::{
    portal::{LearnerEnrolled, PortalError},
    proof::Proof,
    small::decimal,
};

/// How often, beside the enrolled count.
#[must_use]
pub fn deliveries(count: usize) -> String {
    match count {
        1 => "of 1 delivery".into(),
        more => fill("of {n} deliveries", &[('n', &decimal(more as u64))]),
    }
}

/// What a run answered, as Portal's callers see it.
#[must_use]
pub fn answer(run: &Result<LearnerEnrolled, PortalError>) -> String {
    match run {
        Ok(_) => "{:ok, %LearnerEnrolled{}}".into(),
        Err(error) => ["{:error, :", error.code(), "}"].concat(),
    }
}

/// What it wrote.
#[must_use]
pub fn written(run: &Result<LearnerEnrolled, PortalError>) -> &'static str {
    if run.is_ok() { "one event written" } else { "nothing written" }
}

/// For the runs that are not listed. All but the first are alike.
#[must_use]
pub fn hidden_runs(count: usize) -> String {
    match count {
        1 => "1 more, the same".into(),
        more => fill("{n} more, all the same", &[('n', &decimal(more as u64))]),
    }
}

/// What the runs so far show.
#[must_use]
pub fn proof(proof: &Proof) -> String {
    match (proof.deliveries(), proof.runs().last()) {
        (0, _) | (_, None) => "The job has not run. Run it, then run it again.".into(),
        (_, Some(Err(PortalError::CourseNotFound))) => {
            "Portal knows no such course: every run is refused and nothing is written.".into()
        }
        (1, _) => "authorize found no enrollment, so decide proposed one event, and the log has it.".into(),
        (count, _) => fill(
            "{n} deliveries, one event. authorize sees the enrollment in the folded state and refuses, so decide is \
             not asked and nothing is written.",
            &[('n', &decimal(count as u64))],
        ),
    }
}
