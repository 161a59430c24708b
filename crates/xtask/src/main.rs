//! The project's commands: `cargo xtask serve`, `cargo xtask build`, `cargo xtask package`, `cargo xtask test`.
//!
//! They set up what a fresh machine lacks, then drive cargo and trunk. Code map, from the command line down:
//!
//! * [`cli`]: arguments to a [`cli::Command`];
//! * [`suite`]: runs the stages of `test`; the stages themselves are data, in [`stages`]: a new check is a new entry there;
//! * [`page`]: builds and serves the page with trunk; [`publish`]: how it is compiled for readers; [`imports`]: shortens
//!   names; [`instance`]: lets a panic be survived; [`sizes`]: what the page weighs, and the budget;
//! * [`package`]: what authors embed;
//! * [`toolbox`]: what a command needs ([`toolbox::Need`]), and the environment that it then gets;
//! * [`tools`], [`tools::install`]: the pinned tools in the per-user cache; [`browser`], [`rust`], [`system`]: the rest;
//! * [`project`], [`process`]: where things are, how programs are run.
//!
//! Nothing here knows queues, the widgets' insides, or how the page looks.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

use std::process::ExitCode;

use crate::cli::Command;
use crate::project::Project;
use crate::toolbox::Toolbox;

mod browser;
mod cli;
mod imports;
mod instance;
mod package;
mod page;
mod process;
mod project;
mod publish;
mod rust;
mod sizes;
mod squeeze;
mod stages;
mod suite;
mod system;
mod toolbox;
mod tools;

fn main() -> ExitCode {
    let command = match cli::parse(std::env::args_os().skip(1)) {
        Ok(command) => command,
        Err(error) => {
            eprintln!("error: {error}\n\n{}", cli::usage());
            return ExitCode::from(2);
        }
    };
    match run(command) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: Command) -> anyhow::Result<ExitCode> {
    if command == Command::Help {
        println!("{}", cli::usage());
        return Ok(ExitCode::SUCCESS);
    }
    let mut toolbox = Toolbox::new(Project::find()?)?;
    match command {
        Command::Help => Ok(ExitCode::SUCCESS),
        Command::Serve { port, release } => page::serve(&mut toolbox, port, release),
        Command::Build => page::build(&mut toolbox).map(|()| ExitCode::SUCCESS),
        Command::Package => package::package(&mut toolbox).map(|()| ExitCode::SUCCESS),
        Command::Bench => {
            let cargo = ["bench", "-q", "-p", "enroll-once-core", "--bench", "search"];
            process::run(toolbox.cargo()?.args(cargo)).map(|()| ExitCode::SUCCESS)
        }
        Command::BenchPage => {
            toolbox.ensure_all(page::DIST)?;
            toolbox.ensure_all(stages::BENCH)?;
            page::build_ready(&toolbox)?;
            let cargo = ["run", "-q", "-p", "enroll-once-tests", "--bin", "page_bench"];
            process::run(toolbox.cargo()?.args(cargo)).map(|()| ExitCode::SUCCESS)
        }
        Command::Differential(arguments) => {
            toolbox.ensure_all(stages::DIFFERENTIAL)?;
            let cargo = ["run", "-q", "-p", "enroll-once-tests", "--bin", "differential", "--"];
            process::run(toolbox.cargo()?.args(cargo).args(arguments)).map(|()| ExitCode::SUCCESS)
        }
        Command::Test(selection) => suite::run(&mut toolbox, selection),
    }
}
