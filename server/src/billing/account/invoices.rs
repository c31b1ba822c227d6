//! ListInvoices: the invoices of an account, newest first.

use garimpo_domain::provider_status::{InvoiceReason, InvoiceStatus};
use std::collections::BTreeMap;

use garimpo_domain::{Centavos, InvoiceId, SubscriptionId, Timestamp};
use garimpo_proto::billing::v1 as pb;

use crate::billing::account::AccountView;
use crate::billing::account::subscription;
use crate::billing::catalog::wire;
use crate::billing::facts::account_credit::is_credit_of_refunded;
use crate::error::Result;
use crate::page::Page;
use crate::store::{
    Account, Invoice, OrEmpty as _, Refund, RefundState, Text as _, invoices, refunds, subscriptions,
    text_or_empty,
};
use crate::wire::timestamp;

impl AccountView {
    /// Serves ListInvoices. An account has a few invoices a year, so all are read and one page of
    /// them is returned.
    ///
    /// # Errors
    /// INVALID_ARGUMENT for a wrong page size or token, UNAVAILABLE if the database fails.
    pub(crate) async fn list_invoices(
        &self,
        account: &Account,
        request: &pb::ListInvoicesRequest,
    ) -> Result<pb::ListInvoicesResponse> {
        let page = Page::read(request.page_size, &request.page_token)?;
        let all = invoices::by_uid(&self.context.store, &account.uid).await?;
        let refunds = refunds::by_uid(&self.context.store, &account.uid).await?;
        let mut shown: Vec<&Invoice> = all.iter().filter(|invoice| is_shown(invoice)).collect();
        let firsts = firsts(&shown);
        let place = |invoice: &&Invoice| (invoice.created_at.as_micros(), invoice.id.to_string());
        shown.retain(|invoice| place(invoice) < page.after);
        shown.sort_by_key(|invoice| std::cmp::Reverse(place(invoice)));
        let next_page_token = page.cut(&mut shown, |invoice| (invoice.created_at.as_micros(), &invoice.id));
        let refunded = self.refunded_subscriptions(account, &all).await?;
        let now = self.context.now();
        let invoices = shown
            .into_iter()
            .map(|invoice| {
                let is_first = firsts.get(&invoice.subscription_id) == Some(&&invoice.id);
                pb::Invoice {
                    credit_ended: refunded.contains(&invoice.subscription_id)
                        && is_credit_of_refunded(invoice, &all, &refunds),
                    ..on_the_wire(invoice, is_first, refunded_so_far(invoice, &refunds), now)
                }
            })
            .collect();
        Ok(pb::ListInvoicesResponse { invoices, next_page_token })
    }

    /// Ids of refunded subscriptions. They are read only if an invoice of the account created
    /// credit.
    async fn refunded_subscriptions(
        &self,
        account: &Account,
        invoices: &[Invoice],
    ) -> Result<Vec<SubscriptionId>> {
        if invoices.iter().all(|invoice| invoice.total_centavos >= Centavos::ZERO) {
            return Ok(Vec::new());
        }
        let rows = subscriptions::by_uid(&self.context.store, &account.uid).await?;
        let refunded = rows.into_iter().filter(|row| row.returned_at.is_some() && !row.is_duplicate());
        Ok(refunded.map(|row| row.id).collect())
    }
}

/// A draft may still change, the zero invoice of a trial's start charges nothing, and a plan change
/// that was not paid changed nothing.
fn is_shown(invoice: &Invoice) -> bool {
    let is_discarded = invoice.is_of_change() && invoice.status == InvoiceStatus::Void;
    invoice.status != InvoiceStatus::Draft && invoice.total_centavos != Centavos::ZERO && !is_discarded
}

/// The first invoice of each subscription. `shown` is ordered by creation.
fn firsts<'i>(shown: &[&'i Invoice]) -> BTreeMap<&'i SubscriptionId, &'i InvoiceId> {
    let mut firsts = BTreeMap::new();
    for invoice in shown {
        firsts.entry(&invoice.subscription_id).or_insert(&invoice.id);
    }
    firsts
}

/// Amount refunded so far. The provider does not know what the operator refunded by Pix. A refund
/// by card counts from its answer on: the invoice's own amount is as old as the last sync.
pub(crate) fn refunded_so_far(invoice: &Invoice, refunds: &[Refund]) -> Centavos {
    let paid = |by_card: bool| -> Centavos {
        let is_meant = |refund: &&Refund| {
            refund.invoice_id == invoice.id
                && refund.state == RefundState::Paid
                && refund.goes_by_card() == by_card
        };
        refunds.iter().filter(is_meant).map(|refund| refund.amount_centavos).sum()
    };
    invoice.refunded_centavos.max(paid(true)) + paid(false)
}

fn on_the_wire(invoice: &Invoice, is_first: bool, refunded: Centavos, now: Timestamp) -> pb::Invoice {
    let status = match invoice.status {
        InvoiceStatus::Paid
            if invoice.amount_due_centavos > Centavos::ZERO && refunded >= invoice.amount_due_centavos =>
        {
            "refunded"
        }
        InvoiceStatus::Uncollectible => InvoiceStatus::Open.text(),
        other => other.text(),
    };
    let reason = match invoice.reason {
        InvoiceReason::SubscriptionUpdate => "plan_change",
        InvoiceReason::SubscriptionCreate => "purchase",
        // The first charge after a trial, which the provider calls a cycle.
        _ if is_first => "purchase",
        _ => "renewal",
    };
    let is_charged = invoice.amount_due_centavos > Centavos::ZERO;
    pb::Invoice {
        id: invoice.id.to_string(),
        total_centavos: invoice.total_centavos.get(),
        status: status.to_owned(),
        created_at: Some(timestamp(invoice.created_at)),
        payment_method: text_or_empty(invoice.payment_method.filter(|_| is_charged)).to_owned(),
        receipt_url: invoice.receipt_url.or_empty().to_owned(),
        reason: reason.to_owned(),
        plan_id: text_or_empty(invoice.plan_id).to_owned(),
        interval: invoice.plan_interval.map(wire::interval).unwrap_or_default().into(),
        paid_at: invoice.paid_at.map(timestamp),
        amount_due_centavos: invoice.amount_due_centavos.get(),
        refunded_centavos: refunded.get(),
        carried_centavos: invoice.carried_centavos.get(),
        boleto: invoice.boleto_waits(now).then(|| subscription::boleto(invoice)),
        credit_ended: false,
        number: invoice.number.or_empty().to_owned(),
        next_attempt_at: invoice.next_attempt_at.map(timestamp),
    }
}
