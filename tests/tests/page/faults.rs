//! What goes wrong around the widgets: each time the words stay, one event says why, and the host sees no exception.

use crate::{
    loading::readable,
    script::of_kind,
    table::{CRASH, STEP},
};
use anyhow::Result;
use enroll_once_tests::{
    browser::Browser,
    serve::{Flaw, Site},
};
use serde_json::json;

/// A page with widgets that cannot load: what they say, and that nothing else happens.
fn says(browser: &Browser, code: &str) -> Result<()> {
    for (id, text) in [("left", "the left one in words"), ("proof", "the proof in words")] {
        let selector = format!("#{id}");
        browser.until(
            "return heard.some((one) => one.type === 'enroll-error' && one.target === arguments[0])",
            &[json!(id)],
        )?;
        assert_eq!(readable(browser, &selector)?, text);
    }
    browser.run_async::<()>("await frame(); await frame();", &[])?;
    let heard = browser.heard()?;
    for id in ["left", "right", "proof", "other"] {
        let codes: Vec<_> =
            of_kind(&heard, "enroll-error", id).iter().map(|one| one.code.as_deref()).collect();
        assert_eq!(codes, [Some(code)], "{id}: {heard:?}");
    }
    assert_eq!(heard.len(), 4, "{heard:?}");
    Ok(())
}

fn with(flaw: Flaw, code: &str) -> Result<()> {
    let site = Site::with(flaw)?;
    says(&Browser::open(&site, "/pages/two.html")?, code)
}

#[test]
fn half_a_wasm_is_as_good_as_none() -> Result<()> {
    with(Flaw::HalfAWasm, "load")
}

#[test]
fn a_widget_that_could_not_load_does_not_try_again_when_it_is_moved_but_when_it_comes_back() -> Result<()> {
    let site = Site::with(Flaw::NoWasm)?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    says(&browser, "load")?;
    let tries: (u32, u32) = browser.run_async(
        "let tries = 0;
        const { fetch } = window;
        window.fetch = (...given) => { tries++; return fetch(...given); };
        const left = widget('#left');
        widget('#elsewhere').append(left);
        const moved = tries;
        left.remove();
        await frame();
        document.body.append(left);
        await new Promise((then) => left.addEventListener('enroll-error', then));
        return [moved, tries];",
        &[],
    )?;
    assert_eq!(tries, (0, 1));
    Ok(())
}

#[test]
fn a_wasm_of_another_build_is_not_run() -> Result<()> {
    with(Flaw::OtherWasm, "version")
}

#[test]
fn without_the_script_of_the_wasm_the_words_stay() -> Result<()> {
    with(Flaw::NoScript, "load")
}

#[test]
fn a_wasm_of_an_unknown_type_is_compiled_without_a_word() -> Result<()> {
    let site = Site::with(Flaw::WrongType)?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    browser.widget("#left")?.press_to(STEP, "woken")?;
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

/// The script comes from `site` into a page of another origin.
fn from_elsewhere(host: &Site, site: &Site) -> Result<Browser> {
    let browser = Browser::start()?;
    browser.visit(&host.url("/pages/bare.html"))?;
    browser.run_async::<()>(
        "const script = Object.assign(document.createElement('script'), { type: 'module', src: values[0] });
        document.head.append(script);
        await new Promise((then) => { script.onload = script.onerror = then; });",
        &[json!(site.url("/define.js"))],
    )?;
    Ok(browser)
}

#[test]
fn from_another_origin_that_shares_it_works() -> Result<()> {
    let (host, site) = (Site::with(Flaw::NoPolicy)?, Site::with(Flaw::Shared)?);
    let browser = from_elsewhere(&host, &site)?;
    browser.widget("#left")?.press_to(STEP, "woken")?;
    assert!(host.asked().iter().all(|asked| !asked.path.contains("enroll-once")), "{:?}", host.asked());
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn from_another_origin_that_shares_all_but_the_wasm_the_words_stay() -> Result<()> {
    let (host, site) = (Site::with(Flaw::NoPolicy)?, Site::with(Flaw::SharedScripts)?);
    says(&from_elsewhere(&host, &site)?, "load")
}

#[test]
fn from_another_origin_that_shares_nothing_the_words_stay() -> Result<()> {
    let (host, site) = (Site::with(Flaw::NoPolicy)?, Site::start()?);
    let browser = from_elsewhere(&host, &site)?;
    assert_eq!(readable(&browser, "#left")?, "the left one in words");
    assert!(browser.run::<bool>("return customElements.get('enroll-loop') === undefined", &[])?);
    assert_eq!(browser.heard()?, []);
    Ok(())
}

#[test]
fn two_versions_are_told_once_and_the_first_stays() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.before_every_page(
        "for (const tag of ['enroll-loop', 'enroll-proof'])
            customElements.define(tag, class extends HTMLElement { static version = '0.0.7'; });",
    )?;
    browser.visit(&site.url("/pages/two.html"))?;
    browser.run_async::<()>("await import(new URL('../define.js?again', location.href).href)", &[])?;
    let console = browser.console()?;
    assert_eq!(console.len(), 2, "once for each of the two scripts: {console:?}");
    for line in &console {
        assert!(line.contains("WARNING") && line.contains("defined already, by version 0.0.7"), "{line}");
    }
    assert_eq!(readable(&browser, "#left")?, "the left one in words");
    assert_eq!(browser.heard()?, []);
    Ok(())
}

#[test]
fn a_widget_that_is_removed_before_it_fails_to_load_says_nothing() -> Result<()> {
    let site = Site::with(Flaw::NoWasm)?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    says(&browser, "load")?;
    browser.run_async::<()>(
        "const one = Object.assign(document.createElement('enroll-loop'), { id: 'gone', loading: 'eager' });
        one.addEventListener('enroll-error', () => heard.push({ type: 'too late' }));
        document.body.append(one);
        one.remove();
        const other = Object.assign(document.createElement('enroll-loop'), { id: 'kept', loading: 'eager' });
        document.body.append(other);
        await new Promise((then) => other.addEventListener('enroll-error', then));
        await frame();",
        &[],
    )?;
    let heard = browser.heard()?;
    assert_eq!(of_kind(&heard, "enroll-error", "kept").len(), 1);
    assert_eq!(heard.len(), 5, "{heard:?}");
    Ok(())
}

/// Keeps the instances that the page makes.
const KEEP_INSTANCES: &str = "
    window.instances = [];
    const { instantiateStreaming } = WebAssembly;
    WebAssembly.instantiateStreaming = async (...given) => {
        const made = await instantiateStreaming(...given);
        instances.push(made.instance);
        return made;
    };";

/// Every pointer in the memory of the last instance now leads out of it: whatever runs next traps.
const BREAK: &str = "new Uint8Array(instances.at(-1).exports.memory.buffer).fill(255)";

fn breakable(site: &Site) -> Result<Browser> {
    let browser = Browser::start()?;
    browser.before_every_page(KEEP_INSTANCES)?;
    browser.visit(&site.url("/pages/two.html"))?;
    for id in ["#left", "#right", "#proof", "#other"] {
        browser.widget(id)?;
    }
    Ok(browser)
}

/// All four widgets have said `panic` once, and their words are back.
fn check_panicked(browser: &Browser, times: usize) -> Result<()> {
    browser.until(
        "return heard.filter((one) => one.type === 'enroll-error').length === arguments[0]",
        &[json!(4 * times)],
    )?;
    let heard = browser.heard()?;
    for (id, text) in [
        ("left", "the left one in words"),
        ("right", "the right one in words"),
        ("proof", "the proof in words"),
        ("other", "the other proof in words"),
    ] {
        let errors = of_kind(&heard, "enroll-error", id);
        assert_eq!(errors.len(), times, "{id}: {heard:?}");
        assert!(errors.iter().all(|one| one.code.as_deref() == Some("panic")), "{errors:?}");
        assert_eq!(readable(browser, &format!("#{id}"))?, text);
        assert!(browser.run::<bool>(
            "return widget(arguments[0]).matches(':state(error):not(:state(ready))')",
            &[json!(format!("#{id}"))]
        )?);
    }
    assert!(heard.iter().all(|one| one.kind != "uncaught"), "the host has seen nothing: {heard:?}");
    let console = browser.console()?;
    assert_eq!(console.len(), 1, "the console has it once: {console:?}");
    assert!(console[0].contains("SEVERE"), "{console:?}");
    Ok(())
}

const RELOAD: &str = "The widget stopped. Start it again here";

#[test]
fn after_a_trap_in_a_press_the_words_are_back_and_each_widget_can_go_on() -> Result<()> {
    let site = Site::start()?;
    let browser = breakable(&site)?;
    let (left, proof) = (browser.widget("#left")?, browser.widget("#proof")?);
    left.go(&[STEP, STEP, STEP, CRASH])?;
    left.until_at("died")?;
    let before = left.look()?;
    proof.go(&["run 10 times"])?;
    browser.run::<()>(BREAK, &[])?;
    left.press(STEP)?;
    check_panicked(&browser, 1)?;
    assert_eq!(left.focus()?.as_deref(), Some(RELOAD), "focus is not lost");
    left.press(RELOAD)?;
    let after = browser.widget("#left")?.until_at("died")?;
    assert_eq!(after.lanes, before.lanes);
    assert_eq!((after.clock, after.enrolled), (before.clock, before.enrolled));
    assert!(browser.run::<bool>("return widget('#left').matches(':state(ready):not(:state(error))')", &[])?);
    left.press_to(STEP, "suspect")?;
    proof.press(RELOAD)?;
    assert_eq!(browser.widget("#proof")?.look_proof()?.deliveries, "of 10 deliveries");
    let instances: usize = browser.run("return instances.length", &[])?;
    assert_eq!(instances, 2, "one more for all");
    Ok(())
}

#[test]
fn a_second_trap_is_survived_as_well() -> Result<()> {
    let site = Site::start()?;
    let browser = breakable(&site)?;
    for times in 1..=2 {
        browser.run::<()>(BREAK, &[])?;
        browser.run_async::<()>("await widget('#left').step()", &[])?; // from a script, this time
        check_panicked(&browser, times)?;
        for id in ["#left", "#right", "#proof", "#other"] {
            browser.click("return button(...arguments)", &[json!(id), json!(RELOAD)])?;
            browser.widget(id)?;
        }
    }
    browser.widget("#left")?.press_to(STEP, "woken")?;
    Ok(())
}
