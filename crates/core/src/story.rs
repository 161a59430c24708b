//! A run as text: what a link carries, what an attribute takes, what a bug report pastes, what a test reads.
//!
//! A story is a flat list of tokens, separated by commas or white space: setup first, then actions. Parsing is total:
//! a bad token gives an error that names it, where it stands and what was expected. Printing a parsed story gives the
//! same story back.
//!
//! ```
//! use enroll_once_core::story::Story;
//!
//! let story = Story::parse("add, w1:wake, w1:take, w1:enroll, w1:crash, +30s").unwrap();
//! assert_eq!(story.to_string(), "add,w1:wake,w1:take,w1:enroll,w1:crash,+30s");
//! assert_eq!(Story::parse("add,w1:fly").unwrap_err().to_string(),
//!     "token 2, `w1:fly`, at character 5: expected after `w1:` one of wake, take, enroll, finish, retry, ask, sleep, \
//!      move, pop, record, unlock, remove, complete, renew, sweep, crash, start, freeze, thaw, lose-reply");
//! ```

mod line;
mod parse;
mod run;

pub use crate::reliable_loop::RanStep;
pub use line::{Line, WorkerLine};
pub use parse::ParseError;
pub use run::{Ran, RanToken, RefusedToken};

use crate::{
    reliable_loop::{Action, NewEnrollment, Setup, WorkerId},
    small::{decimal, joined},
};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// One token after the setup.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Token {
    /// One atomic action.
    Act(Action),
    /// `w1`: the worker's next operation, whatever it is.
    NextOf(WorkerId),
    /// `step`: the natural schedule up to the next milestone.
    Step,
    /// `crash`: the worker that is at work dies.
    Crash,
}

/// A run: its setup and its tokens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// What is fixed.
    pub setup: Setup,
    /// What happens.
    pub tokens: Vec<Token>,
}

impl fmt::Display for Token {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Act(action) => write!(out, "{action}"),
            Token::NextOf(worker) => write!(out, "{worker}"),
            Token::Step => out.write_str("step"),
            Token::Crash => out.write_str("crash"),
        }
    }
}

impl fmt::Display for Action {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (worker, word) = match self {
            Action::Add(new) => return print_add(new, out),
            Action::Operate(worker, op) => (worker, op.word()),
            Action::Renew(worker) => (worker, "renew"),
            Action::Sweep(worker) => (worker, "sweep"),
            Action::Crash(worker) => (worker, "crash"),
            Action::Start(worker) => (worker, "start"),
            Action::Freeze(worker) => (worker, "freeze"),
            Action::Thaw(worker) => (worker, "thaw"),
            Action::LoseReply(worker) => (worker, "lose-reply"),
            Action::Advance(by) => return write!(out, "+{by}"),
            Action::RestartPortal => return out.write_str("portal:restart"),
            Action::PortalDown => return out.write_str("portal:down"),
            Action::PortalUp => return out.write_str("portal:up"),
            Action::LoseMarker => return out.write_str("marker:lost"),
            Action::EvictLock(job) => return write!(out, "lock:evict:{job}"),
        };
        write!(out, "{worker}:{word}")
    }
}

fn print_add(new: &NewEnrollment, out: &mut fmt::Formatter<'_>) -> fmt::Result {
    out.write_str("add")?;
    let Some(id) = &new.id else { return Ok(()) };
    write!(out, ":{id}")?;
    let Some((learner, course)) = &new.who else { return Ok(()) };
    write!(out, ":{learner}:{course}")
}

impl fmt::Display for Story {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut all = setup_tokens(&self.setup);
        for token in &self.tokens {
            all.push(token.to_string());
        }
        out.write_str(&joined(&all, ","))
    }
}

/// The tokens of what differs from the defaults.
fn setup_tokens(setup: &Setup) -> Vec<String> {
    let usual = Setup::default();
    let mut tokens = Vec::new();
    let mut token = |name: &str, value: String| tokens.push([name, "=", &value].concat());
    if setup.workers != usual.workers {
        token("workers", decimal(setup.workers.into()));
    }
    let durations = [
        ("lock", setup.lock, usual.lock),
        ("renew", setup.renew, Setup::default_renew(setup.lock)),
        ("stalled", setup.stalled, usual.stalled),
        ("drain", setup.drain, usual.drain),
        ("poll", setup.poll, usual.poll),
    ];
    for (name, duration, usual) in durations {
        if duration != usual {
            token(name, duration.to_string());
        }
    }
    for (name, count, usual) in
        [("max-stalled", setup.max_stalled, usual.max_stalled), ("attempts", setup.attempts, usual.attempts)]
    {
        if count != usual {
            token(name, decimal(count.into()));
        }
    }
    for guard in setup.guards.off() {
        token("off", guard.code().to_string());
    }
    tokens
}
