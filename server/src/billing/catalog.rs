//! The catalogue: as replies, and as products, prices and coupons at the payment provider.

pub(super) mod push;
pub(super) mod wire;

use std::sync::Arc;

use crate::billing::context::Context;

/// Brings our catalogue to the payment provider.
#[derive(Clone)]
pub struct CatalogPush {
    pub(super) context: Arc<Context>,
}

/// Answers what is for sale, at the prices of now.
#[derive(Clone)]
pub struct Offers {
    pub(super) context: Arc<Context>,
}
