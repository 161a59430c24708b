//! The workshop page: built and served by trunk, as `Trunk.toml` says.

use std::net::{Ipv4Addr, TcpListener};
use std::path::PathBuf;
use std::process::{Command, ExitCode};

use anyhow::{Context, Result};

use crate::toolbox::{Need, Toolbox};
use crate::{imports, instance, process, publish, sizes, squeeze};

/// What a development build needs. No Node.js.
const DEVELOPMENT: &[Need] = &[Need::WasmTarget, Need::Trunk, Need::WasmBindgen];

/// What serving a release build needs: it is compiled as the one in `dist`, and not made smaller after that.
const RELEASE: &[Need] = &[Need::WasmTarget, Need::StdSources, Need::Trunk, Need::WasmBindgen];

/// What the page in `dist` needs.
pub const DIST: &[Need] =
    &[Need::WasmTarget, Need::StdSources, Need::Trunk, Need::WasmBindgen, Need::WasmOpt, Need::Esbuild];

/// How many ports to try, from the first.
const PORTS: u16 = 50;

/// `cargo xtask build`: sets up, then [`build_ready`].
pub fn build(toolbox: &mut Toolbox) -> Result<()> {
    toolbox.ensure_all(DIST)?;
    build_ready(toolbox)
}

/// Builds the release page in `dist` and reports its sizes; fails above the budget. [`DIST`] must be ready.
pub fn build_ready(toolbox: &Toolbox) -> Result<()> {
    fetch_crates(toolbox)?;
    let mut trunk = trunk(toolbox)?;
    process::run(publish::published(&toolbox.project, &mut trunk)?.args(["build", "--release"]))?;
    let dist = toolbox.project.dist();
    for (wasm, glue) in [(sizes::WASM, sizes::GLUE), (sizes::LAB_WASM, sizes::LAB_GLUE)] {
        squeeze::squeeze(toolbox, &dist.join(wasm))?;
        imports::shorten(&dist.join(wasm), &dist.join(glue))?;
        instance::wrap(&dist.join(glue))?;
    }
    minify(toolbox)?;
    sizes::report(&toolbox.project)
}

/// The classes of the elements, which the page gets as a part of [`sizes::SHIM`].
const CLASSES: &str = "index.js";

/// Shortens the scripts in `dist`, each in its place: no names that somebody imports change. Two that every reader would
/// load one after the other become one.
fn minify(toolbox: &Toolbox) -> Result<()> {
    let dist = toolbox.project.dist();
    let in_place = ["--allow-overwrite", "--outdir=dist"];
    let glue = [sizes::GLUE, sizes::LAB_GLUE];
    process::run(minifier(toolbox)?.args(glue.map(|name| dist.join(name))).args(in_place))?;
    let external = glue.map(|name| format!("--external:./{name}"));
    let shim = dist.join(sizes::SHIM);
    process::run(minifier(toolbox)?.arg(shim).arg("--bundle").args(external).args(in_place))?;
    std::fs::remove_file(dist.join(CLASSES))
        .context("the page has no classes; does index.html still bring them?")
}

/// esbuild, for modules that are as small as can be. It must be ready: [`Need::Esbuild`].
pub fn minifier(toolbox: &Toolbox) -> Result<Command> {
    let mut esbuild = toolbox.program("esbuild")?;
    esbuild.args([
        "--minify",
        "--format=esm",
        "--legal-comments=none",
        "--charset=utf8",
        "--log-level=warning",
    ]);
    Ok(esbuild)
}

/// `cargo xtask serve`: sets up, then serves until it is stopped.
pub fn serve(toolbox: &mut Toolbox, first_port: u16, release: bool) -> Result<ExitCode> {
    toolbox.ensure_all(if release { RELEASE } else { DEVELOPMENT })?;
    fetch_crates(toolbox)?;
    let port = free_port(first_port)?;
    if port != first_port {
        println!("port {first_port} is taken, so this uses port {port}");
    }
    println!(
        "\n    The workshop page:  http://127.0.0.1:{port}/\n\n\
         It is there as soon as the build below is done (the first one takes about a minute on 2 cores, later ones\n\
         some seconds), and it reloads itself after every change. Ctrl-C stops it.\n"
    );
    let mut trunk = trunk(toolbox)?;
    trunk.args(["serve", "--port", &port.to_string(), "--dist"]);
    trunk.arg(toolbox.project.served());
    for folder in unwatched(toolbox) {
        trunk.arg("--ignore").arg(folder);
    }
    if release {
        publish::published(&toolbox.project, &mut trunk)?.arg("--release");
    }
    become_it(trunk)
}

/// trunk, in the toolbox's environment.
fn trunk(toolbox: &Toolbox) -> Result<Command> {
    let mut trunk = toolbox.program("trunk")?;
    // Else a typing mistake in the page is followed by a hundred lines of trunk's own stack.
    trunk.env_remove("RUST_BACKTRACE");
    // By convention any value of NO_COLOR counts, but trunk 0.21 refuses all but true and false.
    if let Some(value) = std::env::var_os("NO_COLOR") {
        trunk.env("NO_COLOR", if value.is_empty() { "false" } else { "true" });
    }
    Ok(trunk)
}

/// Downloads what `Cargo.lock` names. trunk works offline, so that a missing tool fails at once, and would not do it.
fn fetch_crates(toolbox: &Toolbox) -> Result<()> {
    process::run(toolbox.cargo()?.args(["fetch", "--target", "wasm32-unknown-unknown"]))
}

/// Folders whose changes are no reason to build the page again. trunk refuses one that does not exist.
fn unwatched(toolbox: &Toolbox) -> Vec<PathBuf> {
    let root = &toolbox.project.root;
    let folders = ["target", "dist", "tests", "crates/xtask"].map(|name| root.join(name));
    folders.into_iter().filter(|folder| folder.is_dir()).collect()
}

/// The first free port of this machine, from `first` on.
fn free_port(first: u16) -> Result<u16> {
    (first..=first.saturating_add(PORTS))
        .find(|port| TcpListener::bind((Ipv4Addr::LOCALHOST, *port)).is_ok())
        .with_context(|| format!("no port from {first} on is free; choose another with --port"))
}

/// Goes on as this program, so that a signal to xtask reaches the server and no server stays behind.
#[cfg(unix)]
fn become_it(mut command: Command) -> Result<ExitCode> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).context("cannot start trunk")
}

#[cfg(not(unix))]
fn become_it(mut command: Command) -> Result<ExitCode> {
    let status = command.status().context("cannot start trunk")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_port_is_passed_over() {
        let taken = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = taken.local_addr().unwrap().port();
        let free = free_port(port).unwrap();
        assert!(free > port);
    }
}
