//! What a reader sees of a widget, and what its page hears, read from the rendered page.

use serde::Deserialize;
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// `<enroll-loop>`, as texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Look {
    /// The stops of the rail, row by row.
    pub rail: Vec<Vec<String>>,
    /// Those of them that are marked as the current step.
    pub current: Vec<String>,
    /// The virtual clock.
    pub clock: String,
    /// The lanes that are shown, and the jobs in them.
    pub lanes: BTreeMap<String, Vec<Job>>,
    /// The large number.
    pub enrolled: String,
    /// The small one.
    pub deliveries: String,
    /// What stands beside a name: the marker, `w1`, `w2`, the suspects, the sweep guard, Portal's log.
    pub facts: BTreeMap<String, String>,
    /// The live region's.
    pub sentence: String,
    /// The quiet line under it.
    pub meanwhile: String,
    /// What just ran: the name of the box.
    pub ran: Option<String>,
    /// And the commands that are shown of it.
    pub commands: Vec<String>,
    /// The buttons, in order.
    pub buttons: Vec<Button>,
    /// What was not understood.
    pub problems: Vec<String>,
}

/// `<enroll-proof>`, as texts.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct ProofLook {
    /// The runs that are listed: number, answer, and what it wrote.
    pub answers: Vec<String>,
    /// Portal's log, event by event.
    pub log: Vec<String>,
    /// The large number.
    pub enrolled: String,
    /// The small one.
    pub deliveries: String,
    /// The live region's.
    pub sentence: String,
    /// The buttons, in order.
    pub buttons: Vec<Button>,
    /// What was not understood.
    pub problems: Vec<String>,
}

/// An event of a widget that reached the document, or (`uncaught`) what nobody caught.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Heard {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The id of the element that it came from, or else its tag.
    pub target: Option<String>,
    /// What was wrong.
    pub code: Option<String>,
    /// And in words.
    pub message: Option<String>,
    /// Who asked for a change: `user` or `api`.
    pub source: Option<String>,
    /// What there is to see since then.
    pub snapshot: Option<Json>,
    /// Whether it bubbles, is composed, and can be cancelled.
    pub manners: Option<Json>,
}

/// A job in its lane.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Job {
    /// Its id.
    pub id: String,
    /// How it stands with it, in a word.
    pub state: String,
    /// Its lock, in words; none outside active.
    pub lock: Option<String>,
    /// What is noted on it.
    pub marks: Vec<String>,
    /// How often it was taken and returned.
    pub title: String,
}

/// A button.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct Button {
    /// Its label.
    pub label: String,
    /// It makes no sense now.
    pub off: bool,
    /// Why, for those who hear the page; none if it says nothing or what it points at is not there.
    pub why: Option<String>,
}

impl Look {
    /// The lanes that hold this job: exactly one, if all is well.
    #[must_use]
    pub fn lanes_of(&self, id: &str) -> Vec<&str> {
        let holds = |jobs: &[Job]| jobs.iter().filter(|job| job.id == id).count();
        self.lanes.iter().flat_map(|(name, jobs)| vec![name.as_str(); holds(jobs)]).collect()
    }

    /// The job of this id.
    #[must_use]
    pub fn job(&self, id: &str) -> Option<&Job> {
        self.lanes.values().flatten().find(|job| job.id == id)
    }

    /// The button with this label.
    #[must_use]
    pub fn button(&self, label: &str) -> Option<&Button> {
        self.buttons.iter().find(|button| button.label == label)
    }
}
