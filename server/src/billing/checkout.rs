//! Purchases: opening a checkout, its customer at the provider, and how it stands.

pub(super) mod coupon_once_per_person;
pub(super) mod customer;
pub(super) mod missing_at_provider;
pub(super) mod open;
pub(super) mod portal;
pub(super) mod read_limits;
pub(super) mod status;

use std::sync::Arc;

use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::checkout::missing_at_provider::Repairs;
use crate::billing::checkout::read_limits::CheckoutReads;
use crate::billing::context::Context;
use crate::billing::sync::AccountSync;

/// Opens purchases and shows how they stand.
#[derive(Clone)]
pub struct Checkouts {
    pub(super) context: Arc<Context>,
    pub(super) sync: AccountSync,
    pub(super) catalog_push: CatalogPush,
    pub(super) offers: Offers,
    pub(super) repairs: Repairs,
    pub(super) reads: Arc<CheckoutReads>,
}
