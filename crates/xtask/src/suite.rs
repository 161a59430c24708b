//! Runs stages one after the other, stops at the first that fails, and ends with a line that says what ran and what did not.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;

use crate::cli::Selection;
use crate::stages::{self, Stage, Step};
use crate::system::Missing;
use crate::toolbox::{Need, Toolbox};
use crate::{package, page, process};

use summary::{Outcome, seconds};

mod summary;

/// `cargo xtask test`.
pub fn run(toolbox: &mut Toolbox, selection: Selection) -> Result<ExitCode> {
    let chosen = chosen(selection);
    let missing = match set_up(toolbox, &chosen) {
        Ok(missing) => missing,
        Err(error) => {
            eprintln!("error: {error:#}");
            let names: Vec<_> = chosen.iter().map(|stage| stage.name).collect();
            let names = names.join(", ");
            println!("setup failed. The same command tries again.");
            println!("ran: nothing; failed: setup; not reached: {names}; skipped: nothing");
            return Ok(ExitCode::FAILURE);
        }
    };
    let mut outcomes: Vec<(&Stage, Outcome)> = Vec::new();
    for (i, stage) in chosen.iter().copied().enumerate() {
        let outcome = if outcomes.iter().any(|(_, outcome)| *outcome == Outcome::Failed) {
            Outcome::NotReached
        } else if let Some(reason) = reason_to_skip(stage, &missing, &outcomes) {
            println!("\n== {} is skipped: {reason}", stage.name);
            Outcome::Skipped(reason)
        } else {
            println!("\n== {}/{} {}: {}", i + 1, chosen.len(), stage.name, stage.about);
            run_stage(toolbox, stage)
        };
        outcomes.push((stage, outcome));
    }
    let strict = matches!(selection, Selection::Only(_)) || is_ci(std::env::var("CI").ok().as_deref());
    println!("\n{}", summary::lines(&outcomes, strict, &left_out(selection, &chosen)));
    Ok(if summary::passed(&outcomes, strict) { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The stages to run, with the ones whose output they read.
fn chosen(selection: Selection) -> Vec<&'static Stage> {
    match selection {
        Selection::Everything => stages::EVERYTHING.iter().collect(),
        Selection::Quick => stages::QUICK.iter().collect(),
        Selection::Only(name) => {
            let mut chosen: Vec<_> = stages::find(name).into_iter().collect();
            while let Some(before) = chosen.first().and_then(|stage| stages::find(stage.after?)) {
                chosen.insert(0, before);
            }
            chosen
        }
    }
}

/// The names of the stages that an option left out, with that option; empty for everything.
fn left_out(selection: Selection, chosen: &[&Stage]) -> String {
    let option = match selection {
        Selection::Everything => return String::new(),
        Selection::Quick => "--quick",
        Selection::Only(_) => "--only",
    };
    let names = stages::EVERYTHING.iter().map(|stage| stage.name);
    let names: Vec<_> = names.filter(|name| chosen.iter().all(|stage| stage.name != *name)).collect();
    format!("{} ({option})", names.join(", "))
}

/// Makes ready what the stages need, each thing once. Gives what cannot be had, and why.
fn set_up(toolbox: &mut Toolbox, chosen: &[&Stage]) -> Result<Vec<(Need, Missing)>> {
    let start = Instant::now();
    println!("== setup");
    let (mut ready, mut missing) = (Vec::new(), Vec::new());
    for need in chosen.iter().flat_map(|stage| stage.needs).copied() {
        if ready.contains(&need) || missing.iter().any(|(other, _)| *other == need) {
            continue;
        }
        match toolbox.ensure(need) {
            Ok(()) => ready.push(need),
            Err(error) => match error.root_cause().downcast_ref::<Missing>() {
                Some(reason) => {
                    println!("{reason}");
                    missing.push((need, reason.clone()));
                }
                None => return Err(error),
            },
        }
    }
    println!("setup took {}", seconds(start.elapsed()));
    Ok(missing)
}

fn reason_to_skip(
    stage: &Stage,
    missing: &[(Need, Missing)],
    outcomes: &[(&Stage, Outcome)],
) -> Option<String> {
    let lacking = missing.iter().find(|(need, _)| stage.needs.contains(need));
    if let Some((_, reason)) = lacking {
        return Some(reason.what.clone());
    }
    let before = outcomes.iter().find(|(earlier, _)| Some(earlier.name) == stage.after);
    let skipped = before.filter(|(_, outcome)| matches!(outcome, Outcome::Skipped(_)))?;
    Some(format!("it reads what {} makes", skipped.0.name))
}

fn run_stage(toolbox: &Toolbox, stage: &Stage) -> Outcome {
    let start = Instant::now();
    let result = stage.steps.iter().try_for_each(|step| run_step(toolbox, step));
    let took = start.elapsed();
    match result {
        Ok(()) => {
            println!("{} took {}", stage.name, seconds(took));
            Outcome::Passed(took)
        }
        Err(error) => {
            eprintln!("error: {error:#}");
            println!("\n{} failed after {}", stage.name, seconds(took));
            Outcome::Failed
        }
    }
}

fn run_step(toolbox: &Toolbox, step: &Step) -> Result<()> {
    match step {
        Step::Cargo(arguments) => process::run(toolbox.cargo()?.args(*arguments)),
        Step::Program(name, arguments) => process::run(toolbox.program(name)?.args(*arguments)),
        Step::Page => page::build_ready(toolbox),
        Step::Package => package::write(toolbox),
    }
}

fn is_ci(variable: Option<&str>) -> bool {
    matches!(variable, Some("true" | "1"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn what_an_option_leaves_out_is_no_secret() {
        let left_out = left_out(Selection::Quick, &chosen(Selection::Quick));
        let expected = "format, clippy, tests, wasm-tests, page, package, differential, end-to-end (--quick)";
        assert_eq!(left_out, expected);
    }

    #[test]
    fn one_stage_alone_brings_the_one_whose_output_it_reads() {
        let names = |name| chosen(Selection::Only(name)).iter().map(|stage| stage.name).collect::<Vec<_>>();
        assert_eq!(names("end-to-end"), ["page", "end-to-end"]);
        assert_eq!(names("clippy"), ["clippy"]);
    }

    #[test]
    fn a_stage_is_skipped_for_what_it_lacks_or_for_what_the_stage_before_it_lacked() {
        let stage = |name| stages::find(name).unwrap();
        let no_node = Missing { what: "no Node.js".into(), cure: "install it".into() };
        let missing = [(Need::WasmOpt, no_node)];
        assert_eq!(reason_to_skip(stage("page"), &missing, &[]).as_deref(), Some("no Node.js"));
        assert_eq!(reason_to_skip(stage("clippy"), &missing, &[]), None);
        let before = [(stage("page"), Outcome::Skipped("no Node.js".into()))];
        let reason = reason_to_skip(stage("end-to-end"), &missing, &before);
        assert_eq!(reason.as_deref(), Some("it reads what page makes"));
        let before = [(stage("page"), Outcome::Passed(Duration::ZERO))];
        assert_eq!(reason_to_skip(stage("end-to-end"), &missing, &before), None);
    }

    #[test]
    fn ci_is_told_by_its_variable() {
        assert!(is_ci(Some("true")));
        assert!(!is_ci(Some("false")) && !is_ci(Some("")) && !is_ci(None));
    }
}
