//! The package in other people's pages, each built as its own tools build it, and clicked in a real browser.
//!
//! The hosts are the folders of `tests/hosts`; the README's recipes are their files. `cargo xtask test --only hosts` makes the
//! package first.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)] // a test fails by panicking

mod api;
mod host;
mod kinds;
mod manifest;
mod recipes;
