//! A private Redis: loopback only, no configuration file, nothing kept, and gone when its owner is gone.

use crate::process::{self, Owned, can_run};
use anyhow::{Context, Result, bail};
use std::{
    env,
    net::TcpListener,
    path::Path,
    process::Stdio,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// How often another port is tried when the first one was taken by somebody else in between.
const ATTEMPTS: usize = 10;
/// How long a server may need to answer.
const START: Duration = Duration::from_secs(10);
/// How long one question may take while it starts: whoever holds the port may not answer at all.
const PROBE: Duration = Duration::from_millis(200);
/// What to do when there is none.
const MISSING: &str = "redis-server is needed (7.0 is what the figures are measured with). On Debian and Ubuntu: \
    `apt-get install redis-server`. Elsewhere: put it on the PATH, or its full path into REDIS_SERVER";

/// A running server. Dropping it kills the process and removes its folder; see [`Owned`] for how sure that is.
pub struct RedisServer {
    process: Owned,
    port: u16,
    version: String,
    folder: TempDir,
}

impl RedisServer {
    /// Starts one on a free port: the program in `REDIS_SERVER`, or else `redis-server` on the PATH.
    ///
    /// # Errors
    /// There is no such program (the text says how to get it), or it does not answer.
    pub fn start() -> Result<Self> {
        let program = env::var("REDIS_SERVER").unwrap_or_else(|_| "redis-server".into());
        if !can_run(&program) {
            bail!("cannot run `{program}`. {MISSING}");
        }
        let mut last = None;
        for _ in 0..ATTEMPTS {
            match Self::start_on(free_port()?, &program) {
                Ok(server) => return Ok(server),
                Err(error) => last = Some(error),
            }
        }
        Err(last.context("no attempt was made")?)
            .context(format!("{program} did not start on any of {ATTEMPTS} ports"))
    }

    fn start_on(port: u16, program: &str) -> Result<Self> {
        let folder = tempfile::Builder::new().prefix("enroll-once-redis-").tempdir()?;
        let mut command = process::command(program);
        // hz: blocked clients are looked at a hundred times a second, so that a short time-out is a short one.
        command
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--daemonize", "no", "--hz", "100", "--dir"])
            .arg(folder.path())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = Owned(command.spawn().with_context(|| format!("cannot start {program}"))?);
        let mut server = Self { process, port, version: String::new(), folder };
        server.wait_until_it_answers()?;
        Ok(server)
    }

    /// Asks until it answers, and makes sure that it is this process and not another on the same port.
    fn wait_until_it_answers(&mut self) -> Result<()> {
        let deadline = Instant::now() + START;
        loop {
            if let Some(status) = self.process.0.try_wait()? {
                bail!("the server on port {} ended at once ({status}); the port may be taken", self.port);
            }
            match self.info() {
                Ok((process, _)) if process != self.process.0.id().to_string() => {
                    bail!("port {} belongs to another server (process {process})", self.port);
                }
                Ok((_, version)) => {
                    self.version = version;
                    return Ok(());
                }
                Err(error) if Instant::now() > deadline => {
                    return Err(error).context("the server does not answer");
                }
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
        }
    }

    fn info(&self) -> Result<(String, String)> {
        let text: String = redis::cmd("INFO").arg("server").query(&mut self.connect_within(PROBE)?)?;
        let field = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            line.map(str::to_owned).with_context(|| format!("INFO has no {name}"))
        };
        Ok((field("process_id")?, field("redis_version")?))
    }

    /// A new connection.
    ///
    /// # Errors
    /// The server is gone.
    pub fn connect(&self) -> Result<redis::Connection> {
        self.connect_within(START)
    }

    fn connect_within(&self, time: Duration) -> Result<redis::Connection> {
        let client = redis::Client::open(format!("redis://127.0.0.1:{}", self.port))?;
        Ok(client.get_connection_with_timeout(time)?)
    }

    /// The loopback port it listens on.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// Its version, such as `7.0.15`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Its process id, for a test that looks whether it is gone.
    #[must_use]
    pub fn process_id(&self) -> u32 {
        self.process.0.id()
    }

    /// Its own folder, in which it keeps nothing.
    #[must_use]
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }
}

/// A port that nobody listens on at this moment.
fn free_port() -> Result<u16> {
    let listener = TcpListener::bind("127.0.0.1:0").context("no free loopback port")?;
    Ok(listener.local_addr()?.port())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_taken_is_noticed_so_that_another_is_tried() -> Result<()> {
        let taken = TcpListener::bind("127.0.0.1:0")?;
        let port = taken.local_addr()?.port();
        assert!(RedisServer::start_on(port, "redis-server").is_err());
        Ok(())
    }

    #[test]
    fn a_server_ends_when_its_owner_panics() -> Result<()> {
        let server = RedisServer::start()?;
        let (port, folder) = (server.port(), server.folder().to_owned());
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(move || {
            let _owned = server;
            std::panic::resume_unwind(Box::new("as a failing test does"));
        }));
        assert!(outcome.is_err());
        assert!(std::net::TcpStream::connect(("127.0.0.1", port)).is_err(), "the server still listens");
        assert!(!folder.exists(), "the server's folder is still there");
        Ok(())
    }
}
