//! The widgets of the workshop page: Yew, compiled to WebAssembly. No rule about queues or enrollments is here; if a
//! button is enabled, `enroll-once-core` said so.
//!
//! # Where to start
//!
//! * `embed`: how a widget gets into somebody's page. `define.js`, the custom elements, calls it.
//! * `widget`: the one Yew component, which is either widget.
//! * `enroll_loop`, `enroll_proof`: a folder a widget.
//! * `ui`: plain parts that know no queue.
//! * `words`: every text that a learner reads, made from what `enroll_once_core::view` says.
//! * `style.css`: the stylesheet of the shadow roots.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

#[cfg(all(test, target_arch = "wasm32"))]
mod browser_tests;
pub mod embed;
mod enroll_loop;
mod enroll_proof;
#[cfg(test)]
mod fallback;
#[cfg(all(test, not(target_arch = "wasm32")))]
mod still;
mod ui;
mod widget;
mod words;
