//! `<enroll-proof>`: the same enroll job, again and again.

use crate::table::RESET;
use anyhow::Result;
use enroll_once_tests::{
    browser::{Browser, ProofLook},
    serve::Site,
};

const RUN: &str = "run the enroll job";
const RUN_TEN: &str = "run 10 times";
const EVENT: &str = "%LearnerEnrolled{ user_id: USR0KHTOWnGLuC, course_id: CRS0KHTOWnGLuC, at: 00:00.000 }";

/// Every run is there: listed, or counted among those that are not.
#[track_caller]
fn check(look: &ProofLook, deliveries: usize) {
    assert_eq!(look.enrolled, if deliveries == 0 { "0" } else { "1" });
    let plural = if deliveries == 1 { "delivery" } else { "deliveries" };
    assert_eq!(look.deliveries, format!("of {deliveries} {plural}"));
    let Some((first, later)) = look.answers.split_first() else {
        assert_eq!((deliveries, look.log.len()), (0, 0));
        return;
    };
    assert_eq!(look.log, [EVENT], "after {deliveries} deliveries");
    assert_eq!(first, "1 {:ok, %LearnerEnrolled{}} one event written");
    let mut listed = 1;
    for answer in later {
        if let Some(more) =
            answer.strip_suffix(" more, all the same").or(answer.strip_suffix(" more, the same"))
        {
            listed += more.parse::<usize>().unwrap();
            continue;
        }
        listed += 1;
        assert_eq!(answer, &format!("{listed} {{:error, :already_enrolled}} nothing written"));
    }
    assert_eq!(listed, deliveries, "{:?}", look.answers);
}

#[test]
fn twenty_five_runs_write_one_event() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let proof = browser.widget("enroll-proof")?;
    let start = proof.look_proof()?;
    check(&start, 0);
    proof.listen()?;
    let mut sentences = Vec::new();
    for deliveries in 1..=25 {
        proof.press(RUN)?;
        let look = proof.look_proof()?;
        check(&look, deliveries);
        sentences.push(look.sentence);
        assert_eq!(proof.said()?, sentences, "the live region speaks once a press");
    }
    proof.press(RESET)?;
    assert_eq!(proof.look_proof()?, start);
    assert_eq!(browser.console()?, [""; 0]);
    Ok(())
}

#[test]
fn ten_runs_at_once_are_ten_deliveries() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let proof = browser.widget("enroll-proof")?;
    let start = proof.markup()?;
    proof.listen()?;
    for (press, deliveries) in [(RUN_TEN, 10), (RUN_TEN, 20), (RUN, 21), (RUN_TEN, 31)] {
        proof.press(press)?;
        check(&proof.look_proof()?, deliveries);
    }
    assert_eq!(proof.said()?.len(), 4, "the live region speaks once a press, however many runs that is");
    proof.press(RESET)?;
    assert_eq!(proof.markup()?, start);
    proof.press(RUN)?;
    check(&proof.look_proof()?, 1);
    proof.press(RESET)?;
    assert_eq!(proof.markup()?, start);
    Ok(())
}

#[test]
fn the_sentence_says_that_nothing_is_written() -> Result<()> {
    let site = Site::start()?;
    let browser = Browser::open(&site, "/")?;
    let proof = browser.widget("enroll-proof")?;
    proof.go(&[RUN, RUN])?;
    let sentence = proof.look_proof()?.sentence;
    for words in ["2 deliveries, one event", "nothing is written"] {
        assert!(sentence.contains(words), "{words} in {sentence}");
    }
    Ok(())
}
