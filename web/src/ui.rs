//! Plain parts that know no queue.

mod button;
mod moves;

pub use button::Button;
pub use moves::Moves;
