//! Every text that a learner reads. Made from what the core's view says; nothing is decided here.
//!
//! Present tense, short, the field's terms: what happened, then why it matters.

mod fill;
mod milestones;
mod naive;
mod parts;
mod proof;

pub use milestones::{sentence, stage};
pub use naive::off;
pub use parts::{
    actor_line, all_commands, belief, box_title, clock, command_reply, doing, duration, failed_value, guard,
    job_state, job_title, marker, meanwhile, portal_lines, reply, why_not,
};
pub use proof::{answer, deliveries, hidden_runs, proof, written};

/// The labels of buttons.
pub mod label {
    /// Runs to the next milestone.
    pub const STEP: &str = "step the job";
    /// Kills the worker at work.
    pub const CRASH: &str = "crash mid-process";
    /// One press back.
    pub const BACK: &str = "back";
    /// To where it opened.
    pub const RESET: &str = "reset";
    /// Why *back* and *reset* do nothing where a widget opens.
    pub const AT_START: &str = "This is where it opened.";
    /// Why the proof runs no more.
    pub const FULL: &str = "That is as many runs as it keeps.";
    /// Delivers the job once more.
    pub const RUN: &str = "run the enroll job";
    /// Delivers it ten times.
    pub const RUN_TEN: &str = "run 10 times";
}
