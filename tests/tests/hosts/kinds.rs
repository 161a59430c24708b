//! Each kind of host.

use crate::host::{CRASH, Host, STEP, add, copy, npm, run, sources};
use anyhow::Result;
use enroll_once_tests::serve::{Flaw, package};

#[test]
fn in_a_plain_page() -> Result<()> {
    let host = Host::open(&sources("plain"), "/index.html", Flaw::None)?;
    let globals =
        "return Object.getOwnPropertyNames(window).filter((name) => /enroll|wasm|bindgen/i.test(name))";
    host.works("woken")?;
    assert_eq!(host.shows("#deliveries")?, "0", "reset, and so says the page's own listener");
    let hero = host.browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP, CRASH])?;
    host.browser.until("return words(widget('#deliveries')) === '1'", &[])?;
    let style = |script: &str| host.browser.run::<String>(script, &[]);
    assert_eq!(
        style("return getComputedStyle(widget('enroll-loop')).outlineStyle")?,
        "solid",
        "the state crashed"
    );
    assert_eq!(
        style("return getComputedStyle(button('enroll-loop', 'step the job')).borderRadius")?,
        "0px",
        "a part"
    );
    let ink = "return getComputedStyle(shadow('enroll-loop').querySelector('.instrument')).color";
    assert_eq!(style(ink)?, "rgb(20, 30, 90)", "a colour");
    assert_eq!(host.browser.run::<Vec<String>>(globals, &[])?, [""; 0], "nothing global");
    host.browser.run::<()>("widget('enroll-loop').hidden = true", &[])?;
    assert_eq!(style("return getComputedStyle(widget('enroll-loop')).display")?, "none");
    Ok(())
}

#[test]
fn in_a_hostile_page() -> Result<()> {
    let host = Host::open(&sources("hostile"), "/index.html", Flaw::None)?;
    host.works("waiting")?;
    // It looks as in a plain page with letters of that size, which is the reader's affair.
    let plain = Host::open(&sources("file"), "/index.html", Flaw::None)?;
    add_standalone(&plain)?;
    plain.browser.run::<()>("document.documentElement.style.fontSize = '200%'", &[])?;
    plain.browser.widget("enroll-loop")?;
    assert_eq!(host.looks()?, plain.looks()?);
    let container = "return getComputedStyle(shadow('enroll-loop').firstElementChild).containerType";
    assert_eq!(host.browser.run::<String>(container, &[])?, "inline-size", "a narrow column is seen as one");
    // And the page is as it was: our buttons go by keyboard, its keys are its own.
    let hero = host.browser.widget("enroll-loop")?;
    host.browser.run::<()>("button('enroll-loop', 'step the job').focus()", &[])?;
    host.browser.keys(" ")?;
    hero.until_at("woken")?;
    host.browser.keys("\u{e007}")?;
    hero.until_at("picked up")?;
    assert_eq!(host.browser.run::<u32>("return slide", &[])?, 0, "the page stays where it is");
    host.browser.run::<()>("button('enroll-loop', 'step the job').blur()", &[])?;
    host.browser.keys(" ")?;
    assert_eq!(host.browser.run::<u32>("return slide", &[])?, 1);
    assert_eq!(hero.look()?.current, ["picked up"]);
    host.is_quiet()
}

/// The page from the disk, from a server: its script is elsewhere there.
fn add_standalone(host: &Host) -> Result<()> {
    host.browser.run_async(
        "const script = Object.assign(document.createElement('script'), { src: '/enroll-once/standalone.js' });
        document.head.append(script);
        await new Promise((then) => (script.onload = then));",
        &[],
    )
}

#[test]
fn from_the_disk_by_one_script() -> Result<()> {
    let folder = copy("file")?;
    add(&folder, "standalone.js")?;
    Host::from_disk(&folder.join("index.html"))?.works("waiting")
}

#[test]
fn from_the_disk_as_one_file() -> Result<()> {
    let host = Host::from_disk(&package()?.join("enroll-once.html"))?;
    host.works("waiting")?;
    let loaded: u32 = host.browser.run("return performance.getEntriesByType('resource').length", &[])?;
    assert_eq!(loaded, 0, "it needs nothing else");
    Ok(())
}

#[test]
fn in_a_book() -> Result<()> {
    let folder = copy("mdbook")?;
    add(&folder, "standalone.js")?;
    run(&folder, "mdbook build")?;
    // mdBook's pages have scripts in them, which a strict policy forbids.
    let host = Host::open(&folder.join("book"), "/queue.html", Flaw::NoPolicy)?;
    host.works("woken")?;
    // mdBook goes to another chapter on the arrows, and opens things on letters; the widget has nothing to do with them.
    let hero = host.browser.widget("enroll-loop")?;
    let before = hero.markup()?;
    host.browser.keys("\u{e00c}\u{e012}")?;
    assert_eq!(hero.markup()?, before);
    Ok(())
}

#[test]
fn in_a_react_app() -> Result<()> {
    let folder = npm("vite-react")?;
    run(&folder, "npm run build")?;
    let host = Host::open(&folder.join("dist"), "/index.html", Flaw::None)?;
    host.works("woken")?;
    let hero = host.browser.widget("enroll-loop")?;
    hero.press_to(STEP, "picked up")?;
    host.browser.until("return words(widget('output')) === 'picked up'", &[])?;
    assert_eq!(hero.look()?.current, ["picked up"], "React has rendered again, and the widget goes on");
    let regions: u32 = host.browser.run("return all(shadow('enroll-loop'), '[role=status]').length", &[])?;
    assert_eq!(regions, 0, "a boolean of JSX");
    assert_eq!(
        host.browser.widget("enroll-proof")?.look_proof()?.deliveries,
        "of 4 deliveries",
        "a number of JSX"
    );
    host.browser.click("return widget('#again')", &[])?;
    hero.until_at("woken")?;
    host.is_quiet()
}

#[test]
fn in_a_react_app_under_development() -> Result<()> {
    Host::in_development(&npm("vite-react")?, "vite", "vite.config.ts")?.works("woken")
}

#[test]
fn in_a_react_app_under_development_with_vite_7() -> Result<()> {
    Host::in_development(&npm("vite-react")?, "vite7", "vite7.config.ts")?.works("woken")
}

#[test]
fn in_a_bundle_of_webpack() -> Result<()> {
    let folder = npm("webpack")?;
    run(&folder, "npm run build")?;
    let host = Host::open(&folder, "/index.html", Flaw::None)?;
    host.works("woken")?;
    host.browser.widget("enroll-loop")?.press_to(STEP, "picked up")?;
    host.browser.until("return words(widget('output')) === 'picked up'", &[])?;
    Ok(())
}

#[test]
fn in_a_page_that_is_patched() -> Result<()> {
    let host = Host::open(&npm("liveview")?, "/index.html", Flaw::None)?;
    host.works("woken")?;
    let hero = host.browser.widget("enroll-loop")?;
    hero.go(&[STEP, STEP, CRASH])?;
    hero.until_at("died")?;
    let before = hero.markup()?;
    for readers in 2..5 {
        host.browser.run_async::<()>("patch(values[0]); await frame();", &[readers.into()])?;
        assert_eq!(host.shows("#view > p")?, format!("{readers} readers"));
        assert_eq!(hero.markup()?, before, "it keeps its state");
    }
    let ready = host.browser.heard()?.iter().filter(|one| one.kind == "enroll-ready").count();
    assert_eq!(ready, 2, "each once");
    hero.press_to(STEP, "suspect")?;
    host.is_quiet()
}

#[test]
fn on_a_server_the_classes_can_be_imported() -> Result<()> {
    let script = "await import('./define.js'); const { EnrollLoop } = await import('./index.js'); process.exit(EnrollLoop.version ? 0 : 1)";
    let status = std::process::Command::new("node")
        .args(["--input-type=module", "--eval", script])
        .current_dir(package()?)
        .status()?;
    assert!(status.success());
    Ok(())
}
