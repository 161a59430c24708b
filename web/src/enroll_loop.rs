//! `<enroll-loop>`, the hero: one enroll job through the loop, press by press.

mod controls;

mod instrument;
mod rail;
mod ran;

pub(crate) use controls::{AT_START, at_start};

use crate::{
    embed::{Options, Problem, of_loop},
    ui::{Attr, El, el, fragment},
    widget::Ask,
    words,
};
use enroll_once_core::{
    story::Token,
    timeline::Timeline,
    view::{LoopView, rail as stops},
};
use wasm_bindgen::JsValue;

/// The hero's state.
pub struct EnrollLoop {
    timeline: Timeline,
}

impl EnrollLoop {
    /// Opens the story that the options name, as far as it is good and can happen; and what was wrong.
    pub fn open(options: &Options) -> (Self, Vec<Problem>) {
        let (story, mut problems) = options.read_loop();
        let (timeline, refused) = Timeline::open(&story);
        if let Some(refused) = refused {
            let why = refused.refusal.to_string();
            let message = ["story: `", &refused.token, "` cannot happen there: ", &why].concat();
            problems.push(Problem { code: "story", message });
        }
        (Self { timeline }, problems)
    }

    /// Does what is asked, if it can happen. True if something changed.
    pub fn answer(&mut self, ask: Ask) -> bool {
        match ask {
            Ask::Step => self.timeline.press(&Token::Step).is_ok(),
            Ask::Crash => self.timeline.press(&Token::Crash).is_ok(),
            Ask::Back => self.timeline.back(),
            Ask::Reset => {
                let away = !self.timeline.is_home();
                self.timeline.reset();
                away
            }
            Ask::Run(_) => false,
        }
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> JsValue {
        of_loop(&LoopView::of(&self.timeline))
    }

    /// The whole instrument.
    pub fn show(&self, announce: bool) -> El {
        let view = &LoopView::of(&self.timeline);
        fragment()
            .child(rail::rail(view, &stops(&self.timeline)))
            .child(instrument::stage(view))
            .child(instrument::under(view))
            .child(sentence(&words::sentence(view), &words::meanwhile(&view.quiet), announce))
            .child(controls::controls(view))
            .child(ran::ran(view))
    }
}

/// What happened and why, announced once a press; and a quiet line for what ran in vain.
pub(crate) fn sentence(text: &str, meanwhile: &str, announce: bool) -> El {
    let mut said = el("p").text(text);
    if announce {
        said = said.attr(Attr::Role, "status").attr(Attr::AriaAtomic, "true");
    }
    el("div.say").attr(Attr::Part, "sentence").child(said).child(el("p.meanwhile").text(meanwhile))
}
