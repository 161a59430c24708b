//! How the published WASM is compiled: small, and without the paths of this machine.
//!
//! It gets a standard library of its own, compiled for size, in which a panic ends at once instead of writing a message
//! that nobody reads: a seventh of all bytes. Rust 1.95 has that behind its unstable flags, so the release page, and only
//! it, is compiled with `RUSTC_BOOTSTRAP`; `serve`, tests and lints use what is stable. Without it the same page builds, bigger.
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

/// What makes the standard library small. `RUSTC_BOOTSTRAP` lets a stable compiler take the flags below.
const SMALL_STD: [(&str, &str); 3] = [
    ("RUSTC_BOOTSTRAP", "1"),
    ("CARGO_UNSTABLE_BUILD_STD", "std,panic_abort"),
    ("CARGO_UNSTABLE_BUILD_STD_FEATURES", "optimize_for_size"),
];

/// Panics without message, location or formatting; `{:?}` prints nothing, and nothing here prints it.
const SILENT: [&str; 4] =
    ["-Zunstable-options", "-Cpanic=immediate-abort", "-Zlocation-detail=none", "-Zfmt-debug=none"];

/// Has a cargo that this command runs compile for publishing: small, and with hidden paths. Must be ready:
/// [`crate::toolbox::Need::StdSources`].
pub fn published<'a>(project: &Project, command: &'a mut Command) -> Result<&'a mut Command> {
    hidden(project, command.envs(SMALL_STD))
}

/// Has a cargo that this command runs shorten the paths of the project, of the standard library and of the crates that it
/// downloaded. These must be there already. Flags that the caller's environment has are kept.
fn hidden<'a>(project: &Project, command: &'a mut Command) -> Result<&'a mut Command> {
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
    flags.extend(SILENT.map(OsString::from));
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
        let flags = flags
            .to_str()
            .unwrap()
            .replace(&(SILENT.join(SEPARATOR) + SEPARATOR), "")
            .replace(SEPARATOR, "|");
        assert_eq!(flags, expected);
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
