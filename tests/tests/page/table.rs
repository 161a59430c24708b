//! Runs as tables: what a reader presses, and what there is to see then.

use anyhow::Result;
use enroll_once_tests::browser::{Look, Widget};

pub const STEP: &str = "step the job";
pub const CRASH: &str = "crash mid-process";
pub const BACK: &str = "back";
pub const RESET: &str = "reset";

/// press | stage | j_1 is in | enrolled | deliveries | clock | lock | marker | suspects | w1 | w2 | what ran
pub type Table = &'static str;

pub const CLEAN: Table = "
start | waiting   | wait      | 0 | 0 | 00:00.000 | -       | raised       | none | blocked on the marker      | blocked on the marker | addStandardJob
step  | woken     | wait      | 0 | 0 | 00:00.000 | -       | down         | none | awake, takes next          | blocked on the marker | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:00.000 | w1 30 s | handed to w2 | none | has j_1, enrolls next      | handed the marker     | moveToActive
step  | enrolled  | active    | 1 | 1 | 00:00.000 | w1 30 s | handed to w2 | none | enrolled, acknowledges next | handed the marker     | Portal.enroll/2
step  | finished  | completed | 1 | 1 | 00:00.000 | -       | handed to w2 | none | blocked on the marker      | handed the marker     | moveToFinished
";

pub const CRASH_AFTER_ENROLLED: Table = "
start | waiting   | wait      | 0 | 0 | 00:00.000 | -       | raised       | none | blocked on the marker      | blocked on the marker | addStandardJob
step  | woken     | wait      | 0 | 0 | 00:00.000 | -       | down         | none | awake, takes next          | blocked on the marker | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:00.000 | w1 30 s | handed to w2 | none | has j_1, enrolls next      | handed the marker     | moveToActive
step  | enrolled  | active    | 1 | 1 | 00:00.000 | w1 30 s | handed to w2 | none | enrolled, acknowledges next | handed the marker     | Portal.enroll/2
crash | died      | active    | 1 | 1 | 00:00.000 | w1 30 s | handed to w2 | none | died after its effect no longer true: j_1 is mine | handed the marker     | SIGKILL
step  | suspect   | active    | 1 | 1 | 00:20.000 | w1 10 s | down         | j_1  | died after its effect no longer true: j_1 is mine | blocked on the marker | moveStalledJobsToWait
step  | lock gone | active    | 1 | 1 | 00:30.000 | no lock | down         | j_1  | died after its effect no longer true: j_1 is mine | blocked on the marker | expired
step  | returned  | wait      | 1 | 1 | 00:50.000 | -       | handed to w2 | none | died after its effect no longer true: j_1 is mine | handed the marker     | moveStalledJobsToWait
step  | woken     | wait      | 1 | 1 | 00:50.000 | -       | down         | none | died after its effect no longer true: j_1 is mine | awake, takes next | BZPOPMIN
step  | picked up | active    | 1 | 1 | 00:50.000 | w2 30 s | raised       | none | died after its effect no longer true: j_1 is mine | has j_1, enrolls next | moveToActive
step  | enrolled already | active | 1 | 2 | 00:50.000 | w2 30 s | raised   | none | died after its effect no longer true: j_1 is mine | heard already_enrolled, acknowledges next | Portal.enroll/2
step  | finished  | completed | 1 | 2 | 00:50.000 | -       | raised       | none | died after its effect no longer true: j_1 is mine | blocked on the marker | moveToFinished
";

pub const CRASH_AFTER_WOKEN: Table = "
start | waiting   | wait      | 0 | 0 | 00:00.000 | -       | raised | none | blocked on the marker | blocked on the marker       | addStandardJob
step  | woken     | wait      | 0 | 0 | 00:00.000 | -       | down   | none | awake, takes next     | blocked on the marker       | BZPOPMIN
crash | died      | wait      | 0 | 0 | 00:00.000 | -       | down   | none | died with the marker  | blocked on the marker       | SIGKILL
step  | woken     | wait      | 0 | 0 | 00:05.000 | -       | down   | none | died with the marker  | awake, takes next           | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:05.000 | w2 30 s | raised | none | died with the marker  | has j_1, enrolls next       | moveToActive
step  | enrolled  | active    | 1 | 1 | 00:05.000 | w2 30 s | raised | none | died with the marker  | enrolled, acknowledges next | Portal.enroll/2
step  | finished  | completed | 1 | 1 | 00:05.000 | -       | raised | none | died with the marker  | blocked on the marker       | moveToFinished
";

pub const CRASH_AFTER_PICKED_UP: Table = "
start | waiting   | wait      | 0 | 0 | 00:00.000 | -       | raised       | none | blocked on the marker      | blocked on the marker | addStandardJob
step  | woken     | wait      | 0 | 0 | 00:00.000 | -       | down         | none | awake, takes next          | blocked on the marker | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:00.000 | w1 30 s | handed to w2 | none | has j_1, enrolls next      | handed the marker     | moveToActive
crash | died      | active    | 0 | 0 | 00:00.000 | w1 30 s | handed to w2 | none | died before its effect no longer true: j_1 is mine | handed the marker     | SIGKILL
step  | suspect   | active    | 0 | 0 | 00:20.000 | w1 10 s | down         | j_1  | died before its effect no longer true: j_1 is mine | blocked on the marker | moveStalledJobsToWait
step  | lock gone | active    | 0 | 0 | 00:30.000 | no lock | down         | j_1  | died before its effect no longer true: j_1 is mine | blocked on the marker | expired
step  | returned  | wait      | 0 | 0 | 00:50.000 | -       | handed to w2 | none | died before its effect no longer true: j_1 is mine | handed the marker     | moveStalledJobsToWait
step  | woken     | wait      | 0 | 0 | 00:50.000 | -       | down         | none | died before its effect no longer true: j_1 is mine | awake, takes next | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:50.000 | w2 30 s | raised       | none | died before its effect no longer true: j_1 is mine | has j_1, enrolls next | moveToActive
step  | enrolled  | active    | 1 | 1 | 00:50.000 | w2 30 s | raised       | none | died before its effect no longer true: j_1 is mine | enrolled, acknowledges next | Portal.enroll/2
step  | finished  | completed | 1 | 1 | 00:50.000 | -       | raised       | none | died before its effect no longer true: j_1 is mine | blocked on the marker | moveToFinished
";

pub const TWO_CRASHES: Table = "
start | waiting   | wait      | 0 | 0 | 00:00.000 | -       | raised       | none | blocked on the marker      | blocked on the marker | addStandardJob
step  | woken     | wait      | 0 | 0 | 00:00.000 | -       | down         | none | awake, takes next          | blocked on the marker | BZPOPMIN
step  | picked up | active    | 0 | 0 | 00:00.000 | w1 30 s | handed to w2 | none | has j_1, enrolls next      | handed the marker     | moveToActive
step  | enrolled  | active    | 1 | 1 | 00:00.000 | w1 30 s | handed to w2 | none | enrolled, acknowledges next | handed the marker     | Portal.enroll/2
crash | died      | active    | 1 | 1 | 00:00.000 | w1 30 s | handed to w2 | none | died after its effect no longer true: j_1 is mine | handed the marker     | SIGKILL
step  | suspect   | active    | 1 | 1 | 00:20.000 | w1 10 s | down         | j_1  | died after its effect no longer true: j_1 is mine | blocked on the marker | moveStalledJobsToWait
step  | lock gone | active    | 1 | 1 | 00:30.000 | no lock | down         | j_1  | died after its effect no longer true: j_1 is mine | blocked on the marker | expired
step  | returned  | wait      | 1 | 1 | 00:50.000 | -       | handed to w2 | none | died after its effect no longer true: j_1 is mine | handed the marker     | moveStalledJobsToWait
step  | woken     | wait      | 1 | 1 | 00:50.000 | -       | down         | none | died after its effect no longer true: j_1 is mine | awake, takes next | BZPOPMIN
step  | picked up | active    | 1 | 1 | 00:50.000 | w2 30 s | raised       | none | died after its effect no longer true: j_1 is mine | has j_1, enrolls next | moveToActive
crash | died      | active    | 1 | 1 | 00:50.000 | w2 30 s | raised       | none | died after its effect no longer true: j_1 is mine | died before its effect no longer true: j_1 is mine | SIGKILL
step  | started anew | active | 1 | 1 | 00:50.000 | w2 30 s | raised       | none | started anew               | died before its effect no longer true: j_1 is mine | a new process
step  | lock gone | active    | 1 | 1 | 01:20.000 | no lock | down         | none | blocked on the marker      | died before its effect no longer true: j_1 is mine | expired
step  | suspect   | active    | 1 | 1 | 01:20.000 | no lock | down         | j_1  | blocked on the marker      | died before its effect no longer true: j_1 is mine | moveStalledJobsToWait
step  | returned  | wait      | 1 | 1 | 01:50.000 | -       | handed to w1 | none | handed the marker          | died before its effect no longer true: j_1 is mine | moveStalledJobsToWait
step  | woken     | wait      | 1 | 1 | 01:50.000 | -       | down         | none | awake, takes next          | died before its effect no longer true: j_1 is mine | BZPOPMIN
step  | picked up | active    | 1 | 1 | 01:50.000 | w1 30 s | raised       | none | has j_1, must fail it      | died before its effect no longer true: j_1 is mine | moveToActive
step  | failed    | failed    | 1 | 1 | 01:50.000 | -       | raised       | none | blocked on the marker      | died before its effect no longer true: j_1 is mine | moveToFinished
";

/// What a row says.
pub struct Row {
    cells: Vec<&'static str>,
}

impl Row {
    pub fn of(table: Table) -> Vec<Self> {
        let lines = table.lines().filter(|line| !line.is_empty());
        lines.map(|line| Self { cells: line.split('|').map(str::trim).collect() }).collect()
    }

    /// The button that leads here; none for the start.
    pub fn button(&self) -> Option<&'static str> {
        match self.cells[0] {
            "step" => Some(STEP),
            "crash" => Some(CRASH),
            "start" => None,
            other => panic!("no such button: {other}"),
        }
    }

    pub fn stage(&self) -> &'static str {
        self.cells[1]
    }

    /// Presses the button, or waits for the start.
    pub fn press(&self, hero: &Widget) -> Result<Look> {
        match self.button() {
            Some(button) => hero.press_to(button, self.stage()),
            None => hero.until_at(self.stage()),
        }
    }

    /// The same by script: quicker, where it is only to get somewhere.
    pub fn go(&self, hero: &Widget) -> Result<Look> {
        hero.go(self.button().as_slice())?;
        hero.until_at(self.stage())
    }

    /// What there is to see is what the row says.
    #[track_caller]
    pub fn check(&self, look: &Look) {
        assert_eq!(
            cells_of(look).join(" | "),
            self.cells[1..].join(" | "),
            "after {}: {look:#?}",
            self.cells[0]
        );
    }
}

/// The buttons that lead to the end of a table.
pub fn buttons(table: Table) -> Vec<&'static str> {
    Row::of(table).iter().filter_map(Row::button).collect()
}

fn cells_of(look: &Look) -> Vec<String> {
    let fact = |name: &str| look.facts.get(name).cloned().unwrap_or_default();
    let lock = look.job("j_1").and_then(|job| job.lock.clone());
    let lock = lock.map_or("-".into(), |lock| lock.trim_start_matches("lock ").to_owned());
    let digits = |text: &str| text.chars().filter(char::is_ascii_digit).collect::<String>();
    vec![
        look.current.join(" and "),
        look.lanes_of("j_1").join(" and "),
        look.enrolled.clone(),
        digits(&look.deliveries),
        look.clock.trim_start_matches("virtual clock ").to_owned(),
        lock,
        fact("marker"),
        fact("suspects"),
        fact("w1"),
        fact("w2"),
        look.ran.clone().unwrap_or_default(),
    ]
}
