//! The process that steers a browser.

use crate::process::{Owned, command};
use anyhow::{Context, Result, bail};
use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
    thread,
};

/// A driver on a port of its own. It is killed when this is dropped; its browsers would stay.
pub struct Driver {
    /// Where it listens.
    pub url: String,
    _process: Owned,
}

impl Driver {
    /// Starts the chromedriver that `CHROMEDRIVER` names, or the one on `PATH`. What it and its browsers keep for a while
    /// goes into this folder.
    ///
    /// # Errors
    /// There is no such program, or it does not start.
    pub fn chrome(folder: &Path) -> Result<Self> {
        // It looks for a free port itself, so that nobody can take the port in between.
        Self::start("CHROMEDRIVER", "chromedriver", &["--port=0", "--log-level=SEVERE"], folder)
    }

    /// The same for `GECKODRIVER`. Its browsers let the tests change their settings.
    ///
    /// # Errors
    /// There is no such program, or it does not start.
    pub fn gecko(folder: &Path) -> Result<Self> {
        Self::start(
            "GECKODRIVER",
            "geckodriver",
            &["--port=0", "--websocket-port=0", "--allow-system-access"],
            folder,
        )
    }

    fn start(variable: &str, name: &str, arguments: &[&str], folder: &Path) -> Result<Self> {
        let program = env::var(variable).unwrap_or_else(|_| name.to_owned());
        let mut command = command(&program);
        command.args(arguments).env("TMPDIR", folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        if variable == "GECKODRIVER" {
            command.stderr(Stdio::null()); // Firefox writes there what is of no interest, a dozen lines a start
        }
        let mut process = Owned(command.spawn().with_context(|| format!("cannot start {program}"))?);
        let output = process.0.stdout.take().context("the driver has no output")?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let Some(port) = lines.by_ref().find_map(|line| port(&line)) else {
            bail!("{program} ended without a word about its port");
        };
        thread::spawn(move || lines.for_each(drop)); // so that it can go on writing
        Ok(Self { url: format!("http://127.0.0.1:{port}"), _process: process })
    }
}

fn port(line: &str) -> Option<u16> {
    let said = |words| line.split_once(words).map(|(_, rest)| rest.trim_end_matches('.'));
    said("started successfully on port ").or_else(|| said("Listening on 127.0.0.1:"))?.parse().ok()
}
