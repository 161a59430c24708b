//! The real scripts: read out of the npm package `bullmq`, of any version. Nothing of it is kept in this repository.

use anyhow::{Context, Result, bail};
use serde::Deserialize;
use std::{
    collections::BTreeMap,
    env,
    path::{Path, PathBuf},
    process::Command,
};

/// The version whose protocol the model is, and whose sweep is the eight-key form that EchoMQ names.
pub const PINNED: &str = "5.78.0";

/// What to do when npm is missing.
const MISSING: &str = "Node.js with npm is needed to fetch the package `bullmq` (Node 20 is what the figures are \
    measured with). On Debian and Ubuntu: `apt-get install nodejs npm`. Or put the package somewhere and name the \
    folder that holds `node_modules/bullmq` in BULLMQ_DIR";

/// Prints every script of the package as JSON: its name, how many keys it takes, and its text.
const LIST_SCRIPTS: &str = "const scripts = require(process.argv[1] + '/dist/cjs/scripts'); \
    console.log(JSON.stringify(Object.values(scripts).map(({name, keys, content}) => ({name, keys, content}))))";

/// One script as the package ships it.
#[derive(Clone, Debug, Deserialize)]
pub struct Script {
    /// Such as `moveToActive`.
    pub name: String,
    /// How many KEYS it takes; the package's file names end in it.
    pub keys: usize,
    /// The Lua text, includes resolved.
    pub content: String,
}

/// The scripts of one version of the package.
#[derive(Clone, Debug)]
pub struct Package {
    /// The version that was asked for and found.
    pub version: String,
    /// The folder that holds `node_modules/bullmq`.
    pub folder: PathBuf,
    scripts: BTreeMap<String, Script>,
}

impl Package {
    /// Takes the package from the folder in `BULLMQ_DIR` if that is this version; fetches it with npm if not.
    ///
    /// # Errors
    /// There is no npm or no node (the text says how to get them), or the version does not exist.
    pub fn get(version: &str) -> Result<Self> {
        let given = env::var_os("BULLMQ_DIR").map(PathBuf::from);
        let folder = match given.filter(|folder| version_in(folder).is_some_and(|found| found == version)) {
            Some(folder) => folder,
            None => installed(version)?,
        };
        let scripts = list(&folder.join("node_modules/bullmq"))?;
        let scripts = scripts.into_iter().map(|script| (script.name.clone(), script)).collect();
        Ok(Self { version: version.to_owned(), folder, scripts })
    }

    /// All scripts.
    pub fn all(&self) -> impl Iterator<Item = &Script> {
        self.scripts.values()
    }

    /// The same package with one script changed: every `old` in it is now `new`. For a test that must see red.
    ///
    /// # Errors
    /// There is no such script, or no such text in it.
    pub fn with_change(mut self, name: &str, old: &str, new: &str) -> Result<Self> {
        let script = self.scripts.get_mut(name).with_context(|| format!("no script {name}"))?;
        if !script.content.contains(old) {
            bail!("{name} does not contain {old:?}");
        }
        script.content = script.content.replace(old, new);
        Ok(self)
    }

    /// The script of this name.
    ///
    /// # Errors
    /// This version has none.
    pub fn script(&self, name: &str) -> Result<&Script> {
        self.scripts.get(name).with_context(|| format!("bullmq {} has no script {name}", self.version))
    }
}

fn version_in(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join("node_modules/bullmq/package.json")).ok()?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(package.get("version")?.as_str()?.to_owned())
}

/// Installs the package into cargo's target folder, once.
fn installed(version: &str) -> Result<PathBuf> {
    let target = target_folder()?;
    let folder = target.join(format!("bullmq-{version}"));
    if version_in(&folder).is_some_and(|found| found == version) {
        return Ok(folder);
    }
    std::fs::create_dir_all(&target)?;
    // Into a folder of its own first: another test process may be doing the same, and half a package is none.
    let staged = tempfile::Builder::new().prefix("bullmq-").tempdir_in(&target)?;
    let output = Command::new("npm")
        .args(["install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix"])
        .arg(staged.path())
        .arg(format!("bullmq@{version}"))
        .output()
        .with_context(|| format!("cannot run npm. {MISSING}"))?;
    if !output.status.success() {
        bail!("npm could not install bullmq@{version}:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    let staged = staged.keep();
    if std::fs::rename(&staged, &folder).is_err() {
        // Another process was first; its copy is as good.
        std::fs::remove_dir_all(&staged)?;
    }
    match version_in(&folder) {
        Some(found) if found == version => Ok(folder),
        found => {
            bail!("{} holds bullmq {found:?} instead of {version}: remove that folder", folder.display())
        }
    }
}

/// Cargo marks its target folder with a `CACHEDIR.TAG`; the running program lies somewhere inside.
fn target_folder() -> Result<PathBuf> {
    let program = env::current_exe()?;
    let marked = program.ancestors().find(|folder| folder.join("CACHEDIR.TAG").is_file());
    Ok(marked.context("this program is not in a target folder of cargo's")?.to_owned())
}

fn list(package: &Path) -> Result<Vec<Script>> {
    let output = Command::new("node")
        .args(["-e", LIST_SCRIPTS])
        .arg(package)
        .output()
        .with_context(|| format!("cannot run node. {MISSING}"))?;
    if !output.status.success() {
        bail!("node could not list the scripts:\n{}", String::from_utf8_lossy(&output.stderr));
    }
    serde_json::from_slice(&output.stdout).context("the list of scripts is not what was expected")
}
