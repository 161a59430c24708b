//! The two widgets as one WASM. All that it does is in `enroll-once-widgets`; the lab has the same and more.

pub use enroll_once_widgets::embed::{mount, stylesheet};

/// A third of the bytes of the standard one.
#[cfg(target_arch = "wasm32")]
#[global_allocator]
static ALLOCATOR: rlsf::SmallGlobalTlsf = rlsf::SmallGlobalTlsf::new();
