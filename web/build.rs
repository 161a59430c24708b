//! Shortens the stylesheet that goes into the WASM: every byte of it is downloaded.

use std::{env, error::Error, fs, path::PathBuf};

const STYLE: &str = "src/style.css";

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed={STYLE}");
    let style = fs::read_to_string(STYLE).map_err(|error| format!("{STYLE}: {error}"))?;
    let short = minifier::css::minify(&style).map_err(|error| format!("{STYLE}: {error}"))?;
    let folder = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo gives no OUT_DIR")?);
    fs::write(folder.join("style.css"), short.to_string())?;
    Ok(())
}
