//! `<enroll-proof>`: the same enroll job, as often as one likes, through Portal's real fold.

use crate::{
    embed::{Options, Problem, of_proof},
    enroll_loop::{AT_START, at_start, sentence},
    ui::{Attr, Button, El, el, fragment},
    widget::Ask,
    words::{self, label},
};
use enroll_once_core::{
    portal::{LearnerEnrolled, PortalError},
    proof::Proof,
    small::decimal,
};
use wasm_bindgen::JsValue;

/// The proof's state.
pub struct EnrollProof {
    /// How many runs it opened with.
    opened: usize,
    proof: Proof,
}

/// The id of the text that says why there are no more runs.
const FULL: &str = "full";

/// How many of the latest runs are listed; the first is always there.
const LATEST: usize = 6;

impl EnrollProof {
    /// Opens with the runs that the options name; and what was wrong.
    pub fn open(options: &Options) -> (Self, Vec<Problem>) {
        let (runs, learner, course, problems) = options.read_proof();
        let mut proof = Proof::new(&learner, &course);
        run(&mut proof, runs);
        (Self { opened: proof.deliveries(), proof }, problems)
    }

    /// Does what is asked. True if something changed.
    pub fn answer(&mut self, ask: Ask) -> bool {
        let before = self.proof.deliveries();
        match ask {
            Ask::Run(times) => run(&mut self.proof, times as usize),
            Ask::Reset => {
                self.proof.reset();
                run(&mut self.proof, self.opened);
            }
            Ask::Step | Ask::Crash | Ask::Back => {}
        }
        self.proof.deliveries() != before
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> JsValue {
        of_proof(&self.proof)
    }

    /// The whole widget.
    pub fn show(&self, announce: bool) -> El {
        let full = self.proof.deliveries() >= Proof::MOST_RUNS;
        let home = self.proof.deliveries() == self.opened;
        let show = |label, class, off, reason| Button { label, class, off, reason }.show();
        let tally = el("div.tally")
            .child(titled("div.runs", "runs", "what each run answered").child(runs(&self.proof)))
            .child(titled("div.log", "log", "Portal's log").child(log(self.proof.log())))
            .child(count(self.proof.enrolled(), self.proof.deliveries()));
        let buttons = el("div.buttons")
            .child(show(label::RUN, "main", full, FULL).attr(Attr::Value, "1"))
            .child(show(label::RUN_TEN, "outline", full, FULL).attr(Attr::Value, "10"))
            .child(el("span.apart").child(show(label::RESET, "plain", home, AT_START)));
        let why_full = el("span").attr(Attr::Id, FULL).text(label::FULL);
        fragment()
            .child(tally)
            .child(sentence(&words::proof(&self.proof), "", announce))
            .child(el("div.controls").child(buttons).child(at_start()).child(why_full))
    }
}

fn run(proof: &mut Proof, times: usize) {
    for _ in 0..times {
        if !proof.run() {
            break;
        }
    }
}

/// A part that its title labels.
fn titled(what: &'static str, id: &'static str, title: &'static str) -> El {
    el(what)
        .attr(Attr::Role, "group")
        .attr(Attr::AriaLabelledby, id)
        .child(el("h3").attr(Attr::Id, id).text(title))
}

/// The enrolled count, large, and the deliveries, small.
pub(crate) fn count(enrolled: usize, deliveries: usize) -> El {
    titled("div.count", "enrolled", "enrolled")
        .attr(Attr::Part, "count")
        .child(el(if enrolled > 0 { "p.number green" } else { "p.number" }).text(&decimal(enrolled as u64)))
        .child(el("p.soft").text(&words::deliveries(deliveries)))
}

fn runs(proof: &Proof) -> El {
    let all = proof.runs();
    let Some((first, later)) = all.split_first() else { return el("p.soft").text("not run yet") };
    let hidden = later.len().saturating_sub(LATEST);
    let mut latest = fragment();
    for (index, run) in later.iter().enumerate().skip(hidden) {
        latest = latest.child(answer(index + 2, run));
    }
    let gap = (hidden > 0).then(|| el("li.soft gap").text(&words::hidden_runs(hidden)));
    el("ol.answers").child(answer(1, first)).maybe(gap).child(latest)
}

fn answer(number: usize, run: &Result<LearnerEnrolled, PortalError>) -> El {
    let number = decimal(number as u64);
    el("li")
        .key(&number)
        .child(el("span.soft").text(&number))
        .child(el(if run.is_ok() { "code.green" } else { "code" }).text(&words::answer(run)))
        .child(el("span.soft").text(words::written(run)))
}

/// The log as it is: every event with its fields.
fn log(log: &[LearnerEnrolled]) -> El {
    if log.is_empty() {
        return el("p.soft").text("no event");
    }
    let mut events = el("ol.events");
    for event in log {
        let code = el("code")
            .child(el("b").text("%LearnerEnrolled"))
            .text("{")
            .child(el("br"))
            .text("  user_id: ")
            .text(event.user_id.as_str())
            .text(",")
            .child(el("br"))
            .text("  course_id: ")
            .text(event.course_id.as_str())
            .text(",")
            .child(el("br"))
            .text("  at: ")
            .text(&words::clock(event.at))
            .child(el("br"))
            .text("}");
        events = events.child(el("li").child(code));
    }
    events
}
