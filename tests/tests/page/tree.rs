//! What a screen reader gets: Chromium's accessibility tree at each stage, held to snapshots that were read by a person.
//!
//! `UPDATE_EXPECT=1 cargo xtask test --only end-to-end` writes them anew; read the difference as if it were spoken.

use crate::{
    matrix::come_to_the_table,
    table::{CRASH_AFTER_ENROLLED, Row, TWO_CRASHES, Table},
};
use anyhow::{Context, Result};
use enroll_once_tests::{browser::Browser, serve::Site};
use expect_test::expect_file;
use serde_json::{Value as Json, json};
use std::{collections::HashMap, fmt::Write};

/// What has no meaning of its own: its children stand in its place.
const PLAIN: [&str; 8] =
    ["none", "generic", "InlineTextBox", "LineBreak", "ListMarker", "code", "emphasis", "deletion"];

/// What else is said of an element, if it is true.
const STATES: [&str; 7] = ["focused", "disabled", "expanded", "pressed", "checked", "selected", "atomic"];

/// The tree under an element, as an indented text: role, name, states, what describes it.
fn tree(browser: &Browser, element: &str) -> Result<String> {
    let dom = browser.devtools("DOM.getDocument", json!({ "depth": -1, "pierce": true }))?;
    let mut current = HashMap::new();
    keep_current(&dom["root"], &mut current);
    let found = browser.devtools("Runtime.evaluate", json!({ "expression": element }))?;
    let id = found["result"]["objectId"].as_str().with_context(|| format!("there is no {element}"))?;
    let node = browser.devtools("DOM.describeNode", json!({ "objectId": id }))?;
    let all = browser.devtools("Accessibility.getFullAXTree", json!({}))?;
    let nodes = all["nodes"].as_array().context("no tree")?;
    let root = nodes.iter().find(|one| one["backendDOMNodeId"] == node["node"]["backendNodeId"]);
    let root = root.with_context(|| format!("{element} is not in the tree"))?;
    let by_id = nodes.iter().filter_map(|one| Some((one["nodeId"].as_str()?, one))).collect();
    let mut text = String::new();
    Tree { by_id, current }.write(root, 0, &mut text);
    Ok(text)
}

/// `aria-current` is in the document alone: DevTools does not hand it on.
fn keep_current(node: &Json, current: &mut HashMap<u64, String>) {
    let attributes: Vec<&str> =
        node["attributes"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let value = attributes.chunks(2).find(|pair| pair[0] == "aria-current").map(|pair| pair[1].to_owned());
    if let (Some(id), Some(value)) = (node["backendNodeId"].as_u64(), value) {
        current.insert(id, value);
    }
    for children in ["children", "shadowRoots"] {
        node[children].as_array().into_iter().flatten().for_each(|child| keep_current(child, current));
    }
}

struct Tree<'a> {
    by_id: HashMap<&'a str, &'a Json>,
    current: HashMap<u64, String>,
}

impl<'a> Tree<'a> {
    /// The children that mean something; those of the others stand in their place.
    fn children(&self, node: &Json) -> Vec<&'a Json> {
        let ids = node["childIds"].as_array().into_iter().flatten().filter_map(Json::as_str);
        let children = ids.filter_map(|id| self.by_id.get(id).copied());
        children.flat_map(|child| if is_plain(child) { self.children(child) } else { vec![child] }).collect()
    }

    fn write(&self, node: &Json, depth: usize, out: &mut String) {
        let children = self.children(node);
        let words = spoken(&children);
        let only_words = children.iter().all(|child| is_text(child));
        let indent = "  ".repeat(depth);
        let role = Some(text(node, "role")).filter(|role| !["paragraph", "none", "generic"].contains(role));
        let name = if only_words && text(node, "name").is_empty() { &words } else { text(node, "name") };
        let quoted = (!name.is_empty()).then(|| format!("\"{name}\""));
        let said: Vec<&str> = role.into_iter().chain(quoted.as_deref()).collect();
        let mut inside = depth;
        if !said.is_empty() {
            let _fits = writeln!(out, "{indent}{}{}", said.join(" "), self.states(node));
            inside += 1;
        }
        // The words are its name, or are not read because it has another.
        if only_words && (text(node, "role") == "button" || letters(&words) == letters(name)) {
            return;
        }
        let mut children = children.into_iter().peekable();
        while let Some(child) = children.next() {
            if !is_text(child) {
                self.write(child, inside, out);
                continue;
            }
            // What stands in one line is read as one.
            let mut line = vec![child];
            while let Some(more) = children.next_if(|next| is_text(next)) {
                line.push(more);
            }
            let _fits = writeln!(out, "{}\"{}\"", "  ".repeat(inside), spoken(&line));
        }
    }

    fn states(&self, node: &Json) -> String {
        let mut said = String::new();
        let properties = node["properties"].as_array().map_or(&[][..], Vec::as_slice);
        for property in properties {
            let (name, value) = (property["name"].as_str().unwrap_or_default(), &property["value"]["value"]);
            if STATES.contains(&name) && *value == json!(true) {
                said += &format!(", {name}");
            } else if name == "expanded" {
                said += ", collapsed";
            } else if name == "live" || (name == "level" && text(node, "role") == "heading") {
                said += &format!(", {name} {}", value.to_string().trim_matches('"'));
            }
        }
        let current = node["backendDOMNodeId"].as_u64().and_then(|id| self.current.get(&id));
        if let Some(current) = current {
            said += &format!(", current {current}");
        }
        match text(node, "description") {
            "" => said,
            why => format!("{said}, described by \"{why}\""),
        }
    }
}

fn text<'a>(node: &'a Json, what: &str) -> &'a str {
    node[what]["value"].as_str().unwrap_or_default()
}

/// The words of some texts, one after the other.
fn spoken(texts: &[&Json]) -> String {
    let words = texts.iter().flat_map(|one| text(one, "name").split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

fn letters(words: &str) -> String {
    words.split_whitespace().collect()
}

fn is_text(node: &Json) -> bool {
    text(node, "role") == "StaticText"
}

fn is_plain(node: &Json) -> bool {
    node["ignored"] == json!(true) || PLAIN.contains(&text(node, "role"))
}

/// The tree at every stage of a run.
fn trees(table: Table) -> Result<String> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let hero = browser.widget("enroll-loop")?;
    let mut all = String::new();
    for row in Row::of(table) {
        row.go(&hero)?;
        let tree = tree(&browser, "document.querySelector('enroll-loop')")?;
        all += &format!("{}\n\n{tree}\n", row.stage().to_uppercase());
    }
    Ok(all.trim_end().to_owned() + "\n")
}

#[test]
fn the_crash_run() -> Result<()> {
    expect_file!["snapshots/crash-run.txt"].assert_eq(&trees(CRASH_AFTER_ENROLLED)?);
    Ok(())
}

#[test]
fn the_run_that_fails() -> Result<()> {
    expect_file!["snapshots/failed-run.txt"].assert_eq(&trees(TWO_CRASHES)?);
    Ok(())
}

#[test]
fn the_proof_after_three_runs() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let proof = browser.widget("enroll-proof")?;
    let element = "document.querySelector('enroll-proof')";
    let before = tree(&browser, element)?;
    proof.go(&["run the enroll job"; 3])?;
    let after = tree(&browser, element)?;
    expect_file!["snapshots/proof.txt"]
        .assert_eq(&format!("AT FIRST\n\n{before}\nAFTER THREE RUNS\n\n{after}"));
    Ok(())
}

#[test]
fn the_crash_matrix() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.prefer("prefers-reduced-motion", "reduce")?;
    come_to_the_table(&browser)?;
    browser.click("return all(document, 'button.verdict')[3]", &[])?;
    browser.until("return shadow('enroll-loop').activeElement !== null", &[])?;
    let told = tree(&browser, "document.querySelector('#loaded')")?;
    let table = tree(&browser, "document.querySelector('.scrolls')")?;
    expect_file!["snapshots/matrix.txt"]
        .assert_eq(&format!("AFTER A CLICK, ABOVE THE HERO\n\n{told}\nTHE TABLE\n\n{table}"));
    Ok(())
}
