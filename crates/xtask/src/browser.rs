//! Chromium and its driver: named by the environment, found, or installed.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::project::Project;
use crate::system::{self, Missing};

const BROWSERS: &[&str] = &[
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
const DRIVERS: &[&str] = &["chromedriver"];
const PACKAGES: &[&str] = &["chromium", "chromium-driver", "fonts-dejavu-core"];

/// A browser and the driver that steers it.
pub struct Browser {
    /// The browser's program.
    pub chrome: PathBuf,
    /// The WebDriver server's program.
    pub chromedriver: PathBuf,
    /// Whether the browser was named by `CHROME`: then it need not be where the driver would look for it.
    named: bool,
}

/// Finds both, or installs both where that is possible.
pub fn ensure() -> Result<Browser> {
    if let (Some(chrome), Some(chromedriver)) = (chrome()?, chromedriver()?) {
        let named = named("CHROME")?.is_some();
        return Ok(Browser { chrome, chromedriver, named });
    }
    let gone = match (chrome()?, chromedriver()?) {
        (None, None) => "Chromium and chromedriver are",
        (None, Some(_)) => "Chromium is",
        (Some(_), None) | (Some(_), Some(_)) => "chromedriver is",
    };
    let missing = Missing {
        what: format!("{gone} not on this machine"),
        cure: "install Chrome and the chromedriver of its version, and put both on PATH or name them by CHROME and \
               CHROMEDRIVER"
            .into(),
    };
    system::apt_install(PACKAGES, missing.clone())?;
    match (chrome()?, chromedriver()?) {
        (Some(chrome), Some(chromedriver)) => Ok(Browser { chrome, chromedriver, named: false }),
        (None, _) | (_, None) => Err(missing.into()),
    }
}

fn chrome() -> Result<Option<PathBuf>> {
    Ok(named("CHROME")?.or_else(|| BROWSERS.iter().find_map(|name| system::find(name))))
}

fn chromedriver() -> Result<Option<PathBuf>> {
    Ok(named("CHROMEDRIVER")?.or_else(|| DRIVERS.iter().find_map(|name| system::find(name))))
}

/// The program that a variable names. One that is not there is an error: another one in its place would surprise.
fn named(variable: &str) -> Result<Option<PathBuf>> {
    let Some(value) = std::env::var_os(variable).filter(|value| !value.is_empty()) else {
        return Ok(None);
    };
    match which::which(&value) {
        Ok(program) => Ok(Some(program)),
        Err(_) => bail!("{variable} is set to {value:?}, which is not a program"),
    }
}

impl Browser {
    /// What the tests find in their environment.
    pub fn environment(&self, project: &Project) -> Result<Vec<(&'static str, OsString)>> {
        let mut environment = vec![
            ("CHROME", self.chrome.clone().into_os_string()),
            ("CHROMEDRIVER", self.chromedriver.clone().into_os_string()),
        ];
        // wasm-bindgen-test-runner reads web/webdriver.json by itself, but knows no CHROME.
        let capabilities = project.root.join("web").join("webdriver.json");
        if self.named && capabilities.exists() {
            let copy = project.root.join("target").join("webdriver.json");
            let text = std::fs::read_to_string(&capabilities)?;
            std::fs::create_dir_all(project.root.join("target"))?;
            std::fs::write(&copy, with_binary(&text, &self.chrome)?)?;
            environment.push(("WASM_BINDGEN_TEST_WEBDRIVER_JSON", copy.into_os_string()));
        }
        Ok(environment)
    }
}

/// WebDriver capabilities with the browser's program added.
fn with_binary(capabilities: &str, chrome: &Path) -> Result<String> {
    let key = "\"goog:chromeOptions\"";
    let options = capabilities
        .find(key)
        .and_then(|at| Some(at + capabilities[at..].find('{')? + 1))
        .with_context(|| format!("web/webdriver.json has no {key}: {{ .. }}"))?;
    let chrome = chrome.to_string_lossy().replace('\\', "\\\\");
    let (before, after) = capabilities.split_at(options);
    Ok(format!("{before}\n    \"binary\": \"{chrome}\",{after}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_named_browser_goes_into_the_drivers_options() {
        let text = "{\n  \"goog:chromeOptions\": {\n    \"args\": []\n  }\n}\n";
        let expected =
            "{\n  \"goog:chromeOptions\": {\n    \"binary\": \"/opt/chrome\",\n    \"args\": []\n  }\n}\n";
        assert_eq!(with_binary(text, Path::new("/opt/chrome")).unwrap(), expected);
    }

    #[test]
    fn capabilities_without_options_are_an_error() {
        let error = with_binary("{}", Path::new("/opt/chrome")).unwrap_err();
        assert!(error.to_string().contains("goog:chromeOptions"));
    }
}
