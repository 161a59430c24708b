//! Lighthouse's scores of the built page.

use anyhow::{Context, Result, ensure};
use enroll_once_tests::serve::Site;
use serde_json::Value as Json;
use std::{env, process::Command};

const CATEGORIES: [&str; 4] = ["performance", "accessibility", "best-practices", "seo"];

/// Prints the four scores, and what is not as it should be.
pub fn print(site: &Site) -> Result<()> {
    let program =
        env::var("LIGHTHOUSE").context("LIGHTHOUSE names no program; `cargo xtask bench --page` does")?;
    let chrome = env::var("CHROME").context("CHROME names no browser")?;
    let mut lighthouse = Command::new(program);
    lighthouse.arg(site.url("/index.html")).args(["--output=json", "--quiet"]);
    lighthouse.arg(format!("--only-categories={}", CATEGORIES.join(",")));
    lighthouse.arg("--chrome-flags=--headless=new --no-sandbox --disable-gpu").env("CHROME_PATH", chrome);
    let output = lighthouse.output().context("Lighthouse does not start")?;
    ensure!(output.status.success(), "Lighthouse: {}", String::from_utf8_lossy(&output.stderr));
    let report: Json = serde_json::from_slice(&output.stdout)?;
    println!("\nLighthouse {}, mobile", report["lighthouseVersion"].as_str().unwrap_or_default());
    for category in CATEGORIES {
        let found = &report["categories"][category];
        println!("  {:<16} {:.0}", category, found["score"].as_f64().unwrap_or(f64::NAN) * 100.0);
        let audits = found["auditRefs"].as_array().into_iter().flatten();
        let counted = audits.filter(|audit| audit["weight"].as_f64() > Some(0.0));
        for audit in counted.filter_map(|audit| report["audits"].get(audit["id"].as_str()?)) {
            if audit["score"].as_f64().is_some_and(|score| score < 0.9) {
                let value = audit["displayValue"].as_str().unwrap_or_default();
                println!("    {} {value}", audit["title"].as_str().unwrap_or_default());
            }
        }
    }
    Ok(())
}
