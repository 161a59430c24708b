//! Replays a story in a terminal: one JSON object a line, one line an atomic step.
//!
//! `cargo run -q -p enroll-once-core --example story -- "add,step,step,step,crash"`
//!
//! Exit codes: 0 it ran to its end; 1 a token could not happen (the line says why); 2 a token could not be read.

use enroll_once_core::story::Story;
use std::io::Write;

fn main() -> Result<std::process::ExitCode, Box<dyn std::error::Error>> {
    let text = std::env::args().skip(1).collect::<Vec<_>>().join(" ");
    if text.trim().is_empty() {
        eprintln!("usage: story STORY, for example: story \"add,step,step,step,crash\"");
        return Ok(2.into());
    }
    let story = match Story::parse(&text) {
        Ok(story) => story,
        Err(error) => {
            eprintln!("{error}");
            return Ok(2.into());
        }
    };
    let ran = story.run();
    let mut out = std::io::stdout().lock();
    for line in ran.lines() {
        serde_json::to_writer(&mut out, &line)?;
        writeln!(out)?;
    }
    let Some(refused) = &ran.refused else { return Ok(0.into()) };
    eprintln!("token {} after the setup, `{}`: {}", refused.index, refused.token, refused.refusal);
    Ok(1.into())
}
