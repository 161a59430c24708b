//! A headless browser with one page, steered over WebDriver. For what WebDriver has no word for, Chromium has DevTools, and Firefox
//! has WebDriver BiDi and its own settings. `ENGINE=firefox` chooses Firefox.
//!
//! Every test has a browser and a profile of its own. Calls block, and wait for conditions with a deadline.

mod bidi;
mod driver;
mod look;
mod widget;

pub use look::{Button, Heard, Job, Look, ProofLook};
pub use widget::Widget;

use crate::serve::Site;
use anyhow::{Context, Result, bail};
use bidi::Bidi;
use driver::Driver;
use fantoccini::{
    Client, ClientBuilder,
    actions::{InputSource, KeyAction, KeyActions},
    elements::Element,
    wd::WebDriverCompatibleCommand,
};
use hyper_util::client::legacy::connect::HttpConnector;
use serde::de::DeserializeOwned;
use serde_json::{Value as Json, json};
use std::{
    cell::RefCell,
    env,
    future::Future,
    process, thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;
use tokio::runtime::{Builder, Runtime};

/// How long a condition may take, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(20);

/// Functions for the page, put before every script.
const PAGE_SIDE: &str = include_str!("browser/page_side.js");

/// Put before the page's own scripts.
const RECORDER: &str = include_str!("browser/recorder.js");

/// A browser. It is gone when this is dropped, also while a panic unwinds.
pub struct Browser {
    client: Client,
    runtime: Runtime,
    /// Firefox has it.
    bidi: Option<RefCell<Bidi>>,
    _driver: Driver,
    _profile: TempDir,
}

impl Drop for Browser {
    fn drop(&mut self) {
        let client = self.client.clone();
        let close = async { tokio::time::timeout(Duration::from_secs(10), client.close()).await };
        if !matches!(self.runtime.block_on(close), Ok(Ok(()))) {
            // It did not go politely, and it does not go with its driver.
            let process = self.client.capabilities().and_then(|all| {
                let id = all.get("goog:processID").or_else(|| all.get("moz:processID"));
                id?.as_u64()
            });
            let _killed =
                process.map(|id| process::Command::new("kill").args(["-KILL", &id.to_string()]).status());
        }
    }
}

impl Browser {
    /// Starts a browser with an empty page.
    ///
    /// # Errors
    /// There is no driver or no browser.
    pub fn start() -> Result<Self> {
        let profile = tempfile::tempdir()?;
        let firefox = is_firefox();
        let driver = if firefox { Driver::gecko(profile.path()) } else { Driver::chrome(profile.path()) }?;
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build()?;
        let mut builder = ClientBuilder::new(HttpConnector::new());
        builder.capabilities(if firefox { firefox_capabilities()? } else { capabilities(&profile)? });
        let client = runtime.block_on(async { builder.connect(&driver.url).await }).context("no browser")?;
        let address =
            client.capabilities().and_then(|all| all.get("webSocketUrl")?.as_str().map(str::to_owned));
        let bidi = address.map(|address| Bidi::connect(&address)).transpose()?.map(RefCell::new);
        let browser = Self { client, runtime, bidi, _driver: driver, _profile: profile };
        browser.before_every_page(RECORDER)?;
        Ok(browser)
    }

    /// Starts a browser with a page of the site.
    ///
    /// # Errors
    /// As [`Browser::start`], or the page does not load.
    pub fn open(site: &Site, path: &str) -> Result<Self> {
        let browser = Self::start()?;
        browser.visit(&site.url(path))?;
        Ok(browser)
    }

    /// Goes to an address, and waits until it has loaded.
    ///
    /// # Errors
    /// It does not load.
    pub fn visit(&self, url: &str) -> Result<()> {
        self.wait(self.client.goto(url))
    }

    /// Runs a script in every page to come, before the page's own; no policy of the page forbids it.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn before_every_page(&self, script: &str) -> Result<()> {
        if let Some(bidi) = &self.bidi {
            let script = json!({ "functionDeclaration": format!("() => {{ {script}\n }}") });
            return bidi.borrow_mut().call("script.addPreloadScript", &script).map(drop);
        }
        self.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).map(drop)
    }

    /// What the page has heard from the widgets so far, and what nobody caught.
    ///
    /// # Errors
    /// The page does not answer.
    pub fn heard(&self) -> Result<Vec<Heard>> {
        self.run("return heard", &[])
    }

    /// Runs the body of a function in the page and returns what it returns.
    ///
    /// # Errors
    /// It throws, or returns something else.
    pub fn run<T: DeserializeOwned>(&self, script: &str, values: &[Json]) -> Result<T> {
        let script = format!("{PAGE_SIDE}\n{script}");
        let answer = self.wait(self.client.execute(&script, values.to_vec()));
        let answer = answer.with_context(|| script.replace(PAGE_SIDE, ""))?;
        serde_json::from_value(answer.clone()).with_context(|| format!("an answer of another kind: {answer}"))
    }

    /// As [`Browser::run`], for an async function.
    ///
    /// # Errors
    /// It throws, or returns something else.
    pub fn run_async<T: DeserializeOwned>(&self, script: &str, values: &[Json]) -> Result<T> {
        let script = format!(
            "{PAGE_SIDE}\nconst done = arguments[arguments.length - 1];
            (async (...values) => {{ {script} }})(...arguments).then(
                (value) => done({{ value }}), (error) => done({{ error: String(error?.stack ?? error) }}));"
        );
        let mut answer = self.wait(self.client.execute_async(&script, values.to_vec()))?;
        if let Some(error) = answer["error"].as_str() {
            bail!("the page threw {error}");
        }
        let answer = answer["value"].take();
        serde_json::from_value(answer.clone()).with_context(|| format!("an answer of another kind: {answer}"))
    }

    /// Waits until the body of a function returns something true, and returns it.
    ///
    /// # Errors
    /// It never does.
    pub fn until(&self, script: &str, values: &[Json]) -> Result<Json> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let answer: Json = self.run(script, values)?;
            if !matches!(answer, Json::Null | Json::Bool(false)) {
                return Ok(answer);
            }
            if Instant::now() > deadline {
                bail!("in vain: {script} with {values:?}");
            }
            thread::sleep(Duration::from_millis(20)); // asks again, does not guess
        }
    }

    /// A DevTools command, in Chromium.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn devtools(&self, name: &'static str, values: Json) -> Result<Json> {
        let command = Command { path: "goog/cdp/execute", body: json!({ "cmd": name, "params": values }) };
        self.wait(self.client.issue_cmd(command)).with_context(|| name)
    }

    /// What the browser has put on its console since the last call: level and message.
    ///
    /// # Errors
    /// The browser keeps no log.
    pub fn console(&self) -> Result<Vec<String>> {
        if let Some(bidi) = &self.bidi {
            return bidi.borrow_mut().console();
        }
        let log =
            self.wait(self.client.issue_cmd(Command { path: "se/log", body: json!({ "type": "browser" }) }))?;
        let entries = log.as_array().context("the log is no list")?;
        Ok(entries.iter().map(|entry| format!("{} {}", entry["level"], entry["message"])).collect())
    }

    /// A window of this width and height, in CSS pixels; the page gets all of it.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        if let Some(bidi) = &self.bidi {
            let context = String::from(self.wait(self.client.window())?);
            let size = json!({ "width": width, "height": height });
            let viewport = json!({ "context": context, "viewport": size, "devicePixelRatio": 1 });
            return bidi.borrow_mut().call("browsingContext.setViewport", &viewport).map(drop);
        }
        let size = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.devtools("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// What the reader has asked for, such as `prefers-color-scheme`, `dark`.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn prefer(&self, name: &str, value: &str) -> Result<()> {
        if self.bidi.is_some() {
            let (setting, value) = match (name, value) {
                ("prefers-color-scheme", "dark") => ("layout.css.prefers-color-scheme.content-override", 0),
                ("prefers-color-scheme", _) => ("layout.css.prefers-color-scheme.content-override", 1),
                ("prefers-reduced-motion", value) => {
                    ("ui.prefersReducedMotion", i32::from(value == "reduce"))
                }
                (name, _) => bail!("Firefox has no setting for {name}"),
            };
            return self.set(setting, value);
        }
        let features = json!({ "features": [{ "name": name, "value": value }] });
        self.devtools("Emulation.setEmulatedMedia", features).map(drop)
    }

    /// Changes a setting of Firefox.
    fn set(&self, setting: &str, value: i32) -> Result<()> {
        let context = |name: &str| {
            let command = Command { path: "moz/context", body: json!({ "context": name }) };
            self.wait(self.client.issue_cmd(command))
        };
        context("chrome")?;
        let script = "Services.prefs.setIntPref(...arguments)";
        let done = self.wait(self.client.execute(script, vec![json!(setting), json!(value)]));
        context("content")?;
        done.map(drop)
    }

    /// Presses keys, one after the other, wherever the focus is. `\u{e004}` is Tab, and so on, as WebDriver has it.
    ///
    /// # Errors
    /// The browser does not take them.
    pub fn keys(&self, keys: &str) -> Result<()> {
        self.key_actions(keys.chars().flat_map(|value| [KeyAction::Down { value }, KeyAction::Up { value }]))
    }

    /// Presses a key while Shift is held.
    ///
    /// # Errors
    /// The browser does not take it.
    pub fn shift(&self, value: char) -> Result<()> {
        let shift = '\u{e008}';
        self.key_actions([
            KeyAction::Down { value: shift },
            KeyAction::Down { value },
            KeyAction::Up { value },
            KeyAction::Up { value: shift },
        ])
    }

    fn key_actions(&self, all: impl IntoIterator<Item = KeyAction>) -> Result<()> {
        let keys = KeyActions::new("keys".to_owned());
        let keys = all.into_iter().fold(keys, |keys, action| keys.then(action));
        self.wait(self.client.perform_actions(keys))
    }

    /// Clicks on the element that the body of a function returns, with a pointer, where it is on the screen.
    ///
    /// # Errors
    /// There is none, or it cannot be clicked.
    pub fn click(&self, script: &str, values: &[Json]) -> Result<()> {
        let script = format!("{PAGE_SIDE}\n{script}");
        let element = self.wait(self.client.execute(&script, values.to_vec()))?;
        let id = element.as_object().and_then(|object| object.values().next()?.as_str().map(str::to_owned));
        let id = id.with_context(|| format!("no element to click: {element} for {values:?}"))?;
        self.wait(Element::from_element_id(self.client.clone(), id.into()).click())
    }

    fn wait<T, E: Into<anyhow::Error>>(&self, what: impl Future<Output = Result<T, E>>) -> Result<T> {
        self.runtime.block_on(what).map_err(Into::into)
    }
}

fn is_firefox() -> bool {
    env::var("ENGINE").is_ok_and(|engine| engine == "firefox")
}

fn firefox_capabilities() -> Result<serde_json::Map<String, Json>> {
    let mut options = json!({ "args": ["-headless", "--width=1280", "--height=900"] });
    if let Ok(firefox) = env::var("FIREFOX") {
        options["binary"] = firefox.into();
    }
    let all = json!({ "moz:firefoxOptions": options, "webSocketUrl": true });
    all.as_object().cloned().context("capabilities are an object")
}

fn capabilities(profile: &TempDir) -> Result<serde_json::Map<String, Json>> {
    let mut options = json!({
        "args": [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--disable-quic",
            "--window-size=1280,900",
            format!("--user-data-dir={}", profile.path().join("profile").display()),
        ],
    });
    if let Ok(chrome) = env::var("CHROME") {
        options["binary"] = chrome.into();
    }
    let all = json!({ "goog:chromeOptions": options, "goog:loggingPrefs": { "browser": "ALL" } });
    all.as_object().cloned().context("capabilities are an object")
}

/// A command of a driver's own.
#[derive(Debug)]
struct Command {
    path: &'static str,
    body: Json,
}

impl WebDriverCompatibleCommand for Command {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (axum::http::Method, Option<String>) {
        (axum::http::Method::POST, Some(self.body.to_string()))
    }
}
