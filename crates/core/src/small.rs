//! Collections for a handful of things, kept as sorted vectors: faster to clone than trees at this size, and a fraction
//! of the bytes in the browser.

use alloc::{string::String, vec::Vec};
use core::borrow::Borrow;
use serde::Serialize;

/// A number in digits. One copy of it for all the places that write one, and none of the formatting machinery.
#[must_use]
#[inline(never)]
pub fn decimal(mut number: u64) -> String {
    let mut digits = String::new();
    loop {
        digits.insert(0, char::from(b'0' + (number % 10) as u8));
        number /= 10;
        if number == 0 {
            return digits;
        }
    }
}

/// The same for one that may be negative.
#[must_use]
pub fn signed(number: i32) -> String {
    let mut digits = decimal(number.unsigned_abs().into());
    if number < 0 {
        digits.insert(0, '-');
    }
    digits
}

/// The number that a text is in digits; `None` for anything else. One copy, like [`decimal`].
#[must_use]
#[inline(never)]
pub fn number(digits: &str) -> Option<u64> {
    digits.parse().ok()
}

/// What stands before the first `at` of a text and what after it; `None` if there is none. `at` is ASCII. One copy, like
/// [`decimal`]: the standard library's is made anew for every kind of pattern.
#[must_use]
#[inline(never)]
pub fn cut(text: &str, at: u8) -> Option<(&str, &str)> {
    let place = text.bytes().position(|byte| byte == at)?;
    Some((text.get(..place)?, text.get(place + 1..)?))
}

/// What stands between one `at` of a text and the next: one piece more than there are. `at` is ASCII. One copy, like
/// [`cut`].
#[must_use]
#[inline(never)]
pub fn pieces(text: &str, at: u8) -> Vec<&str> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some((piece, after)) = cut(rest, at) {
        pieces.push(piece);
        rest = after;
    }
    pieces.push(rest);
    pieces
}

/// Texts in a row with `between` between them. One copy, like [`decimal`].
#[must_use]
#[inline(never)]
pub fn joined(texts: &[String], between: &str) -> String {
    let mut all = String::new();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            all.push_str(between);
        }
        all.push_str(text);
    }
    all
}

/// A set of few members, in order.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
pub struct SmallSet<T>(Vec<T>);

impl<T> Default for SmallSet<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T: Ord> SmallSet<T> {
    /// Adds a member; false if it was there.
    pub fn insert(&mut self, member: T) -> bool {
        let place = self.0.binary_search(&member);
        if let Err(at) = place {
            self.0.insert(at, member);
        }
        place.is_err()
    }

    /// Removes a member; true if it was there.
    pub fn remove<Q: Ord + ?Sized>(&mut self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        let place = self.0.binary_search_by(|candidate| candidate.borrow().cmp(member));
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// Is it a member?
    pub fn contains<Q: Ord + ?Sized>(&self, member: &Q) -> bool
    where
        T: Borrow<Q>,
    {
        self.0.binary_search_by(|candidate| candidate.borrow().cmp(member)).is_ok()
    }
}

impl<T> SmallSet<T> {
    /// The members, in order.
    #[must_use]
    pub fn as_slice(&self) -> &[T] {
        &self.0
    }
}

/// A map from few names to values, in the order of the names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SmallMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SmallMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord + Borrow<str>, V> SmallMap<K, V> {
    fn place(&self, name: &str) -> Result<usize, usize> {
        self.0.binary_search_by(|(key, _)| key.borrow().cmp(name))
    }

    /// The value under `name`.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&V> {
        self.place(name).ok().and_then(|at| self.0.get(at)).map(|(_, value)| value)
    }

    /// The value under `name`, to change it.
    pub fn get_mut(&mut self, name: &str) -> Option<&mut V> {
        let at = self.place(name).ok()?;
        self.0.get_mut(at).map(|(_, value)| value)
    }

    /// Puts a value under a name, in place of the one that was there.
    pub fn insert(&mut self, name: K, value: V) {
        match self.place(name.borrow()) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// The value under `name`, made by `new` if there is none.
    pub fn get_or_insert_with(&mut self, name: &str, new: impl FnOnce() -> (K, V)) -> &mut V {
        let at = self.place(name).unwrap_or_else(|at| {
            self.0.insert(at, new());
            at
        });
        &mut self.0[at].1
    }

    /// Removes what is under `name`; true if there was something.
    pub fn remove(&mut self, name: &str) -> bool {
        let place = self.place(name);
        if let Ok(at) = place {
            self.0.remove(at);
        }
        place.is_ok()
    }

    /// Every name with its value, in order.
    pub fn iter(&self) -> impl Iterator<Item = &(K, V)> {
        self.0.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn numbers_are_written_as_the_standard_library_does() {
        for number in [0, 7, 10, 30_000, u64::MAX] {
            assert_eq!(decimal(number), number.to_string());
        }
        for number in [0, 1, -6, i32::MIN] {
            assert_eq!(signed(number), number.to_string());
        }
    }

    #[test]
    fn a_text_is_cut_where_the_letter_is_and_joined_again() {
        assert_eq!(cut("a:b:c", b':'), Some(("a", "b:c")));
        assert_eq!(cut("é", b':'), None);
        for (text, count) in [("a:é::", 4), ("", 1), ("a", 1)] {
            let pieces: Vec<String> = pieces(text, b':').into_iter().map(String::from).collect();
            assert_eq!((pieces.len(), joined(&pieces, ":").as_str()), (count, text));
        }
    }

    #[test]
    fn a_set_keeps_its_members_in_order_and_each_once() {
        let mut set = SmallSet::<String>::default();
        assert!(set.insert("b".into()) && set.insert("a".into()) && !set.insert("b".into()));
        assert_eq!(set.as_slice(), ["a", "b"]);
        assert!(set.contains("a") && set.remove("a") && !set.remove("a") && !set.contains("a"));
    }

    #[test]
    fn a_map_has_one_value_a_name() {
        let mut map = SmallMap::<String, u8>::default();
        map.insert("b".into(), 1);
        map.insert("a".into(), 2);
        map.insert("b".into(), 3);
        *map.get_or_insert_with("c", || ("c".into(), 0)) += 4;
        assert_eq!(map.iter().map(|(_, value)| *value).collect::<Vec<_>>(), [2, 3, 4]);
        assert!(map.remove("a") && !map.remove("a"));
        assert_eq!(map.get("a"), None);
    }
}
