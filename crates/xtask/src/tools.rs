//! The pinned tools, one folder per version in the user's cache: a second clone starts at once, nothing global is touched.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use etcetera::BaseStrategy;

use crate::{process, system};

pub mod install;

/// A tool: what it is called, where it comes from, what it brings.
pub struct Tool {
    /// The name of its crate or npm package.
    name: &'static str,
    version: String,
    source: Source,
    holds: Holds,
    /// How long the installation takes on two cores; shown before it starts.
    time: &'static str,
}

enum Source {
    /// `cargo install` with these further arguments.
    Crates(&'static [&'static str]),
    /// `npm install`.
    Npm,
}

/// What makes an installed folder worth having; paths are relative to that folder.
enum Holds {
    /// A program in a folder, which names its version when asked.
    Program {
        folder: &'static str,
        name: &'static str,
        says: String,
    },
    File(&'static str),
}

/// Builds, watches and serves the page.
pub fn trunk() -> Tool {
    Tool {
        name: "trunk",
        version: "0.21.14".into(), // the newest that builds with Rust 1.95
        // Its speed hardly matters, its compile time does; what is left out downloads tools, which xtask does.
        source: Source::Crates(&["--locked", "--debug", "--no-default-features"]),
        holds: Holds::program("bin", "trunk", "0.21.14"),
        time: "about 4 minutes on 2 cores",
    }
}

/// Makes the JavaScript for a WASM file, and runs WASM tests. Must have the version of the crate in `Cargo.lock`.
pub fn wasm_bindgen(version: String) -> Tool {
    Tool {
        name: "wasm-bindgen-cli",
        // Not --locked: the lock file that it was published with does not resolve.
        source: Source::Crates(&[]),
        holds: Holds::program("bin", "wasm-bindgen", &version),
        version,
        time: "about 3 minutes on 2 cores",
    }
}

/// wasm-opt, recent enough for what Rust emits; Debian's is not.
pub fn wasm_opt() -> Tool {
    Tool {
        name: "binaryen",
        version: "132.0.0".into(),
        source: Source::Npm,
        holds: Holds::program("node_modules/.bin", "wasm-opt", "132"),
        time: "some seconds",
    }
}

/// Makes the page's JavaScript small: it only shortens, the modules keep their exports and what they import.
pub fn esbuild() -> Tool {
    Tool {
        name: "esbuild",
        version: "0.28.2".into(),
        source: Source::Npm,
        holds: Holds::program("node_modules/.bin", "esbuild", "0.28.2"),
        time: "some seconds",
    }
}

/// Finds what is wrong with a package before it is published.
pub fn publint() -> Tool {
    Tool {
        name: "publint",
        version: "0.3.25".into(),
        source: Source::Npm,
        holds: Holds::program("node_modules/.bin", "publint", "0.3.25"),
        time: "some seconds",
    }
}

/// Finds types that are not found, or are not those of the code.
pub fn are_the_types_wrong() -> Tool {
    Tool {
        name: "@arethetypeswrong/cli",
        version: "0.18.5".into(),
        source: Source::Npm,
        holds: Holds::program("node_modules/.bin", "attw", "v0.18.5"),
        time: "some seconds",
    }
}

/// Makes the book in which the widgets are tested.
pub fn mdbook() -> Tool {
    Tool {
        name: "mdbook",
        version: "0.5.4".into(),
        // Its search, its server and its speed do not matter.
        source: Source::Crates(&["--locked", "--debug", "--no-default-features"]),
        holds: Holds::program("bin", "mdbook", "v0.5.4"),
        time: "about 4 minutes on 2 cores",
    }
}

/// Steers Firefox.
pub fn geckodriver() -> Tool {
    Tool {
        name: "geckodriver",
        version: "0.37.1".into(),
        source: Source::Crates(&["--locked", "--debug"]),
        holds: Holds::program("bin", "geckodriver", "0.37.1"),
        time: "about 2 minutes on 2 cores",
    }
}

/// The accessibility checker that the end-to-end tests load into the page.
pub fn axe() -> Tool {
    Tool {
        name: "axe-core",
        version: "4.14.1".into(),
        source: Source::Npm,
        holds: Holds::File("node_modules/axe-core/axe.min.js"),
        time: "some seconds",
    }
}

/// Google's checker of pages.
pub fn lighthouse() -> Tool {
    Tool {
        name: "lighthouse",
        version: "12.2.3".into(), // other versions weigh their scores differently
        source: Source::Npm,
        holds: Holds::program("node_modules/.bin", "lighthouse", "12.2.3"),
        time: "about a minute",
    }
}

/// BullMQ, whose scripts the model is held against. Its version is part of what the project claims.
pub fn bullmq() -> Tool {
    Tool {
        name: "bullmq",
        version: "5.78.0".into(), // the last whose sweep is moveStalledJobsToWait-8, the name that EchoMQ uses
        source: Source::Npm,
        holds: Holds::File("node_modules/bullmq/package.json"),
        time: "some seconds",
    }
}

/// The folder of all tools of this project.
pub fn cache() -> Result<PathBuf> {
    let strategy = etcetera::base_strategy::choose_native_strategy()
        .context("there is no home folder to keep the tools in")?;
    Ok(strategy.cache_dir().join("enroll-once"))
}

impl Tool {
    /// The folder in the cache that the tool is installed in, as [`Tool::ensure`] does.
    pub fn ensure_folder(&self, cache: &Path) -> Result<PathBuf> {
        self.ensure(cache)?;
        Ok(cache.join(format!("{}-{}", self.name, self.version)))
    }

    /// The tool's file in the cache, installed first if it is not there.
    pub fn ensure(&self, cache: &Path) -> Result<PathBuf> {
        let folder = cache.join(format!("{}-{}", self.name, self.version));
        install::once(&folder, |partial| self.fill(partial))
            .with_context(|| format!("cannot install {} {}", self.name, self.version))?;
        self.holds
            .locate(&folder)
            .with_context(|| format!("{} is incomplete; delete it and try again", folder.display()))
    }

    fn fill(&self, folder: &Path) -> Result<()> {
        println!("installing {} {}, once per machine, {}", self.name, self.version, self.time);
        match self.source {
            Source::Crates(arguments) => self.fill_from_crates(folder, arguments),
            Source::Npm => self.fill_from_npm(folder),
        }?;
        self.holds.check(folder)
    }

    fn fill_from_crates(&self, folder: &Path, arguments: &[&str]) -> Result<()> {
        let target = folder.join("target");
        process::run(
            process::cargo()
                .args(["install", self.name, "--version", &self.version])
                .args(arguments)
                .arg("--root")
                .arg(folder)
                // Away from the workspace, whose cargo configuration is for its own crates.
                .current_dir(folder)
                .env("CARGO_TARGET_DIR", &target)
                // Else cargo advises to put this folder, which is about to get another name, on PATH.
                .env("PATH", process::path_with(&[folder.join("bin")])?)
                .env("CARGO_PROFILE_DEV_DEBUG", "0"), // hundreds of megabytes that nobody reads
        )?;
        std::fs::remove_dir_all(&target).context("cannot delete the build files")
    }

    fn fill_from_npm(&self, folder: &Path) -> Result<()> {
        let npm = system::npm(&format!("{} (an npm package)", self.name))?;
        let package = format!("{}@{}", self.name, self.version);
        process::run(
            Command::new(npm)
                .args(["install", &package, "--prefix"])
                .arg(folder)
                .args(["--no-audit", "--no-fund", "--ignore-scripts"])
                .current_dir(folder),
        )
    }
}

impl Holds {
    fn program(folder: &'static str, name: &'static str, says: &str) -> Self {
        let says = says.to_owned();
        Holds::Program { folder, name, says }
    }

    fn locate(&self, root: &Path) -> Result<PathBuf> {
        match self {
            // Not a plain join: on Windows the file is called name.exe or name.cmd.
            Holds::Program { folder, name, .. } => {
                let folder = root.join(folder);
                which::which_in(name, Some(&folder), root)
                    .with_context(|| format!("there is no {name} in {}", folder.display()))
            }
            Holds::File(path) => {
                let path = root.join(path);
                ensure!(path.is_file(), "there is no {}", path.display());
                Ok(path)
            }
        }
    }

    /// Only what really runs is kept: a broken tool would fail later, in the middle of a build.
    fn check(&self, root: &Path) -> Result<()> {
        let path = self.locate(root)?;
        if let Holds::Program { name, says, .. } = self {
            let text = process::output_of(Command::new(path).arg("--version")).unwrap_or_default();
            let found = text.split_whitespace().any(|word| word == says);
            ensure!(found, "`{name} --version` should name {says}, but printed '{}'", text.trim());
        }
        Ok(())
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn a_program_that_prints(text: &str) -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        let program = root.path().join("bin").join("tool");
        std::fs::create_dir_all(root.path().join("bin")).unwrap();
        std::fs::write(&program, format!("#!/bin/sh\necho '{text}'\n")).unwrap();
        std::fs::set_permissions(&program, PermissionsExt::from_mode(0o755)).unwrap();
        root
    }

    #[test]
    fn a_program_of_the_wanted_version_is_accepted() {
        let root = a_program_that_prints("tool version 132 (version_132)");
        let holds = Holds::program("bin", "tool", "132");
        holds.check(root.path()).unwrap();
        assert_eq!(holds.locate(root.path()).unwrap(), root.path().join("bin/tool"));
    }

    #[test]
    fn a_program_of_another_version_is_refused() {
        let root = a_program_that_prints("tool 0.2.13");
        let error = Holds::program("bin", "tool", "0.2.130").check(root.path()).unwrap_err();
        assert!(error.to_string().contains("should name 0.2.130"), "{error}");
    }

    #[test]
    fn an_incomplete_folder_is_named_with_the_cure() {
        let cache = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(cache.path().join("lost-1.0.0")).unwrap();
        let tool = Tool {
            name: "lost",
            version: "1.0.0".into(),
            source: Source::Npm,
            holds: Holds::File("here.js"),
            time: "no time",
        };
        let error = format!("{:#}", tool.ensure(cache.path()).unwrap_err());
        assert!(error.contains("lost-1.0.0 is incomplete; delete it"), "{error}");
    }
}
