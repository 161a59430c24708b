//! `differential --schedules N --steps 30 --seed S [--bullmq VERSION] [--report FILE] [--story STORY]`: the model
//! against the real scripts on a real Redis. Exit code 1: the model differs from the version it is a model of.

use anyhow::{Context, Result, bail};
use enroll_once_tests::{
    differential::{
        bench::Bench,
        how_we_know,
        report::{Report, Run, kept},
        run::{Plan, run, run_one},
    },
    redis_scripts::{PINNED, Package},
};
use lexopt::{Arg, ValueExt};
use std::{path::PathBuf, process::ExitCode, thread, time::Instant};

const HELP: &str = "The model's scripts against the real ones of BullMQ, on a private Redis.

  --schedules N      how many random schedules (500)
  --steps N          steps in each (30)
  --seed S           the first seed; the others follow one by one (1)
  --bullmq VERSION   scripts of this version (5.78.0, the one the model is a model of)
  --report FILE      put the figures into this file
  --story STORY      run this one story instead
  --threads N        servers side by side (one per core)";

struct Options {
    schedules: u64,
    steps: usize,
    seed: u64,
    bullmq: String,
    report: Option<PathBuf>,
    story: Option<String>,
    threads: u64,
}

fn main() -> Result<ExitCode> {
    let Some(options) = options()? else {
        println!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    };
    let package = Package::get(&options.bullmq)?;
    match &options.story {
        Some(story) => run_story(&package, story),
        None => run_many(&package, &options),
    }
}

fn options() -> Result<Option<Options>> {
    let cores = thread::available_parallelism().map_or(1, usize::from) as u64;
    let mut options = Options {
        schedules: 500,
        steps: 30,
        seed: 1,
        bullmq: PINNED.to_owned(),
        report: None,
        story: None,
        threads: cores,
    };
    let mut arguments = lexopt::Parser::from_env();
    while let Some(argument) = arguments.next()? {
        match argument {
            Arg::Long("schedules") => options.schedules = arguments.value()?.parse()?,
            Arg::Long("steps") => options.steps = arguments.value()?.parse()?,
            Arg::Long("seed") => options.seed = arguments.value()?.parse()?,
            Arg::Long("threads") => options.threads = arguments.value()?.parse()?,
            Arg::Long("bullmq") => options.bullmq = arguments.value()?.string()?,
            Arg::Long("report") => options.report = Some(arguments.value()?.into()),
            Arg::Long("story") => options.story = Some(arguments.value()?.string()?),
            Arg::Long("help") | Arg::Short('h') => return Ok(None),
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(argument.unexpected()).context(HELP),
        }
    }
    Ok(Some(options))
}

fn run_many(package: &Package, options: &Options) -> Result<ExitCode> {
    let end = options.seed.checked_add(options.schedules).context("that many seeds there are not")?;
    let plan = Plan { seeds: options.seed..end, steps: options.steps, threads: options.threads };
    let begun = Instant::now();
    let summary = run(package, &plan)?;
    let seconds = begun.elapsed().as_secs();
    let figures = Run::of(package, &plan, &summary)?;
    for kind in &figures.kinds {
        println!("{} ({} schedules, first seed {})", kind.kind, kind.schedules, kind.seed);
        println!(
            "  story: {}\n  model: {}\n  redis: {}",
            kind.story,
            indent(&kind.model),
            indent(&kind.redis)
        );
    }
    println!(
        "bullmq {}, redis {}: {} schedules (seeds {} to {}), {} steps compared in {seconds} s, {} schedules differ, \
         {} in commands only; {} run again for time",
        figures.bullmq,
        figures.redis,
        figures.schedules,
        figures.first_seed,
        end - 1,
        figures.steps,
        figures.differences,
        figures.differences_in_commands_only,
        summary.run_again,
    );
    let differs = !figures.kinds.is_empty();
    if let Some(path) = &options.report {
        let report = Report::put(path, figures)?;
        if path.canonicalize().ok() == kept().canonicalize().ok() {
            std::fs::write(how_we_know::file(), how_we_know::html(&report)?)?;
        }
        println!("report: {}", path.display());
    }
    Ok(if differs && package.version == PINNED { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

fn run_story(package: &Package, story: &str) -> Result<ExitCode> {
    let schedule = story.parse()?;
    let mut bench = Bench::start(package)?;
    let differences = run_one(&mut bench, &schedule)?;
    for (step, difference) in &differences {
        let token = schedule.steps.get(step - 1).map(ToString::to_string).unwrap_or_default();
        println!("step {step}, {token}: {}", difference.kind());
        println!("  model: {}\n  redis: {}", indent(&difference.model), indent(&difference.redis));
    }
    if schedule.steps.is_empty() {
        bail!("a story needs a step");
    }
    println!("{} differences in {schedule}", differences.len());
    Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn indent(text: &str) -> String {
    text.replace('\n', "\n         ")
}
