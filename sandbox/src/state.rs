//! What the sandbox's parts share: database, clock, timers, and the world that holds them.

pub mod behavior;
pub mod calls;
pub mod clock;
pub mod faults;
pub mod ids;
pub mod moment;
pub mod recent;
pub mod setting;
pub mod store;
pub mod timers;
pub mod world;

pub use moment::{DAY, Moment, SECOND};
pub(crate) use store::sql;
pub use store::{Cause, Document, Tx, number, text};
pub use timers::{Due, SANDBOX, Timer};
pub use world::World;
