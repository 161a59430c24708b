//! What wasm-opt does to a WASM that is published: all for bytes on the wire, which are compressed.

use std::path::Path;

use anyhow::Result;

use crate::process;
use crate::toolbox::Toolbox;

/// What holds for every WASM here, and lets wasm-opt do more. Not that traps never happen, though it saves 0.6 KB: a panic is
/// a trap here, and with that it could go on with garbage.
const GIVEN: &[&str] = &["--low-memory-unused", "--zero-filled-memory"];

/// Measured one by one: each of these makes the compressed WASM smaller, together by 4 %. Flat code gives the register
/// allocator (`coalesce-locals`) a fresh start, and what it learns, it learns for bytes. Sharing subexpressions, and inlining
/// large functions into their only caller, save bytes that compression has saved already.
const PASSES: &[&str] = &[
    "--one-caller-inline-max-function-size=90",
    "--skip-pass=local-cse",
    "--skip-pass=simplify-locals",
    "--skip-pass=merge-locals",
    "--flatten",
    "--rereloop",
    "-Oz",
    "--flatten",
    "--rereloop",
    "-Oz",
    "--flatten",
    "--coalesce-locals-learning",
    "-Oz",
];

/// What only tools read; and alignments, which engines ignore and which are all the same then.
const REST: &[&str] = &["--strip-debug", "--strip-producers", "--strip-target-features", "--dealign"];

/// Makes the WASM small, in its place. wasm-opt must be ready: [`crate::toolbox::Need::WasmOpt`].
pub fn squeeze(toolbox: &Toolbox, wasm: &Path) -> Result<()> {
    let mut wasm_opt = toolbox.program("wasm-opt")?;
    process::run(wasm_opt.args(GIVEN).args(PASSES).args(REST).arg(wasm).arg("-o").arg(wasm))
}
