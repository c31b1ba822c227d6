//! Purchases: opening a checkout, its customer at the provider, and its status.

pub(super) mod customer;
pub(super) mod open;
pub(super) mod portal;
pub(super) mod read_limit;
pub(super) mod status;

use std::sync::Arc;

use garimpo_domain::{Policy, TrialPurchase};

use crate::billing::catalog::{CatalogPush, Offers};
use crate::billing::checkout::read_limit::CheckoutReads;
use crate::billing::guards::selling_stop::SellingStop;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Opens checkouts and returns their status.
#[derive(Clone)]
pub struct Checkouts {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) public_url: Arc<str>,
    pub(crate) trial_purchase: TrialPurchase,
    pub(crate) reads: Arc<CheckoutReads>,
    pub(crate) sync: AccountSync,
    pub(crate) catalog_push: CatalogPush,
    pub(crate) offers: Offers,
    pub(crate) repairs: Repairs,
    pub(crate) selling_stop: SellingStop,
}
