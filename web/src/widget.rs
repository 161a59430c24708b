//! The one Yew component, which is either widget. One, because every component type costs thousands of bytes.

use crate::{
    embed::{Options, Problem, Tag, to_js},
    enroll_loop::EnrollLoop,
    enroll_proof::EnrollProof,
    ui::Moves,
};
use serde::Serialize;
use wasm_bindgen::JsValue;
use yew::{html::Scope, prelude::*};

/// What the element hands over.
#[derive(Clone, PartialEq, Properties)]
pub struct Props {
    /// Which widget, and its options as text.
    pub options: Options,
    /// Tells the element what happened: the name of an event and its detail.
    pub emit: Callback<(&'static str, JsValue)>,
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
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

/// A callback for a button that asks this.
pub fn asks(link: &Link, ask: Ask) -> Callback<MouseEvent> {
    link.callback(move |_| (ask, Source::User))
}

/// Either widget.
pub struct Widget {
    shown: Shown,
    problems: Vec<Problem>,
    root: NodeRef,
    moves: Moves,
}

enum Shown {
    Loop(Box<EnrollLoop>),
    Proof(Box<EnrollProof>),
}

impl Widget {
    fn open(options: &Options) -> (Shown, Vec<Problem>) {
        match options.tag {
            Tag::Loop => {
                let (hero, problems) = EnrollLoop::open(options);
                (Shown::Loop(Box::new(hero)), problems)
            }
            Tag::Proof => {
                let (proof, problems) = EnrollProof::open(options);
                (Shown::Proof(Box::new(proof)), problems)
            }
        }
    }

    fn report(&self, context: &Context<Self>) {
        for problem in &self.problems {
            context.props().emit.emit(("enroll-error", to_js(problem)));
        }
    }

    fn tell_change(&self, context: &Context<Self>, source: Source) {
        let change = self.change(source);
        context.props().emit.emit(("enroll-change", change));
    }

    /// The detail of `enroll-change`: who asked, and what there is to see now.
    fn change(&self, source: Source) -> JsValue {
        #[derive(Serialize)]
        struct Change<S> {
            source: Source,
            snapshot: S,
        }
        match &self.shown {
            Shown::Loop(hero) => to_js(&Change { source, snapshot: hero.snapshot() }),
            Shown::Proof(proof) => to_js(&Change { source, snapshot: proof.snapshot() }),
        }
    }

    /// What a script gets to see.
    pub fn snapshot(&self) -> JsValue {
        match &self.shown {
            Shown::Loop(hero) => to_js(&hero.snapshot()),
            Shown::Proof(proof) => to_js(&proof.snapshot()),
        }
    }
}

impl Component for Widget {
    type Message = Msg;
    type Properties = Props;

    fn create(context: &Context<Self>) -> Self {
        let (shown, problems) = Self::open(&context.props().options);
        let widget = Self { shown, problems, root: NodeRef::default(), moves: Moves::default() };
        widget.report(context);
        widget
    }

    fn update(&mut self, context: &Context<Self>, (ask, source): Msg) -> bool {
        let changed = match &mut self.shown {
            Shown::Loop(hero) => hero.answer(ask),
            Shown::Proof(proof) => proof.answer(ask),
        };
        if changed {
            self.tell_change(context, source);
        }
        changed
    }

    fn changed(&mut self, context: &Context<Self>, old: &Props) -> bool {
        if context.props().options == old.options {
            return false;
        }
        (self.shown, self.problems) = Self::open(&context.props().options);
        self.report(context);
        self.tell_change(context, Source::Api);
        true
    }

    fn view(&self, context: &Context<Self>) -> Html {
        let link = context.link();
        let announce = !context.props().options.quiet;
        let (label, body) = match &self.shown {
            Shown::Loop(hero) => ("The enroll job, step by step", hero.show(link, announce)),
            Shown::Proof(proof) => ("The enroll job, run again and again", proof.show(link, announce)),
        };
        html! {
            <div class="instrument" role="group" aria-label={label} ref={self.root.clone()}>
                for problem in &self.problems {
                    <p class="problem" role="note"><b>{ "Not understood. " }</b>{ &problem.message }</p>
                }
                { body }
            </div>
        }
    }

    fn rendered(&mut self, _: &Context<Self>, _: bool) {
        if let Some(root) = self.root.cast::<web_sys::Element>() {
            self.moves.look(&root);
        }
    }
}
