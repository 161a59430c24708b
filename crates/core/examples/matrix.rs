//! Prints the crash matrix: what becomes of a job if its worker dies here, with each guard off.
//!
//! `cargo run -q -p enroll-once-core --example matrix`, and with `-- --stories` the story of each cell, or with
//! `-- --json` all of it as data.

use enroll_once_core::check::{
    Verdict,
    matrix::{Cell, Crash, Point, Row, guard_sets},
};

fn main() -> Result<(), serde_json::Error> {
    let rows: Vec<Row> = guard_sets().into_iter().map(Row::of).collect();
    let asked = |flag: &str| std::env::args().any(|argument| argument == flag);
    if asked("--json") {
        println!("{}", serde_json::to_string_pretty(&rows)?);
        return Ok(());
    }
    println!(
        "How a run ends if a worker dies once / if the next dies there too. `-`: nobody gets that far again.\n"
    );
    print_line("guard off", "no crash", |point| format!("{point:?}").to_lowercase());
    for row in &rows {
        print_line(&name(row), short(row.calm.verdict), |point| {
            row.crashes.iter().find(|crash| crash.point == point).map_or(String::new(), verdicts)
        });
    }
    if asked("--stories") {
        rows.iter().for_each(print_stories);
    }
    Ok(())
}

fn print_line(first: &str, second: &str, column: impl Fn(Point) -> String) {
    let columns: Vec<String> = Point::ALL.into_iter().map(|point| format!("{:13}", column(point))).collect();
    println!("{}", format!("{first:19}{second:10}{}", columns.concat()).trim_end());
}

fn name(row: &Row) -> String {
    match row.off.as_slice() {
        [] => "none".to_string(),
        [guard] => guard.to_string(),
        _ => "all".to_string(),
    }
}

fn verdicts(crash: &Crash) -> String {
    let twice = crash.twice.as_ref().map_or("-", |cell| short(cell.verdict));
    format!("{}/{twice}", short(crash.once.verdict))
}

/// The verdict in one word, for a narrow table.
fn short(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::ExactlyOnce => "once",
        Verdict::FailedVisibly => "failed",
        Verdict::Busy | Verdict::Stuck | Verdict::Torn | Verdict::Lost | Verdict::Twice => verdict.words(),
    }
}

fn print_stories(row: &Row) {
    println!("\nguard off: {}", name(row));
    print_story("no crash", &row.calm);
    for crash in &row.crashes {
        print_story(&format!("a crash after {}", crash.after.word()), &crash.once);
        if let Some(twice) = &crash.twice {
            print_story(&format!("two after {}", crash.after.word()), twice);
        }
    }
}

fn print_story(when: &str, cell: &Cell) {
    println!("  {when:24}{:24}{}", cell.verdict.words(), cell.story);
}
