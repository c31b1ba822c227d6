//! Work at the payment provider that a sync enqueues.

use std::sync::Arc;

use crate::billing::checkout::missing_at_provider::Repairs;
use crate::billing::context::Context;
use crate::billing::sync::AccountSync;

/// Runs the jobs that a sync enqueues.
#[derive(Clone)]
pub struct FollowUps {
    pub(crate) context: Arc<Context>,
    pub(crate) sync: AccountSync,
    pub(crate) repairs: Repairs,
}
