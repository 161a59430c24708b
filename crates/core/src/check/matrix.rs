//! The crash matrix: with each guard off, what becomes of one job if its worker dies here.
//!
//! Every run is the natural schedule, with nothing but the crashes added. Where two workers die, the second dies at
//! the same point as the first. It is made row by row, so that a page can compute it without a pause.

use super::{Verdict, continuation::goes_on};
use crate::{
    reliable_loop::{Action, Guard, Guards, Op, Program, Setup, WorkerId, World, next, press, step},
    story::{RanStep, Story, Token},
};
use alloc::{string::String, string::ToString, vec::Vec};
use serde::{Serialize, Serializer};

/// A place in the program at which a worker dies: after this has been done. The same for every form of the loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Point {
    /// It has slept between two polls.
    Slept,
    /// It knows that a job waits, or may wait.
    Woken,
    /// It has the job in its hands.
    Taken,
    /// The effect has happened.
    Enrolled,
    /// The lock is dropped, in a finish of several steps.
    Unlocked,
    /// The job has left active, in a finish of several steps.
    Removed,
    /// The acknowledgement is complete.
    Finished,
}

impl Point {
    /// Every point.
    pub const ALL: [Self; 7] = [
        Self::Slept,
        Self::Woken,
        Self::Taken,
        Self::Enrolled,
        Self::Unlocked,
        Self::Removed,
        Self::Finished,
    ];

    /// Where a worker is after this operation. A retry is no part of the matrix, in which Portal is never down.
    #[must_use]
    pub fn after(op: Op) -> Self {
        match op {
            Op::Sleep => Self::Slept,
            Op::Wake | Op::Ask => Self::Woken,
            Op::Take | Op::Move | Op::Pop => Self::Taken,
            Op::Enroll => Self::Enrolled,
            Op::Unlock => Self::Unlocked,
            Op::Remove => Self::Removed,
            Op::Finish | Op::Record | Op::Complete | Op::Retry => Self::Finished,
        }
    }
}

/// The guard sets of the rows: all on, each one off, all off.
#[must_use]
pub fn guard_sets() -> Vec<Guards> {
    let one_off = Guard::ALL.into_iter().map(|guard| Guards::ALL_ON.without(guard));
    [Guards::ALL_ON].into_iter().chain(one_off).chain([Guards::ALL_OFF]).collect()
}

/// A row: one form of the loop.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Row {
    /// The guards that are off.
    pub off: Vec<Guard>,
    /// The run without a crash.
    pub calm: Cell,
    /// One crash and two, at every point of the program, in its order.
    pub crashes: Vec<Crash>,
}

/// What a crash at one point comes to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Crash {
    /// After which operation of the program.
    #[serde(serialize_with = "word")]
    pub after: Op,
    /// The point that this is, to set the rows side by side.
    pub point: Point,
    /// One worker dies here.
    pub once: Cell,
    /// The worker that gets the job next dies here too. `None`: no other worker gets as far.
    pub twice: Option<Cell>,
}

fn word<S: Serializer>(op: &Op, to: S) -> Result<S::Ok, S::Error> {
    to.serialize_str(op.word())
}

/// One run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Cell {
    /// How it ended.
    pub verdict: Verdict,
    /// The run, from the beginning to the end.
    pub story: String,
    /// How many enrollments were recorded.
    pub enrolled: u32,
    /// How often the enroll ran.
    pub deliveries: u32,
}

impl Row {
    /// The row of this form of the loop. It takes some thousand steps.
    #[must_use]
    pub fn of(guards: Guards) -> Self {
        let setup = Setup { guards, ..Setup::default() };
        let cell = |after: Option<Op>, crashes| Telling::tell(&setup, after, crashes);
        let crash = |after: &Op| {
            let (once, _) = cell(Some(*after), 1);
            let (twice, died) = cell(Some(*after), 2);
            Crash { after: *after, point: Point::after(*after), once, twice: (died == 2).then_some(twice) }
        };
        let crashes = Program::of(guards).ops().iter().map(crash).collect();
        Self { off: guards.off().collect(), calm: cell(None, 0).0, crashes }
    }
}

/// More presses than any run takes.
const MOST_PRESSES: usize = 100;

struct Telling {
    world: World,
    tokens: Vec<Token>,
}

impl Telling {
    /// The run in which so many workers die after this operation, and how many came to it.
    fn tell(setup: &Setup, after: Option<Op>, crashes: u8) -> (Cell, u8) {
        let mut telling = Self { world: World::new(setup.clone()), tokens: Vec::new() };
        telling.let_workers_come_to_their_wait();
        telling.act(Action::Add(Default::default()));
        let mut died = 0;
        for _ in 0..MOST_PRESSES {
            if telling.world.is_settled() || goes_on(&telling.world).is_none() {
                break;
            }
            let point = after.filter(|_| died < crashes);
            if let Some(worker) = telling.press_up_to(point) {
                telling.act(Action::Crash(worker));
                died += 1;
            }
        }
        let Self { world, tokens } = telling;
        let cell = Cell {
            verdict: Verdict::of(&world),
            story: Story { setup: setup.clone(), tokens }.to_string(),
            enrolled: world.enrolled() as u32,
            deliveries: world.deliveries,
        };
        (cell, died)
    }

    /// Workers are idle when the job comes: those that poll have asked once.
    fn let_workers_come_to_their_wait(&mut self) {
        while let Some(action @ Action::Operate(_, Op::Ask)) = next(&self.world) {
            self.act(action);
        }
    }

    fn act(&mut self, action: Action) {
        self.world = step(&self.world, &action).world;
        self.tokens.push(Token::Act(action));
    }

    /// One press; or, if a worker runs the operation on the way, only as far as that: then it says who.
    fn press_up_to(&mut self, point: Option<Op>) -> Option<WorkerId> {
        let pressed = press(&self.world).ok()?;
        let mut before = self.world.clone();
        for (index, RanStep { action, step: after }) in pressed.steps.iter().enumerate() {
            let worker = point.and_then(|op| comes_to(op, action, &before, &after.world));
            if worker.is_some() && index + 1 < pressed.steps.len() {
                for RanStep { action, .. } in pressed.steps.into_iter().take(index + 1) {
                    self.act(action);
                }
                return worker;
            }
            if worker.is_some() {
                self.press_once(after.world.clone());
                return worker;
            }
            before = after.world.clone();
        }
        self.press_once(before);
        None
    }

    fn press_once(&mut self, world: World) {
        self.world = world;
        self.tokens.push(Token::Step);
    }
}

/// The worker that has run this operation, if it was for a job and not in vain.
fn comes_to(op: Op, action: &Action, before: &World, after: &World) -> Option<WorkerId> {
    let Action::Operate(worker, ran) = action else { return None };
    let a_job_waits = before.list("wait").next().is_some();
    let for_a_job = match Point::after(op) {
        Point::Slept | Point::Woken => a_job_waits,
        Point::Taken => after.worker(*worker)?.job.is_some(),
        Point::Enrolled | Point::Unlocked | Point::Removed | Point::Finished => true,
    };
    (*ran == op && for_a_job).then_some(*worker)
}
