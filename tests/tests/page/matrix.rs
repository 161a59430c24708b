//! The crash matrix: computed in the page, each verdict a run in the hero; and the model for scripts that computes it.

use anyhow::Result;
use enroll_once_core::{
    check::{
        Verdict,
        matrix::{Cell, Point, Row, guard_sets},
    },
    reliable_loop::Guard,
    story::Story,
};
use enroll_once_tests::{
    browser::Browser,
    serve::{Flaw, Site},
};
use serde::Deserialize;
use serde_json::{Value as Json, json};

/// A line of the table, in reading order: what its verdict is called, and the cell.
fn cells() -> Vec<(String, Cell)> {
    guard_sets().into_iter().map(Row::of).flat_map(|row| row_of(&row)).collect()
}

fn row_of(row: &Row) -> Vec<(String, Cell)> {
    let form = match row.off.as_slice() {
        [] => "every pattern on".to_owned(),
        all if all.len() == Guard::ALL.len() => "every pattern off".to_owned(),
        [guard] => format!("{} off", guard.code()),
        other => panic!("a row with {other:?} off"),
    };
    let label = |when: &str, cell: &Cell| (format!("{form}, {when}: {}", cell.verdict), cell.clone());
    let mut cells = vec![label("no crash", &row.calm)];
    let at = |point| row.crashes.iter().find(move |crash| crash.point == point);
    let crashes: Vec<_> =
        Point::ALL.into_iter().filter_map(|point| Some((heading(point), at(point)?))).collect();
    cells.extend(crashes.iter().map(|(name, crash)| label(&format!("a crash after {name}"), &crash.once)));
    cells.extend(crashes.iter().filter_map(|(name, crash)| {
        Some(label(&format!("two crashes after {name}"), crash.twice.as_ref()?))
    }));
    cells
}

fn heading(point: Point) -> &'static str {
    match point {
        Point::Slept => "slept",
        Point::Woken => "woken",
        Point::Taken => "picked up",
        Point::Enrolled => "enrolled",
        Point::Unlocked => "unlocked",
        Point::Removed => "removed",
        Point::Finished => "finished",
    }
}

/// Goes to the table and waits until its verdicts are buttons.
pub fn come_to_the_table(browser: &Browser) -> Result<()> {
    browser.run::<()>("widget('.scrolls').scrollIntoView()", &[])?;
    browser.until("return widget('button.verdict') !== null", &[])?;
    Ok(())
}

const VERDICT: &str = "return all(document, 'button.verdict').find((one) => one.ariaLabel === arguments[0])";

#[test]
fn the_table_is_what_the_core_computes() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    come_to_the_table(&browser)?;
    let labels: Vec<String> =
        browser.run("return all(document, 'button.verdict').map((one) => one.ariaLabel)", &[])?;
    assert_eq!(labels, cells().into_iter().map(|(label, _)| label).collect::<Vec<_>>());
    // The word that is seen is in the name that is heard, and a symbol stands beside it.
    let seen: Vec<[String; 3]> = browser.run(
        "return all(document, 'button.verdict').map((one) => [one.ariaLabel, words(one.querySelector('i')), words(one)])",
        &[],
    )?;
    for [label, symbol, text] in seen {
        let (first, word) = text.split_once(' ').unwrap();
        assert_eq!(first, symbol, "{label}");
        assert!(!symbol.is_empty() && label.rsplit(": ").next().unwrap().contains(word), "{label}: {text}");
    }
    Ok(())
}

/// Where a run ended in the hero.
#[derive(Debug, Deserialize)]
struct End {
    opened: Vec<String>,
    story: String,
    enrolled: u32,
    deliveries: u32,
    wait: Vec<String>,
    active: Vec<String>,
    completed: Vec<String>,
    failed: Vec<String>,
    problems: Vec<String>,
}

#[test]
fn every_verdict_leads_the_hero_to_its_run_and_the_run_to_its_verdict() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.widget("enroll-loop")?;
    come_to_the_table(&browser)?;
    let cells = cells();
    let script = "
        const hero = widget('enroll-loop');
        const verdict = all(document, 'button.verdict').find((one) => one.ariaLabel === values[0]);
        // Yew renders when it has time.
        const changes = (what) => new Promise((then) => {
            hero.addEventListener('enroll-change', () => requestAnimationFrame(then), { once: true });
            what();
        });
        await changes(() => verdict.click());
        const opened = look('enroll-loop').current;
        for (let i = 0; i < 40 && hero.snapshot.canStep; i++) await changes(() => hero.step());
        return { opened, problems: look('enroll-loop').problems, ...hero.snapshot };";
    for (label, cell) in &cells {
        let end: End = browser.run_async(script, &[json!(label)])?;
        assert_eq!(end.story, cell.story, "{label}");
        assert_eq!((end.enrolled, end.deliveries), (cell.enrolled, cell.deliveries), "{label}");
        let crashes = label.contains("crash after") || label.contains("crashes after");
        assert_eq!(end.opened, [if crashes { "died" } else { "waiting" }], "{label}");
        let job = ["j_1".to_owned()];
        let nowhere =
            [&end.wait, &end.active, &end.completed, &end.failed].iter().all(|lane| lane.is_empty());
        let evident = match cell.verdict {
            Verdict::ExactlyOnce | Verdict::Busy => end.completed == job && end.enrolled == 1,
            Verdict::FailedVisibly => end.failed == job,
            Verdict::Stuck => end.active == job,
            Verdict::Torn => nowhere && end.enrolled == 1,
            Verdict::Lost => (nowhere || end.completed == job) && end.enrolled == 0,
            Verdict::Twice => end.enrolled == 2,
        };
        assert!(evident, "{label}: {end:?}");
        assert!(end.problems.is_empty(), "{label}: {end:?}");
    }
    assert!(cells.len() > 60);
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn a_click_goes_to_the_hero_and_the_reader_finds_the_way_back() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.prefer("prefers-reduced-motion", "reduce")?;
    come_to_the_table(&browser)?;
    let label = "processing-list off, a crash after picked up: lost";
    browser.click(VERDICT, &[json!(label)])?;
    browser.until("return shadow('enroll-loop').activeElement !== null", &[])?;
    let told = "const said = widget('#loaded > :first-child'); const { top } = said.getBoundingClientRect();
        return said.getAttribute('role') === 'status' && top >= 0 && top < innerHeight ? words(said) : 'not on the screen'";
    let said: String = browser.run(told, &[])?;
    assert!(said.starts_with(&format!("{label}.")), "{said}");
    let hero = browser.widget("enroll-loop")?;
    assert_eq!(hero.focus()?.as_deref(), Some("step the job"));
    let look = hero.look()?;
    assert_eq!(look.current, ["died"]);
    assert_eq!(look.enrolled, "0");
    assert!(look.sentence.contains("j_1 is in no list"), "{}", look.sentence);

    browser.click("return all(document, '#loaded button')[0]", &[])?;
    let focused: String = browser.run("return document.activeElement.ariaLabel", &[])?;
    assert_eq!(focused, label);
    assert_eq!(browser.run::<u32>("return all(document, '.verdict[aria-current]').length", &[])?, 1);

    browser.click("return all(document, '#loaded button')[1]", &[])?;
    browser.until("return look('enroll-loop').current.join() === 'waiting'", &[])?;
    assert_eq!(browser.run::<String>("return widget('enroll-loop').snapshot.story", &[])?, "add");
    assert_eq!(browser.run::<String>("return words(widget('#loaded'))", &[])?, "");
    assert_eq!(browser.run::<u32>("return all(document, '.verdict[aria-current]').length", &[])?, 0);
    Ok(())
}

#[test]
fn the_keyboard_alone_is_enough() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    browser.prefer("prefers-reduced-motion", "reduce")?;
    come_to_the_table(&browser)?;
    browser.run::<()>("widget('.scrolls').focus()", &[])?;
    browser.keys("\u{e004}\u{e004}\u{e004}")?;
    let label: String = browser.run("return document.activeElement.ariaLabel", &[])?;
    assert_eq!(label, "every pattern on, a crash after picked up: exactly once in effect");
    let outline: String = browser.run("return getComputedStyle(document.activeElement).outlineStyle", &[])?;
    assert_eq!(outline, "solid", "focus is seen");
    browser.keys("\u{e007}")?;
    browser.until("return shadow('enroll-loop').activeElement !== null", &[])?;
    let hero = browser.widget("enroll-loop")?;
    browser.keys(" ")?;
    hero.until_at("suspect")?;
    browser.shift('\u{e004}')?;
    browser.keys("\u{e007}")?;
    hero.until_at("waiting")?;
    Ok(())
}

#[test]
fn the_keyboard_gets_past_the_table_at_once() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    come_to_the_table(&browser)?;
    browser.run::<()>("widget('.needs-script a').focus()", &[])?;
    browser.keys("\u{e004}")?;
    let seen = "const one = document.activeElement; return [words(one), getComputedStyle(one).clipPath]";
    assert_eq!(browser.run::<[String; 2]>(seen, &[])?, ["Skip the table", "none"]);
    browser.keys("\u{e007}\u{e004}")?;
    let past = "return !!(widget('.matrix').compareDocumentPosition(document.activeElement) & Node.DOCUMENT_POSITION_FOLLOWING)";
    assert!(browser.run::<bool>(past, &[])?, "focus is behind the table");
    Ok(())
}

#[test]
fn nothing_moves_when_the_verdicts_become_buttons() -> Result<()> {
    const BOXES: &str = "
        const boxes = () => all(document, '.matrix :is(th, td), .verdict, .verdicts, #symbols').map((one) => {
            const { left, top, width, height } = one.getBoundingClientRect();
            return [left, top + scrollY, width, height].map((number) => Math.round(number * 4) / 4);
        });
        const alive = boxes();
        const page = new DOMParser().parseFromString(await (await fetch('./')).text(), 'text/html');
        widget('table.matrix').outerHTML = page.querySelector('table.matrix').outerHTML;
        return [boxes(), alive];";
    let site = Site::start()?;
    for width in [1280, 360] {
        let browser = Browser::open(&site, "/")?;
        browser.resize(width, 800)?;
        browser.widget("enroll-proof")?;
        come_to_the_table(&browser)?;
        let [written, alive]: [Vec<[f64; 4]>; 2] = browser.run_async(BOXES, &[])?;
        assert!(written.len() > 200, "{width} px");
        assert_eq!(written, alive, "{width} px");
    }
    Ok(())
}

#[test]
fn without_javascript_the_table_is_complete() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::start()?;
    browser.devtools("Emulation.setScriptExecutionDisabled", json!({ "value": true }))?;
    browser.visit(&site.url("/"))?;
    let shown: Vec<String> =
        browser.run("return all(document, '.matrix .verdict').map((one) => words(one))", &[])?;
    let cells = cells();
    assert_eq!(shown.len(), cells.len());
    let invited: bool = browser.run("return widget('.needs-script').getClientRects().length > 0", &[])?;
    assert!(!invited, "nobody is invited to click");
    Ok(())
}

#[test]
fn without_the_model_the_table_stays_and_nobody_is_invited_to_click() -> Result<()> {
    let site = Site::with(Flaw::NoWasm)?;
    let browser = Browser::open(&site, "/")?;
    browser.run::<()>("widget('.scrolls').scrollIntoView()", &[])?;
    browser.until("return widget('.needs-script') === null", &[])?;
    let shown: usize = browser.run("return all(document, '.matrix span.verdict').length", &[])?;
    assert_eq!(shown, cells().len());
    assert!(browser.heard()?.iter().all(|heard| heard.kind != "uncaught"));
    Ok(())
}

const LAB: &str = "const lab = await (await import(new URL('define.js', location.href).href)).lab();";

#[test]
fn a_script_gets_the_lines_that_the_terminal_prints() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    for story in [
        "add,step,step,step,crash,step,step,step,step,step,step,step",
        "workers=1,lock=2m,off=atomic-finish,add:a:USR0KHTOWnGLuC:CRS0KHTOWnGLuC,w1,w1,w1,w1,w1:crash,+30s",
        "add,w1:take",
    ] {
        let lines: Json = browser.run_async(&format!("{LAB} return lab.run(values[0])"), &[json!(story)])?;
        let ran = Story::parse(story)?.run();
        assert_eq!(lines, serde_json::to_value(ran.lines())?, "{story}");
    }
    let data: Json = browser.run_async(&format!("{LAB} return lab.matrix()"), &[])?;
    let rows: Vec<Row> = guard_sets().into_iter().map(Row::of).collect();
    assert_eq!(data, serde_json::to_value(rows)?);
    Ok(())
}

#[test]
fn a_story_is_read_as_far_as_it_is_good_and_the_problem_is_named() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let ask = |what: &str, story: &str| -> Result<Json> {
        browser.run_async(&format!("{LAB} return lab.{what}(values[0])"), &[json!(story)])
    };
    let good = ask("parse", "lock=2s off=lock, add w1:wake")?;
    assert_eq!(good["tokens"], json!(["add", "w1:wake"]));
    assert_eq!(good["problem"], Json::Null);
    assert_eq!((&good["setup"]["lock"], &good["setup"]["off"]), (&json!(2000), &json!(["lock"])));
    assert_eq!((&good["setup"]["workers"], &good["setup"]["maxStalled"]), (&json!(2), &json!(1)));

    let bad = ask("parse", "add,w1:fly,step")?;
    assert_eq!(bad["tokens"], json!(["add"]));
    let problem = &bad["problem"];
    assert_eq!(
        (&problem["token"], &problem["index"], &problem["character"]),
        (&json!("w1:fly"), &json!(2), &json!(5))
    );
    let error = Story::parse("add,w1:fly,step").unwrap_err();
    assert_eq!(
        (&problem["message"], &problem["expected"]),
        (&json!(error.to_string()), &json!(error.expected))
    );

    let ran = ask("run", "add,w1:fly,step")?;
    let lines = ran.as_array().unwrap();
    assert_eq!(lines.len(), 2, "it ends where it cannot be read");
    assert_eq!((&lines[1]["action"], &lines[1]["refused"]), (&json!("w1:fly"), &json!(error.to_string())));
    assert_eq!(ask("run", "")?, json!([]));
    Ok(())
}
