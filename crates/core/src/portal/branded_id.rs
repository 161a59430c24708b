//! Ids that say what they are the id of: three capital letters and eleven base-62 characters.

use alloc::string::{String, ToString};
use serde::{Serialize, Serializer};

/// A learner's id, `USR...`.
pub type UserId = BrandedId<{ u32::from_be_bytes(*b"\0USR") }>;
/// A course's id, `CRS...`.
pub type CourseId = BrandedId<{ u32::from_be_bytes(*b"\0CRS") }>;

/// An id of the brand `B` (the three letters, packed into a number so that the compiler tells the kinds apart).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BrandedId<const B: u32>(String);

impl<const B: u32> BrandedId<B> {
    /// Reads an id of this brand; `None` for anything else.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let [_, brand @ ..] = B.to_be_bytes();
        let body = text.as_bytes().strip_prefix(&brand)?;
        (body.len() == 11 && body.iter().all(u8::is_ascii_alphanumeric)).then(|| Self(text.to_string()))
    }

    /// What an id of this brand looks like, for a message about a bad one.
    #[must_use]
    pub fn expected() -> String {
        let [_, brand @ ..] = B.to_be_bytes();
        let brand: String = brand.iter().map(|byte| char::from(*byte)).collect();
        [&brand, " and eleven letters or digits, such as ", &brand, "0KHTOWnGLuC"].concat()
    }

    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl<const B: u32> Serialize for BrandedId<B> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, is_user: bool, is_course: bool) {
        assert_eq!((UserId::parse(text).is_some(), CourseId::parse(text).is_some()), (is_user, is_course));
    }

    #[test]
    fn an_id_is_its_brand_and_eleven_base_62_characters() {
        check("USR0KHTOWnGLuC", true, false);
        check("CRS0KHTOWnGLuC", false, true);
        check("USR0KHTOWnGLu", false, false);
        check("USR0KHTOWnGLuCx", false, false);
        check("usr0KHTOWnGLuC", false, false);
        check("USR0KHTOWnGL-C", false, false);
        check("USR0KHTOWnGLué", false, false);
        check("", false, false);
    }

    #[test]
    fn a_bad_id_is_told_what_was_expected() {
        assert_eq!(UserId::expected(), "USR and eleven letters or digits, such as USR0KHTOWnGLuC");
    }
}
