//! The built page in a real browser: clicked, typed at, listened to and measured.
//!
//! `ENROLL_DIST` names the folder that `cargo xtask build` makes (else it is `dist`). One test alone:
//! `cargo test -p enroll-once-tests --test page -- run::a_clean_run`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails by panicking

mod arriving;
mod attributes;
mod axe;
mod back;
mod faults;
mod host;
mod keyboard;
mod lab;
mod layout;
mod loading;
mod matrix;
mod media;
mod proof;
mod run;
mod script;
mod table;
mod tree;
