//! Ends a subscription: cancellation, refund, deletion of the account, and the jobs at the
//! provider.

pub(super) mod account_deletion;
pub(super) mod cancellation;
pub(super) mod refund;
pub(super) mod retire;

use garimpo_domain::Policy;

use crate::billing::account::AccountView;
use crate::billing::plan_change::PlanChanges;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Cancels subscriptions, refunds them, and ends them at the provider.
#[derive(Clone)]
pub struct Endings {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) sync: AccountSync,
    pub(crate) repairs: Repairs,
    pub(crate) account: AccountView,
    pub(crate) plan_changes: PlanChanges,
}
