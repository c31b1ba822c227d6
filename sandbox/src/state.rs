//! What the sandbox's parts share: database, clock, timers, and the world that holds them.

pub mod clock;
pub mod ids;
pub mod moment;
pub mod store;
pub mod timers;
pub mod world;
