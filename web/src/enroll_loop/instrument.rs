//! The lanes with the job in exactly one, the count, the marker, the suspects and the workers.

use crate::{enroll_proof::count, words};
use enroll_once_core::{
    reliable_loop::Life,
    view::{JobView, Lane, LaneName, LockView, LoopView, Marker, WorkerView},
};
use yew::prelude::*;

pub(super) fn stage(view: &LoopView) -> Html {
    // failed takes no place until it is used.
    let used = |lane: &&Lane| lane.name != LaneName::Failed || !lane.jobs.is_empty();
    html! {
        <div class="stage">
            for item in view.lanes.iter().filter(used) { { lane(item) } }
            { count(view.enrolled, view.deliveries as usize) }
        </div>
    }
}

fn lane(lane: &Lane) -> Html {
    let name = lane.name.key();
    html! {
        <section class={classes!("lane", name)} aria-labelledby={name} part={name}>
            <h3 id={name}><i>{ lane.prefix.as_str() }</i><b>{ name }</b></h3>
            <ul>
                for item in &lane.jobs { { job(lane.name, item) } }
                if lane.jobs.is_empty() {
                    <li class="empty">{ "empty" }</li>
                }
            </ul>
        </section>
    }
}

fn job(lane: LaneName, job: &JobView) -> Html {
    let state = words::job_state(lane, job);
    let class = classes!(
        "job",
        match lane {
            LaneName::Wait => "waiting",
            LaneName::Active if job.stranded => "stranded",
            LaneName::Active => "in-flight",
            LaneName::Completed => "completed",
            LaneName::Failed => "failed",
        },
        job.suspect.then_some("suspect"),
    );
    html! {
        <li {class} key={job.id.clone()} data-move={job.id.clone()}>
            <p class="first"><b class="id">{ job.id.as_str() }</b><span class="state">{ state }</span></p>
            if lane == LaneName::Active {
                { lock(job.lock.as_ref()) }
            }
            if job.suspect {
                <p class="mark">{ "suspect" }</p>
            }
            if job.deferred {
                <p class="mark red">{ "must fail: stalled too often" }</p>
            }
            if let Some(reason) = words::failed_value(lane, job) {
                <p class="mark red">{ reason }</p>
            }
            <p class="soft">{ words::job_title(job) }</p>
        </li>
    }
}

/// The lock drains with the virtual clock. The bar is a drawing of the words beside it.
fn lock(lock: Option<&LockView>) -> Html {
    let Some(lock) = lock else { return html! { <p class="lock gone">{ "no lock" }</p> } };
    let share = (lock.left.0 * 100 / lock.of.0.max(1)).to_string();
    let owner = lock.owner.map_or(lock.token.clone(), |owner| owner.to_string());
    html! {
        <p class="lock">
            <span>{ "lock " }{ owner }</span>
            <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect class="whole" width="100" height="8" />
                <rect class="left" width={share} height="8" />
            </svg>
            <span>{ words::duration(lock.left) }</span>
        </p>
    }
}

pub(super) fn under(view: &LoopView) -> Html {
    let up = view.marker != Marker::Down;
    html! {
        <div class="under">
            <dl class="of-wait">
                <div class={if up { "marker up" } else { "marker" }}>
                    <dt>{ "marker" }</dt><dd>{ words::marker(view.marker) }</dd>
                </div>
            </dl>
            <dl class="of-active">
                for worker in &view.workers { { worker_line(worker) } }
                <div class={if view.suspects.is_empty() { "suspects" } else { "suspects violet" }}>
                    <dt>{ "suspects" }</dt>
                    <dd>
                        if view.suspects.is_empty() { { "none" } } else { <code>{ view.suspects.join(" ") }</code> }
                    </dd>
                </div>
                <div>
                    <dt>{ "sweep guard" }</dt>
                    <dd>{ view.guard_left.map_or("none".into(), |left| format!("{} left", words::duration(left))) }</dd>
                </div>
            </dl>
            <dl class="of-log">
                <div><dt>{ "Portal's log" }</dt><dd>{ log(view) }</dd></div>
            </dl>
        </div>
    }
}

fn worker_line(worker: &WorkerView) -> Html {
    let class = match worker.life {
        Life::Dead => "worker red",
        Life::Frozen => "worker frozen",
        Life::Running => "worker",
    };
    html! {
        <div {class} key={worker.id.0}>
            <dt>{ worker.id.to_string() }</dt>
            <dd>
                { words::doing(worker) }
                if let Some(belief) = words::belief(worker) {
                    { " " }<s><span class="hidden">{ "no longer true: " }</span>{ belief }</s>
                }
            </dd>
        </div>
    }
}

fn log(view: &LoopView) -> Html {
    if view.log.is_empty() {
        return html! { "no event" };
    }
    html! {
        <ol>
            for event in &view.log {
                <li>
                    <b>{ "LearnerEnrolled" }</b>
                    <span>{ event.user_id.as_str() }</span>
                    <span>{ event.course_id.as_str() }</span>
                    <span>{ words::clock(event.at) }</span>
                </li>
            }
        </ol>
    }
}
