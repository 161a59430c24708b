//! Makes the chapter's claim checkable: each pattern is necessary, together they suffice.
//!
//! It reads worlds and runs the reducer; it never reaches into a script. [`Invariant`] says what must hold after every
//! step, [`broken`] which of them do not.
//!
//! ```
//! use enroll_once_core::{check::{Invariant, broken}, story::Story};
//!
//! let lost = Story::parse("off=processing-list,add,w1:wake,w1:pop,w1:crash").unwrap().run();
//! assert!(broken(lost.world()).contains(&Invariant::NoLoss));
//! ```

mod continuation;
mod invariant;
pub mod matrix;
mod search;
mod verdict;

pub use continuation::run_on;
pub use invariant::{Invariant, broken, promised};
pub use search::{Answer, Bounds, Cut, Progress, Search};
pub use verdict::Verdict;
