//! What a page may ask for, as text, and what was wrong with it.

use enroll_once_core::{
    portal::{CourseId, DEFAULT_COURSE, DEFAULT_LEARNER, UserId},
    protocol::Queue,
    reliable_loop::Setup,
    story::Story,
};
use js_sys::Array;

/// The run with which the hero opens: one job in wait.
const DEFAULT_STORY: &str = "add";

/// Something that was wrong with an option. The rest works all the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Which option: `story`, `learner`, `course`, `queue` or `runs`; `lab` for a story that only the lab can run.
    pub code: &'static str,
    /// What was wrong, where, and what was expected.
    pub message: String,
}

/// The options of a widget. Each text is what the attribute holds, or nothing; each widget reads its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The proof, or else the loop.
    pub proof: bool,
    story: Option<String>,
    learner: Option<String>,
    course: Option<String>,
    queue: Option<String>,
    runs: Option<String>,
    /// Leave out the live region.
    pub quiet: bool,
}

impl Options {
    /// Options from attributes, each a text or `undefined`: `story`, `learner`, `course`, `queue`, `runs`,
    /// `no-announce`.
    #[must_use]
    pub fn new(proof: bool, attributes: &Array) -> Self {
        let text = |index| attributes.get(index).as_string();
        Self {
            proof,
            story: text(0),
            learner: text(1),
            course: text(2),
            queue: text(3),
            runs: text(4),
            quiet: text(5).is_some(),
        }
    }
}

impl Options {
    /// The hero's story, as far as it is good, and what was not.
    #[must_use]
    pub fn read_loop(&self) -> (Story, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut setup = Setup {
            learner: learner(self.learner.as_deref(), &mut problems),
            course: course(self.course.as_deref(), &mut problems),
            ..Setup::default()
        };
        if let Some(queue) = self.queue.as_deref().filter(|queue| !queue.is_empty()) {
            if is_plain(queue) {
                setup.queue = Queue::named(queue);
            } else {
                problems.push(problem("queue", queue, "1 to 32 letters, digits, `_` or `-`"));
            }
        }
        let text =
            self.story.as_deref().filter(|story| !story.trim_ascii().is_empty()).unwrap_or(DEFAULT_STORY);
        let (story, error) = Story::parse_good_part(text, setup);
        if let Some(error) = error {
            let code = if error.is_left_out() { "lab" } else { "story" };
            problems.push(Problem { code, message: ["story: ", &error.to_string()].concat() });
        }
        (story, problems)
    }

    /// The proof's runs at the beginning, learner, course, and what was wrong.
    #[must_use]
    pub fn read_proof(&self) -> (usize, String, String, Vec<Problem>) {
        let mut problems = Vec::new();
        let learner = learner(self.learner.as_deref(), &mut problems);
        let course = course(self.course.as_deref(), &mut problems);
        let runs = self.runs.as_deref().filter(|runs| !runs.is_empty()).map_or(0, |text| {
            text.parse().ok().filter(|runs| *runs <= 1_000).unwrap_or_else(|| {
                problems.push(problem("runs", text, "a number from 0 to 1000"));
                0
            })
        });
        (runs, learner, course, problems)
    }
}

fn learner(given: Option<&str>, problems: &mut Vec<Problem>) -> String {
    let good = |text: &str| UserId::parse(text).is_some();
    id_or_default("learner", given, DEFAULT_LEARNER, good, &UserId::expected(), problems)
}

fn course(given: Option<&str>, problems: &mut Vec<Problem>) -> String {
    let good = |text: &str| CourseId::parse(text).is_some();
    id_or_default("course", given, DEFAULT_COURSE, good, &CourseId::expected(), problems)
}

fn id_or_default(
    code: &'static str,
    given: Option<&str>,
    default: &str,
    good: fn(&str) -> bool,
    expected: &str,
    problems: &mut Vec<Problem>,
) -> String {
    match given.filter(|text| !text.is_empty()) {
        Some(text) if good(text) => text.to_string(),
        Some(text) => {
            problems.push(problem(code, text, expected));
            default.to_string()
        }
        None => default.to_string(),
    }
}

fn problem(code: &'static str, text: &str, expected: &str) -> Problem {
    let short: String = text.chars().take(40).collect();
    Problem { code, message: [code, ": `", &short, "` is not ", expected, "; the default is used"].concat() }
}

fn is_plain(text: &str) -> bool {
    let ok = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    !text.is_empty() && text.len() <= 32 && text.bytes().all(ok)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(options: Options, story: &str, messages: &[&str]) {
        let (read, problems) = options.read_loop();
        assert_eq!(read.to_string(), story);
        assert_eq!(problems.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>(), messages);
    }

    #[test]
    fn nothing_asked_for_is_one_job_in_wait() {
        check(Options::default(), "add", &[]);
        check(Options { story: Some("  ".into()), ..Default::default() }, "add", &[]);
    }

    #[test]
    fn a_bad_story_runs_as_far_as_it_is_good() {
        let options = Options { story: Some("add,step,stepp".into()), ..Default::default() };
        let (read, problems) = options.read_loop();
        assert_eq!(read.to_string(), "add,step");
        let [problem] = problems.as_slice() else { panic!("{problems:?}") };
        assert_eq!(problem.code, "story");
        // The rest, what was expected, is the core's own wording.
        assert!(
            problem.message.starts_with("story: token 3, `stepp`, at character 10: "),
            "{}",
            problem.message
        );
    }

    #[test]
    fn a_bad_id_is_named_and_the_default_is_used() {
        check(
            Options { learner: Some("CRS0KHTOWnGLuC".into()), ..Default::default() },
            "add",
            &["learner: `CRS0KHTOWnGLuC` is not USR and eleven letters or digits, such as USR0KHTOWnGLuC; \
               the default is used"],
        );
    }
}
