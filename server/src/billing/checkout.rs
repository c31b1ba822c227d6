//! Purchases: opening a checkout, its customer at the provider, and how it stands.

pub(super) mod customer;
pub(super) mod first_coupon;
pub(super) mod missing_at_provider;
pub(super) mod open;
pub(super) mod portal;
pub(super) mod status;
