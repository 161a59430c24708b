//! Keeps the paths of this machine out of the published WASM.
//!
//! A panic names the file that it happened in, and rustc writes those names down in full: kilobytes, and nobody's
//! business. What is left, `yew-0.23.0/src/..`, is enough to find the line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::rust;

/// Between flags in `CARGO_ENCODED_RUSTFLAGS`, so that a path may have spaces.
const SEPARATOR: &str = "\u{1f}";

/// Has a cargo that this command runs shorten the paths of the project, of the standard library and of the crates that it
/// downloaded. These must be there already. Flags that the caller's environment has are kept.
pub fn hidden<'a>(project: &Project, command: &'a mut Command) -> Result<&'a mut Command> {
    let given = std::env::var_os("CARGO_ENCODED_RUSTFLAGS");
    let plain = std::env::var("RUSTFLAGS").unwrap_or_default();
    let mut prefixes = registries(&cargo_home()?);
    prefixes.push(project.root.clone());
    prefixes.push(rust::sysroot()?.join("lib/rustlib/src/rust")); // the standard library, where its sources are installed
    Ok(command.env("CARGO_ENCODED_RUSTFLAGS", flags(given, &plain, &prefixes)))
}

fn cargo_home() -> Result<PathBuf> {
    match std::env::var_os("CARGO_HOME") {
        Some(folder) => Ok(folder.into()),
        None => {
            Ok(etcetera::home_dir().context("there is no home folder, and no CARGO_HOME")?.join(".cargo"))
        }
    }
}

/// The folders that hold the sources of crates, one for each registry.
fn registries(cargo_home: &Path) -> Vec<PathBuf> {
    let folders = std::fs::read_dir(cargo_home.join("registry").join("src"));
    folders.into_iter().flatten().filter_map(|folder| Some(folder.ok()?.path())).collect()
}

fn flags(given: Option<OsString>, plain: &str, prefixes: &[PathBuf]) -> OsString {
    let given = given.unwrap_or_else(|| plain.split_whitespace().collect::<Vec<_>>().join(SEPARATOR).into());
    let mut flags = Vec::new();
    if !given.is_empty() {
        flags.push(given);
    }
    for prefix in prefixes {
        let mut flag = OsString::from("--remap-path-prefix=");
        flag.push(prefix);
        flag.push("=");
        flags.push(flag);
    }
    flags.join(OsStr::new(SEPARATOR))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(given: Option<&str>, plain: &str, expected: &str) {
        let flags = flags(given.map(OsString::from), plain, &["/a b".into(), "/c".into()]);
        assert_eq!(flags.to_str().unwrap().replace(SEPARATOR, "|"), expected);
    }

    #[test]
    fn paths_lose_these_prefixes() {
        check(None, "", "--remap-path-prefix=/a b=|--remap-path-prefix=/c=");
    }

    #[test]
    fn the_flags_of_the_environment_are_kept() {
        check(None, " -C  x ", "-C|x|--remap-path-prefix=/a b=|--remap-path-prefix=/c=");
        check(Some("-C\u{1f}y"), "-C x", "-C|y|--remap-path-prefix=/a b=|--remap-path-prefix=/c=");
    }

    #[test]
    fn every_registry_is_found() {
        let home = tempfile::tempdir().unwrap();
        assert!(registries(home.path()).is_empty());
        let folder = home.path().join("registry/src/index-1");
        std::fs::create_dir_all(&folder).unwrap();
        assert_eq!(registries(home.path()), [folder]);
    }
}
