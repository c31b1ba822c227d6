//! Jobs at the payment provider that a sync enqueues.

use garimpo_domain::Policy;

use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Runs the jobs that a sync enqueues.
#[derive(Clone)]
pub struct FollowUps {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) sync: AccountSync,
    pub(crate) repairs: Repairs,
}
