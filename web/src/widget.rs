//! The one Yew component, which is either widget. One, because every component type costs thousands of bytes.

use crate::{
    embed::{Options, Problem, object},
    enroll_loop::EnrollLoop,
    enroll_proof::EnrollProof,
    ui::{Attr, Button, El, el, fragment},
};
use js_sys::Function;
use wasm_bindgen::JsValue;
use yew::{html::Scope, prelude::*};

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

/// A message: what is asked, and by whom.
pub type Msg = (Ask, Source);

/// Where a widget's buttons send what is asked.
pub type Link = Scope<Widget>;

/// A button that asks this.
pub fn asks(link: &Link, button: &Button, ask: Ask) -> El {
    let link = link.clone();
    button.show(move || link.send_message((ask, Source::User)))
}

/// Either widget.
pub struct Widget {
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
        let (shown, problems) = Self::open(&context.props().options);
        let widget = Self { shown, problems };
        widget.report(context);
        widget
    }

    fn update(&mut self, context: &Context<Self>, (ask, source): Msg) -> bool {
        let changed = match &mut self.shown {
            Shown::Loop(hero) => hero.answer(ask),
            Shown::Proof(proof) => proof.answer(ask),
        };
        if changed {
            self.tell(context, "enroll-change", source);
        }
        changed
    }

    fn changed(&mut self, context: &Context<Self>, old: &Props) -> bool {
        if context.props().options == old.options {
            return false;
        }
        (self.shown, self.problems) = Self::open(&context.props().options);
        self.report(context);
        self.tell(context, "enroll-change", Source::Api);
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let link = context.link();
        let announce = !context.props().options.quiet;
        let (label, body) = match &self.shown {
            Shown::Loop(hero) => ("The enroll job, step by step", hero.show(link, announce)),
            Shown::Proof(proof) => ("The enroll job, run again and again", proof.show(link, announce)),
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
