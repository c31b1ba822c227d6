//! What ends a subscription: cancellation, refund, deletion of the account, and its retirement at the provider.

pub(super) mod account_deletion;
pub(super) mod cancellation;
pub(super) mod refund;
pub(super) mod retire;

use crate::billing::account::AccountView;
use crate::billing::context::part;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;

part! {
    /// Ends subscriptions, gives their money back and undoes them at the provider.
    pub struct Endings {
        pub(super) sync: AccountSync,
        pub(super) repairs: Repairs,
        pub(super) account: AccountView,
    }
}
