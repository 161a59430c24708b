//! What a key can hold.

use crate::{small::SmallSet, time::Millis};
use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use serde::{Serialize, Serializer, ser::SerializeMap};

/// A value of one of the six Redis types in use.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Value {
    /// Head first.
    List(Vec<String>),
    /// Members with their scores, lowest score first (equal scores: by member). Scores here are whole numbers.
    SortedSet(Vec<(String, u64)>),
    /// Unordered in Redis; sorted here.
    Set(SmallSet<String>),
    /// Fields in order of their first appearance.
    Hash(Fields),
    /// Plain text.
    Text(String),
    /// An append-only log.
    Stream(Vec<StreamEntry>),
}

/// The fields of a hash or of a stream entry, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Fields(pub Vec<(String, String)>);

/// The id that the server gives to a stream entry: its clock, and a number within that millisecond.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StreamId {
    /// The server's clock.
    pub at: Millis,
    /// Counts from 0 within one millisecond.
    pub sequence: u32,
}

/// One entry of a stream.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct StreamEntry {
    /// Given by the server.
    pub id: StreamId,
    /// The field `event` comes first (`PROTOCOL.md` section 5).
    pub fields: Fields,
}

impl Fields {
    /// The value of `field`.
    #[must_use]
    pub fn get(&self, field: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| name == field).map(|(_, value)| value.as_str())
    }

    /// Overwrites `field` in its place, or appends it.
    pub fn set(&mut self, field: &str, value: &str) {
        match self.0.iter_mut().find(|(name, _)| name == field) {
            Some((_, old)) => *old = value.to_string(),
            None => self.0.push((field.to_string(), value.to_string())),
        }
    }

    /// Removes `field`; true if it was there.
    pub fn remove(&mut self, field: &str) -> bool {
        remove_named(&mut self.0, field)
    }
}

impl Value {
    /// Redis' own word for the type, as `TYPE` answers it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Value::List(_) => "list",
            Value::SortedSet(_) => "zset",
            Value::Set(_) => "set",
            Value::Hash(_) => "hash",
            Value::Text(_) => "string",
            Value::Stream(_) => "stream",
        }
    }

    /// What it holds, if that is a `T`: `value.as_type::<Fields>()`.
    #[must_use]
    pub fn as_type<T: Stored>(&self) -> Option<&T> {
        T::of(self)
    }

    /// Is it a set or sorted set with this member?
    #[must_use]
    pub fn has_member(&self, member: &str) -> bool {
        match self {
            Value::Set(set) => set.contains(member),
            Value::SortedSet(set) => set.iter().any(|(name, _)| name == member),
            Value::List(_) | Value::Hash(_) | Value::Text(_) | Value::Stream(_) => false,
        }
    }

    /// The members of a list, head first, or of a set, sorted; none for any other type.
    pub(super) fn members(&self) -> &[String] {
        match self {
            Value::List(list) => list,
            Value::Set(set) => set.as_slice(),
            Value::SortedSet(_) | Value::Hash(_) | Value::Text(_) | Value::Stream(_) => &[],
        }
    }

    /// Removes a member of a set or sorted set, or a field of a hash; true if it was there.
    pub(super) fn remove(&mut self, name: &str) -> bool {
        match self {
            Value::Set(set) => set.remove(name),
            Value::SortedSet(set) => remove_named(set, name),
            Value::Hash(fields) => fields.remove(name),
            Value::List(_) | Value::Text(_) | Value::Stream(_) => false,
        }
    }

    /// An empty container does not exist as a key. A stream does, and so does an empty text.
    pub(super) fn is_empty_container(&self) -> bool {
        match self {
            Value::List(list) => list.is_empty(),
            Value::SortedSet(set) => set.is_empty(),
            Value::Set(set) => set.as_slice().is_empty(),
            Value::Hash(fields) => fields.0.is_empty(),
            Value::Text(_) | Value::Stream(_) => false,
        }
    }
}

/// Removes the pair with this name; true if it was there.
pub(super) fn remove_named<T>(pairs: &mut Vec<(String, T)>, name: &str) -> bool {
    for at in 0..pairs.len() {
        if pairs[at].0 == name {
            pairs.remove(at);
            return true;
        }
    }
    false
}

/// A Rust type that one of the Redis types is stored as.
pub trait Stored: Sized {
    /// What it holds, if it is of this type.
    fn of(value: &Value) -> Option<&Self>;
    /// The same, to change it.
    fn of_mut(value: &mut Value) -> Option<&mut Self>;
    /// A new key of this type.
    fn empty() -> Value;
}

macro_rules! stored_as {
    ($($variant:ident: $type:ty),* $(,)?) => {$(
        impl Stored for $type {
            fn of(value: &Value) -> Option<&Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn of_mut(value: &mut Value) -> Option<&mut Self> {
                if let Value::$variant(inner) = value { Some(inner) } else { None }
            }
            fn empty() -> Value {
                Value::$variant(<$type>::default())
            }
        }
    )*};
}

stored_as! {
    List: Vec<String>,
    SortedSet: Vec<(String, u64)>,
    Set: SmallSet<String>,
    Hash: Fields,
    Text: String,
    Stream: Vec<StreamEntry>,
}

impl Serialize for Value {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        match self {
            Value::List(list) => list.serialize(to),
            Value::SortedSet(set) => {
                to.collect_seq(set.iter().map(|(member, score)| (member, score.to_string())))
            }
            Value::Set(set) => set.serialize(to),
            Value::Hash(fields) => fields.serialize(to),
            Value::Text(text) => text.serialize(to),
            Value::Stream(entries) => entries.serialize(to),
        }
    }
}

impl Serialize for Fields {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let mut map = to.serialize_map(Some(self.0.len()))?;
        for (field, value) in &self.0 {
            map.serialize_entry(field, value)?;
        }
        map.end()
    }
}

impl Serialize for StreamId {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{}-{}", self.at.0, self.sequence))
    }
}
