//! Payments that arrived after their subscription had ended.
//!
//! A boleto can be paid after the provider ended the subscription, and its bank confirms a payment
//! one business day later. The provider revives no subscription, so such a payment gives no access
//! and is refunded.

use garimpo_domain::provider_status::InvoiceStatus;
use garimpo_domain::{Centavos, Timestamp};

use crate::billing::facts::projection::first_sightings::Sightings;
use crate::billing::facts::projection::input::ProviderState;
use crate::providers::stripe;
use crate::store::{Invoice, Refund, Subscription};

/// Days after a voucher's expiry in which its payment can still be confirmed: one business day,
/// plus time for holidays and for an outage of the provider.
const CONFIRMED_WITHIN_DAYS: i64 = 30;

/// A payment that gives no rights.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PaymentAfterEnd {
    /// Its invoice.
    pub(crate) invoice: Invoice,
    /// Amount that is not refunded yet.
    pub(crate) centavos: Centavos,
    /// The subscription, which had ended.
    pub(crate) subscription: Subscription,
}

/// Whether an invoice was paid after its subscription had ended. The provider's times are whole
/// seconds.
pub(super) fn is_after_end(subscription: &stripe::Subscription, invoice: &stripe::Invoice) -> bool {
    let ended_at = subscription.is_over().then_some(subscription.ended_at).flatten();
    ended_at.is_some_and(|ended_at| invoice.paid_at().is_some_and(|paid_at| paid_at > ended_at))
}

/// Whether to read the payment of a voided invoice, because its voucher may have been paid.
pub(crate) fn may_be_paid_late(row: &Invoice, refunds: &[Refund], now: Timestamp) -> bool {
    row.status == InvoiceStatus::Void
        && row.boleto_line.is_some()
        && row.boleto_due_at.is_some_and(|due| now <= due.plus_days(CONFIRMED_WITHIN_DAYS))
        && !refunds.iter().any(|refund| refund.invoice_id == row.id)
}

impl Sightings<'_> {
    pub(super) fn payments_after_end(&self, observed: &ProviderState) -> Vec<PaymentAfterEnd> {
        let payment = |invoice: &Invoice| {
            let subscription = self.owner(invoice)?;
            let centavos = centavos_after_end(invoice, subscription, observed);
            (centavos > Centavos::ZERO && !self.known.has_refund(&invoice.id)).then(|| PaymentAfterEnd {
                invoice: invoice.clone(),
                centavos,
                subscription: subscription.clone(),
            })
        };
        self.invoices.iter().filter_map(payment).collect()
    }
}

/// Amount of an invoice that was paid after its subscription had ended and is not refunded.
fn centavos_after_end(invoice: &Invoice, subscription: &Subscription, observed: &ProviderState) -> Centavos {
    let fact = observed.state.subscriptions.iter().find(|fact| fact.id == subscription.id);
    let ended_at = fact.filter(|fact| fact.is_over()).and_then(|fact| fact.ended_at);
    let ended_at = ended_at.map(Timestamp::from_unix_seconds);
    match invoice.status {
        InvoiceStatus::Void => {
            let payment = invoice.payment_intent_id.as_ref().and_then(|id| observed.payments.get(id));
            let received = Centavos::new(payment.map_or(0, stripe::PaymentIntent::received));
            (received - invoice.refunded_centavos).max(Centavos::ZERO)
        }
        // A duplicate is refunded by its retirement, a returned subscription by the guarantee.
        InvoiceStatus::Paid
            if subscription.is_refunded_otherwise() || invoice.paid_at <= ended_at || ended_at.is_none() =>
        {
            Centavos::ZERO
        }
        _ => invoice.money_kept(),
    }
}
