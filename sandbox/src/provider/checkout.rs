//! Checkout sessions and what a visitor does in them.

pub mod purchase;
pub mod sessions;
