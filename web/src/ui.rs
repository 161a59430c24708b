//! Plain parts that know no queue.

mod button;
mod el;

pub use button::Button;
pub use el::{Attr, El, el, fragment};
