//! Derives an invoice's row from the provider's invoice and its payment.

use garimpo_domain::provider_status::{InvoiceReason, InvoiceStatus};
use garimpo_domain::{Centavos, PaymentMethod, SubscriptionId, Timestamp};

use crate::billing::facts::projection::input::{OwnSubscription, ProviderState, StoredState};
use crate::providers::stripe;
use crate::store::{Invoice, NonEmpty};

/// The row of one of our invoices.
pub(super) fn invoice_row(
    known: &StoredState,
    observed: &ProviderState,
    own: &OwnSubscription<'_>,
    fact: &stripe::Invoice,
) -> Invoice {
    let stored = known.invoice(&fact.id);
    let intent_id = fact.payment_intent().or(stored.and_then(|row| row.payment_intent_id.as_ref()));
    let payment = intent_id.and_then(|id| observed.payments.get(id));
    let reversal = intent_id.and_then(|id| observed.reversals.by_payment.get(id));
    let method = card_instead(own, fact, payment).or_else(|| payment?.method());
    let waited = stored.filter(|_| method != Some(PaymentMethod::Card));
    let boleto = payment.and_then(stripe::PaymentIntent::boleto);
    let has_plan = !fact.is_of_change() || fact.is(InvoiceStatus::Paid);
    Invoice {
        id: fact.id.clone(),
        uid: known.uid.clone(),
        subscription_id: fact.subscription().cloned().unwrap_or_else(|| SubscriptionId::new("")),
        reason: fact.billing_reason.clone().unwrap_or(InvoiceReason::Other(String::new())),
        status: status_of(fact),
        total_centavos: Centavos::new(fact.total),
        payment_method: method.or(stored.and_then(|row| row.payment_method)),
        payment_intent_id: intent_id.cloned(),
        // The provider no longer shows an expired voucher. Its stored values still determine the
        // end of access.
        boleto_line: boleto
            .and_then(|b| NonEmpty::new(b.number.clone()?))
            .or(waited.and_then(|row| row.boleto_line.clone())),
        boleto_due_at: boleto
            .and_then(|b| b.expires_at)
            .map(Timestamp::from_unix_seconds)
            .or(waited.and_then(|row| row.boleto_due_at)),
        boleto_url: boleto
            .and_then(|b| NonEmpty::new(b.hosted_voucher_url.clone()?))
            .or(waited.and_then(|row| row.boleto_url.clone())),
        receipt_url: fact.hosted_invoice_url.clone().and_then(NonEmpty::new),
        paid_at: fact.paid_at().map(Timestamp::from_unix_seconds),
        created_at: Timestamp::from_unix_seconds(fact.created),
        amount_due_centavos: Centavos::new(fact.amount_due),
        refunded_centavos: match reversal {
            Some(reversal) => reversal.reversed_centavos().min(Centavos::new(fact.amount_due)),
            None => stored.map_or(Centavos::ZERO, |row| row.refunded_centavos),
        },
        dispute: match reversal {
            Some(reversal) => reversal.dispute(),
            None => stored.and_then(|row| row.dispute),
        },
        dispute_answer_by: match reversal {
            Some(reversal) => reversal.answer_by(),
            None => stored.and_then(|row| row.dispute_answer_by),
        },
        // The plan bought at the time. A later plan change does not change what the invoice charged
        // for. The invoice of a plan change has its plan when it is paid.
        plan_id: stored.and_then(|row| row.plan_id).or(Some(own.plan).filter(|_| has_plan)),
        plan_interval: stored.and_then(|row| row.plan_interval).or(Some(own.interval).filter(|_| has_plan)),
        carried_centavos: Centavos::new(fact.carried()),
        authentication: payment.filter(|_| is_open(fact)).and_then(authentication_of),
        number: fact.number.clone().and_then(NonEmpty::new).or(stored.and_then(|row| row.number.clone())),
        charge_id: payment
            .and_then(stripe::PaymentIntent::latest_charge_id)
            .and_then(NonEmpty::new)
            .or(stored.and_then(|row| row.charge_id.clone())),
        next_attempt_at: fact.next_payment_attempt.map(Timestamp::from_unix_seconds),
        credit_returned_centavos: stored.map_or(Centavos::ZERO, |row| row.credit_returned_centavos),
    }
}

/// The card whose payment needs authentication.
pub(crate) fn authentication_of(payment: &stripe::PaymentIntent) -> Option<NonEmpty> {
    let card = payment.attempted_method().unwrap_or("unknown");
    payment.needs_authentication().then(|| NonEmpty::new(card))?
}

fn is_open(fact: &stripe::Invoice) -> bool {
    fact.is(InvoiceStatus::Open)
}

/// The card that replaced the voucher. The voucher can no longer be paid, and its expiry no longer
/// matters.
fn card_instead(
    own: &OwnSubscription<'_>,
    fact: &stripe::Invoice,
    payment: Option<&stripe::PaymentIntent>,
) -> Option<PaymentMethod> {
    let has_ended = payment.is_some_and(|payment| !payment.may_still_pay());
    own.fact.method().filter(|method| is_open(fact) && has_ended && *method == PaymentMethod::Card)
}

/// The status of an invoice. A preview has none and counts as a draft.
pub(crate) fn status_of(fact: &stripe::Invoice) -> InvoiceStatus {
    fact.status.unwrap_or(InvoiceStatus::Draft)
}
