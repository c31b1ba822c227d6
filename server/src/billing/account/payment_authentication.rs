//! An open payment that needs the payer's authentication.
//!
//! No retry ever pays it, so the payer confirms the same PaymentIntent in the browser. Its client
//! secret is read from the provider for each request, and is neither stored nor logged.

use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_domain::{InvoiceId, Uid};
use garimpo_proto::billing::v1 as pb;

use crate::billing::account::AccountView;
use crate::billing::catalog::wire;
use crate::billing::facts::projection::{authentication_of, is_of_unpaid_change};
use crate::error::{Error, ErrorReason, Result};
use crate::providers::stripe::{InvoiceConfirmation, PaymentIntent, present};
use crate::store::{Account, Invoice, PlanChange, Subscription, invoices, plan_changes, subscriptions};
use crate::wire::timestamp;

impl AccountView {
    /// Returns the values with which the browser authenticates the payment of an invoice.
    ///
    /// # Errors
    /// NOT_FOUND if no payment of the account waits for authentication; PROVIDER_UNAVAILABLE.
    pub(crate) async fn get_payment_authentication(
        &self,
        account: &Account,
        request: &pb::GetPaymentAuthenticationRequest,
    ) -> Result<pb::GetPaymentAuthenticationResponse> {
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let invoices = invoices::by_uid(&self.context.store, &account.uid).await?;
        let is_named =
            |invoice: &&Invoice| request.invoice_id.is_empty() || *invoice.id == *request.invoice_id;
        let mut newest_first = invoices.iter().filter(is_named).rev();
        let Some((invoice, row)) = newest_first.find_map(|invoice| authenticatable(invoice, &rows)) else {
            return Err(nothing_to_authenticate());
        };
        let open = self.open_payment(&invoice.id).await?;
        let open = open.filter(|(_, payment)| authentication_of(payment).is_some());
        let secret = open.as_ref().and_then(|(there, _)| there.client_secret());
        let (Some((there, payment)), Some(secret)) = (&open, secret) else {
            // The payment succeeded, failed or was voided since our rows were read.
            self.sync.refresh(&account.uid).await?;
            return Err(nothing_to_authenticate());
        };
        let change = plan_changes::confirming(&self.context.store, &account.uid).await?;
        let change = change.filter(|change| change.invoice_id.as_ref() == Some(&invoice.id));
        let (plan, interval) =
            change.map_or((row.plan_id, row.plan_interval), |change| (change.plan_id, change.plan_interval));
        Ok(pb::GetPaymentAuthenticationResponse {
            invoice_id: invoice.id.to_string(),
            client_secret: secret.to_owned(),
            payment_method_id: payment.failed_method().unwrap_or_default().to_owned(),
            amount_centavos: invoice.amount_due_centavos.get(),
            plan_id: plan.as_str().to_owned(),
            interval: wire::interval(interval).into(),
            hosted_invoice_url: there.hosted_invoice_url.clone().unwrap_or_default(),
            is_plan_change: invoice.is_of_change(),
        })
    }

    /// An open invoice and its payment, read from the provider; `None` if it is not open any more.
    pub(crate) async fn open_payment(
        &self,
        invoice_id: &InvoiceId,
    ) -> Result<Option<(InvoiceConfirmation, PaymentIntent)>> {
        let there = present(self.stripe.get_invoice_confirmation(invoice_id).await)?;
        let Some(there) = there.filter(|there| there.status == Some(InvoiceStatus::Open)) else {
            return Ok(None);
        };
        let Some(id) = there.payment_intent() else { return Ok(None) };
        let payment = present(self.stripe.get_payment_intent(id).await)?;
        Ok(payment.map(|payment| (there, payment)))
    }

    /// The plan change that waits for the payer's confirmation at the bank.
    pub(super) async fn plan_change_confirmation(
        &self,
        uid: &Uid,
        invoices: &[Invoice],
    ) -> Result<Option<pb::PlanChangeConfirmation>> {
        let waits = |invoice: &Invoice| invoice.is_of_change() && invoice.waits_for_authentication();
        if !invoices.iter().any(waits) {
            return Ok(None);
        }
        let change = plan_changes::confirming(&self.context.store, uid).await?;
        // Paid or discarded since, if its invoice does not wait: its job has not run yet.
        Ok(change.and_then(|change| {
            let is_its = |invoice: &&Invoice| Some(&invoice.id) == change.invoice_id.as_ref();
            let invoice = invoices.iter().find(is_its).filter(|invoice| waits(invoice))?;
            Some(confirmation(&change, &invoice.id))
        }))
    }
}

/// A plan change as a proto message, without the client secret.
pub(crate) fn confirmation(change: &PlanChange, invoice_id: &InvoiceId) -> pb::PlanChangeConfirmation {
    pb::PlanChangeConfirmation {
        invoice_id: invoice_id.to_string(),
        amount_centavos: change.due_centavos.get(),
        plan_id: change.plan_id.as_str().to_owned(),
        interval: wire::interval(change.plan_interval).into(),
        expires_at: change.confirm_until.map(timestamp),
        client_secret: String::new(),
    }
}

/// An invoice that waits for authentication, with its running subscription.
fn authenticatable<'a>(
    invoice: &'a Invoice,
    rows: &'a [Subscription],
) -> Option<(&'a Invoice, &'a Subscription)> {
    let row = rows.iter().find(|row| row.id == invoice.subscription_id)?;
    // A plan change may be wanted for a cancelled subscription, a renewal is not.
    let is_wanted = !row.cancel_at_period_end || is_of_unpaid_change(invoice, &row.provider_status);
    (invoice.waits_for_authentication() && row.is_running_and_kept() && is_wanted).then_some((invoice, row))
}

/// Whether the renewal of a subscription waits for authentication.
pub(crate) fn renewal_needs_authentication(row: &Subscription, invoices: &[Invoice]) -> bool {
    let mut renewals = invoices.iter().filter(|invoice| !is_of_unpaid_change(invoice, &row.provider_status));
    renewals.any(|invoice| authenticatable(invoice, std::slice::from_ref(row)).is_some())
}

fn nothing_to_authenticate() -> Error {
    Error::refused(ErrorReason::NotFound, "no payment of this account waits for authentication")
}
