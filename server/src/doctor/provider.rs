//! Rules that call the payment provider.

use super::finding::{Checked, Finding, RunTime};
use crate::billing::Billing;
use crate::causes::Causes;

/// Checks `provider_answers`.
pub(super) async fn check(billing: &Billing, time: &RunTime) -> Checked {
    time.check("provider_answers", async { Ok(refusal(billing).await) }).await
}

/// The provider responds and accepts our key.
async fn refusal(billing: &Billing) -> Vec<Finding> {
    let Err(error) = billing.catalog_push.provider_answers().await else { return Vec::new() };
    let repair = if error.is_refused_key() {
        "garimpo config: write a valid key for GARIMPO_STRIPE_SECRET_KEY and restart garimpo"
    } else {
        "garimpo config: GARIMPO_STRIPE_URL and _SECRET_KEY; else wait, the queue goes on by itself"
    };
    vec![Finding::new("payment provider", Causes(&error).to_string(), repair)]
}
