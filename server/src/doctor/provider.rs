//! Rules that call the payment provider.

use garimpo_domain::Centavos;

use super::finding::{Checked, Finding, MAX_FINDINGS, RunTime};
use crate::billing::{Billing, OrphanStatus, OrphanedSubscription};
use crate::causes::Causes;

/// Pages of the provider's list that a check reads: 1,000 subscriptions, newest first. A million
/// subscribers are 10,000 pages, too many for every hour, and a lost payer is a recent one.
const MAX_PAGES: usize = 10;

/// Checks `provider_answers` and `payer_without_account`.
pub(super) async fn check(billing: &Billing, time: &RunTime) -> [Checked; 2] {
    let answers = time.check("provider_answers", async { Ok(refusal(billing).await) }).await;
    let mut unasked = None;
    let payers = async {
        match billing.orphans.find_among(MAX_PAGES).await {
            Ok(orphans) => Ok(orphans.into_iter().filter_map(payer_without_account).collect()),
            Err(error) => {
                unasked = Some(Causes(&error).to_string());
                Ok(Vec::new())
            }
        }
    };
    let mut payers = time.check("payer_without_account", payers).await;
    payers.findings.truncate(MAX_FINDINGS as usize);
    payers.unasked = unasked.or(payers.unasked);
    [answers, payers]
}

/// The provider responds and accepts our key.
async fn refusal(billing: &Billing) -> Vec<Finding> {
    let Err(error) = billing.catalog_push.provider_answers().await else { return Vec::new() };
    let mend = if error.is_refused_key() {
        "garimpo config: write a valid key for GARIMPO_STRIPE_SECRET_KEY and restart garimpo"
    } else {
        "garimpo config: GARIMPO_STRIPE_URL and _SECRET_KEY; else wait, the queue goes on by itself"
    };
    vec![Finding::new("payment provider", Causes(&error).to_string(), mend)]
}

/// Somebody pays for a subscription and has no account, for example after a restore.
fn payer_without_account(orphan: OrphanedSubscription) -> Option<Finding> {
    let is_payer = orphan.status == OrphanStatus::NoAccount && orphan.paid_centavos > 0;
    is_payer.then(|| {
        let email = orphan.email.as_deref().unwrap_or("a customer without email");
        let paid = Centavos::new(orphan.paid_centavos);
        let what = format!("{email} paid {paid} and has no account ({})", orphan.customer_id);
        Finding::new(
            orphan.subscription_id,
            what,
            "garimpo admin reconcile --dry-run: lists them and what to do",
        )
    })
}
