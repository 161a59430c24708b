//! End to end: what was built, in real browsers; and the model against the real scripts on a real Redis.
//!
//! The differential's way in is [`differential`]; what it needs of the outside is in [`redis_server`] (a private
//! server), [`redis_scripts`] (the scripts of the npm package) and [`redis_monitor`] (what the server says it ran).

pub mod browser;
pub mod differential;
pub mod process;
pub mod real_run;
pub mod recorded_run;
pub mod redis_monitor;
pub mod redis_scripts;
pub mod redis_server;
pub mod serve;
