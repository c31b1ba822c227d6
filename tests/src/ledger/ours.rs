//! Our ledger of one account, as its owner sees it.

use garimpo_proto::billing::v1::{GetSubscriptionRequest, GetSubscriptionResponse};
use serde_json::Value;

use super::differ;
use super::documents::about;
use crate::provider::Provider;
use crate::visitor::Visitor;

/// Our side of one account.
pub(super) struct Ours {
    pub(super) subscription_response: GetSubscriptionResponse,
    pub(super) record: Value,
    /// Mails that confirm a payment.
    pub(super) confirmed: Vec<Value>,
    /// Mails about a plan change.
    pub(super) changed: Vec<Value>,
}

impl Ours {
    pub(super) async fn read(provider: &Provider, who: &Visitor) -> Self {
        let request = who.authorized(GetSubscriptionRequest {});
        let subscription_response =
            who.billing().await.get_subscription(request).await.expect("GetSubscription answers");
        let mails = provider.mails_to(&who.email).await;
        Self {
            subscription_response: subscription_response.into_inner(),
            record: who.record().await,
            confirmed: about(&mails, "Pagamento confirmado"),
            changed: about(&mails, "Seu plano mudou"),
        }
    }

    /// Asserts that the record and GetSubscription have the same state.
    pub(super) fn contradictions(&self, found: &mut Vec<String>) {
        let (record, subscription_response) = (&self.record, &self.subscription_response.subscription);
        let seen = subscription_response.as_ref().map_or((None, None, None, None), |sub| {
            let (starts_at, ends_at) = (sub.starts_at.map(|at| at.seconds), sub.ends_at.map(|at| at.seconds));
            (Some(sub.plan_id.as_str()), sub.active, starts_at, ends_at)
        });
        let recorded = (
            record["subscription_plan"].as_str(),
            record["subscription_active"].as_bool(),
            record["subscription_start"].as_i64(),
            record["subscription_end"].as_i64(),
        );
        if seen != recorded {
            differ(found, "the record and GetSubscription differ", record, subscription_response);
        }
    }
}
