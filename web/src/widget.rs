//! The one Yew component, which is either widget. One, because every component type costs thousands of bytes.

use crate::{
    embed::{Options, Problem, object},
    enroll_loop::EnrollLoop,
    enroll_proof::EnrollProof,
    ui::{Attr, el, fragment},
};
use js_sys::Function;
use wasm_bindgen::JsValue;
use yew::prelude::*;

/// What the element hands over.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which widget, and its options as text.
    pub options: Options,
    /// Tells the element what happened: called with the name of an event and its detail.
    pub emit: Function,
}

/// What can be asked of a widget. Each takes what makes sense to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Run to the next milestone.
    Step,
    /// Kill the worker at work.
    Crash,
    /// One press back.
    Back,
    /// To where it opened.
    Reset,
    /// Run the job so many times.
    Run(u32),
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The reader, with a button.
    User,
    /// The page, with a method or an attribute.
    Api,
}

/// What a widget is told.
pub enum Msg {
    /// This is asked, by whom.
    Ask(Ask, Source),
    /// Open again with these options. A message, since Yew's own way to new properties costs more bytes.
    Open(Options),
}

/// Either widget.
pub struct Widget {
    options: Options,
    shown: Shown,
    problems: Vec<Problem>,
}

enum Shown {
    Loop(Box<EnrollLoop>),
    Proof(Box<EnrollProof>),
}

impl Widget {
    fn open(options: &Options) -> (Shown, Vec<Problem>) {
        if options.proof {
            let (proof, problems) = EnrollProof::open(options);
            (Shown::Proof(Box::new(proof)), problems)
        } else {
            let (hero, problems) = EnrollLoop::open(options);
            (Shown::Loop(Box::new(hero)), problems)
        }
    }

    fn answer(&mut self, ask: Ask) -> bool {
        match &mut self.shown {
            Shown::Loop(hero) => hero.answer(ask),
            Shown::Proof(proof) => proof.answer(ask),
        }
    }

    fn open_again(&mut self, context: &Context<Self>, options: Options) -> bool {
        let changed = options != self.options;
        if changed {
            (self.shown, self.problems) = Self::open(&options);
            self.options = options;
            self.report(context);
        }
        changed
    }

    fn report(&self, context: &Context<Self>) {
        for Problem { code, message } in &self.problems {
            let detail = [("code", JsValue::from_str(code)), ("message", JsValue::from_str(message))];
            emit(context, "enroll-error", &object(&detail));
        }
    }

    /// Says what happened, who asked, and what there is to see now.
    fn tell(&self, context: &Context<Self>, name: &str, source: Source) {
        let source = if source == Source::User { "user" } else { "api" };
        let detail = [("source", JsValue::from_str(source)), ("snapshot", self.snapshot())];
        emit(context, name, &object(&detail));
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> JsValue {
        match &self.shown {
            Shown::Loop(hero) => hero.snapshot(),
            Shown::Proof(proof) => proof.snapshot(),
        }
    }
}

/// The element's own function: it only dispatches an event, and a listener that throws is the page's affair.
fn emit(context: &Context<Widget>, name: &str, detail: &JsValue) {
    drop(context.props().emit.call2(&JsValue::NULL, &JsValue::from_str(name), detail));
}

impl Component for Widget {
    type Message = Msg;
    type Properties = Props;

    fn create(context: &Context<Self>) -> Self {
        let options = context.props().options.clone();
        let (shown, problems) = Self::open(&options);
        let widget = Self { options, shown, problems };
        widget.report(context);
        widget
    }

    fn update(&mut self, context: &Context<Self>, message: Msg) -> bool {
        let (changed, source) = match message {
            Msg::Ask(ask, source) => (self.answer(ask), source),
            Msg::Open(options) => (self.open_again(context, options), Source::Api),
        };
        if changed {
            self.tell(context, "enroll-change", source);
        }
        changed
    }

    fn view(&self, _: &Context<Self>) -> Html {
        let announce = !self.options.quiet;
        let (label, body) = match &self.shown {
            Shown::Loop(hero) => ("The enroll job, step by step", hero.show(announce)),
            Shown::Proof(proof) => ("The enroll job, run again and again", proof.show(announce)),
        };
        let mut problems = fragment();
        for problem in &self.problems {
            let lead = el("b").text("Not understood. ");
            problems =
                problems.child(el("p.problem").attr(Attr::Role, "note").child(lead).text(&problem.message));
        }
        el("div.instrument")
            .attr(Attr::Role, "group")
            .attr(Attr::AriaLabel, label)
            .child(problems)
            .child(body)
            .html()
    }

    fn rendered(&mut self, context: &Context<Self>, first: bool) {
        if first {
            self.tell(context, "enroll-ready", Source::Api);
        }
    }
}
