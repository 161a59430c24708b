//! The live differential: the model's scripts against the real ones, on random schedules.
//!
//! Both sides get the same calls with the same arguments, the callers' clock included; after every step everything
//! that can be seen must be the same: the reply, the commands that ran inside the script (`MONITOR`), the new events,
//! every key with its type and value and time to live, who is blocked, and who was served.
//!
//! What is not compared as it is, and why:
//!
//! * the ids of stream entries: they are the server's clock. The entries themselves are compared, in order.
//! * the time to live is compared as a range: what the script gave, minus the time since. The very number that the
//!   script gave is in its commands, and these are compared word by word.
//! * the order in which a sweep takes several suspects: it is the order of a Redis set, which is random. What follows
//!   from it (the reply, the commands and events of each suspect) is put into the order of ids on both sides; in the
//!   model's `wait` the recovered jobs are then put into the order that Redis took, and from there on it counts.
//! * the order of fields inside the JSON of a job's options, which has no meaning.
//!
//! Every expiry is a real one: the key is given 250 ms by the script itself, and the schedule waits until the server
//! does not have it any more. Nothing is ever done while a key *may* have expired: when a schedule was held up so
//! long, it is run again from its beginning, at half the pace.
//!
//! Reading order: [`schedule`] (what happens; [`parse`] reads one), [`generate`], [`workers`] (who knows which token), [`call`],
//! [`model`] and [`real`] (the two sides; [`mod@bench`] is the server), [`side`] and [`mod@compare`], [`session`] (one
//! schedule), [`mod@run`] (many), [`mod@shrink`], [`report`].

pub mod bench;
pub mod call;
pub mod compare;
pub mod generate;
pub mod how_we_know;
#[cfg(test)]
mod measured;
pub mod model;
pub mod parse;
pub mod real;
pub mod report;
mod request;
pub mod run;
pub mod schedule;
pub mod session;
pub mod shrink;
pub mod side;
pub mod tally;
pub mod workers;
