//! `custom-elements.json` says what the classes and the widgets have.

use crate::host::{CRASH, Host, STEP, root, sources};
use anyhow::{Context, Result};
use enroll_once_tests::serve::{Flaw, package};
use serde_json::Value as Json;
use std::{collections::BTreeSet, fs};

/// The names in a list of the manifest.
fn names(class: &Json, list: &str) -> BTreeSet<String> {
    let entries = class[list].as_array().unwrap_or_else(|| panic!("no list {list}"));
    entries.iter().map(|entry| entry["name"].as_str().unwrap().to_owned()).collect()
}

fn classes() -> Result<Vec<Json>> {
    let text = fs::read_to_string(package()?.join("custom-elements.json"))?;
    let manifest: Json = serde_json::from_str(&text)?;
    manifest["modules"][0]["declarations"].as_array().cloned().context("no declarations")
}

#[test]
fn the_manifest_is_what_the_classes_are() -> Result<()> {
    let host = Host::open(&sources("plain"), "/index.html", Flaw::None)?;
    for class in classes()? {
        let script = "
            const [name, tag] = values;
            const element = customElements.get(tag);
            // Not by identity: what Firefox's driver imports is another copy.
            const exported = (await import('/enroll-once/index.js'))[name];
            if (String(element) !== String(exported)) throw Error(`${tag} is no ${name}`);
            const own = Object.getOwnPropertyNames(element.prototype).filter((name) => name !== 'constructor');
            const parent = Object.getPrototypeOf(element.prototype);
            const inherited = Object.getOwnPropertyNames(parent).filter((name) => !/Callback$|^constructor$/.test(name));
            return { attributes: element.observedAttributes, members: [...own, ...inherited] };";
        let found: Json =
            host.browser.run_async(script, &[class["name"].clone(), class["tagName"].clone()])?;
        let set = |list: &str| serde_json::from_value::<BTreeSet<String>>(found[list].clone());
        assert_eq!(set("attributes")?, names(&class, "attributes"), "{}", class["name"]);
        assert_eq!(set("members")?, names(&class, "members"), "{}", class["name"]);
    }
    Ok(())
}

#[test]
fn the_manifest_has_every_part_and_colour() -> Result<()> {
    let host = Host::open(&sources("plain"), "/index.html", Flaw::None)?;
    let parts = |selector: &str| -> Result<BTreeSet<String>> {
        host.browser.run(
            "return all(shadow(arguments[0]), '[part]').map((one) => one.part.value)",
            &[selector.into()],
        )
    };
    let hero = host.browser.widget("enroll-loop")?;
    let mut of_the_loop = BTreeSet::from(["reload".to_owned()]); // tested with the panic
    // Two crashes: the only way into failed.
    let presses = [STEP, STEP, CRASH, STEP, STEP, STEP, STEP, STEP, CRASH];
    for press in presses.iter().chain(&[STEP; 8]) {
        hero.go(&[press])?;
        of_the_loop.extend(parts("enroll-loop")?);
    }
    host.browser.widget("enroll-proof")?;
    let mut of_the_proof = parts("enroll-proof")?;
    of_the_proof.insert("reload".to_owned());
    let style = fs::read_to_string(root().join("web/src/style.css"))?;
    let colours: BTreeSet<String> = style
        .split("--enroll-")
        .skip(1)
        .map(|rest| format!("--enroll-{}", rest.split(|c: char| !c.is_ascii_lowercase()).next().unwrap()))
        .collect();
    for (class, parts) in classes()?.iter().zip([of_the_loop, of_the_proof]) {
        assert_eq!(parts, names(class, "cssParts"), "{}", class["name"]);
        assert_eq!(colours, names(class, "cssProperties"), "{}", class["name"]);
    }
    Ok(())
}

#[test]
fn the_types_of_a_snapshot_are_those_of_the_data() -> Result<()> {
    let host = Host::open(&sources("plain"), "/index.html", Flaw::None)?;
    let types = fs::read_to_string(package()?.join("index.d.ts"))?;
    for (tag, name) in [("enroll-loop", "LoopSnapshot"), ("enroll-proof", "ProofSnapshot")] {
        host.browser.widget(tag)?;
        let data: Json = host.browser.run("return widget(arguments[0]).snapshot", &[tag.into()])?;
        let given: BTreeSet<(String, &str)> = data
            .as_object()
            .context("no snapshot")?
            .iter()
            .map(|(name, value)| (name.clone(), kind(name, value)))
            .collect();
        let (_, body) = types.split_once(&format!("interface {name} {{")).context("no such type")?;
        let (body, _) = body.split_once("\n}").context("no end")?;
        let typed: BTreeSet<(String, &str)> = body
            .lines()
            .filter_map(|line| line.trim().strip_suffix(';')?.split_once(": "))
            .map(|(name, kind)| (name.to_owned(), kind))
            .collect();
        assert_eq!(given, typed, "{name}");
    }
    Ok(())
}

fn kind(name: &str, value: &Json) -> &'static str {
    match value {
        Json::Bool(_) => "boolean",
        Json::Number(_) => "number",
        Json::String(_) => "string",
        Json::Array(_) if name == "log" => "LearnerEnrolled[]",
        Json::Array(_) => "string[]",
        Json::Null | Json::Object(_) => "?",
    }
}
