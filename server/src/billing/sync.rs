//! Reads the payment provider's state of accounts and stores it as our rows.

pub(super) mod below_minimum_amount;
pub(super) mod card_change;
pub(super) mod coupon_until_first_charge;
pub(super) mod events;
pub(super) mod follow_ups;
pub(super) mod invoice_collection;
pub(super) mod missing_at_provider;
pub(super) mod orphaned_subscriptions;
pub(super) mod paid_periods;
pub(super) mod payments_after_end;
pub(super) mod refresh;
pub(super) mod refunds_and_disputes;

use crate::billing::context::part;
use crate::providers::CallClass;

part! {
    /// Syncs an account's rows with the payment provider.
    pub struct AccountSync {}
}

impl AccountSync {
    /// A copy whose calls to the payment provider count in a class.
    pub(super) fn of_class(&self, class: CallClass) -> Self {
        Self::over(&self.context.of_class(class))
    }
}
