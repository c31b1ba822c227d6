//! An account's view of its subscription: state, invoices, and a payment to authenticate.

pub(super) mod invoices;
pub(super) mod payment_authentication;
pub(super) mod subscription;

use garimpo_domain::{CampaignSwitch, Policy, TrialPurchase};

use crate::billing::sync::AccountSync;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Returns an account's subscription and invoices.
#[derive(Clone)]
pub struct AccountView {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) campaign: CampaignSwitch,
    pub(crate) trial_purchase: TrialPurchase,
    pub(crate) sync: AccountSync,
}
