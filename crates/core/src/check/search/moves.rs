//! What can happen in the search, and what it is to the reducer.

use super::{
    bounds::Fault,
    parts::{Local, ONE, Parts, WaitKind},
    shared::job_of,
    state::MOST_WORKERS,
};
use crate::reliable_loop::{Action, NewEnrollment, Op, Setup, World};

/// What can happen, time left out: a lock expires at any moment that its owner does not keep it, a sweep is
/// effective at any moment, and so is the end of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Add,
    Operate,
    Renew,
    Sweep,
    Start,
    Thaw,
    /// The lock of a job expires.
    Expire,
    Crash,
    Freeze,
    EvictLock,
    LoseMarker,
    LoseReply,
    PortalDown,
    PortalUp,
}

impl Kind {
    const ALL: [Self; 14] = [
        Self::Add,
        Self::Operate,
        Self::Renew,
        Self::Sweep,
        Self::Start,
        Self::Thaw,
        Self::Expire,
        Self::Crash,
        Self::Freeze,
        Self::EvictLock,
        Self::LoseMarker,
        Self::LoseReply,
        Self::PortalDown,
        Self::PortalUp,
    ];

    /// The fault that it is, if it is one.
    pub(super) fn fault(self) -> Option<Fault> {
        match self {
            Self::Crash => Some(Fault::Crash),
            Self::Freeze => Some(Fault::Freeze),
            Self::EvictLock => Some(Fault::EvictedLock),
            Self::LoseMarker => Some(Fault::LostMarker),
            Self::LoseReply => Some(Fault::LostReply),
            Self::PortalDown => Some(Fault::Outage),
            Self::Add
            | Self::Operate
            | Self::Renew
            | Self::Sweep
            | Self::Start
            | Self::Thaw
            | Self::Expire
            | Self::PortalUp => None,
        }
    }

    /// Does a worker do it, or is it done to one?
    pub(super) fn is_of_worker(self) -> bool {
        match self {
            Self::Operate
            | Self::Renew
            | Self::Start
            | Self::Thaw
            | Self::Crash
            | Self::Freeze
            | Self::LoseReply => true,
            Self::Add
            | Self::Sweep
            | Self::Expire
            | Self::EvictLock
            | Self::LoseMarker
            | Self::PortalDown
            | Self::PortalUp => false,
        }
    }
}

/// One move: what, and of which worker (by its slot) or job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Move {
    pub(super) kind: Kind,
    pub(super) at: u8,
}

impl Move {
    pub(super) fn new(kind: Kind, at: usize) -> Self {
        Self { kind, at: at as u8 }
    }

    pub(super) fn code(self) -> u8 {
        self.kind as u8 * MOST_WORKERS as u8 + self.at
    }

    pub(super) fn of_code(code: u8) -> Self {
        let kind = Kind::ALL.get(usize::from(code) / MOST_WORKERS).copied().unwrap_or(Kind::Add);
        Self { kind, at: code % MOST_WORKERS as u8 }
    }
}

/// The move as an action of the world that has one worker. A lock expires as it is evicted: the key is gone.
pub(super) fn action(world: &World, parts: &Parts, of: Move) -> Option<Action> {
    let job = || parts.jobs().get(usize::from(of.at)).map(|job| job.id.clone());
    Some(match of.kind {
        Kind::Add => add(of.at, &world.setup),
        Kind::Operate => Action::Operate(ONE, world.worker(ONE)?.next_op()),
        Kind::Renew => Action::Renew(ONE),
        Kind::Sweep => Action::Sweep(ONE),
        Kind::Start => Action::Start(ONE),
        Kind::Thaw => Action::Thaw(ONE),
        Kind::Expire | Kind::EvictLock => Action::EvictLock(job()?),
        Kind::Crash => Action::Crash(ONE),
        Kind::Freeze => Action::Freeze(ONE),
        Kind::LoseMarker => Action::LoseMarker,
        Kind::LoseReply => Action::LoseReply(ONE),
        Kind::PortalDown => Action::PortalDown,
        Kind::PortalUp => Action::PortalUp,
    })
}

/// Adds the next job, the first without a name of its own: it is the default job.
pub(super) fn add(before: u8, setup: &Setup) -> Action {
    let (id, learner) = job_of(before, setup);
    let named = || NewEnrollment { id: Some(id), who: Some((learner, setup.course.clone())) };
    Action::Add(if before == 0 { NewEnrollment::default() } else { named() }.into())
}

/// Does this change nothing but the worker, and depend on nothing else? A process dies, starts, pauses or goes on; a
/// wait ends that has its answer or its time; a sleep ends.
pub(super) fn leaves_shared_alone(kind: Kind, local: &Local) -> bool {
    match kind {
        Kind::Crash | Kind::Start | Kind::Freeze | Kind::Thaw => true,
        Kind::Operate => match local.next {
            Op::Wake => matches!(local.wait, WaitKind::Answered | WaitKind::Blocked),
            Op::Sleep => true,
            Op::Take
            | Op::Enroll
            | Op::Finish
            | Op::Retry
            | Op::Ask
            | Op::Move
            | Op::Pop
            | Op::Record
            | Op::Unlock
            | Op::Remove
            | Op::Complete => false,
        },
        Kind::Add
        | Kind::Renew
        | Kind::Sweep
        | Kind::Expire
        | Kind::EvictLock
        | Kind::LoseMarker
        | Kind::LoseReply
        | Kind::PortalDown
        | Kind::PortalUp => false,
    }
}
