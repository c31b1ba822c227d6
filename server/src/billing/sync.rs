//! Reads the payment provider's state and stores what it means for an account.

pub(super) mod balance_carry_over;
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
    /// Brings an account's rows up to what the payment provider holds.
    pub struct AccountSync {}
}

impl AccountSync {
    /// The same whose calls to the payment provider belong to a class.
    pub(super) fn of_class(&self, class: CallClass) -> Self {
        Self::over(&self.context.of_class(class))
    }
}
