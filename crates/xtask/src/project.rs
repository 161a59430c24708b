//! Where the project's things are.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The wasm-bindgen version to install when there is no `Cargo.lock` to say it.
const WASM_BINDGEN_PIN: &str = "0.2.130";

/// The workspace that the command works on.
pub struct Project {
    /// The folder of the workspace's `Cargo.toml`.
    pub root: PathBuf,
}

impl Project {
    /// The workspace that this xtask belongs to. The current folder does not matter.
    pub fn find() -> Result<Self> {
        // At run time first: a target folder may outlive the clone that it was built from.
        let manifest = std::env::var_os("CARGO_MANIFEST_DIR")
            .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
        let root = manifest
            .ancestors()
            .nth(2)
            .context("crates/xtask is not two folders below the workspace's root")?;
        Ok(Self { root: root.to_path_buf() })
    }

    /// The release page, as it would be published.
    pub fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The development page that `serve` shows. Not `dist`: a rebuild while one serves must not change what the
    /// end-to-end tests read.
    pub fn served(&self) -> PathBuf {
        self.root.join("target").join("serve")
    }

    /// The wasm-bindgen version of `Cargo.lock`: its command line tool must have exactly this one.
    pub fn wasm_bindgen_version(&self) -> String {
        std::fs::read_to_string(self.root.join("Cargo.lock"))
            .ok()
            .and_then(|lock| locked_version(&lock, "wasm-bindgen"))
            .unwrap_or_else(|| WASM_BINDGEN_PIN.to_owned())
    }

    /// A path as it is shown to people: relative to the root where it is below it.
    pub fn shown<'a>(&self, path: &'a Path) -> std::path::Display<'a> {
        path.strip_prefix(&self.root).unwrap_or(path).display()
    }
}

/// The version that a `Cargo.lock` gives to a package. Cargo writes `version` on the line after `name`.
fn locked_version(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines();
    lines.find(|line| line.trim() == name)?;
    let version = lines.next()?.trim().strip_prefix("version = \"")?;
    Some(version.strip_suffix('"')?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCK: &str = r#"
version = 4

[[package]]
name = "wasm-bindgen-macro"
version = "0.2.131"

[[package]]
name = "wasm-bindgen"
version = "0.2.130"
source = "registry+https://github.com/rust-lang/crates.io-index"
"#;

    #[test]
    fn the_version_is_that_of_the_package_with_exactly_this_name() {
        assert_eq!(locked_version(LOCK, "wasm-bindgen").as_deref(), Some("0.2.130"));
    }

    #[test]
    fn a_package_that_is_not_locked_has_no_version() {
        assert_eq!(locked_version(LOCK, "yew"), None);
        assert_eq!(locked_version("", "wasm-bindgen"), None);
    }

    #[test]
    fn the_root_has_the_workspace() {
        let root = Project::find().unwrap().root;
        let manifest = std::fs::read_to_string(root.join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}
