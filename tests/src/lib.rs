//! End to end: what was built, in real browsers.
