//! `<enroll-proof>`: the same enroll job, as often as one likes, through Portal's real fold.

use crate::{
    embed::{Options, Problem, ProofSnapshot},
    enroll_loop::sentence,
    ui::Button,
    widget::{Ask, Link, asks},
    words::{self, label},
};
use enroll_once_core::{
    portal::{LearnerEnrolled, PortalError},
    proof::Proof,
};
use yew::prelude::*;

/// The proof's state.
pub struct EnrollProof {
    opened: Proof,
    proof: Proof,
}

/// How many of the latest runs are listed; the first is always there.
const LATEST: usize = 6;

impl EnrollProof {
    /// Opens with the runs that the options name; and what was wrong.
    pub fn open(options: &Options) -> (Self, Vec<Problem>) {
        let (runs, learner, course, problems) = options.read_proof();
        let mut proof = Proof::new(&learner, &course);
        for _ in 0..runs {
            proof.run();
        }
        (Self { opened: proof.clone(), proof }, problems)
    }

    /// Does what is asked. True if something changed.
    pub fn answer(&mut self, ask: Ask) -> bool {
        let before = self.proof.deliveries();
        match ask {
            Ask::Run(times) => {
                for _ in 0..times {
                    if !self.proof.run() {
                        break;
                    }
                }
            }
            Ask::Reset => self.proof = self.opened.clone(),
            Ask::Step | Ask::Crash | Ask::Back => {}
        }
        self.proof.deliveries() != before
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> ProofSnapshot {
        ProofSnapshot::of(&self.proof)
    }

    /// The whole widget.
    pub fn show(&self, link: &Link, announce: bool) -> Html {
        let full = self.proof.deliveries() >= Proof::MOST_RUNS;
        let home = self.proof.deliveries() == self.opened.deliveries();
        let show = |label, class, off, ask| Button { label, class, off, reason: None }.show(asks(link, ask));
        html! {
            <>
                <div class="tally">
                    <section class="runs" aria-labelledby="runs">
                        <h3 id="runs">{ "what each run answered" }</h3>
                        { runs(&self.proof) }
                    </section>
                    <section class="log" aria-labelledby="log">
                        <h3 id="log">{ "Portal's log" }</h3>
                        { log(self.proof.log()) }
                    </section>
                    { count(self.proof.enrolled(), self.proof.deliveries()) }
                </div>
                { sentence(&words::proof(&self.proof), None, announce) }
                <div class="controls">
                    <div class="buttons">
                        { show(label::RUN, "main", full, Ask::Run(1)) }
                        { show(label::RUN_TEN, "outline", full, Ask::Run(10)) }
                        <span class="apart">{ show(label::RESET, "plain", home, Ask::Reset) }</span>
                    </div>
                </div>
            </>
        }
    }
}

/// The enrolled count, large, and the deliveries, small.
pub(crate) fn count(enrolled: usize, deliveries: usize) -> Html {
    html! {
        <section class="count" aria-labelledby="enrolled" part="count">
            <h3 id="enrolled">{ "enrolled" }</h3>
            <p class={if enrolled > 0 { "number green" } else { "number" }}>{ enrolled.to_string() }</p>
            <p class="soft">{ words::deliveries(deliveries) }</p>
        </section>
    }
}

fn runs(proof: &Proof) -> Html {
    let all = proof.runs();
    if all.is_empty() {
        return html! { <p class="soft">{ "not run yet" }</p> };
    }
    let hidden = all.len().saturating_sub(LATEST + 1);
    let latest = all.iter().enumerate().skip(1 + hidden);
    html! {
        <ol class="answers">
            { answer(1, &all[0]) }
            if hidden > 0 {
                <li class="soft gap">{ words::hidden_runs(hidden) }</li>
            }
            for (index, run) in latest { { answer(index + 1, run) } }
        </ol>
    }
}

fn answer(number: usize, run: &Result<LearnerEnrolled, PortalError>) -> Html {
    html! {
        <li key={number}>
            <span class="soft">{ number.to_string() }</span>
            <code class={if run.is_ok() { "green" } else { "" }}>{ words::answer(run) }</code>
            <span class="soft">{ words::written(run) }</span>
        </li>
    }
}

/// The log as it is: every event with its fields.
fn log(log: &[LearnerEnrolled]) -> Html {
    if log.is_empty() {
        return html! { <p class="soft">{ "no event" }</p> };
    }
    html! {
        <ol class="events">
            for event in log {
                <li>
                    <code>
                        <b>{ "%LearnerEnrolled" }</b>{ "{" }<br />
                        { "  user_id: " }{ event.user_id.as_str() }{ "," }<br />
                        { "  course_id: " }{ event.course_id.as_str() }{ "," }<br />
                        { "  at: " }{ words::clock(event.at) }<br />
                        { "}" }
                    </code>
                </li>
            }
        </ol>
    }
}
