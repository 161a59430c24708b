//! Properties over random runs: whatever happens, with whatever guards.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    missing_docs
)]

use enroll_once_core::{
    check::{Invariant, broken},
    reliable_loop::{
        Action, Fact, Guard, Guards, NewEnrollment, Op, Setup, WorkerId, World, available, next, press, step,
        why_not,
    },
    story::{Story, Token},
    time::Millis,
};
use proptest::{prelude::*, sample::select};

fn guards() -> impl Strategy<Value = Guards> {
    let off = proptest::sample::subsequence(Guard::ALL.to_vec(), 0..=Guard::ALL.len());
    off.prop_map(|off| off.into_iter().fold(Guards::ALL_ON, Guards::without))
}

fn duration() -> impl Strategy<Value = Millis> {
    select(vec![50, 400, 1_000, 5_000, 7_500, 30_000, 40_000, 3_600_000]).prop_map(Millis)
}

prop_compose! {
    fn setup()(
        (workers, max_stalled, attempts) in (1u8..=4, 0u32..3, 0u32..4),
        [lock, renew, stalled, drain, poll] in [duration(), duration(), duration(), duration(), duration()],
        guards in guards(),
    ) -> Setup {
        Setup { workers, lock, renew, stalled, max_stalled, drain, poll, attempts, guards, ..Setup::default() }
    }
}

fn add() -> impl Strategy<Value = Action> {
    let id = select(vec!["j_1", "j_2", "x"]);
    let who = select(vec![
        ("USR0KHTOWnGLuC", "CRS0KHTOWnGLuC"),
        ("USR0KHTOWnGLuD", "CRS0KHTOWnGLuC"),
        ("USR0KHTOWnGLuD", "CRS0KHTOWnGLuD"),
        ("nobody", "nothing"),
    ]);
    let named = (id, proptest::option::of(who)).prop_map(|(id, who)| {
        let who = who.map(|(learner, course)| (learner.to_string(), course.to_string()));
        NewEnrollment { id: Some(id.to_string()), who }
    });
    prop_oneof![Just(NewEnrollment::default()), named].prop_map(|new| Action::Add(Box::new(new)))
}

/// Any action at all, also of workers that are not there.
fn action() -> impl Strategy<Value = Action> {
    let worker = || (0u8..6).prop_map(WorkerId);
    let of_worker: Vec<fn(WorkerId) -> Action> = vec![
        Action::Renew,
        Action::Sweep,
        Action::Crash,
        Action::Start,
        Action::Freeze,
        Action::Thaw,
        Action::LoseReply,
    ];
    prop_oneof![
        add(),
        (worker(), select(Op::ALL.to_vec())).prop_map(|(id, op)| Action::Operate(id, op)),
        (worker(), select(of_worker)).prop_map(|(id, action)| action(id)),
        duration().prop_map(Action::Advance),
        Just(Action::Advance(Millis(u64::MAX))),
        select(vec![Action::RestartPortal, Action::PortalDown, Action::PortalUp, Action::LoseMarker]),
        select(vec!["j_1", "j_2", "nobody"]).prop_map(|id| Action::EvictLock(id.to_string())),
    ]
}

/// Mostly what can happen, so that runs get somewhere.
#[derive(Clone, Debug)]
enum Move {
    Possible(prop::sample::Index),
    Natural,
    Any(Action),
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => any::<prop::sample::Index>().prop_map(Move::Possible),
        4 => Just(Move::Natural),
        1 => action().prop_map(Move::Any),
    ];
    proptest::collection::vec(one, 0..40)
}

fn choose(world: &World, chosen: &Move) -> Option<Action> {
    match chosen {
        Move::Possible(index) => Some(index.get(&available(world)).clone()),
        Move::Natural => next(world),
        Move::Any(action) => Some(action.clone()),
    }
}

/// What one can write down as a story.
fn token() -> impl Strategy<Value = Token> {
    let worker = || (1u8..=9).prop_map(WorkerId);
    let acts: Vec<fn(WorkerId) -> Action> = vec![
        Action::Renew,
        Action::Sweep,
        Action::Crash,
        Action::Start,
        Action::Freeze,
        Action::Thaw,
        Action::LoseReply,
    ];
    let action = prop_oneof![
        add(),
        (worker(), select(Op::ALL.to_vec())).prop_map(|(id, op)| Action::Operate(id, op)),
        (worker(), select(acts)).prop_map(|(id, action)| action(id)),
        duration().prop_map(Action::Advance),
        select(vec![Action::RestartPortal, Action::PortalDown, Action::PortalUp, Action::LoseMarker]),
        select(vec!["j_1", "x"]).prop_map(|id| Action::EvictLock(id.to_string())),
    ];
    prop_oneof![
        6 => action.prop_map(Token::Act),
        1 => worker().prop_map(Token::NextOf),
        1 => Just(Token::Step),
        1 => Just(Token::Crash),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn a_step_is_total_and_pure(setup in setup(), moves in moves()) {
        let mut world = World::new(setup);
        for chosen in &moves {
            let Some(action) = choose(&world, chosen) else { continue };
            let after = step(&world, &action);
            prop_assert_eq!(&after, &step(&world, &action));
            let refused = after.facts.iter().any(|fact| matches!(fact, Fact::Refused(_)));
            prop_assert_eq!(refused, why_not(&world, &action).is_some());
            if refused {
                prop_assert_eq!(&after.world, &world);
                prop_assert_eq!(after.facts.len(), 1);
            }
            prop_assert!(after.world.now >= world.now);
            world = after.world;
        }
        for action in available(&world) {
            prop_assert_eq!(why_not(&world, &action), None);
        }
    }

    #[test]
    fn asking_what_is_broken_and_pressing_on_never_panic(setup in setup(), moves in moves()) {
        let mut world = World::new(setup);
        for chosen in &moves {
            let Some(action) = choose(&world, chosen) else { continue };
            world = step(&world, &action).world;
        }
        let _ = broken(&world);
        let _ = press(&world);
    }

    #[test]
    fn a_printed_story_is_the_story(setup in setup(), tokens in proptest::collection::vec(token(), 0..20)) {
        let story = Story { setup, tokens };
        prop_assert_eq!(Story::parse(&story.to_string()), Ok(story));
    }

    #[test]
    fn any_text_is_read_or_refused(text in "(add|w1|w9:|:take|off=|lock|=|\\+|30s|step|crash|[a-z0-9:,. =é]){0,12}") {
        if let Ok(story) = Story::parse(&text) {
            let _ = story.run();
        }
    }

    /// Nobody freezes, nothing is lost but processes, in any order and at any time.
    #[test]
    fn with_all_guards_on_crashes_break_nothing(
        (workers, jobs) in (1u8..=3, 1usize..=3),
        choices in proptest::collection::vec(any::<prop::sample::Index>(), 0..60),
    ) {
        let mut world = World::new(Setup { workers, ..Setup::default() });
        let mut added = 0;
        for index in choices {
            let mut possible = available(&world);
            possible.retain(|action| !is_worse_than_a_crash(action));
            if added >= jobs {
                possible.retain(|action| !matches!(action, Action::Add(_)));
            }
            let action = match index.get(&possible) {
                Action::Add(_) => {
                    added += 1;
                    let who = Some((format!("USR0KHTOWnGLu{added}"), Setup::default().course));
                    Action::Add(Box::new(NewEnrollment { id: Some(format!("j_{added}")), who }))
                }
                action => action.clone(),
            };
            world = step(&world, &action).world;
            prop_assert_eq!(broken(&world), Vec::<Invariant>::new(), "after {}", action);
        }
    }
}

fn is_worse_than_a_crash(action: &Action) -> bool {
    matches!(
        action,
        Action::Freeze(_)
            | Action::LoseMarker
            | Action::EvictLock(_)
            | Action::LoseReply(_)
            | Action::PortalDown
            | Action::PortalUp
    )
}
