//! What a command needs, and the environment that programs get once it is there.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, Result};

use crate::project::Project;
use crate::{browser, process, rust, system, tools};

/// Something that must be on the machine before a stage can run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// rustfmt and clippy.
    Components,
    /// The Rust target `wasm32-unknown-unknown`.
    WasmTarget,
    /// The sources of the standard library, from which the release page gets a smaller one.
    StdSources,
    /// The builder of the page.
    Trunk,
    /// wasm-bindgen, and its test runner.
    WasmBindgen,
    /// The optimizer of release builds. This and the next are the only parts of a build that need Node.js.
    WasmOpt,
    /// The minifier of the release page's JavaScript.
    Esbuild,
    /// The two checkers of the package.
    PackageCheckers,
    /// The maker of the book in which the widgets are tested.
    MdBook,
    /// npm, which brings what the other hosts are built with.
    Npm,
    /// The accessibility checker; comes through npm.
    Axe,
    /// Google's checker of pages; comes through npm.
    Lighthouse,
    /// Chromium and chromedriver.
    Browser,
    /// Firefox and geckodriver.
    Firefox,
    /// A Redis server for the model to be held against.
    Redis,
    /// BullMQ, for its scripts.
    BullMq,
}

/// The project, and what has been set up for it so far.
pub struct Toolbox {
    /// The project.
    pub project: Project,
    cache: PathBuf,
    /// Folders that go first in `PATH`.
    folders: Vec<PathBuf>,
    environment: Vec<(&'static str, OsString)>,
}

impl Toolbox {
    /// A toolbox with nothing in it yet.
    pub fn new(project: Project) -> Result<Self> {
        let environment = vec![("ENROLL_DIST", project.dist().into_os_string())];
        Ok(Self { project, cache: tools::cache()?, folders: Vec::new(), environment })
    }

    /// Makes all of these ready.
    pub fn ensure_all(&mut self, needs: &[Need]) -> Result<()> {
        needs.iter().try_for_each(|need| self.ensure(*need))
    }

    /// Makes one thing ready: finds it, or installs it. A [`crate::system::Missing`] in the error means that it cannot be
    /// installed here.
    pub fn ensure(&mut self, need: Need) -> Result<()> {
        match need {
            Need::Components => rust::ensure_components(),
            Need::WasmTarget => rust::ensure_wasm_target(),
            Need::StdSources => rust::ensure_std_sources(),
            Need::Trunk => self.add_folder_of(&tools::trunk()).map(drop),
            Need::WasmBindgen => self.ensure_wasm_bindgen(),
            Need::WasmOpt => self.add_folder_of(&tools::wasm_opt()).map(drop),
            Need::Esbuild => self.add_folder_of(&tools::esbuild()).map(drop),
            Need::PackageCheckers => {
                self.add_folder_of(&tools::publint())?;
                self.add_folder_of(&tools::are_the_types_wrong()).map(drop)
            }
            Need::MdBook => self.add_folder_of(&tools::mdbook()).map(drop),
            Need::Npm => system::npm("the test of the widgets in other people's pages").map(drop),
            Need::Axe => {
                let file = tools::axe().ensure(&self.cache)?;
                self.environment.push(("AXE_JS", file.into_os_string()));
                Ok(())
            }
            Need::Lighthouse => {
                let program = tools::lighthouse().ensure(&self.cache)?;
                self.environment.push(("LIGHTHOUSE", program.into_os_string()));
                Ok(())
            }
            Need::Browser => {
                let found = browser::ensure()?.environment(&self.project)?;
                self.environment.extend(found);
                Ok(())
            }
            Need::Firefox => {
                let firefox = system::firefox()?;
                let driver = tools::geckodriver().ensure(&self.cache)?;
                self.environment
                    .extend([("FIREFOX", firefox.into()), ("GECKODRIVER", driver.into_os_string())]);
                Ok(())
            }
            Need::Redis => {
                self.environment.push(("REDIS_SERVER", system::redis_server()?.into_os_string()));
                Ok(())
            }
            Need::BullMq => {
                let folder = tools::bullmq().ensure_folder(&self.cache)?;
                self.environment.push(("BULLMQ_DIR", folder.into_os_string()));
                Ok(())
            }
        }
    }

    fn ensure_wasm_bindgen(&mut self) -> Result<()> {
        let tool = tools::wasm_bindgen(self.project.wasm_bindgen_version());
        let folder = self.add_folder_of(&tool)?;
        let runner = which::which_in("wasm-bindgen-test-runner", Some(&folder), &folder)
            .context("wasm-bindgen-cli came without its test runner")?;
        self.environment.extend([
            ("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER", runner.into()),
            // A suite that does not say where it wants to run would run in Node.js.
            ("WASM_BINDGEN_USE_BROWSER", "1".into()),
            // Generous, in seconds: a cold browser on two busy cores is slow, and a hang still ends.
            ("WASM_BINDGEN_TEST_TIMEOUT", "120".into()),
            ("WASM_BINDGEN_TEST_DRIVER_TIMEOUT", "30".into()),
        ]);
        Ok(())
    }

    fn add_folder_of(&mut self, tool: &tools::Tool) -> Result<PathBuf> {
        let program = tool.ensure(&self.cache)?;
        let folder = program.parent().unwrap_or(&program).to_path_buf();
        self.folders.push(folder.clone());
        Ok(folder)
    }

    /// cargo in the project's root, with everything that was made ready.
    pub fn cargo(&self) -> Result<Command> {
        self.equip(process::cargo())
    }

    /// A program of the toolbox, in the project's root, with everything that was made ready.
    pub fn program(&self, name: &str) -> Result<Command> {
        let program = which::which_in(name, Some(process::path_with(&self.folders)?), &self.project.root)
            .with_context(|| format!("{name} is not in the toolbox"))?;
        self.equip(Command::new(program))
    }

    fn equip(&self, mut command: Command) -> Result<Command> {
        command.current_dir(&self.project.root);
        // `cargo run` describes xtask to xtask in these; some build scripts would take them for a change and run again.
        for (name, _) in std::env::vars_os() {
            if is_about_xtask(&name) {
                command.env_remove(name);
            }
        }
        command.env("PATH", process::path_with(&self.folders)?);
        for (name, value) in &self.environment {
            command.env(name, value);
        }
        Ok(command)
    }
}

fn is_about_xtask(variable: &OsStr) -> bool {
    let name = variable.to_string_lossy();
    name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_about_xtask_are_not_handed_on() {
        assert!(is_about_xtask(OsStr::new("CARGO_PKG_NAME")));
        assert!(is_about_xtask(OsStr::new("CARGO_MANIFEST_DIR")));
        assert!(!is_about_xtask(OsStr::new("CARGO_HOME")));
        assert!(!is_about_xtask(OsStr::new("CARGO_TARGET_DIR")));
    }
}
