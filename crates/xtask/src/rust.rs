//! Parts of the Rust toolchain that a fresh rustup may lack.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::process;
use crate::system::{self, Missing};

const WASM: &str = "wasm32-unknown-unknown";

/// The folder of the toolchain in use.
pub fn sysroot() -> Result<PathBuf> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let sysroot = process::output_of(Command::new(rustc).args(["--print", "sysroot"]))
        .context("`rustc --print sysroot` failed; is Rust installed?")?;
    Ok(PathBuf::from(sysroot.trim()))
}

/// The standard library for WASM.
pub fn ensure_wasm_target() -> Result<()> {
    if sysroot()?.join("lib/rustlib").join(WASM).is_dir() {
        return Ok(());
    }
    println!("adding the Rust target {WASM}, once per toolchain, some seconds");
    rustup(&["target", "add", WASM])
}

/// rustfmt and clippy, which a minimal rustup leaves out.
pub fn ensure_components() -> Result<()> {
    for (subcommand, component) in [("fmt", "rustfmt"), ("clippy", "clippy")] {
        if process::output_of(process::cargo().args([subcommand, "--version"])).is_none() {
            println!("adding {component}, once per toolchain, some seconds");
            rustup(&["component", "add", component])?;
        }
    }
    Ok(())
}

fn rustup(arguments: &[&str]) -> Result<()> {
    let Some(rustup) = system::find("rustup") else {
        let arguments = arguments.join(" ");
        let missing = Missing {
            what: format!("`rustup {arguments}` is needed, but this Rust is not rustup's"),
            cure: "install Rust with rustup, or add that part the way Rust was installed".into(),
        };
        return Err(missing.into());
    };
    process::run(Command::new(rustup).args(arguments))
}
