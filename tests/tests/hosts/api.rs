//! The model for scripts, as an author gets it.

use crate::host::{Host, npm, run, sources};
use anyhow::{Context, Result};
use enroll_once_tests::serve::{Flaw, package};
use serde_json::{Value as Json, json};
use std::fs;

#[test]
fn a_page_draws_a_run() -> Result<()> {
    let host = Host::open(&sources("api"), "/index.html", Flaw::None)?;
    host.browser.until("return all(document, 'li').length === 4", &[])?;
    assert!(host.shows("li:last-child")?.starts_with("0 ms, w1:crash: w1 died"), "{}", host.shows("ol")?);
    let kinds: Vec<String> = host.browser.run(
        "return performance.getEntriesByType('resource').map((one) => one.name.split('/').at(-1))",
        &[],
    )?;
    assert!(kinds.iter().all(|name| !name.starts_with("enroll-once-web")), "no widget is loaded: {kinds:?}");
    host.is_quiet()
}

#[test]
fn the_answers_are_those_of_the_model() -> Result<()> {
    let host = Host::open(&sources("api"), "/index.html", Flaw::None)?;
    let ask = |call: &str, story: &str| -> Result<Json> {
        let script = "return (await import('/enroll-once/api.js'))[values[0]](values[1])";
        host.browser.run_async(script, &[json!(call), json!(story)])
    };
    let steps = ask("run", "add,step,step,step,crash")?;
    let last = steps.as_array().and_then(|steps| steps.last()).context("no steps")?;
    assert_eq!(
        (&last["action"], &last["enrolled"], &last["deliveries"]),
        (&json!("w1:crash"), &json!(1), &json!(1))
    );
    let refused = ask("run", "add,nonsense")?;
    assert!(refused[1]["refused"].as_str().context("no reason")?.contains("nonsense"), "{refused}");
    let parsed = ask("parse", "lock=20s,off=lock,add,wat")?;
    assert_eq!(parsed["setup"]["lock"], 20_000);
    assert_eq!((&parsed["setup"]["off"], &parsed["tokens"]), (&json!(["lock"]), &json!(["add"])));
    assert_eq!((&parsed["problem"]["token"], &parsed["problem"]["index"]), (&json!("wat"), &json!(4)));
    assert_eq!(ask("parse", "add")?["problem"], Json::Null);
    let rows = ask("matrix", "")?;
    assert_eq!(rows.as_array().map(Vec::len), Some(9));
    assert_eq!(rows[0]["calm"]["verdict"], "exactly once in effect");
    host.is_quiet()
}

#[test]
fn without_its_wasm_a_call_is_refused_and_a_later_one_may_work() -> Result<()> {
    let host = Host::open(&sources("plain"), "/index.html", Flaw::NoWasm)?;
    let refused: bool = host.browser.run_async(
        "const { run } = await import('/enroll-once/api.js');
        const before = await run('add').then(() => false, () => true);
        window.fetch = async () => { window.again = true; return new Response(null, { status: 404 }); };
        return before && await run('add').then(() => false, () => again);",
        &[],
    )?;
    assert!(refused);
    Ok(())
}

/// The data, written as TypeScript, is of the types: the compiler says so.
#[test]
fn the_types_are_those_of_the_data() -> Result<()> {
    let host = Host::open(&sources("api"), "/index.html", Flaw::None)?;
    let data: Json = host.browser.run_async(
        "const { run, parse, matrix } = await import('/enroll-once/api.js');
        return [await run('add,step,step,step,crash,step,step,wat'), await parse('off=lock,add,wat'), await matrix()];",
        &[],
    )?;
    let folder = npm("vite-react")?;
    let check = folder.join("check");
    fs::create_dir_all(&check)?;
    let types = package()?.join("api.d.ts").canonicalize()?;
    fs::copy(types, check.join("api.d.ts"))?;
    let text = format!(
        "import type {{ ParsedStory, Row, Step }} from \"./api\";\nexport const data: [Step[], ParsedStory, Row[]] = {data};\n"
    );
    fs::write(check.join("data.ts"), &text)?;
    let compile = "npx tsc --noEmit --strict --skipLibCheck false --ignoreConfig check/data.ts";
    run(&folder, compile)?;
    fs::write(check.join("data.ts"), text.replacen("\"n\":1", "\"n\":\"one\"", 1))?;
    assert!(run(&folder, compile).is_err(), "the compiler looks");
    Ok(())
}
