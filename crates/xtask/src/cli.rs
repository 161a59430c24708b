//! The command line: text in, a [`Command`] out. Nothing is run here.

use std::ffi::OsString;

use lexopt::{Arg, Parser, ValueExt};

use crate::stages;

/// The port that `serve` takes unless told otherwise.
pub const DEFAULT_PORT: u16 = 8080;

/// What the user asked for.
#[derive(Debug, PartialEq, Eq)]
pub enum Command {
    /// Print the usage.
    Help,
    /// Build the page and serve it with live reload.
    Serve {
        /// The first port to try.
        port: u16,
        /// Serve the optimized page instead of the quick development build.
        release: bool,
    },
    /// Build the release page and report its sizes.
    Build,
    /// Build the release page, and what authors embed.
    Package,
    /// Hold the model against the real scripts; the rest of the line is the differential's own.
    Differential(Vec<OsString>),
    /// Measure the reducer and the search.
    Bench,
    /// Measure the release page in a browser.
    BenchPage,
    /// Run the checks.
    Test(Selection),
}

/// Which checks to run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// All of them.
    Everything,
    /// Only what checks the core: no browser, no WASM, under a minute.
    Quick,
    /// One stage, by its name, and the stage whose output it reads, if there is one.
    Only(&'static str),
}

/// The usage text, shown for `help` on stdout and after a mistake on stderr.
pub fn usage() -> String {
    format!(
        "\
usage: cargo xtask <command>

  serve [--port N] [--release]
      set up what is missing, build the page, serve it on http://127.0.0.1:{DEFAULT_PORT}/
      (or the next free port) and rebuild and reload it on every change
  build
      the release page in dist/, and what it weighs; fails above the budget
  package
      the same, and in dist/package the elements as an npm package, with a script and a page that work from file://
  test [--quick | --only STAGE]
      set up what is missing, then run every check, in this order:
      {stages}
      --quick checks the core alone, in under a minute
  bench
      measure the model: a step of it, and its search beside stateright's on the same states
  bench --page
      build the release page, and measure it in headless Chromium beside the same in plain JavaScript: how soon it is ready
      on a slow line, how soon a click is on the screen, what jumps, what stays in memory; and Lighthouse's scores
  differential [--schedules N] [--seed S] [--bullmq VERSION] [--story STORY] [--report FILE]
      hold the model against the real scripts on a private Redis, over random schedules
  help

Tools are installed once per user, into the cache folder ($XDG_CACHE_HOME or ~/.cache)/enroll-once.
CHROME, CHROMEDRIVER and FIREFOX name the browsers and a driver. With CI=true a skipped check is an error.",
        stages = stages::names(stages::EVERYTHING),
    )
}

/// Reads the arguments after the program's name. The error says what was wrong; the caller adds [`usage`].
pub fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Command, lexopt::Error> {
    let mut parser = Parser::from_args(arguments);
    let name = match parser.next()? {
        None | Some(Arg::Short('h') | Arg::Long("help")) => return Ok(Command::Help),
        Some(Arg::Value(name)) => name.string()?,
        Some(other @ (Arg::Short(_) | Arg::Long(_))) => return Err(other.unexpected()),
    };
    match name.as_str() {
        "help" => no_options(parser, Command::Help),
        "serve" => serve(parser),
        "build" => no_options(parser, Command::Build),
        "package" => no_options(parser, Command::Package),
        "bench" => bench(parser),
        "differential" => Ok(Command::Differential(parser.raw_args()?.collect())),
        "test" => test(parser),
        unknown => Err(format!("unknown command '{unknown}'").into()),
    }
}

fn no_options(mut parser: Parser, command: Command) -> Result<Command, lexopt::Error> {
    match parser.next()? {
        None => Ok(command),
        Some(Arg::Short('h') | Arg::Long("help")) => Ok(Command::Help),
        Some(other) => Err(other.unexpected()),
    }
}

fn serve(mut parser: Parser) -> Result<Command, lexopt::Error> {
    let (mut port, mut release) = (DEFAULT_PORT, false);
    while let Some(argument) = parser.next()? {
        match argument {
            Arg::Long("port") | Arg::Short('p') => port = parser.value()?.parse()?,
            Arg::Long("release") => release = true,
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(argument.unexpected()),
        }
    }
    if port == 0 {
        return Err("--port wants a number from 1 to 65535".into());
    }
    Ok(Command::Serve { port, release })
}

fn bench(mut parser: Parser) -> Result<Command, lexopt::Error> {
    match parser.next()? {
        Some(Arg::Long("page")) => no_options(parser, Command::BenchPage),
        Some(Arg::Long("help") | Arg::Short('h')) => Ok(Command::Help),
        Some(other) => Err(other.unexpected()),
        None => Ok(Command::Bench),
    }
}

fn test(mut parser: Parser) -> Result<Command, lexopt::Error> {
    let mut selection = None;
    while let Some(argument) = parser.next()? {
        let chosen = match argument {
            Arg::Long("quick") => Selection::Quick,
            Arg::Long("only") => Selection::Only(stage(&parser.value()?.string()?)?),
            Arg::Long("help") | Arg::Short('h') => return Ok(Command::Help),
            Arg::Long(_) | Arg::Short(_) | Arg::Value(_) => return Err(argument.unexpected()),
        };
        if selection.replace(chosen).is_some() {
            return Err("give one of --quick and --only, once".into());
        }
    }
    Ok(Command::Test(selection.unwrap_or(Selection::Everything)))
}

fn stage(name: &str) -> Result<&'static str, lexopt::Error> {
    let stage = stages::find(name).ok_or_else(|| {
        let names = [stages::EVERYTHING, stages::QUICK].map(stages::names);
        format!("unknown stage '{name}'; the stages are {}", names.join(", "))
    })?;
    Ok(stage.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &str, expected: Command) {
        let arguments = line.split_whitespace().map(OsString::from);
        assert_eq!(parse(arguments).unwrap(), expected);
    }

    #[track_caller]
    fn check_refused(line: &str, says: &str) {
        let arguments = line.split_whitespace().map(OsString::from);
        let error = parse(arguments).unwrap_err().to_string();
        assert!(error.contains(says), "{error}");
    }

    #[test]
    fn each_command_has_its_defaults() {
        let (port, release) = (DEFAULT_PORT, false);
        check("serve", Command::Serve { port, release });
        check("build", Command::Build);
        check("package", Command::Package);
        check("test", Command::Test(Selection::Everything));
        check("", Command::Help);
        check("help", Command::Help);
        check("serve --help", Command::Help);
    }

    #[test]
    fn options_are_read() {
        let (port, release) = (9000, true);
        check("serve --port 9000 --release", Command::Serve { port, release });
        check("serve --release --port=9000", Command::Serve { port, release });
        check("bench", Command::Bench);
        check("bench --page", Command::BenchPage);
        check("test --quick", Command::Test(Selection::Quick));
        check("differential --seed 7", Command::Differential(vec!["--seed".into(), "7".into()]));
        check("test --only clippy", Command::Test(Selection::Only("clippy")));
    }

    #[test]
    fn a_mistake_is_named() {
        check_refused("serv", "unknown command 'serv'");
        check_refused("build --fast", "--fast");
        check_refused("serve --port many", "many");
        check_refused("serve --port 0", "1 to 65535");
        check_refused("serve --port", "--port");
        check_refused("bench nonsense", "nonsense");
        check_refused("bench --page --fast", "--fast");
        check_refused("test all", "all");
        check_refused("test --only nothing", "the stages are format, ");
        check_refused("test --quick --only clippy", "one of");
        check_refused("--version", "--version");
    }
}
