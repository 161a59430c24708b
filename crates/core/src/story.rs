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

mod parse;
mod run;

pub use parse::ParseError;
pub use run::{Ran, RanStep, RanToken, RefusedToken};

use crate::reliable_loop::{Action, Setup, WorkerId};
use alloc::{string::String, vec::Vec};
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
        match self {
            Action::Add(new) => match (&new.id, &new.who) {
                (None, _) => out.write_str("add"),
                (Some(id), None) => write!(out, "add:{id}"),
                (Some(id), Some((learner, course))) => write!(out, "add:{id}:{learner}:{course}"),
            },
            Action::Operate(worker, op) => write!(out, "{worker}:{}", op.word()),
            Action::Renew(worker) => write!(out, "{worker}:renew"),
            Action::Sweep(worker) => write!(out, "{worker}:sweep"),
            Action::Crash(worker) => write!(out, "{worker}:crash"),
            Action::Start(worker) => write!(out, "{worker}:start"),
            Action::Freeze(worker) => write!(out, "{worker}:freeze"),
            Action::Thaw(worker) => write!(out, "{worker}:thaw"),
            Action::Advance(by) => write!(out, "+{by}"),
            Action::RestartPortal => out.write_str("portal:restart"),
            Action::PortalDown => out.write_str("portal:down"),
            Action::PortalUp => out.write_str("portal:up"),
            Action::LoseMarker => out.write_str("marker:lost"),
            Action::EvictLock(job) => write!(out, "lock:evict:{job}"),
            Action::LoseReply(worker) => write!(out, "{worker}:lose-reply"),
        }
    }
}

impl fmt::Display for Story {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let setup = setup_tokens(&self.setup);
        let tokens = self.tokens.iter().map(alloc::string::ToString::to_string);
        let all: Vec<String> = setup.into_iter().chain(tokens).collect();
        out.write_str(&all.join(","))
    }
}

/// The tokens of what differs from the defaults.
fn setup_tokens(setup: &Setup) -> Vec<String> {
    use alloc::format;
    let usual = Setup::default();
    let mut tokens = Vec::new();
    let mut token = |differs: bool, token: String| {
        if differs {
            tokens.push(token);
        }
    };
    token(setup.workers != usual.workers, format!("workers={}", setup.workers));
    token(setup.lock != usual.lock, format!("lock={}", setup.lock));
    token(setup.renew != Setup::default_renew(setup.lock), format!("renew={}", setup.renew));
    token(setup.stalled != usual.stalled, format!("stalled={}", setup.stalled));
    token(setup.max_stalled != usual.max_stalled, format!("max-stalled={}", setup.max_stalled));
    token(setup.drain != usual.drain, format!("drain={}", setup.drain));
    token(setup.poll != usual.poll, format!("poll={}", setup.poll));
    token(setup.attempts != usual.attempts, format!("attempts={}", setup.attempts));
    for guard in setup.guards.off() {
        token(true, format!("off={guard}"));
    }
    tokens
}
