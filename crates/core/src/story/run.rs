//! Running a story: token by token, up to the first that cannot happen.

use super::{Story, Token};
use crate::reliable_loop::{
    Action, Fact, Milestone, Op, Press, RanStep, Refusal, Worker, World, milestone, press, press_crash, step,
};
use alloc::{string::String, string::ToString, vec::Vec};

/// What a token came to: the atomic actions that it ran, and the milestone that it reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RanToken {
    /// In order; at least one.
    pub steps: Vec<RanStep>,
    /// Where it stopped, if that moves the story on.
    pub milestone: Option<Milestone>,
}

/// A token that could not happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedToken {
    /// Which token after the setup, counting from 1.
    pub index: usize,
    /// The token.
    pub token: String,
    /// Why.
    pub refusal: Refusal,
}

/// What ran of a story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ran {
    /// The world at the beginning.
    pub start: World,
    /// Every atomic action, in order.
    pub steps: Vec<RanStep>,
    /// The token that ended it, if one was refused.
    pub refused: Option<RefusedToken>,
}

impl Ran {
    /// The world at the end.
    #[must_use]
    pub fn world(&self) -> &World {
        self.steps.last().map_or(&self.start, |ran| &ran.step.world)
    }
}

impl Token {
    /// Runs one token.
    ///
    /// # Errors
    /// Why it cannot happen; then nothing has.
    pub fn run(&self, world: &World) -> Result<RanToken, Refusal> {
        let action = match self {
            Token::Act(action) => action.clone(),
            // A worker that is not there is refused by the step, whatever the operation.
            Token::NextOf(id) => Action::Operate(*id, world.worker(*id).map_or(Op::Wake, Worker::next_op)),
            Token::Step => return press(world).map(RanToken::from),
            Token::Crash => return press_crash(world).map(RanToken::from),
        };
        let step = step(world, &action);
        if let [Fact::Refused(refusal)] = step.facts.as_slice() {
            return Err(refusal.clone());
        }
        let milestone = milestone(world, &step);
        Ok(RanToken { steps: [RanStep { action, step }].into(), milestone })
    }
}

impl From<Press> for RanToken {
    fn from(press: Press) -> Self {
        Self { steps: press.steps, milestone: Some(press.milestone) }
    }
}

impl Story {
    /// Runs it from the beginning, up to the end or to the first token that is refused. What ran is kept.
    #[must_use]
    pub fn run(&self) -> Ran {
        let mut ran = Ran { start: World::new(self.setup.clone()), steps: Vec::new(), refused: None };
        for (index, token) in self.tokens.iter().enumerate() {
            match token.run(ran.world()) {
                Ok(token) => ran.steps.extend(token.steps),
                Err(refusal) => {
                    ran.refused = Some(RefusedToken { index: index + 1, token: token.to_string(), refusal });
                    break;
                }
            }
        }
        ran
    }
}
