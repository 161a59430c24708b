//! The checks of `cargo xtask test`, as data. A new check is a new entry here, and nothing else changes.

use crate::page;
use crate::toolbox::Need;

/// One check.
pub struct Stage {
    /// Its name, as in `--only NAME` and in the last line.
    pub name: &'static str,
    /// What it checks, for the heading.
    pub about: &'static str,
    /// What must be on the machine for it.
    pub needs: &'static [Need],
    /// The stage whose output it reads.
    pub after: Option<&'static str>,
    /// What is run, in this order.
    pub steps: &'static [Step],
}

/// One command of a stage.
pub enum Step {
    /// cargo with these arguments.
    Cargo(&'static [&'static str]),
    /// cargo with these arguments, for tests that then use Firefox.
    InFirefox(&'static [&'static str]),
    /// A program of the toolbox with these arguments.
    Program(&'static str, &'static [&'static str]),
    /// The release page, with its size report and budget.
    Page,
    /// What authors embed.
    Package,
}

use Step::Cargo;

/// What the differential needs.
pub const DIFFERENTIAL: &[Need] = &[Need::Redis, Need::BullMq];

/// What the benchmark of the page needs, beside the page.
pub const BENCH: &[Need] = &[Need::Browser, Need::Lighthouse];

/// What runs without options, in this order: what fails fast comes first.
pub const EVERYTHING: &[Stage] = &[
    Stage {
        name: "format",
        about: "rustfmt would change nothing",
        needs: &[Need::Components],
        after: None,
        steps: &[Cargo(&["fmt", "--all", "--check"])],
    },
    Stage {
        name: "clippy",
        about: "no warnings, natively and for WASM",
        needs: &[Need::Components, Need::WasmTarget],
        after: None,
        steps: &[
            Cargo(&["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
            Cargo(&[
                "clippy",
                "-p",
                "enroll-once-widgets",
                "-p",
                "enroll-once-lab",
                "--target",
                "wasm32-unknown-unknown",
                "--all-targets",
                "--",
                "-D",
                "warnings",
            ]),
        ],
    },
    Stage {
        name: "tests",
        about: "unit, property, golden and documentation tests",
        needs: &[],
        after: None,
        steps: &[Cargo(&["test", "--workspace", "--exclude", "enroll-once-tests"])],
    },
    Stage {
        name: "wasm-tests",
        about: "the front end's own tests, as WASM in headless Chromium",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::Browser],
        after: None,
        // --tests leaves out documentation tests, which ran natively. Never -q: the test runner does not know it.
        steps: &[Cargo(&[
            "test",
            "-p",
            "enroll-once-widgets",
            "--target",
            "wasm32-unknown-unknown",
            "--tests",
        ])],
    },
    Stage {
        name: "page",
        about: "the release page builds and is within its budget",
        needs: page::DIST,
        after: None,
        steps: &[Step::Page],
    },
    Stage {
        name: "package",
        about: "the package for authors: publint and arethetypeswrong find nothing",
        needs: &[Need::Esbuild, Need::PackageCheckers],
        after: Some("page"),
        steps: &[
            Step::Package,
            Step::Program("publint", &["dist/package", "--strict"]),
            // There are modules only, no CommonJS; and a list of elements has no types.
            Step::Program(
                "attw",
                &[
                    "--pack",
                    "dist/package",
                    "--profile",
                    "esm-only",
                    "--exclude-entrypoints",
                    "custom-elements.json",
                ],
            ),
        ],
    },
    Stage {
        name: "differential",
        about: "the model against the real scripts on a real Redis",
        needs: DIFFERENTIAL,
        after: None,
        steps: &[Cargo(&[
            "test",
            "-p",
            "enroll-once-tests",
            "--lib",
            "--test",
            "differential",
            "--test",
            "real_workers",
        ])],
    },
    Stage {
        name: "end-to-end",
        about: "the built page, in headless Chromium",
        needs: &[Need::Browser, Need::Axe],
        after: Some("page"),
        steps: &[Cargo(&["test", "-p", "enroll-once-tests", "--test", "page"])],
    },
    Stage {
        name: "hosts",
        about: "the package in other people's pages: mdBook, React, webpack and others, in headless Chromium",
        needs: &[Need::Browser, Need::Npm, Need::MdBook],
        after: Some("package"),
        steps: &[Cargo(&["test", "-p", "enroll-once-tests", "--test", "hosts"])],
    },
    Stage {
        name: "firefox",
        about: "the built page and other people's pages, in headless Firefox",
        needs: &[Need::Firefox, Need::Axe, Need::Npm, Need::MdBook],
        after: Some("package"),
        steps: &[
            Step::InFirefox(&[
                "test",
                "-p",
                "enroll-once-tests",
                "--test",
                "page",
                "--",
                // WebDriver cannot switch scripts off in Firefox and still look at the page.
                "--skip",
                "without_javascript",
                // What a screen reader gets, what a page looks like on paper, and what is collected, is asked of Chromium's DevTools.
                "--skip",
                "tree::",
                "--skip",
                "media::",
                "--skip",
                "nothing_stays_in_memory",
            ]),
            Step::InFirefox(&["test", "-p", "enroll-once-tests", "--test", "hosts"]),
        ],
    },
];

/// What `--quick` runs instead.
pub const QUICK: &[Stage] = &[
    Stage {
        name: "core-format",
        about: "rustfmt would change nothing in the core",
        needs: &[Need::Components],
        after: None,
        steps: &[Cargo(&["fmt", "-p", "enroll-once-core", "--check"])],
    },
    Stage {
        name: "core-clippy",
        about: "no warnings in the core",
        needs: &[Need::Components],
        after: None,
        steps: &[Cargo(&["clippy", "-p", "enroll-once-core", "--all-targets", "--", "-D", "warnings"])],
    },
    Stage {
        name: "core-tests",
        about: "the core's tests",
        needs: &[],
        after: None,
        steps: &[Cargo(&["test", "-p", "enroll-once-core"])],
    },
];

/// The stage of this name.
pub fn find(name: &str) -> Option<&'static Stage> {
    EVERYTHING.iter().chain(QUICK).find(|stage| stage.name == name)
}

/// The names of some stages, for people.
pub fn names(stages: &[Stage]) -> String {
    stages.iter().map(|stage| stage.name).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique() {
        for (i, stage) in EVERYTHING.iter().chain(QUICK).enumerate() {
            let first = EVERYTHING.iter().chain(QUICK).position(|other| other.name == stage.name);
            assert_eq!(first, Some(i), "{}", stage.name);
        }
    }

    #[test]
    fn a_stage_comes_after_the_one_that_it_reads() {
        for (i, stage) in EVERYTHING.iter().enumerate() {
            if let Some(name) = stage.after {
                assert!(EVERYTHING[..i].iter().any(|earlier| earlier.name == name), "{}", stage.name);
            }
        }
    }
}
