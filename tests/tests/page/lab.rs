//! An element whose story asks for more than the plain widgets have: it loads the lab instead, and nobody else does.

use crate::table::STEP;
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, Heard},
    serve::{Flaw, Site},
};

/// The events of one element, by type, with the code of an error.
fn events(heard: &[Heard], id: &str) -> Vec<String> {
    let of = heard.iter().filter(|heard| heard.target.as_deref() == Some(id));
    of.map(|heard| {
        [Some(heard.kind.clone()), heard.code.clone()].into_iter().flatten().collect::<Vec<_>>().join(" ")
    })
    .collect()
}

#[test]
fn a_story_with_a_pattern_off_is_run_by_the_lab_and_the_host_hears_of_one_widget() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/lab.html")?;
    let off = browser.widget("#off")?;
    browser.widget("#usual")?;
    let look = off.look()?;
    assert_eq!((look.current.join(""), look.problems), ("picked up".into(), vec![]));
    assert!(look.sentence.contains("sets no lock"), "{}", look.sentence);
    off.press_to(STEP, "enrolled")?;
    let heard = browser.heard()?;
    assert_eq!(events(&heard, "off"), ["enroll-ready", "enroll-change"]);
    assert_eq!(events(&heard, "usual"), ["enroll-ready"]);
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn the_lab_is_loaded_only_when_it_is_asked_for_and_takes_over_where_the_reader_is() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/pages/two.html")?;
    let hero = browser.widget("#left")?;
    let labs = || site.asked().iter().filter(|asked| asked.path.ends_with("lab_bg.wasm")).count();
    assert_eq!(labs(), 0);
    browser.run::<()>("shadow('#left').querySelector('[part=step]').focus()", &[])?;
    browser.run::<()>("widget('#left').story = 'off=atomic-finish,add,step,step,step,step'", &[])?;
    hero.until_at("unlocked")?;
    assert_eq!(hero.focus()?.as_deref(), Some(STEP), "focus is where it was");
    assert_eq!(labs(), 1);
    assert_eq!(events(&browser.heard()?, "left"), ["enroll-ready", "enroll-change"]);
    browser.run::<()>("widget('#left').story = 'add,step'", &[])?;
    hero.until_at("woken")?;
    assert_eq!(browser.widget("#right")?.look()?.current, ["waiting"], "the other one is as it was");
    Ok(())
}

#[test]
fn without_the_lab_the_story_is_named_and_the_widget_stays() -> Result<()> {
    let site = Site::with(Flaw::NoLab)?;
    let browser = Browser::open(&site, "/pages/lab.html")?;
    let look = browser.widget("#off")?.look()?;
    let [problem] = look.problems.as_slice() else { panic!("{:?}", look.problems) };
    assert!(
        problem.contains("token 1, `off=lock`") && problem.contains("this build leaves them out"),
        "{problem}"
    );
    browser.until("return heard.some((one) => one.target === 'off' && one.type === 'enroll-ready')", &[])?;
    assert_eq!(events(&browser.heard()?, "off"), ["enroll-error story", "enroll-ready"]);
    assert_eq!(browser.widget("#usual")?.look()?.current, ["waiting"]);
    Ok(())
}
