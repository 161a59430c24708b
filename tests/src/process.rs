//! Processes that do not outlive the test that started them.

use anyhow::{Context, Result};
use serde_json::Value as Json;
use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, Command, Stdio},
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// A child process, killed when this is dropped: also while a panic unwinds.
pub struct Owned(pub Child);

impl Drop for Owned {
    fn drop(&mut self) {
        // It may have ended by itself; then there is nothing to kill, and nothing to say about it while dropping.
        let _gone = self.0.kill();
        let _status = self.0.wait();
    }
}

/// A command for this program. Where `setpriv` exists the kernel kills the process when the *thread* that started it
/// ends, so that not even a killed test leaves it behind; it is to be used by the thread that starts it.
#[must_use]
pub fn command(program: &str) -> Command {
    if !can_run("setpriv") {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--pdeathsig", "KILL", program]);
    command
}

/// Is there such a program?
#[must_use]
pub fn can_run(program: &str) -> bool {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// A node process, and what it says line by line: in JSON, or else in words.
pub struct NodeProcess {
    name: String,
    owned: Owned,
    lines: Receiver<Json>,
    heard: Vec<Json>,
    patience: Duration,
}

impl NodeProcess {
    /// Starts `node program arguments`. What it is waited for must come within `patience`.
    ///
    /// # Errors
    /// There is no node.
    pub fn start(name: &str, program: &Path, arguments: &[String], patience: Duration) -> Result<Self> {
        let mut command = command("node");
        command.env("NO_COLOR", "1"); // where CI is set, some tools colour their words
        command.arg(program).args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut owned = Owned(command.spawn().context("cannot start node")?);
        let output = owned.0.stdout.take().context("node has no output")?;
        let (sender, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::new(output).lines().map_while(Result::ok) {
                if sender.send(serde_json::from_str(&line).unwrap_or(Json::String(line))).is_err() {
                    return;
                }
            }
        });
        Ok(Self { name: name.to_owned(), owned, lines, heard: Vec::new(), patience })
    }

    /// Waits until it says `{"did": ...}` with this word.
    ///
    /// # Errors
    /// It ends before, or does not say so in time.
    pub fn wait_for(&mut self, did: &str) -> Result<()> {
        self.wait_until(did, |line| line.get("did").filter(|word| *word == did).map(drop))
    }

    /// Waits until it says something of which this makes a value; `what` is for the message if it does not.
    ///
    /// # Errors
    /// It ends before, or does not say so in time.
    pub fn wait_until<T>(&mut self, what: &str, find: impl Fn(&Json) -> Option<T>) -> Result<T> {
        let deadline = Instant::now() + self.patience;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            let line = self.lines.recv_timeout(left);
            let line =
                line.with_context(|| format!("{} did not {what}; it said {:?}", self.name, self.heard))?;
            let found = find(&line);
            self.heard.push(line);
            if let Some(found) = found {
                return Ok(found);
            }
        }
    }

    /// Kills it (SIGKILL), and returns everything it said.
    #[must_use]
    pub fn end(self) -> Vec<Json> {
        drop(self.owned);
        let mut heard = self.heard;
        heard.extend(self.lines);
        heard
    }
}
