//! Plain parts that know no queue.

mod button;
mod el;
mod moves;

pub use button::Button;
pub use el::{Attr, El, el, fragment};
pub use moves::Moves;
