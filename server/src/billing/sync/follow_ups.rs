//! Jobs at the payment provider that a sync enqueues.

use crate::billing::context::part;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;

part! {
    /// Runs the jobs that a sync enqueues.
    pub struct FollowUps {
        pub(crate) sync: AccountSync,
        pub(crate) repairs: Repairs,
    }
}
