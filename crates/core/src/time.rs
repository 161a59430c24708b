//! A value of the virtual clock. Nothing here reads a real one.

use crate::small::{decimal, number};
use alloc::string::String;
use core::fmt;
use serde::Serialize;

/// Milliseconds: an instant since the beginning of a run, or a duration.
///
/// It prints as a story writes it: the largest of `m`, `s`, `ms` that loses nothing.
///
/// ```
/// use enroll_once_core::time::Millis;
/// assert_eq!(Millis(7_500).to_string(), "7500ms");
/// assert_eq!(Millis::parse("2m"), Ok(Millis(120_000)));
/// assert!(Millis::parse("2 h").is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub struct Millis(pub u64);

impl Millis {
    /// Reads `400ms`, `30s` or `2m`: digits and a unit, nothing else. The error says what was expected.
    pub fn parse(text: &str) -> Result<Self, String> {
        let end = text.bytes().position(|byte| !byte.is_ascii_digit()).unwrap_or(text.len());
        let (digits, unit) = text.split_at_checked(end).unwrap_or_default();
        let factor = match unit {
            "ms" => Some(1),
            "s" => Some(1_000),
            "m" => Some(60_000),
            _ => None,
        };
        let ms = number(digits).zip(factor).and_then(|(number, factor)| number.checked_mul(factor));
        ms.map(Self).ok_or_else(|| ["a duration such as 400ms, 30s or 2m, not `", text, "`"].concat())
    }

    /// The instant `by` later; it stops at the end of time instead of wrapping.
    #[must_use]
    pub fn plus(self, by: Self) -> Self {
        Self(self.0.saturating_add(by.0))
    }

    /// How long from `earlier` until `self`; zero if that is past.
    #[must_use]
    pub fn since(self, earlier: Self) -> Self {
        Self(self.0.saturating_sub(earlier.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (number, unit) = match self.0 {
            ms if ms > 0 && ms % 60_000 == 0 => (ms / 60_000, "m"),
            ms if ms % 1_000 == 0 => (ms / 1_000, "s"),
            ms => (ms, "ms"),
        };
        out.write_str(&decimal(number))?;
        out.write_str(unit)
    }
}
