//! GetCheckoutSession: the state of a checkout, for anyone who has its session id.

use std::sync::Arc;

use garimpo_proto::billing::v1 as pb;

use garimpo_domain::{Centavos, CheckoutSessionId, Uid};

use crate::billing::account::subscription;
use crate::billing::catalog::wire;
use crate::billing::checkout::Checkouts;
use crate::billing::checkout::read_limit::KEPT_FOR;
use crate::billing::facts::refund_request::refund_method;
use crate::causes::Causes;
use crate::error::{Error, ErrorReason, Result};
use crate::providers::CallClass;
use crate::store::{
    Checkout, CheckoutStatus, Milestone, PaymentStatus, Subscription, Text as _, checkouts, invoices,
    subscriptions,
};

/// Refund method of an amount that was paid with credit: it becomes credit again.
const CREDIT: &str = "credit";
/// Longest accepted session id; the provider's are shorter.
const MAX_SESSION_ID_BYTES: usize = 255;

impl Checkouts {
    /// Serves GetCheckoutSession. The provider is read only while the stored state is not final.
    ///
    /// # Errors
    /// INVALID_ARGUMENT, NOT_FOUND, PROVIDER_UNAVAILABLE.
    pub(crate) async fn get_status(
        &self,
        session_id: &CheckoutSessionId,
    ) -> Result<pb::GetCheckoutSessionResponse> {
        if session_id.is_empty() {
            return Err(Error::refused(ErrorReason::InvalidArgument, "session_id is missing")
                .with_field("session_id", "missing"));
        }
        let mut checkout = self.require_checkout(session_id).await?;
        if !checkout.settled {
            self.refresh(&checkout.uid, session_id).await?;
            checkout = self.require_checkout(session_id).await?;
        }
        self.reply(checkout).await
    }

    /// Syncs an account with an open checkout, at most once in two seconds. If the process's rate
    /// is used up, the stored state is returned. The provider's event updates it anyway.
    async fn refresh(&self, uid: &Uid, session_id: &CheckoutSessionId) -> Result<()> {
        let reads = &self.reads;
        let read = reads.lately.get_with(uid.clone(), async {
            if reads.rate.check().is_err() {
                return Ok(());
            }
            // The call is anonymous, so calls of purchases that begin have priority.
            let settled = Milestone::CheckoutSettled(session_id.clone());
            self.sync.of_class(CallClass::Renewal).refresh_unless(uid, Some(&settled)).await.map_err(Arc::new)
        });
        read.await.map_err(|error| match error.reason() {
            ErrorReason::Internal => Error::internal(anyhow::anyhow!("{}", Causes(&*error))),
            reason => {
                Error::refused(reason, error.to_string()).retry_after(error.pause().unwrap_or(KEPT_FOR))
            }
        })
    }

    async fn require_checkout(&self, session_id: &CheckoutSessionId) -> Result<Checkout> {
        let unknown = || Error::refused(ErrorReason::NotFound, "no such checkout session");
        if session_id.len() > MAX_SESSION_ID_BYTES || session_id.contains('\0') {
            return Err(unknown());
        }
        checkouts::by_session(&self.context.store, session_id).await?.ok_or_else(unknown)
    }

    async fn reply(&self, checkout: Checkout) -> Result<pb::GetCheckoutSessionResponse> {
        let boleto = match &checkout.subscription_id {
            Some(id) if checkout.payment_status == PaymentStatus::Unpaid => {
                let invoices = invoices::by_subscription(&self.context.store, id).await?;
                let now = self.context.now();
                invoices.iter().rfind(|row| row.boleto_waits(now)).map(subscription::boleto)
            }
            _ => None,
        };
        let refund_method = self.refund_method(&checkout).await?;
        // Complete at the provider, but it can no longer be paid: its boleto expired, or its
        // subscription was replaced.
        let lapsed = checkout.settled
            && checkout.status == CheckoutStatus::Complete
            && checkout.payment_status == PaymentStatus::Unpaid;
        let status = if lapsed { CheckoutStatus::Expired } else { checkout.status };
        Ok(pb::GetCheckoutSessionResponse {
            status: status.text().to_owned(),
            payment_status: checkout.payment_status.text().to_owned(),
            customer_email: checkout.email,
            plan_id: checkout.plan_id.as_str().to_owned(),
            interval: wire::interval(checkout.plan_interval).into(),
            amount_total_centavos: checkout.first_payment_centavos.get(),
            boleto,
            refund_method,
        })
    }

    /// How the payment is refunded, as soon as this is decided.
    async fn refund_method(&self, checkout: &Checkout) -> Result<Option<String>> {
        let Some(id) = &checkout.subscription_id else { return Ok(None) };
        let bought = subscriptions::by_id(&self.context.store, id).await?.filter(Subscription::is_duplicate);
        let Some(bought) = bought else { return Ok(None) };
        let invoices = invoices::by_subscription(&self.context.store, id).await?;
        let by_money = invoices.iter().any(|row| row.amount_due_centavos > Centavos::ZERO);
        Ok(Some(if by_money { refund_method(bought.payment_method).text() } else { CREDIT }.to_owned()))
    }
}
