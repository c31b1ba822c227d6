//! Checkout sessions and what a visitor does in them.

pub mod amounts;
pub mod discounts;
pub mod purchase;
pub mod sessions;
