//! Running programs: shown before they run, and an error that names them when they fail.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// The cargo that runs this xtask, so that nested calls use the same toolchain.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
}

/// Shows a command, runs it with this terminal's output, and fails if it fails.
pub fn run(command: &mut Command) -> Result<()> {
    let line = line(command);
    println!("$ {line}");
    let status = command.stdin(Stdio::null()).status().with_context(|| format!("cannot start `{line}`"))?;
    if !status.success() {
        bail!("`{line}` failed ({status})");
    }
    Ok(())
}

/// What a command prints, or nothing if it cannot be started or fails. For asking a program about itself.
pub fn output_of(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then_some(text)
}

/// `PATH` with these folders before what it has.
pub fn path_with(folders: &[PathBuf]) -> Result<OsString> {
    joined(folders, &std::env::var_os("PATH").unwrap_or_default())
}

fn joined(folders: &[PathBuf], inherited: &OsStr) -> Result<OsString> {
    let all = folders.iter().map(PathBuf::as_path);
    let inherited: Vec<_> = std::env::split_paths(inherited).collect();
    std::env::join_paths(all.chain(inherited.iter().map(Path::new)))
        .context("a folder's path has a character that PATH cannot hold")
}

/// A command as one would type it, with the program's name instead of its path.
fn line(command: &Command) -> String {
    let path = Path::new(command.get_program());
    let name = path.file_stem().unwrap_or(path.as_os_str());
    std::iter::once(name).chain(command.get_args()).map(OsStr::to_string_lossy).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_as_typed() {
        let mut command = Command::new("/some/where/cargo");
        command.args(["test", "--workspace"]);
        assert_eq!(line(&command), "cargo test --workspace");
    }

    #[test]
    fn a_failing_command_is_named_in_the_error() {
        let mut command = cargo();
        let error = run(command.arg("no-such-command").stderr(Stdio::null())).unwrap_err();
        assert!(error.to_string().contains("no-such-command` failed"));
        assert_eq!(output_of(cargo().arg("no-such-command")), None);
    }

    #[test]
    fn a_missing_program_is_named_in_the_error() {
        let error = run(&mut Command::new("no-such-program")).unwrap_err();
        assert!(error.to_string().contains("`no-such-program`"));
    }

    #[cfg(unix)]
    #[test]
    fn added_folders_come_first() {
        let path = joined(&["/cache/trunk/bin".into()], OsStr::new("/usr/bin:/bin")).unwrap();
        assert_eq!(path, "/cache/trunk/bin:/usr/bin:/bin");
    }
}
