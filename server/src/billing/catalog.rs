//! The catalogue: as replies, and as products, prices and coupons at the payment provider.

pub(super) mod push;
pub(super) mod wire;

use garimpo_domain::{CampaignSwitch, Policy};

use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Pushes our catalogue to the payment provider.
#[derive(Clone)]
pub struct CatalogPush {
    pub(crate) context: AppContext,
    pub(crate) stripe: Stripe,
    pub(crate) pushes_catalog: bool,
}

/// Returns the plans and promotions for sale, at current prices.
#[derive(Clone)]
pub struct Offers {
    pub(crate) context: AppContext,
    pub(crate) policy: Policy,
    pub(crate) campaign: CampaignSwitch,
}
