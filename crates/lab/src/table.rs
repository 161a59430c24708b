//! The crash matrix as the page's table: one piece of HTML, written once into the page and once more in the page.

use enroll_once_core::{
    check::{
        Verdict,
        matrix::{Cell, Point, Row},
    },
    reliable_loop::Guard,
};

/// How a verdict is shown: its class, a symbol, and a word for a narrow cell. The whole words are the verdict's own.
fn shown(verdict: Verdict) -> [&'static str; 3] {
    match verdict {
        Verdict::ExactlyOnce => ["once", "✓", "once"],
        Verdict::Busy => ["busy", "↻", "busy"],
        Verdict::FailedVisibly => ["failed", "!", "failed"],
        Verdict::Stuck => ["stuck", "‖", "stuck"],
        Verdict::Torn => ["torn", "≠", "torn"],
        Verdict::Lost => ["lost", "∅", "lost"],
        Verdict::Twice => ["twice", "⊕", "twice"],
    }
}

/// What a verdict means, after its word.
#[cfg(test)]
fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ExactlyOnce => "exactly once in effect: completed and recorded once, however often it ran",
        Verdict::Busy => "the same, but idle workers send commands in vain",
        Verdict::FailedVisibly => "failed visibly: in <code>failed</code>, where somebody will look",
        Verdict::Stuck => "in <code>wait</code> or <code>active</code> for ever",
        Verdict::Torn => "the learner is enrolled, but the job is in no place: the queue does not know",
        Verdict::Lost => "not enrolled, and nothing is left that would ever do it",
        Verdict::Twice => "the learner is enrolled twice",
    }
}

/// The name of a point, in the words of the hero's rail.
fn heading(point: Point) -> &'static str {
    match point {
        Point::Slept => "slept",
        Point::Woken => "woken",
        Point::Taken => "picked up",
        Point::Enrolled => "enrolled",
        Point::Unlocked => "unlocked",
        Point::Removed => "removed",
        Point::Finished => "finished",
    }
}

/// The name of a form of the loop: in its row, and in a sentence.
fn name(off: &[Guard]) -> (&'static str, String) {
    match off {
        [] => ("none", "every pattern on".into()),
        [guard] => (guard.code(), [guard.code(), " off"].concat()),
        _ => ("all", "every pattern off".into()),
    }
}

/// What stands in the page before any script runs: the table, in a region of its own that scrolls where it is narrow, and
/// what the verdicts mean.
#[cfg(test)]
pub fn page(rows: &[Row]) -> String {
    let mut html = Html { text: String::new(), alive: false };
    html.put(&["<div class=\"scrolls\" role=\"region\" aria-labelledby=\"necessary\" tabindex=\"0\">\n"]);
    html.table(rows);
    html.put(&["</div>\n<dl class=\"verdicts\">\n"]);
    for verdict in Verdict::ALL {
        html.put(&["<div><dt>"]);
        html.verdict(verdict);
        html.put(&["</dt><dd>", meaning(verdict), "</dd></div>\n"]);
    }
    html.put(&["</dl>\n"]);
    html.text
}

/// The table with a button for every verdict, in the place of a text of the same size: it names its run and carries the
/// run's opening in `data-story`.
pub fn alive(rows: &[Row]) -> String {
    let mut html = Html { text: String::new(), alive: true };
    html.table(rows);
    html.text
}

struct Html {
    text: String,
    alive: bool,
}

impl Html {
    fn put(&mut self, pieces: &[&str]) {
        for piece in pieces {
            self.text.push_str(piece);
        }
    }

    fn table(&mut self, rows: &[Row]) {
        self.put(&[
            "<table class=\"matrix\">\n<caption>What becomes of one job, with a pattern off and a worker that dies</caption>\n\
             <thead>\n<tr><th rowspan=\"2\" scope=\"col\">pattern off</th><th rowspan=\"2\" scope=\"col\">no crash</th>\
             <th colspan=\"7\" scope=\"colgroup\">a worker dies as soon as it has …</th></tr>\n<tr>",
        ]);
        for point in Point::ALL {
            self.put(&["<th scope=\"col\">", heading(point), "</th>"]);
        }
        self.put(&["</tr>\n</thead>\n"]);
        rows.iter().for_each(|row| self.row(row));
        self.put(&["</table>\n"]);
    }

    /// One form of the loop, in two lines: one worker dies, or the next one too.
    fn row(&mut self, row: &Row) {
        let (name, form) = name(&row.off);
        self.put(&["<tbody>\n<tr><th scope=\"rowgroup\"><code>", name, "</code></th><td>"]);
        self.cell(&form, "no crash", &row.calm);
        self.put(&["</td>"]);
        self.crashes(row, &form, false);
        self.put(&["<tr class=\"again\"><th scope=\"row\">the next dies too</th><td></td>"]);
        self.crashes(row, &form, true);
        self.put(&["</tbody>\n"]);
    }

    fn crashes(&mut self, row: &Row, form: &str, again: bool) {
        for point in Point::ALL {
            self.put(&["<td>"]);
            if let Some(crash) = row.crashes.iter().find(|crash| crash.point == point) {
                let (cell, times) = if again {
                    (crash.twice.as_ref(), "two crashes after ")
                } else {
                    (Some(&crash.once), "a crash after ")
                };
                if let Some(cell) = cell {
                    self.cell(form, &[times, heading(point)].concat(), cell);
                }
            }
            self.put(&["</td>"]);
        }
        self.put(&["</tr>\n"]);
    }

    fn cell(&mut self, form: &str, when: &str, cell: &Cell) {
        if !self.alive {
            return self.verdict(cell.verdict);
        }
        let [class, symbol, word] = shown(cell.verdict);
        self.put(&[
            "<button type=\"button\" class=\"verdict ",
            class,
            "\" data-story=\"",
            opening(&cell.story),
            "\" aria-label=\"",
            form,
            ", ",
            when,
            ": ",
            cell.verdict.words(),
            "\"><i>",
            symbol,
            "</i> ",
            word,
            "</button>",
        ]);
    }

    fn verdict(&mut self, verdict: Verdict) {
        let [class, symbol, word] = shown(verdict);
        self.put(&[
            "<span class=\"verdict ",
            class,
            "\"><i aria-hidden=\"true\">",
            symbol,
            "</i> ",
            word,
            "</span>",
        ]);
    }
}

/// The story as far as its last crash; without one, as far as the job's arrival. What follows is only steps, and those
/// are the reader's.
fn opening(mut story: &str) -> &str {
    while let Some(before) = story.strip_suffix(",step") {
        story = before;
    }
    story
}

#[cfg(test)]
mod tests {
    use super::*;
    use enroll_once_core::{check::matrix::guard_sets, story::Story};

    #[track_caller]
    fn check(story: &str, expected: &str) {
        assert_eq!(opening(story), expected);
    }

    #[test]
    fn a_run_opens_at_its_last_crash_or_where_the_job_comes() {
        check("add,step,step", "add");
        check(
            "off=lock,add,step,w1:crash,step,w2:crash,step,step",
            "off=lock,add,step,w1:crash,step,w2:crash",
        );
        check("add,step,w1:crash", "add,step,w1:crash");
        for row in guard_sets().into_iter().map(Row::of) {
            let crashed = row.crashes.iter().flat_map(|crash| [Some(&crash.once), crash.twice.as_ref()]);
            for cell in crashed.flatten().chain([&row.calm]) {
                let opened = Story::parse(opening(&cell.story)).unwrap();
                let last = opened.tokens.last().map(ToString::to_string).unwrap_or_default();
                assert!(last == "add" || last.ends_with(":crash"), "{last} of {}", cell.story);
            }
        }
    }
}
