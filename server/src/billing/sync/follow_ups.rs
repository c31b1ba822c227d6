//! Work at the payment provider that a sync enqueues.

use crate::billing::checkout::missing_at_provider::Repairs;
use crate::billing::context::part;
use crate::billing::sync::AccountSync;

part! {
    /// Runs the jobs that a sync enqueues.
    pub struct FollowUps {
        pub(crate) sync: AccountSync,
        pub(crate) repairs: Repairs,
    }
}
