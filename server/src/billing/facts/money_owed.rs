//! What is still owed for a subscription: refunds by card, a duplicate's payment, and its credit.

use garimpo_domain::{Centavos, SubscriptionId};

use crate::store::{Invoice, Refund, Subscription};

/// Interval of the retries while a payment is disputed. The provider refuses its refund for the
/// weeks that the bank takes.
const DISPUTED_AGAIN_MINUTES: i64 = 60;

/// Whether a refund by card of this subscription was not made yet.
pub(crate) fn waits_for_card(refund: &Refund, subscription_id: &SubscriptionId) -> bool {
    refund.subscription_id == *subscription_id && refund.waits_for_card()
}

/// Whether the payer's bank has still to decide about the payment of a refund.
pub(crate) fn is_disputed(invoices: &[Invoice], refund: &Refund) -> bool {
    invoices.iter().any(|invoice| invoice.id == refund.invoice_id && invoice.is_disputed())
}

/// Minutes after which a refund by card of this subscription is tried again: 0 at once, more while
/// a bank decides about every payment that waits; `None` if no refund waits.
pub(crate) fn minutes_until_refund(
    refunds: &[Refund],
    invoices: &[Invoice],
    subscription_id: &SubscriptionId,
) -> Option<i64> {
    let waiting: Vec<&Refund> =
        refunds.iter().filter(|refund| waits_for_card(refund, subscription_id)).collect();
    let is_held = waiting.iter().all(|refund| is_disputed(invoices, refund));
    (!waiting.is_empty()).then_some(if is_held { DISPUTED_AGAIN_MINUTES } else { 0 })
}

/// Whether the provider must still refund a payment of the subscription.
pub(crate) fn is_owed_by_card(refunds: &[Refund], row: &Subscription) -> bool {
    refunds.iter().any(|refund| waits_for_card(refund, &row.id))
}

/// The last invoice of a duplicate with money that was not refunded yet.
pub(crate) fn unrefunded_payment<'a>(invoices: impl Iterator<Item = &'a Invoice>) -> Option<&'a Invoice> {
    invoices.filter(|row| row.money_kept() > Centavos::ZERO).max_by_key(|row| row.paid_at)
}

/// The last paid invoice of a duplicate, if its used credit was not returned yet.
pub(crate) fn payment_by_credit<'a>(invoices: impl Iterator<Item = &'a Invoice>) -> Option<&'a Invoice> {
    let paid = invoices.filter(|row| row.is_paid()).max_by_key(|row| row.paid_at);
    paid.filter(|row| row.credit_used() > Centavos::ZERO && row.credit_returned_centavos == Centavos::ZERO)
}
