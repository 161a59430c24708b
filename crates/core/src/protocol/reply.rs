//! What the scripts answer, as named values that serialise as the golden traces write them.

use crate::keyspace::Fields;
use alloc::{string::String, sync::Arc, vec::Vec};
use serde::{Serialize, Serializer, ser::SerializeSeq};

/// A refusal by number (`PROTOCOL.md` section 3, "Codes").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// -1: there is no such job hash.
    MissingJob,
    /// -2: nobody holds the lock.
    MissingLock,
    /// -3: the job is not in active. Lock and mark are gone all the same, and fields are written.
    NotActive,
    /// -6: another token holds the lock.
    LockMismatch,
}

impl Code {
    /// The number on the wire.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Code::MissingJob => -1,
            Code::MissingLock => -2,
            Code::NotActive => -3,
            Code::LockMismatch => -6,
        }
    }
}

/// A job as a take hands it to a worker.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TakenJob {
    /// The job's id.
    pub id: String,
    /// Its hash, as it is after the take.
    pub fields: Fields,
}

/// What a take found (rules T4, T9).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Fetched {
    /// A job, now in active under the worker's lock.
    Job(Arc<TakenJob>),
    /// `[0,0,0,0]`: nothing to take.
    Nothing,
}

/// What an acknowledgement answered (rules F1 to F12).
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Finished {
    /// 0: done, and nothing was handed over.
    Done,
    /// Done, and this is the next job, under the same token (F11).
    Next(Arc<TakenJob>),
    /// Refused.
    Refused(Code),
}

/// Any answer, for the record.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Reply {
    /// A job id.
    Id(String),
    /// A number: 0, 1, or a refusal.
    Number(i32),
    /// A list of job ids.
    Ids(Vec<String>),
    /// A job: `[hash as a flat list, id, 0, 0]`.
    Job(Arc<TakenJob>),
    /// `[0,0,0,0]`.
    Nothing,
    /// BZPOPMIN's `[key, member, score]`.
    Popped(Arc<[String; 3]>),
    /// BZPOPMIN's nil.
    TimedOut,
}

impl From<&Fetched> for Reply {
    fn from(fetched: &Fetched) -> Self {
        match fetched {
            Fetched::Job(job) => Reply::Job(job.clone()),
            Fetched::Nothing => Reply::Nothing,
        }
    }
}

impl From<&Finished> for Reply {
    fn from(finished: &Finished) -> Self {
        match finished {
            Finished::Done => Reply::Number(0),
            Finished::Next(job) => Reply::Job(job.clone()),
            Finished::Refused(code) => Reply::Number(code.number()),
        }
    }
}

impl Serialize for Reply {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Reply::Id(id) => id.serialize(to),
            Reply::Number(number) => number.serialize(to),
            Reply::Ids(ids) => ids.serialize(to),
            Reply::Job(job) => {
                let flat: Vec<&String> =
                    job.fields.0.iter().flat_map(|(name, value)| [name, value]).collect();
                let mut list = to.serialize_seq(Some(4))?;
                list.serialize_element(&flat)?;
                list.serialize_element(&job.id)?;
                list.serialize_element(&0)?;
                list.serialize_element(&0)?;
                list.end()
            }
            Reply::Nothing => [0; 4].serialize(to),
            Reply::Popped(popped) => popped.as_slice().serialize(to),
            Reply::TimedOut => to.serialize_none(),
        }
    }
}
