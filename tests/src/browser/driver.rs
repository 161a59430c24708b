//! The chromedriver process.

use crate::process::{Owned, command};
use anyhow::{Context, Result, bail};
use std::{
    env,
    io::{BufRead, BufReader},
    path::Path,
    process::Stdio,
    thread,
};

/// A chromedriver on a port of its own. It is killed when this is dropped; its browsers would stay.
pub struct Driver {
    /// Where it listens.
    pub url: String,
    _process: Owned,
}

impl Driver {
    /// Starts the program that `CHROMEDRIVER` names, or the one on `PATH`. What it and its browsers keep for a while goes
    /// into this folder.
    ///
    /// # Errors
    /// There is no such program, or it does not start.
    pub fn start(folder: &Path) -> Result<Self> {
        let program = env::var("CHROMEDRIVER").unwrap_or_else(|_| "chromedriver".to_owned());
        let mut command = command(&program);
        // It looks for a free port itself, so that nobody can take the port in between.
        command.args(["--port=0", "--log-level=SEVERE"]).env("TMPDIR", folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped());
        let mut process = Owned(command.spawn().with_context(|| format!("cannot start {program}"))?);
        let output = process.0.stdout.take().context("chromedriver has no output")?;
        let mut lines = BufReader::new(output).lines().map_while(Result::ok);
        let Some(port) = lines.by_ref().find_map(|line| port(&line)) else {
            bail!("{program} ended without a word about its port");
        };
        thread::spawn(move || lines.for_each(drop)); // so that it can go on writing
        Ok(Self { url: format!("http://127.0.0.1:{port}"), _process: process })
    }
}

fn port(line: &str) -> Option<u16> {
    let (_, rest) = line.split_once("started successfully on port ")?;
    rest.trim_end_matches('.').parse().ok()
}
