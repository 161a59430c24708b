//! The lanes with the job in exactly one, the count, the marker, the suspects and the workers.

use crate::{
    enroll_proof::count,
    ui::{Attr, El, el, fragment},
    words,
};
use enroll_once_core::{
    reliable_loop::Life,
    small::{decimal, joined},
    view::{JobView, Lane, LaneName, LockView, LoopView, Marker, WorkerView},
};

pub(super) fn stage(view: &LoopView) -> El {
    let mut lanes = fragment();
    for item in &view.lanes {
        // failed takes no place until it is used.
        if item.name != LaneName::Failed || !item.jobs.is_empty() {
            lanes = lanes.child(lane(item));
        }
    }
    el("div.stage").child(lanes).child(count(view.enrolled, view.deliveries as usize))
}

fn lane(lane: &Lane) -> El {
    let name = lane.name.key();
    let class = match lane.name {
        LaneName::Wait => "lane wait",
        LaneName::Active => "lane active",
        LaneName::Completed => "lane completed",
        LaneName::Failed => "lane failed",
    };
    let mut jobs = fragment();
    for item in &lane.jobs {
        jobs = jobs.child(job(lane.name, item));
    }
    let empty = lane.jobs.is_empty().then(|| el("li.empty").text("empty"));
    el("div")
        .attr(Attr::Role, "group")
        .class(class)
        .attr(Attr::AriaLabelledby, name)
        .attr(Attr::Part, name)
        .child(el("h3").attr(Attr::Id, name).child(el("i").text(lane.prefix)).child(el("b").text(name)))
        .child(el("ul").child(jobs).maybe(empty))
}

fn job(lane: LaneName, job: &JobView) -> El {
    let class = match (lane, job.stranded, job.suspect) {
        (LaneName::Wait, _, false) => "job waiting",
        (LaneName::Wait, _, true) => "job waiting suspect",
        (LaneName::Active, true, false) => "job stranded",
        (LaneName::Active, true, true) => "job stranded suspect",
        (LaneName::Active, false, false) => "job in-flight",
        (LaneName::Active, false, true) => "job in-flight suspect",
        (LaneName::Completed, _, false) => "job completed",
        (LaneName::Completed, _, true) => "job completed suspect",
        (LaneName::Failed, _, false) => "job failed",
        (LaneName::Failed, _, true) => "job failed suspect",
    };
    let first = el("p.first")
        .child(el("b.id").text(job.id))
        .child(el("span.state").text(words::job_state(lane, job)));
    el("li")
        .class(class)
        .key(job.id)
        .child(first)
        .maybe((lane == LaneName::Active).then(|| lock(job.lock.as_ref())))
        .maybe(job.suspect.then(|| el("p.mark").text("suspect")))
        .maybe(job.deferred.then(|| el("p.mark red").text("must fail: stalled too often")))
        .maybe(words::failed_value(lane, job).map(|reason| el("p.mark red").text(reason)))
        .child(el("p.soft").text(&words::job_title(job)))
}

/// The lock drains with the virtual clock. The bar is a drawing of the words beside it.
fn lock(lock: Option<&LockView>) -> El {
    let Some(lock) = lock else { return el("p.lock gone").text("no lock") };
    let share = decimal(lock.left.0 * 100 / lock.of.0.max(1));
    let owner = lock.owner.map_or_else(|| lock.token.to_string(), |owner| owner.to_string());
    let bar = el("svg")
        .attr(Attr::ViewBox, "0 0 100 8")
        .attr(Attr::PreserveAspectRatio, "none")
        .attr(Attr::AriaHidden, "true")
        .child(el("rect.whole").attr(Attr::Width, "100").attr(Attr::Height, "8"))
        .child(el("rect.left").attr_of(Attr::Width, &share).attr(Attr::Height, "8"));
    el("p.lock")
        .child(el("span").text("lock ").text(&owner))
        .child(bar)
        .child(el("span").text(&words::duration(lock.left)))
}

pub(super) fn under(view: &LoopView) -> El {
    let marker = el("div.marker")
        .class(if view.marker == Marker::Down { "marker" } else { "marker up" })
        .child(el("dt").text("marker"))
        .child(el("dd").text(&words::marker(view.marker)));
    let mut workers = fragment();
    for worker in &view.workers {
        workers = workers.child(worker_line(worker, view));
    }
    let guard =
        el("div").child(el("dt").text("sweep guard")).child(el("dd").text(&words::guard(view.guard_left)));
    let log = el("div").child(el("dt").text("Portal's log")).child(el("dd").child(log(view)));
    el("div.under")
        .child(el("dl.of-wait").child(marker))
        .child(el("dl.of-active").child(workers).child(suspects(view.suspects)).child(guard))
        .child(el("dl.of-log").child(log))
}

fn suspects(suspects: &[String]) -> El {
    let (class, names) = if suspects.is_empty() {
        ("suspects", fragment().text("none"))
    } else {
        ("suspects violet", el("code").text(&joined(suspects, " ")))
    };
    el("div").class(class).child(el("dt").text("suspects")).child(el("dd").child(names))
}

fn worker_line(worker: &WorkerView, view: &LoopView) -> El {
    let class = match worker.life {
        Life::Dead => "worker red",
        Life::Frozen => "worker frozen",
        Life::Running => "worker",
    };
    let name = worker.id.to_string();
    let belief = words::belief(worker).map(|belief| {
        let hidden = el("span.hidden").text("no longer true: ");
        fragment().text(" ").child(el("s").child(hidden).text(&belief))
    });
    el("div")
        .class(class)
        .key(&name)
        .child(el("dt").text(&name))
        .child(el("dd").text(&words::doing(worker, view)).maybe(belief))
}

fn log(view: &LoopView) -> El {
    if view.log.is_empty() {
        return fragment().text("no event");
    }
    let mut events = el("ol");
    for event in view.log {
        events = events.child(
            el("li")
                .child(el("b").text("LearnerEnrolled"))
                .child(el("span").text(event.user_id.as_str()))
                .child(el("span").text(event.course_id.as_str()))
                .child(el("span").text(&words::clock(event.at))),
        );
    }
    events
}
