//! The catalogue: as replies, and as products, prices and coupons at the payment provider.

pub(super) mod push;
pub(super) mod wire;

use crate::billing::context::part;

part! {
    /// Brings our catalogue to the payment provider.
    pub struct CatalogPush {}
}

part! {
    /// Answers what is for sale, at the prices of now.
    pub struct Offers {}
}
