//! The reliable queue loop and the idempotent enroll fold, as one pure reducer.
#![no_std]
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic))]

extern crate alloc;

pub mod check;
pub mod keyspace;
pub mod portal;
pub mod proof;
pub mod protocol;
pub mod reliable_loop;
pub mod small;
pub mod story;
pub mod time;
pub mod timeline;
pub mod view;
