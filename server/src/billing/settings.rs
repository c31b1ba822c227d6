//! The operator's settings of billing.

use garimpo_domain::{CampaignSwitch, Policy, TrialPurchase};

/// The operator's settings of billing.
#[derive(Debug, Clone)]
pub struct BillingSettings {
    /// Public origin of the site, without a trailing slash. The provider redirects visitors to it.
    pub public_url: String,
    /// Whether Black November runs: by its dates, or always or never by the operator's choice.
    pub campaign: CampaignSwitch,
    /// How long access continues after the paid period.
    pub policy: Policy,
    /// When a purchase in the trial is charged.
    pub trial_purchase: TrialPurchase,
    /// Whether the catalogue is pushed automatically. Otherwise the operator pushes it.
    pub pushes_catalog: bool,
}
