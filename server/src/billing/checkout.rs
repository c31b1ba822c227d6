//! Purchases: opening a checkout, its customer at the provider, and its status.

pub(super) mod customer;
pub(super) mod open;
pub(super) mod portal;
pub(super) mod status;

use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::context::part;
use crate::billing::selling_stop::SellingStop;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;

part! {
    /// Opens checkouts and returns their status.
    pub struct Checkouts {
        pub(super) sync: AccountSync,
        pub(super) catalog_push: CatalogPush,
        pub(super) offers: Offers,
        pub(super) repairs: Repairs,
        pub(super) selling_stop: SellingStop,
    }
}
