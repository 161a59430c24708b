//! Each pattern is necessary, together they suffice: what the search says, pinned.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

use enroll_once_core::{
    check::{
        Answer, Bounds, Invariant, Search, Verdict, broken,
        matrix::{Cell, Row, guard_sets},
        promised,
    },
    reliable_loop::{Guard, Guards, Setup},
    story::Story,
    time::Millis,
};

fn search(setup: &Setup, bounds: Bounds) -> Search {
    let mut search = Search::new(setup, bounds);
    while !search.run(10_000).done {}
    search
}

fn without(guard: Guard) -> Setup {
    Setup { guards: Guards::ALL_ON.without(guard), ..Setup::default() }
}

/// With this guard off the search finds this story, which breaks what the guard is for, and no token can be left out.
#[track_caller]
fn necessary(guard: Guard, shortest: &str) {
    let invariant = promised(guard);
    let mut search = Search::new(&without(guard), Bounds::default()).only(invariant);
    while !search.run(1_000).done {}
    let Answer::Broken(story) = search.answer(invariant) else {
        panic!("{guard} off does not break {invariant}")
    };
    assert_eq!(story.to_string(), shortest);
    minimal(&story, invariant);
    let on = Story { setup: Setup { guards: Guards::ALL_ON, ..story.setup.clone() }, ..story };
    assert!(!broken(on.run().world()).contains(&invariant), "with the guard on it breaks too");
}

#[track_caller]
fn minimal(story: &Story, invariant: Invariant) {
    let breaks = |story: &Story| {
        let ran = story.run();
        ran.refused.is_none() && !invariant.holds(ran.world())
    };
    assert!(breaks(story));
    for left_out in 0..story.tokens.len() {
        let mut shorter = story.clone();
        let token = shorter.tokens.remove(left_out);
        assert!(!breaks(&shorter), "{token} can be left out");
    }
}

#[test]
fn without_a_processing_list_a_job_dies_with_its_worker() {
    necessary(Guard::ProcessingList, "off=processing-list,add,w1:wake,w1:pop,w1:crash");
}

#[test]
fn without_a_lock_a_sweep_gives_a_running_job_to_another() {
    necessary(Guard::Lock, "off=lock,add,w1:wake,w1:move,w2:sweep,+30s,w2:sweep,w2:wake,w2:move");
}

#[test]
fn acknowledged_first_a_job_is_completed_without_its_effect() {
    necessary(Guard::AtLeastOnce, "off=at-least-once,add,w1:wake,w1:take,w1:finish");
}

#[test]
fn without_a_sweep_a_dead_workers_job_stays_in_active() {
    necessary(Guard::StalledSweep, "off=stalled-sweep,add,w1:wake,w1:take,w1:crash");
}

#[test]
fn a_finish_in_three_steps_tears_a_job_out_of_every_list() {
    let torn = "off=atomic-finish,add,w1:wake,w1:take,w1:enroll,w1:unlock,w1:remove";
    necessary(Guard::AtomicFinish, torn);
}

#[test]
fn a_worker_that_polls_is_never_idle() {
    necessary(Guard::BlockingPickup, "off=blocking-pickup,w1:ask");
}

#[test]
fn without_an_idempotent_enroll_a_second_delivery_enrolls_twice() {
    let twice = "off=idempotent-enroll,add,w1:wake,w1:take,w1:enroll,w1:crash,w1:start,w1:sweep,+30s,w1:sweep,w1:take,\
                 w1:enroll";
    necessary(Guard::IdempotentEnroll, twice);
}

/// Everything that is found broken within the bounds, with its story; and over how many states.
fn found(setup: &Setup, bounds: Bounds) -> (u32, Vec<String>) {
    let search = search(setup, bounds);
    let broken = Invariant::ALL.into_iter().filter_map(|invariant| match search.answer(invariant) {
        Answer::Broken(story) => {
            minimal(&story, invariant);
            Some(format!("{invariant}: {story}"))
        }
        Answer::None { .. } => None,
        Answer::NotYet { .. } => panic!("{invariant} is not decided"),
    });
    let broken = broken.collect();
    (search.progress().states, broken)
}

#[test]
fn with_all_guards_on_crashes_alone_break_nothing() {
    let bounds = Bounds { workers: 3, jobs: 2, crashes: 2, ..Bounds::default() };
    assert_eq!(found(&Setup::default(), bounds), (19_423, vec![]));
}

/// The protocol's own edge: who was frozen may run beside its successor. Only the token refuses its finish, and only
/// the idempotent enroll keeps the count.
#[test]
fn with_all_guards_on_a_freeze_lets_two_workers_run_one_job_and_breaks_nothing_else() {
    let bounds = Bounds { workers: 3, jobs: 2, crashes: 2, freezes: 1, ..Bounds::default() };
    let beside =
        "one-owner: workers=3,add,w1:wake,w1:take,w1:freeze,w2:sweep,+30s,w1:thaw,w2:sweep,w2:wake,w2:take";
    assert_eq!(found(&Setup::default(), bounds), (186_686, vec![beside.to_string()]));
}

#[test]
fn what_else_puts_a_job_into_two_hands() {
    let one = |setup: &Setup, bounds| {
        let (_, mut broken) = found(setup, bounds);
        assert_eq!(broken.len(), 1, "{broken:?}");
        broken.remove(0)
    };
    let (on, bounds) = (Setup::default(), Bounds::default());
    assert_eq!(
        one(&on, Bounds { evicted_locks: 1, ..bounds }),
        "one-owner: add,w1:wake,w1:take,w2:sweep,lock:evict:j_1,+30s,w2:sweep,w2:wake,w2:take"
    );
    let slow = Setup { renew: Millis(40_000), ..on.clone() };
    assert_eq!(
        one(&slow, bounds),
        "one-owner: renew=40s,add,w1:wake,w1:take,w2:sweep,+30s,w2:sweep,w2:wake,w2:take"
    );
    let retried = Setup { attempts: 2, ..on };
    assert_eq!(
        one(&retried, Bounds { lost_replies: 1, outages: 1, ..bounds }),
        "one-owner: attempts=2,add,portal:down,w1:wake,w1:take,w1:enroll,w1:lose-reply,w2:wake,w2:take"
    );
}

#[test]
fn lost_markers_lost_replies_and_a_portal_that_is_down_break_nothing() {
    let bounds = Bounds { jobs: 2, lost_markers: 1, lost_replies: 1, outages: 1, ..Bounds::default() };
    let (_, broken) = found(&Setup::default(), bounds);
    assert_eq!(broken, Vec::<String>::new());
}

fn rows() -> Vec<Row> {
    guard_sets().into_iter().map(Row::of).collect()
}

fn cells(row: &Row) -> impl Iterator<Item = &Cell> {
    let crashes = row.crashes.iter().flat_map(|crash| [Some(&crash.once), crash.twice.as_ref()]);
    [Some(&row.calm)].into_iter().chain(crashes).flatten()
}

#[test]
fn the_crash_matrix() {
    let actual: Vec<String> = rows().iter().map(line).collect();
    let expected = [
        ": ExactlyOnce; wake ExactlyOnce ExactlyOnce; take ExactlyOnce FailedVisibly; enroll ExactlyOnce FailedVisibly; \
         finish ExactlyOnce -",
        "processing-list: ExactlyOnce; wake ExactlyOnce ExactlyOnce; pop Lost -; enroll Torn -; record ExactlyOnce -",
        "lock: ExactlyOnce; wake ExactlyOnce ExactlyOnce; move ExactlyOnce FailedVisibly; \
         enroll ExactlyOnce FailedVisibly; record ExactlyOnce -",
        "at-least-once: ExactlyOnce; wake ExactlyOnce ExactlyOnce; take ExactlyOnce FailedVisibly; finish Lost -; \
         enroll ExactlyOnce -",
        "stalled-sweep: ExactlyOnce; wake ExactlyOnce ExactlyOnce; take Stuck -; enroll Stuck -; finish ExactlyOnce -",
        "atomic-finish: ExactlyOnce; wake ExactlyOnce ExactlyOnce; take ExactlyOnce FailedVisibly; \
         enroll ExactlyOnce FailedVisibly; unlock ExactlyOnce FailedVisibly; remove Torn -; complete ExactlyOnce -",
        "blocking-pickup: Busy; ask Busy Busy; sleep Busy Busy; take Busy FailedVisibly; enroll Busy FailedVisibly; \
         finish Busy -",
        "idempotent-enroll: ExactlyOnce; wake ExactlyOnce ExactlyOnce; take ExactlyOnce FailedVisibly; \
         enroll Twice Twice; finish ExactlyOnce -",
        "processing-list lock at-least-once stalled-sweep atomic-finish blocking-pickup idempotent-enroll: Busy; \
         ask Busy Busy; sleep Busy Busy; pop Lost -; complete Lost -; enroll Busy -",
    ];
    for (actual, expected) in actual.iter().zip(expected) {
        assert_eq!(actual, expected);
    }
    assert_eq!(actual.len(), expected.len());
}

fn line(row: &Row) -> String {
    let off: Vec<&str> = row.off.iter().map(|guard| guard.code()).collect();
    let crashes = row.crashes.iter().map(|crash| {
        let twice = crash.twice.as_ref().map_or("-".to_string(), |cell| format!("{:?}", cell.verdict));
        format!("; {} {:?} {twice}", crash.after.word(), crash.once.verdict)
    });
    format!("{}: {:?}{}", off.join(" "), row.calm.verdict, crashes.collect::<String>())
}

#[test]
fn the_story_of_a_cell_is_the_run_of_that_cell() {
    for row in rows() {
        for cell in cells(&row) {
            let ran = Story::parse(&cell.story).unwrap().run();
            assert_eq!(ran.refused, None, "{}", cell.story);
            let world = ran.world();
            assert_eq!(Verdict::of(world), cell.verdict, "{}", cell.story);
            assert_eq!((world.enrolled() as u32, world.deliveries), (cell.enrolled, cell.deliveries));
        }
    }
}

#[test]
fn no_cell_contradicts_the_search() {
    let bounds = Bounds { crashes: 2, ..Bounds::default() };
    for (guards, row) in guard_sets().into_iter().zip(rows()) {
        let search = search(&Setup { guards, ..Setup::default() }, bounds);
        let is_broken = |invariant| match search.answer(invariant) {
            Answer::Broken(_) => true,
            Answer::None { .. } => false,
            Answer::NotYet { .. } => panic!("{invariant} is not decided"),
        };
        for cell in cells(&row) {
            let allowed = match cell.verdict {
                Verdict::ExactlyOnce | Verdict::FailedVisibly => true,
                Verdict::Busy => is_broken(Invariant::IdleIsCheap),
                Verdict::Stuck | Verdict::Lost => is_broken(Invariant::NoLoss),
                Verdict::Torn => is_broken(Invariant::OnePlace) && is_broken(Invariant::NoLoss),
                Verdict::Twice => is_broken(Invariant::OneEffect),
            };
            assert!(
                allowed,
                "{:?}: {} says {}, the search has found nothing",
                row.off, cell.story, cell.verdict
            );
        }
    }
}
