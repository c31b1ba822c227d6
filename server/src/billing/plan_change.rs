//! Changes of plan: the preview and the change itself.

pub(super) mod change;
pub(super) mod confirmation;
pub(super) mod preview;

use garimpo_domain::Policy;

use crate::billing::account::AccountView;
use crate::billing::catalog::CatalogPush;
use crate::billing::sync::AccountSync;
use crate::billing::sync::missing_at_provider::Repairs;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Previews and applies plan changes.
#[derive(Clone)]
pub struct PlanChanges {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) policy: Policy,
    pub(crate) sync: AccountSync,
    pub(crate) catalog_push: CatalogPush,
    pub(crate) repairs: Repairs,
    pub(crate) account: AccountView,
}
