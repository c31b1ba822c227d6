//! Reads the payment provider's state and stores what it means for an account.

pub(super) mod balance_carry_over;
pub(super) mod card_change;
pub(super) mod collection;
pub(super) mod differences;
pub(super) mod events;
pub(super) mod locks;
pub(super) mod orphaned_subscriptions;
pub(super) mod paid_periods;
pub(super) mod projection;
pub(super) mod reconciliation;
pub(super) mod refresh;
pub(super) mod reversals;
pub(super) mod trial_coupon;
