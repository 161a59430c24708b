//! The search against the exact reducer, state by state.

use super::*;
use crate::{
    check::continuation::ends_well,
    keyspace::{Atomic, KeySpace},
    protocol::send,
    reliable_loop::{Guard, Guards, World},
    small::decimal,
};
use alloc::{format, sync::Arc};

/// Every state within the bounds, each looked at.
fn all(setup: &Setup, bounds: Bounds) -> Search {
    let mut search = Search::new(setup, bounds);
    while !search.run(1_000).done {}
    search
}

/// A world of the exact reducer for a state: every owner has a token of its own, every lock its time.
fn exact(search: &Search, state: &State) -> World {
    let slots = search.transitions.slots(state).iter().map(|slot| (slot.local, slot.rank));
    let mut world = search.transitions.parts.world(state.shared, slots);
    let (now, setup) = (world.now, world.setup.clone());
    let lock = |keys: &mut KeySpace, setup: &Setup, job: &str, token: &str| {
        let mut redis = Atomic::new(keys, now);
        send(&mut redis, setup.queue(), "SET @$1:lock $2 PX $3", &[job, token, &decimal(setup.lock.0)]);
    };
    let locked: Vec<_> =
        search.transitions.parts.jobs().iter().filter(|job| world.keys.exists(&job.lock)).collect();
    for job in locked {
        lock(&mut world.keys, &setup, &job.id, "nobody");
    }
    for worker in &mut world.workers {
        worker.sweep_due = now;
        let Some(held) = &mut worker.job else { continue };
        if held.renew_due.is_some() {
            held.token = format!("owner {}", worker.id);
            held.renew_due = Some(now.plus(setup.renew));
            lock(&mut world.keys, &setup, &held.id, &held.token);
        }
    }
    Arc::make_mut(&mut world.setup).workers = world.workers.len() as u8;
    world
}

#[track_caller]
fn check(setup: &Setup, bounds: Bounds) -> usize {
    let mut search = all(setup, bounds);
    let states: Vec<State> = search.states.iter().map(|bits| State::unpack(*bits)).collect();
    for state in &states {
        let world = exact(&search, state);
        let well = search.calm.ends_well(&mut search.transitions, state);
        assert_eq!(well, ends_well(&world), "{:?}: {world:#?}", setup.guards);
        let by_parts = search.broken_in(state);
        for invariant in
            [Invariant::OnePlace, Invariant::OneEffect, Invariant::OneOwner, Invariant::EffectBeforeAck]
        {
            assert_eq!(by_parts & invariant.bit() == 0, invariant.holds(&world), "{invariant}: {world:#?}");
        }
    }
    states.len()
}

const SMALL: Bounds = Bounds {
    workers: 2,
    jobs: 1,
    crashes: 1,
    freezes: 1,
    lost_markers: 0,
    evicted_locks: 0,
    lost_replies: 0,
    outages: 0,
    depth: u32::MAX,
    states: 100_000,
};

#[test]
fn a_state_ends_as_the_exact_reducer_ends_it() {
    let mut states = check(&Setup::default(), SMALL);
    for guard in Guard::ALL {
        let guards = Guards::ALL_ON.without(guard);
        states += check(&Setup { guards, ..Setup::default() }, SMALL);
    }
    states += check(&Setup { guards: Guards::ALL_OFF, ..Setup::default() }, SMALL);
    assert!(states > 5_000, "only {states}");
}

#[test]
fn two_jobs_end_as_the_exact_reducer_ends_them() {
    check(&Setup::default(), Bounds { jobs: 2, freezes: 0, ..SMALL });
}

#[test]
fn a_portal_that_is_down_comes_up_again() {
    let setup = Setup { attempts: 2, ..Setup::default() };
    check(&setup, Bounds { outages: 1, freezes: 0, lost_replies: 1, ..SMALL });
}

#[test]
fn a_slice_is_a_slice_and_the_end_is_the_same() {
    let whole = all(&Setup::default(), SMALL);
    let mut sliced = Search::new(&Setup::default(), SMALL);
    let mut slices = 0;
    while !sliced.run(7).done {
        slices += 1;
        assert!(sliced.progress().expanded <= 7 * slices);
    }
    assert_eq!(sliced.states, whole.states);
    assert_eq!(sliced.stories, whole.stories);
}

#[test]
fn a_bound_that_cuts_is_named_and_none_is_not_claimed() {
    let cut = |bounds: Bounds| {
        let search = all(&Setup::default(), bounds);
        (search.progress().cut, search.progress().states, search.answer(Invariant::NoLoss))
    };
    let (by, states, answer) = cut(Bounds { depth: 5, ..SMALL });
    assert_eq!(
        (by, answer),
        (Some(Cut::Depth), Answer::NotYet { states, cut: Some(Cut::Depth), dropped: 0 })
    );
    let (by, states, answer) = cut(Bounds { states: 100, ..SMALL });
    assert_eq!((by, states), (Some(Cut::Memory), 100));
    assert_eq!(answer, Answer::NotYet { states, cut: Some(Cut::Memory), dropped: 0 });
    assert_eq!(cut(SMALL).2, Answer::None { states: all(&Setup::default(), SMALL).progress().states });
}

#[test]
fn an_unfinished_search_claims_nothing() {
    let mut search = Search::new(&Setup::default(), SMALL);
    let progress = search.run(10);
    assert!(!progress.done);
    let unknown = Answer::NotYet { states: progress.states, cut: None, dropped: 0 };
    assert_eq!(search.answer(Invariant::NoLoss), unknown);
}

#[test]
fn a_search_for_one_invariant_ends_when_it_is_broken() {
    let setup = Setup { guards: Guards::ALL_ON.without(Guard::ProcessingList), ..Setup::default() };
    let mut search = Search::new(&setup, SMALL).only(Invariant::NoLoss);
    while !search.run(1).done {}
    assert!(matches!(search.answer(Invariant::NoLoss), Answer::Broken(_)));
    assert!(search.progress().expanded < all(&setup, SMALL).progress().expanded);
    let not_asked = search.answer(Invariant::OnePlace);
    assert!(matches!(not_asked, Answer::NotYet { .. }), "{not_asked:?}");
}

#[test]
fn bounds_beyond_the_search_are_brought_within() {
    let bounds = Bounds { workers: 0, jobs: 200, crashes: 200, ..SMALL };
    let mut search = Search::new(&Setup::default(), bounds);
    assert!(!search.run(100).done);
    assert_eq!(search.setup.workers, 1);
}
