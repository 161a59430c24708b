//! A run as history: forward by pressing, back, reset, and a fork where a press follows a step back.

use crate::{
    reliable_loop::{Milestone, Refusal, Setup, World},
    story::{RanStep, RefusedToken, Story, Token},
};
use alloc::{
    string::{String, ToString},
    sync::Arc,
    vec,
    vec::Vec,
};

/// A position in a run, and how it was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The tokens that led here from the frame before: one, or the opening of the story.
    pub tokens: Vec<Token>,
    /// What they ran.
    pub steps: Vec<RanStep>,
    /// Where that came to, if it moves the story on.
    pub milestone: Option<Arc<Milestone>>,
    /// The world now.
    pub world: World,
}

/// All frames of a run and where the reader is.
///
/// The first frame is the opening: the tokens before anything moves, such as `add`. A timeline never has no frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    opening: Frame,
    /// The frames of the story as it was opened: where a reset goes, whatever branch was taken since.
    opened: Vec<Arc<Frame>>,
    /// The story as it was opened.
    home: String,
    later: Vec<Arc<Frame>>,
    at: usize,
}

impl Timeline {
    /// Opens a story at its end. A token that is refused ends it there; what ran before is kept.
    #[must_use]
    pub fn open(story: &Story) -> (Self, Option<RefusedToken>) {
        let world = World::new(story.setup.clone());
        let opening = Frame {
            tokens: Vec::new(),
            steps: Vec::new(),
            milestone: Some(Arc::new(Milestone::waiting())),
            world,
        };
        let mut timeline =
            Self { opening, opened: Vec::new(), home: String::new(), later: Vec::new(), at: 0 };
        let mut refused = None;
        for (index, token) in story.tokens.iter().enumerate() {
            if let Err(refusal) = timeline.open_token(token) {
                refused = Some(RefusedToken { index: index + 1, token: token.to_string(), refusal });
                break;
            }
        }
        timeline.opened = timeline.later.clone();
        timeline.home = timeline.story().to_string();
        (timeline, refused)
    }

    fn open_token(&mut self, token: &Token) -> Result<(), Refusal> {
        let ran = token.run(&self.now().world)?;
        if ran.milestone.is_none() && self.later.is_empty() {
            if let Some(last) = ran.steps.last() {
                self.opening.world = last.step.world.clone();
            }
            self.opening.tokens.push(token.clone());
            self.opening.steps.extend(ran.steps);
            return Ok(());
        }
        self.press(token)
    }

    /// Runs a token from here. Frames ahead of here are forgotten: a press after a step back begins another branch.
    ///
    /// # Errors
    /// Why it cannot happen; the timeline is as it was.
    pub fn press(&mut self, token: &Token) -> Result<(), Refusal> {
        let ran = token.run(&self.now().world)?;
        let Some(last) = ran.steps.last() else { return Ok(()) };
        let world = last.step.world.clone();
        self.later.truncate(self.at);
        let tokens = vec![token.clone()];
        self.later.push(Arc::new(Frame { tokens, steps: ran.steps, milestone: ran.milestone, world }));
        self.at = self.later.len();
        Ok(())
    }

    /// One frame back. False at the opening.
    pub fn back(&mut self) -> bool {
        let possible = self.at > 0;
        self.at = self.at.saturating_sub(1);
        possible
    }

    /// One frame forward again. False at the last.
    pub fn forward(&mut self) -> bool {
        self.jump(self.at + 1)
    }

    /// To the frame with this number, 0 for the opening. False if there is none.
    pub fn jump(&mut self, to: usize) -> bool {
        let possible = to <= self.later.len();
        if possible {
            self.at = to;
        }
        possible
    }

    /// Back to where the story opened; everything since is forgotten.
    pub fn reset(&mut self) {
        self.later = self.opened.clone();
        self.at = self.later.len();
    }

    /// The frame where the reader is.
    #[must_use]
    pub fn now(&self) -> &Frame {
        self.at.checked_sub(1).and_then(|index| self.later.get(index)).map_or(&self.opening, |frame| frame)
    }

    /// The frames from the opening to where the reader is.
    pub fn so_far(&self) -> impl Iterator<Item = &Frame> {
        core::iter::once(&self.opening).chain(self.later.iter().take(self.at).map(Arc::as_ref))
    }

    /// The number of the frame where the reader is, 0 for the opening.
    #[must_use]
    pub fn at(&self) -> usize {
        self.at
    }

    /// Is the reader where the story opened?
    #[must_use]
    pub fn is_home(&self) -> bool {
        self.at == self.opened.len() && self.story().to_string() == self.home
    }

    /// The run up to here, as a story.
    #[must_use]
    pub fn story(&self) -> Story {
        let mut tokens = Vec::new();
        for frame in self.so_far() {
            tokens.extend_from_slice(&frame.tokens);
        }
        Story { setup: Setup::clone(&self.opening.world.setup), tokens }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> Timeline {
        let (timeline, refused) = Timeline::open(&Story::parse(text).unwrap());
        assert_eq!(refused, None);
        timeline
    }

    #[test]
    fn a_story_opens_at_its_end_and_adds_are_the_opening() {
        assert_eq!(open("add").at(), 0);
        assert_eq!(open("add,add").at(), 0);
        assert_eq!(open("add,step,step").at(), 2);
        assert_eq!(open("add,w1:wake").at(), 1);
    }

    #[test]
    fn a_refused_token_keeps_what_ran_before() {
        let (timeline, refused) = Timeline::open(&Story::parse("add,step,crash,crash").unwrap());
        assert_eq!(timeline.story().to_string(), "add,step,crash");
        let refused = refused.unwrap();
        assert_eq!((refused.index, refused.token.as_str()), (4, "crash"));
    }

    #[test]
    fn back_and_the_same_press_lead_to_the_same_frame() {
        let mut timeline = open("add,step,step");
        timeline.press(&Token::Step).unwrap();
        let there = timeline.now().clone();
        assert!(timeline.back());
        assert_ne!(timeline.now(), &there);
        timeline.press(&Token::Step).unwrap();
        assert_eq!(timeline.now(), &there);
    }

    #[test]
    fn a_press_after_a_step_back_forks() {
        let mut timeline = open("add,step,step,step");
        assert!(timeline.back());
        timeline.press(&Token::Crash).unwrap();
        assert_eq!(timeline.story().to_string(), "add,step,step,crash");
        assert!(!timeline.forward());
    }

    #[test]
    fn back_ends_at_the_opening_and_reset_goes_to_where_the_story_opened() {
        let mut timeline = open("add,step,step");
        assert!(timeline.back() && timeline.back() && !timeline.back());
        assert_eq!(timeline.at(), 0);
        assert!(!timeline.is_home());
        timeline.reset();
        assert!(timeline.is_home());
    }

    #[test]
    fn reset_after_a_fork_goes_to_the_story_not_to_the_branch() {
        let mut timeline = open("add,step,step");
        assert!(timeline.back());
        timeline.press(&Token::Crash).unwrap();
        assert!(!timeline.is_home());
        timeline.reset();
        assert_eq!(timeline.story().to_string(), "add,step,step");
    }
}
