//! Makes the script that wasm-bindgen writes one that can make several instances; `web/kit/instance.js` says why.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, ensure};

const AROUND: &str = include_str!("../../../web/kit/instance.js");

/// The line of it that the script replaces.
const PLACE: &str = "  // (wasm-bindgen's script)\n";

/// Where the names of what it exports go.
const FUNCTIONS: &str = " /* and its functions */";

/// Where the script's own way of loading begins, which goes up to its end.
const LOADING: &str = "async function __wbg_load(";

/// Rewrites the script.
pub fn wrap(script: &Path) -> Result<()> {
    let text = fs::read_to_string(script).with_context(|| format!("cannot read {}", script.display()))?;
    let text = wrapped(&text).with_context(|| format!("in {}", script.display()))?;
    fs::write(script, text)?;
    Ok(())
}

fn wrapped(script: &str) -> Result<String> {
    let (body, _) = script.split_once(LOADING).with_context(|| format!("there is no `{LOADING}`"))?;
    let exported = body.lines().filter_map(|line| line.strip_prefix("export function ")?.split_once('('));
    let functions: String = exported.map(|(name, _)| format!(", {name}")).collect();
    let body = body.replace("\nexport ", "\n");
    let body = body.strip_prefix("export ").unwrap_or(&body);
    let (before, after) = AROUND.split_once(PLACE).context("instance.js has no place for the script")?;
    ensure!(!body.contains("import "), "the script imports something: teach this file about it");
    ensure!(after.matches(FUNCTIONS).count() == 1, "instance.js has no place for the functions");
    Ok([before, body, &after.replace(FUNCTIONS, &functions)].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_becomes_the_body_of_a_function() {
        let script = "export class Handle {}\nexport function mount() {}\nasync function __wbg_load() {}\nexport { x };";
        let text = wrapped(script).unwrap();
        assert_eq!(text.matches("export ").count(), 1, "{text}");
        assert!(text.contains("trapped) {\nclass Handle {}\nfunction mount() {}\n\n"), "{text}");
        assert!(text.contains("return { default: start, mount };"), "{text}");
        assert!(!text.contains("__wbg_load"));
    }

    #[test]
    fn another_script_is_refused() {
        assert!(wrapped("export function mount() {}").is_err());
        assert!(wrapped("import { x } from 'y';\nasync function __wbg_load() {}").is_err());
    }
}
