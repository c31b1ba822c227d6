//! Reads the payment provider's state of accounts and stores it as our rows.

pub(super) mod below_minimum_amount;
pub(super) mod card_change;
pub(super) mod coupon_until_first_charge;
pub(super) mod events;
pub(super) mod follow_ups;
pub(super) mod invoice_collection;
pub(super) mod locks;
pub(super) mod missing_at_provider;
pub(super) mod orphaned_subscriptions;
pub(super) mod paid_periods;
pub(super) mod payments_after_end;
pub(super) mod refresh;
pub(super) mod refunds_and_disputes;

use std::sync::Arc;

use garimpo_domain::Policy;

use crate::billing::sync::locks::SyncLocks;
use crate::context::AppContext;
use crate::providers::CallClass;
use crate::providers::stripe::Stripe;

/// Syncs an account's rows with the payment provider.
#[derive(Clone)]
pub struct AccountSync {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) locks: Arc<SyncLocks>,
}

impl AccountSync {
    /// A copy whose calls to the payment provider count in a class.
    pub(super) fn of_class(&self, class: CallClass) -> Self {
        Self { stripe: self.stripe.of_class(class), ..self.clone() }
    }
}
