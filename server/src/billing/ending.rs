//! Ends a subscription: cancellation, refund, deletion of the account, and the jobs at the
//! provider.

pub(super) mod account_deletion;
pub(super) mod cancellation;
pub(super) mod refund;
pub(super) mod retire;

use crate::billing::account::AccountView;
use crate::billing::context::part;
use crate::billing::plan_change::PlanChanges;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;

part! {
    /// Cancels subscriptions, refunds them, and ends them at the provider.
    pub struct Endings {
        pub(super) sync: AccountSync,
        pub(super) repairs: Repairs,
        pub(super) account: AccountView,
        pub(super) plan_changes: PlanChanges,
    }
}
