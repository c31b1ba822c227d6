//! An open payment that needs the payer's authentication.
//!
//! No retry ever pays it, so the payer confirms the same PaymentIntent in the browser. Its client
//! secret is read from the provider for each request, and is neither stored nor logged.

use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_proto::billing::v1 as pb;

use crate::billing::account::AccountView;
use crate::billing::catalog::wire;
use crate::billing::projection::authentication_of;
use crate::error::{Error, ErrorReason, Result};
use crate::providers::stripe::present;
use crate::store::{Account, Invoice, Subscription, invoices, subscriptions};

impl AccountView {
    /// Returns the values with which the browser authenticates the payment of an invoice.
    ///
    /// # Errors
    /// NOT_FOUND if no payment of the account waits for authentication; PROVIDER_UNAVAILABLE.
    pub(crate) async fn payment_authentication_get(
        &self,
        account: &Account,
        request: &pb::GetPaymentAuthenticationRequest,
    ) -> Result<pb::GetPaymentAuthenticationResponse> {
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let invoices = invoices::by_uid(&self.context.store, &account.uid).await?;
        let is_named = |invoice: &&Invoice| request.invoice_id.is_empty() || invoice.id == request.invoice_id;
        let mut newest_first = invoices.iter().filter(is_named).rev();
        let Some((invoice, row)) = newest_first.find_map(|invoice| authenticatable(invoice, &rows)) else {
            return Err(nothing_to_authenticate());
        };
        let there = present(self.context.stripe.invoice_confirmation(&invoice.id).await)?;
        let there = there.filter(|there| there.status == Some(InvoiceStatus::Open));
        let payment = match there.as_ref().and_then(|there| there.payment_intent()) {
            Some(id) => present(self.context.stripe.payment_intent_get(id).await)?,
            None => None,
        };
        let needs_it = payment.as_ref().and_then(authentication_of).is_some();
        let secret = there.as_ref().and_then(|there| there.client_secret()).filter(|_| needs_it);
        let (Some(there), Some(payment), Some(secret)) = (&there, &payment, secret) else {
            // The payment succeeded, failed or was voided since our rows were read.
            self.sync.refresh(&account.uid).await?;
            return Err(nothing_to_authenticate());
        };
        Ok(pb::GetPaymentAuthenticationResponse {
            invoice_id: invoice.id.clone(),
            client_secret: secret.to_owned(),
            payment_method_id: payment.failed_method().unwrap_or_default().to_owned(),
            amount_centavos: invoice.amount_due_centavos.get(),
            plan_id: row.plan_id.as_str().to_owned(),
            interval: wire::interval(row.plan_interval).into(),
            hosted_invoice_url: there.hosted_invoice_url.clone().unwrap_or_default(),
        })
    }
}

/// An invoice that waits for authentication, with its running subscription.
fn authenticatable<'a>(
    invoice: &'a Invoice,
    rows: &'a [Subscription],
) -> Option<(&'a Invoice, &'a Subscription)> {
    let row = rows.iter().find(|row| row.id == invoice.subscription_id)?;
    (invoice.waits_for_authentication() && row.goes_on() && !row.cancel_at_period_end)
        .then_some((invoice, row))
}

/// Whether the renewal of a subscription waits for authentication.
pub(crate) fn renewal_needs_authentication(row: &Subscription, invoices: &[Invoice]) -> bool {
    invoices.iter().any(|invoice| authenticatable(invoice, std::slice::from_ref(row)).is_some())
}

fn nothing_to_authenticate() -> Error {
    Error::refused(ErrorReason::NotFound, "no payment of this account waits for authentication")
}
