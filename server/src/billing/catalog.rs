//! The catalogue: as replies, and as products, prices and coupons at the payment provider.

pub(super) mod push;
pub(super) mod wire;

use crate::billing::context::part;

part! {
    /// Pushes our catalogue to the payment provider.
    pub struct CatalogPush {}
}

part! {
    /// Returns the plans and promotions for sale, at current prices.
    pub struct Offers {}
}
