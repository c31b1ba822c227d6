//! Checkout sessions and what a visitor does in them.

pub mod purchase;
pub mod session_creation;
pub mod sessions;
