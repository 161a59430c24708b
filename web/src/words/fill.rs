//! Texts with places in them: `{w} takes {j}`. A text is data; a `format!` for each would be code.

use enroll_once_core::small::cut;

/// The template with its places filled in: a place is a letter in braces, and stands for the value under that letter.
/// One that has no value is left out. There are no other braces in a template.
#[inline(never)]
pub fn fill(template: &str, places: &[(char, &str)]) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = cut(rest, b'{') {
        text.push_str(before);
        let (place, behind) = cut(after, b'}').unwrap_or((after, ""));
        for (letter, value) in places {
            if place.starts_with(*letter) {
                text.push_str(value);
            }
        }
        rest = behind;
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_stand_where_their_letters_were() {
        let places = [('w', "w1"), ('j', "j_1"), ('x', "")];
        assert_eq!(fill("{w} takes {j}{x}, and {w}.", &places), "w1 takes j_1, and w1.");
        assert_eq!(fill("nothing", &places), "nothing");
        assert_eq!(fill("{y}!", &places), "!");
    }
}
