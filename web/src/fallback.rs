//! The page's static tables, which stand where a widget would be without JavaScript, held to the model.

use crate::words;
use enroll_once_core::{proof::Proof, story::Story, timeline::Timeline, view::LoopView};

const LOOP: &str = include_str!("../fallback/loop.html");
const PROOF: &str = include_str!("../fallback/proof.html");

/// The cells of every row that begins with a press or a number, markup removed.
fn rows(html: &str) -> Vec<Vec<String>> {
    html.split("<tr><th scope=\"row\">")
        .skip(1)
        .map(|row| {
            let row = row.split("</tr>").next().unwrap();
            row.split("<td>").map(text).collect()
        })
        .collect()
}

fn text(html: &str) -> String {
    let mut text = String::new();
    let mut in_tag = false;
    for letter in html.replace("&nbsp;", " ").chars() {
        match letter {
            '<' => in_tag = true,
            '>' => in_tag = false,
            letter if !in_tag => text.push(letter),
            _ => {}
        }
    }
    text
}

/// What a row says must be so after the presses up to it.
#[track_caller]
fn check_row(row: &[String], timeline: &Timeline) {
    let view = LoopView::of(timeline);
    let [_, happens, lane, enrolled] = row else { panic!("not a row of four cells: {row:?}") };
    let stage = words::stage(view.milestone.unwrap().stage);
    assert!(happens.starts_with(stage), "`{happens}` does not begin with `{stage}`");
    let holds = |name: &str| view.lanes.iter().any(|lane| lane.name.key() == name && lane.jobs.len() == 1);
    assert!(holds(lane), "after `{happens}` the job is not in {lane}");
    assert_eq!(enrolled, &view.enrolled.to_string(), "enrolled after `{happens}`");
    if let Some((_, at)) =
        happens.split_once("at ").filter(|(_, at)| at.starts_with(|c: char| c.is_ascii_digit()))
    {
        let seconds = format!("{} s ", view.now.0 / 1_000);
        assert!(at.starts_with(&seconds), "`{happens}` happens at {seconds}");
    }
}

#[test]
fn the_static_run_is_what_the_model_does() {
    let rows = rows(LOOP);
    let crash = rows.iter().position(|row| row[0].starts_with("crash")).unwrap();
    let mut clean = Timeline::open(&Story::parse("add").unwrap()).0;
    for row in &rows[..crash] {
        if !row[0].starts_with("start") {
            clean.press(&enroll_once_core::story::Token::Step).unwrap();
        }
        check_row(row, &clean);
    }
    assert!(LoopView::of(&clean).why_no_step.is_some(), "the clean run goes to its end");
    let mut crashed = Timeline::open(&Story::parse("add,step,step,step").unwrap()).0;
    for row in &rows[crash..] {
        let token = if row[0].starts_with("crash") { "crash" } else { "step" };
        crashed.press(&Story::parse(token).unwrap().tokens[0]).unwrap();
        check_row(row, &crashed);
    }
    let end = LoopView::of(&crashed);
    assert!(end.why_no_step.is_some(), "the crash run goes to its end");
    assert_eq!((end.enrolled, end.deliveries), (1, 2));
}

#[test]
fn the_static_proof_is_what_portal_answers() {
    let mut proof = Proof::new("USR0KHTOWnGLuC", "CRS0KHTOWnGLuC");
    for row in rows(PROOF) {
        proof.run();
        let answer = match proof.runs().last().unwrap() {
            Ok(event) => event.user_id.as_str().to_string(),
            Err(error) => format!("{{:error, :{}}}", error.code()),
        };
        assert!(row[1].contains(&answer), "`{}` does not say {answer}", row[1]);
        assert_eq!(row[3], proof.enrolled().to_string());
    }
    assert!(PROOF.contains(&format!("Deliveries {}, enrolled {}.", proof.deliveries(), proof.enrolled())));
}
