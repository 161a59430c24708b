//! A host: how it is built, and what must be so in every one.

use anyhow::{Context, Result, ensure};
use enroll_once_tests::{
    browser::Browser,
    process::NodeProcess,
    serve::{Flaw, Site, package},
};
use serde_json::{Value as Json, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// The labels of the buttons.
pub const STEP: &str = "step the job";
pub const CRASH: &str = "crash mid-process";
pub const RESET: &str = "reset";

/// The root of the project.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The sources of a host.
pub fn sources(name: &str) -> PathBuf {
    root().join("tests/hosts").join(name)
}

/// A copy of a host's sources, as deep below the root as they are, in which its tools may write.
pub fn copy(name: &str) -> Result<PathBuf> {
    let folder = root().join("target/hosts").join(name);
    copy_all(&sources(name), &folder)?;
    Ok(folder)
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("no {}", from.display()))? {
        let entry = entry?;
        let (path, copy) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy_all(&path, &copy)?;
        } else {
            fs::copy(path, copy)?;
        }
    }
    Ok(())
}

/// A file of the package, put into a host.
pub fn add(folder: &Path, name: &str) -> Result<()> {
    fs::copy(package()?.join(name), folder.join(name)).map(drop).with_context(|| name.to_owned())
}

/// Runs a command of the host's own tools in its folder.
pub fn run(folder: &Path, line: &str) -> Result<()> {
    let mut words = line.split(' ');
    let mut command = Command::new(words.next().context("no command")?);
    let output = command.args(words).current_dir(folder).stdin(Stdio::null()).output();
    let output = output.with_context(|| format!("cannot start `{line}`"))?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    ensure!(output.status.success(), "{line}:\n{}{}", text(&output.stdout), text(&output.stderr));
    Ok(())
}

/// A copy with what the host's lock file names, the package among it: made once, and then left alone, because a
/// development server that watches it would load its page again.
pub fn npm(name: &'static str) -> Result<PathBuf> {
    static INSTALLED: Mutex<BTreeMap<&str, PathBuf>> = Mutex::new(BTreeMap::new());
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(folder) = installed.get(name) {
        return Ok(folder.clone());
    }
    let folder = copy(name)?;
    run(&folder, "npm ci --prefer-offline --no-audit --no-fund --ignore-scripts")?;
    installed.insert(name, folder.clone());
    Ok(folder)
}

/// A host in a browser.
pub struct Host {
    pub browser: Browser,
    origin: String,
    server: Server,
}

/// Where it comes from.
enum Server {
    Ours(Site),
    /// Kept alive as long as the host.
    OfItsOwn {
        _process: NodeProcess,
    },
    Disk,
}

impl Host {
    /// Serves the folder and visits the page.
    pub fn open(folder: &Path, page: &str, flaw: Flaw) -> Result<Self> {
        let site = Site::hosting(folder, flaw)?;
        let browser = Browser::open(&site, page)?;
        Ok(Self { browser, origin: site.url("/"), server: Server::Ours(site) })
    }

    /// Visits a page from the disk.
    pub fn from_disk(page: &Path) -> Result<Self> {
        let browser = Browser::start()?;
        browser.visit(&format!("file://{}", page.canonicalize()?.display()))?;
        Ok(Self { browser, origin: "file://".to_owned(), server: Server::Disk })
    }

    /// Starts the development server of this Vite in the folder and visits its page.
    pub fn in_development(folder: &Path, vite: &str, config: &str) -> Result<Self> {
        let program = folder.join("node_modules").join(vite).join("bin/vite.js");
        let folder = folder.display();
        let config = format!("{folder}/{config}");
        let arguments = [&folder.to_string(), "--config", &config, "--host", "127.0.0.1", "--port", "0"]
            .map(str::to_owned);
        let mut process = NodeProcess::start(vite, &program, &arguments, Duration::from_secs(60))?;
        let address =
            |line: &Json| line.as_str()?.split_once("http://").map(|(_, at)| format!("http://{}", at.trim()));
        let origin = process.wait_until("give its address", address)?;
        let browser = Browser::start()?;
        browser.visit(&origin)?;
        Ok(Self { browser, origin, server: Server::OfItsOwn { _process: process } })
    }

    /// Steps and crashes the hero with a pointer, from where it opened, and runs the proof; and all that must be so then.
    pub fn works(&self, opens_at: &str) -> Result<()> {
        let hero = self.browser.widget("enroll-loop")?;
        hero.until_at(opens_at)?;
        let looks = self.looks()?;
        if opens_at == "waiting" {
            hero.press_to(STEP, "woken")?;
        }
        hero.press_to(STEP, "picked up")?;
        hero.press_to(STEP, "enrolled")?;
        let died = hero.press_to(CRASH, "died")?;
        assert_eq!((died.enrolled.as_str(), died.lanes_of("j_1").len()), ("1", 1));
        let proof = self.browser.widget("enroll-proof")?;
        proof.press("run the enroll job")?;
        assert_eq!(proof.look_proof()?.enrolled, "1");
        let heard = self.browser.heard()?;
        let of = |kind: &str| heard.iter().filter(|one| one.kind == kind).collect::<Vec<_>>();
        assert_eq!(of("enroll-ready").len(), 2, "{heard:?}");
        let changes = of("enroll-change");
        assert_eq!(changes.len(), if opens_at == "waiting" { 5 } else { 4 }, "{heard:?}");
        assert!(changes.iter().all(|change| change.source.as_deref() == Some("user")), "{changes:?}");
        self.is_quiet()?;
        hero.press_to(RESET, opens_at)?;
        assert_eq!(self.looks()?, looks, "it looks as it did at the start");
        Ok(())
    }

    /// No exception, no error, nothing from elsewhere, nothing that is not there, and nothing against the policy.
    pub fn is_quiet(&self) -> Result<()> {
        let heard = self.browser.heard()?;
        assert!(
            heard.iter().all(|one| !["uncaught", "enroll-error"].contains(&one.kind.as_str())),
            "{heard:?}"
        );
        let mut console = self.browser.console()?;
        if let Server::OfItsOwn { .. } = self.server {
            console.retain(|line| !line.contains("\"DEBUG\" ") && !line.contains("\"INFO\" ")); // development is talkative
        }
        assert_eq!(console, [""; 0]);
        let loaded: Vec<String> = self
            .browser
            .run("return performance.getEntriesByType('resource').map((one) => one.name)", &[])?;
        let is_own = |name: &String| name.starts_with(&self.origin) || name.starts_with("data:");
        assert!(loaded.iter().all(is_own), "{loaded:?}");
        let Server::Ours(site) = &self.server else { return Ok(()) };
        let there = |status| [200, 304].contains(&status); // or as it was
        assert!(site.asked().iter().all(|asked| there(asked.status)), "{:?}", site.asked());
        assert_eq!(site.breaches(), [""; 0]);
        Ok(())
    }

    /// How the widget looks: what the page's own styles must not change.
    pub fn looks(&self) -> Result<Json> {
        self.browser.run(
            "const root = shadow('enroll-loop');
            const names = ['display', 'color', 'background-color', 'font-family', 'font-style', 'letter-spacing',
                'text-transform', 'text-align', 'direction', 'margin', 'padding', 'border-width', 'cursor', 'visibility'];
            const of = (css) => {
                const style = getComputedStyle(root.querySelector(css));
                return names.map((name) => `${name}: ${style[name]}`);
            };
            return Object.fromEntries(['.instrument', 'button', '.lane', '.say p', '.job', 'h3', '.number'].map((css) => [css, of(css)]));",
            &[],
        )
    }

    /// What the page itself shows at this selector.
    pub fn shows(&self, selector: &str) -> Result<String> {
        self.browser.run("return words(widget(arguments[0]))", &[json!(selector)])
    }
}
