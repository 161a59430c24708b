//! A path of the search as a story that the exact reducer has run: with the time that it takes, and nothing needless.

use super::{
    moves::{Kind, Move, add},
    shared::Job,
};
use crate::{
    check::Invariant,
    reliable_loop::{Action, Op, Setup, Worker, WorkerId, World},
    story::{Story, Token},
};
use alloc::{string::ToString, vec::Vec};

/// A story that breaks the invariant in its last step, made of these moves with the workers' names.
///
/// `None` if the exact reducer does not come there: the search lets time do what it likes, and not every order of
/// expiries, sweeps and waits can be had with real durations.
pub(super) fn tell(
    setup: &Setup,
    jobs: &[Job],
    path: &[(Move, WorkerId)],
    broken: Invariant,
) -> Option<Story> {
    let mut telling = Telling { world: World::new(setup.clone()), tokens: Vec::new() };
    for (index, (of, worker)) in path.iter().enumerate() {
        let job = jobs.get(usize::from(of.at)).filter(|_| !of.kind.is_of_worker());
        telling.tell(
            *of,
            *worker,
            job.map_or("", |job| &job.id),
            path.get(index + 1..).unwrap_or_default(),
        )?;
    }
    let story = Story { setup: setup.clone(), tokens: telling.tokens };
    breaks(&story, broken).then_some(story)
}

/// The same break with nothing needless in it, and easier to read.
pub(super) fn tidy(mut story: Story, broken: Invariant) -> Story {
    draw_together(&mut story, broken);
    leave_out(&mut story, broken);
    story
}

/// Is a story the better one to show: shorter, then with less time in it, then with the names in order?
pub(super) fn is_better(story: &Story, than: &Story) -> bool {
    let cost = |story: &Story| (story.tokens.len(), story.run().world().now, story.to_string());
    cost(story) < cost(than)
}

/// Does the story run to its end, and is the invariant broken there?
pub(super) fn breaks(story: &Story, broken: Invariant) -> bool {
    let ran = story.run();
    ran.refused.is_none() && !broken.holds(ran.world())
}

struct Telling {
    world: World,
    tokens: Vec<Token>,
}

impl Telling {
    fn tell(&mut self, of: Move, worker: WorkerId, job: &str, later: &[(Move, WorkerId)]) -> Option<()> {
        let next_op = || self.world.worker(worker).map_or(Op::Wake, Worker::next_op);
        match of.kind {
            Kind::Add => self.act(add(of.at, &self.world.setup)),
            Kind::Operate => self.act(Action::Operate(worker, next_op())),
            Kind::Renew => self.act(Action::Renew(worker)),
            Kind::Start => self.act(Action::Start(worker)),
            Kind::Thaw => self.act(Action::Thaw(worker)),
            Kind::Crash => self.act(Action::Crash(worker)),
            Kind::Freeze => self.act(Action::Freeze(worker)),
            Kind::LoseReply => self.act(Action::LoseReply(worker)),
            Kind::EvictLock => self.act(Action::EvictLock(job.into())),
            Kind::LoseMarker => self.act(Action::LoseMarker),
            Kind::PortalDown => self.act(Action::PortalDown),
            Kind::PortalUp => self.act(Action::PortalUp),
            Kind::Expire => self.wait_until_gone(&self.world.setup.queue().lock(job)),
            Kind::Sweep => {
                self.wait_until_gone(&self.world.setup.queue().key("stalled-check"))?;
                self.act(Action::Sweep(self.sweeper(later)?))
            }
        }
    }

    /// Any worker that runs can sweep: one that is not in the middle of a job, if there is.
    fn sweeper(&self, later: &[(Move, WorkerId)]) -> Option<WorkerId> {
        let busy = |worker: &&Worker| (worker.job.is_some(), !later.iter().any(|(_, id)| *id == worker.id));
        self.world
            .workers
            .iter()
            .filter(|worker| worker.is_running())
            .min_by_key(busy)
            .map(|worker| worker.id)
    }

    /// Lets time pass until the key has expired, if it is there.
    fn wait_until_gone(&mut self, key: &str) -> Option<()> {
        match self.world.keys.time_left(key, self.world.now) {
            Some(left) => self.act(Action::Advance(left)),
            None => Some(()),
        }
    }

    fn act(&mut self, action: Action) -> Option<()> {
        let token = Token::Act(action);
        let last = token.run(&self.world).ok()?.steps.pop()?;
        self.world = last.step.world;
        match (self.tokens.last_mut(), &token) {
            (Some(Token::Act(Action::Advance(before))), Token::Act(Action::Advance(by))) => {
                *before = before.plus(*by);
            }
            (_, _) => self.tokens.push(token),
        }
        Some(())
    }
}

/// Leaves out every token without which the invariant breaks all the same.
fn leave_out(story: &mut Story, broken: Invariant) {
    let mut at = 0;
    while at < story.tokens.len() {
        let mut shorter = story.clone();
        shorter.tokens.remove(at);
        if breaks(&shorter, broken) {
            *story = shorter;
            at = 0;
        } else {
            at += 1;
        }
    }
}

/// Moves the operations of a worker together, as far as the invariant breaks all the same: that is easier to read.
fn draw_together(story: &mut Story, broken: Invariant) {
    for at in (0..story.tokens.len()).rev() {
        let worker_of = |token: &Token| match token {
            Token::Act(Action::Operate(worker, _)) => Some(*worker),
            Token::Act(_) | Token::NextOf(_) | Token::Step | Token::Crash => None,
        };
        let Some(worker) = story.tokens.get(at).and_then(worker_of) else { continue };
        let later = story.tokens.iter().skip(at + 1).position(|token| worker_of(token) == Some(worker));
        let Some(between @ 1..) = later else { continue };
        let mut closer = story.clone();
        let token = closer.tokens.remove(at);
        closer.tokens.insert(at + between, token);
        if breaks(&closer, broken) {
            *story = closer;
        }
    }
}
