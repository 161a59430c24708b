//! How stages ended, and the closing lines that say so.

use std::time::Duration;

use crate::stages::Stage;

/// How a stage ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It did, in this time.
    Passed(Duration),
    /// One of its commands failed.
    Failed,
    /// Something that it needs cannot be had here: what.
    Skipped(String),
    /// An earlier one failed.
    NotReached,
}

/// Whether all is well. `strict` makes a skip an error.
pub fn passed(outcomes: &[(&Stage, Outcome)], strict: bool) -> bool {
    outcomes.iter().all(|(_, outcome)| match outcome {
        Outcome::Passed(_) => true,
        Outcome::Skipped(_) => !strict,
        Outcome::Failed | Outcome::NotReached => false,
    })
}

/// The closing lines: times, a count, what to do about a failure, and last what ran and what did not. `left_out` names
/// the stages that an option left out.
pub fn lines(outcomes: &[(&Stage, Outcome)], strict: bool, left_out: &str) -> String {
    let (mut lines, mut total) = (Vec::new(), Duration::ZERO);
    let (mut ran, mut failed, mut skipped, mut not_reached) = (vec![], vec![], vec![], vec![]);
    for (Stage { name, .. }, outcome) in outcomes {
        match outcome {
            Outcome::Passed(took) => {
                lines.push(format!("{name:12} {:>8}", seconds(*took)));
                total += *took;
                ran.push((*name).to_owned());
            }
            Outcome::Failed => failed.push((*name).to_owned()),
            Outcome::Skipped(reason) => skipped.push(format!("{name} ({reason})")),
            Outcome::NotReached => not_reached.push((*name).to_owned()),
        }
    }
    lines.push(format!("{:12} {:>8}", "together", seconds(total)));
    let (passes, fails, skips) = (ran.len(), failed.len(), skipped.len());
    lines.push(format!("stages: {passes} passed, {fails} failed, {skips} skipped"));
    if let Some(name) = failed.first() {
        lines.push(format!("{name} failed. To run it alone: cargo xtask test --only {name}"));
    }
    if strict && !skipped.is_empty() {
        lines.push("With CI=true, and with --only, a skipped stage is an error.".to_owned());
    }
    if !left_out.is_empty() {
        skipped.push(left_out.to_owned());
    }
    let mut last = format!("ran: {}", listed(&ran));
    for (word, names) in [("failed", &failed), ("not reached", &not_reached)] {
        if !names.is_empty() {
            last += &format!("; {word}: {}", listed(names));
        }
    }
    lines.push(format!("{last}; skipped: {}", listed(&skipped)));
    lines.join("\n")
}

/// Names for people.
fn listed(names: &[String]) -> String {
    if names.is_empty() { "nothing".to_owned() } else { names.join(", ") }
}

/// A duration for people.
pub fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stages;

    fn outcomes(of: &[(&str, Outcome)]) -> Vec<(&'static Stage, Outcome)> {
        let stage = |name: &str| stages::find(name).unwrap();
        of.iter().map(|(name, outcome)| (stage(name), outcome.clone())).collect()
    }

    fn ok() -> Outcome {
        Outcome::Passed(Duration::from_secs(1))
    }

    #[track_caller]
    fn check_last_line(of: &[(&str, Outcome)], left_out: &str, expected: &str) {
        let text = lines(&outcomes(of), false, left_out);
        assert_eq!(text.lines().last(), Some(expected));
    }

    #[test]
    fn the_last_line_says_what_ran_and_what_was_skipped() {
        check_last_line(&[("format", ok()), ("clippy", ok())], "", "ran: format, clippy; skipped: nothing");
        let no_browser = Outcome::Skipped("no Chromium".into());
        check_last_line(
            &[("format", ok()), ("wasm-tests", no_browser)],
            "",
            "ran: format; skipped: wasm-tests (no Chromium)",
        );
    }

    #[test]
    fn after_a_failure_the_rest_is_not_reached_and_the_cure_is_named() {
        let of = [("format", ok()), ("clippy", Outcome::Failed), ("tests", Outcome::NotReached)];
        check_last_line(&of, "", "ran: format; failed: clippy; not reached: tests; skipped: nothing");
        let text = lines(&outcomes(&of), false, "");
        assert!(text.contains("\nclippy failed. To run it alone: cargo xtask test --only clippy\n"));
        assert!(text.contains("\nstages: 1 passed, 1 failed, 0 skipped\n"));
        assert!(!passed(&outcomes(&of), false));
    }

    #[test]
    fn a_skip_is_an_error_where_it_is_not_allowed() {
        let of = outcomes(&[("format", ok()), ("wasm-tests", Outcome::Skipped("no Chromium".into()))]);
        assert!(passed(&of, false));
        assert!(!passed(&of, true));
        assert!(lines(&of, true, "").contains("a skipped stage is an error"));
    }
}
