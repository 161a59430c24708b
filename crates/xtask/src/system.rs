//! The machine itself: who we are on it, and Debian's packages.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Result;

use crate::process;

/// Something that is not here and that xtask cannot install here. A check that needs it is skipped, and says so;
/// everything else that goes wrong is an error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// What is not here, and for what it is wanted.
    pub what: String,
    /// How a person gets it.
    pub cure: String,
}

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}; {}", self.what, self.cure)
    }
}

impl std::error::Error for Missing {}

/// A program on `PATH`.
pub fn find(name: &str) -> Option<PathBuf> {
    which::which(name).ok()
}

/// Installs Debian packages, as root only. Where that cannot be done, or does not work, the thing is `missing`.
pub fn apt_install(packages: &[&str], mut missing: Missing) -> Result<()> {
    let names = packages.join(" ");
    if find("apt-get").is_none() {
        return Err(missing.into());
    }
    if !is_root() {
        missing.cure = format!("as root: apt-get install {names}; or: {}", missing.cure);
        return Err(missing.into());
    }
    println!("installing {names} with apt-get, once per machine, about 1 minute");
    let install = ["install", "-y", "-qq", "--no-install-recommends"];
    // A fresh image has no package lists; without them apt-get finds nothing.
    let result = process::run(apt_get().args(["update", "-qq"]))
        .and_then(|()| process::run(apt_get().args(install).args(packages)));
    result.map_err(|error| {
        missing.what = format!("{}, and {error}", missing.what);
        missing.into()
    })
}

fn apt_get() -> Command {
    let mut command = Command::new("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Asked of `id`, because the standard library cannot say it. Without `id` (Windows), nobody is root.
fn is_root() -> bool {
    process::output_of(Command::new("id").arg("-u")).is_some_and(|id| id.trim() == "0")
}

/// redis-server: named by `REDIS_SERVER`, found, or installed. Installing starts no service of its own that tests use.
pub fn redis_server() -> Result<PathBuf> {
    let missing = Missing {
        what: "redis-server is not on this machine".into(),
        cure: "install Redis 7, and put redis-server on PATH or name it by REDIS_SERVER".into(),
    };
    named_or_installed("REDIS_SERVER", &["redis-server"], &["redis-server"], missing)
}

/// Firefox: named by `FIREFOX`, found, or installed.
pub fn firefox() -> Result<PathBuf> {
    let missing = Missing {
        what: "Firefox is not on this machine".into(),
        cure: "install Firefox, and put it on PATH or name it by FIREFOX".into(),
    };
    named_or_installed("FIREFOX", &["firefox-esr", "firefox"], &["firefox-esr"], missing)
}

fn named_or_installed(
    variable: &str,
    names: &[&str],
    packages: &[&str],
    missing: Missing,
) -> Result<PathBuf> {
    if let Some(named) = std::env::var_os(variable).filter(|name| !name.is_empty()) {
        return which::which(&named).map_err(|_| missing.into());
    }
    let find_one = || names.iter().find_map(|name| find(name));
    if find_one().is_none() {
        apt_install(packages, missing.clone())?;
    }
    Ok(find_one().ok_or(missing)?)
}

/// npm, for tools that come as npm packages; with it comes node, which runs them.
pub fn npm(wanted_by: &str) -> Result<PathBuf> {
    let missing = Missing {
        what: format!("{wanted_by} needs Node.js and npm, which are not on this machine"),
        cure: "install Node.js 18 or newer".into(),
    };
    if find("node").is_none() || find("npm").is_none() {
        apt_install(&["nodejs", "npm"], missing.clone())?;
    }
    Ok(find("npm").ok_or(missing)?)
}
