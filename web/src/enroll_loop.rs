//! `<enroll-loop>`, the hero: one enroll job through the loop, press by press.

mod controls;
mod instrument;
mod rail;
mod ran;

use crate::{
    embed::{LoopSnapshot, Options, Problem},
    widget::{Ask, Link},
    words,
};
use enroll_once_core::{story::Token, timeline::Timeline, view::LoopView};
use yew::prelude::*;

/// The hero's state: a timeline, and what is seen of it.
pub struct EnrollLoop {
    timeline: Timeline,
    view: LoopView,
}

impl EnrollLoop {
    /// Opens the story that the options name, as far as it is good and can happen; and what was wrong.
    pub fn open(options: &Options) -> (Self, Vec<Problem>) {
        let (story, mut problems) = options.read_loop();
        let (timeline, refused) = Timeline::open(&story);
        problems.extend(refused.map(|refused| Problem {
            code: "story",
            message: format!("story: `{}` cannot happen there: {}", refused.token, refused.refusal),
        }));
        (Self { view: LoopView::of(&timeline), timeline }, problems)
    }

    /// Does what is asked, if it can happen. True if something changed.
    pub fn answer(&mut self, ask: Ask) -> bool {
        let changed = match ask {
            Ask::Step => self.timeline.press(&Token::Step).is_ok(),
            Ask::Crash => self.timeline.press(&Token::Crash).is_ok(),
            Ask::Back => self.timeline.back(),
            Ask::Reset => {
                let away = !self.timeline.is_home();
                self.timeline.reset();
                away
            }
            Ask::Run(_) => false,
        };
        if changed {
            self.view = LoopView::of(&self.timeline);
        }
        changed
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> LoopSnapshot {
        LoopSnapshot::of(&self.view)
    }

    /// The whole instrument.
    pub fn show(&self, link: &Link, announce: bool) -> Html {
        let view = &self.view;
        html! {
            <>
                { rail::rail(view) }
                { instrument::stage(view) }
                { instrument::under(view) }
                { sentence(&words::sentence(view), words::meanwhile(&view.quiet), announce) }
                { controls::controls(view, link) }
                { ran::ran(view) }
            </>
        }
    }
}

/// What happened and why, announced once a press; and a quiet line for what ran in vain.
pub(crate) fn sentence(text: &str, meanwhile: Option<String>, announce: bool) -> Html {
    html! {
        <div class="say" part="sentence">
            <p role={announce.then_some("status")} aria-atomic={announce.then_some("true")}>{ text }</p>
            <p class="meanwhile">{ meanwhile.unwrap_or_default() }</p>
        </div>
    }
}
