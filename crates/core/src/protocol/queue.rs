//! The names of a queue's keys (`PROTOCOL.md` section 1).

use crate::keyspace::Key;
use alloc::string::String;

/// A queue: its name and the prefix that all its keys share, `emq:enroll:`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Queue {
    prefix: String,
}

impl Queue {
    /// The queue `name` under the prefix `emq`.
    #[must_use]
    pub fn named(name: &str) -> Self {
        Self { prefix: ["emq:", name, ":"].concat() }
    }

    /// A queue whose keys all begin with `prefix`, colon included.
    #[must_use]
    pub fn with_prefix(prefix: &str) -> Self {
        Self { prefix: prefix.into() }
    }

    /// What every key begins with, colon included.
    #[must_use]
    pub fn prefix(&self) -> &str {
        &self.prefix
    }

    /// The full name of one of the queue's keys: `key("wait")` is `emq:enroll:wait`.
    #[must_use]
    pub fn key(&self, name: &str) -> Key {
        [self.prefix.as_str(), name].concat()
    }

    /// The hash of a job.
    #[must_use]
    pub fn job(&self, id: &str) -> Key {
        self.key(id)
    }

    /// The lock of a job: a string that holds the owner's token and expires by itself.
    #[must_use]
    pub fn lock(&self, id: &str) -> Key {
        [self.prefix.as_str(), id, ":lock"].concat()
    }
}
