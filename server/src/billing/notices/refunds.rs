//! Mails about refunds.

use garimpo_domain::{Centavos, Timestamp, Uid};

use crate::billing::facts::projection::NewRefund;
use crate::billing::facts::refund_request::RefundSummary;
use crate::billing::notices::phrases;
use crate::billing::notices::phrases::day;
use crate::billing::notices::words::{bought, named};
use crate::mail::{Mail, enqueue_mail};
use crate::store::{DisputeState, Refund, RefundMethod, Result, Subscription, Text as _, Tx};

/// The mail about a refund made at the provider: the amount, by whom, and whether the subscription
/// continues.
pub(super) fn refund_made(refund: &NewRefund) -> Mail {
    let NewRefund { invoice, centavos, subscription } = refund;
    let bought = match invoice.plan_id.zip(invoice.plan_interval) {
        None => bought(subscription, *centavos),
        // The plan that the payment bought, even if it changed later.
        Some((plan, interval)) => named(plan, interval, *centavos),
    };
    let paid_at = invoice.paid_at.unwrap_or(invoice.created_at);
    let how = if invoice.dispute == Some(DisputeState::Lost) {
        phrases::THE_BANK_GIVES_IT_BACK.to_owned()
    } else {
        phrases::it_comes_back_on_card()
    };
    let is_over = subscription.returned_at.is_some() || subscription.ended_at.is_some();
    let access = if is_over { phrases::SUBSCRIPTION_ENDED_WITH_IT } else { phrases::SUBSCRIPTION_GOES_ON };
    Mail::RefundMade { bought, paid_on: day(paid_at), how, access: access.to_owned() }
}

/// How a refund is paid: a part by Pix, with the text `pix`, and the rest to the card.
pub(super) fn ways(total: Centavos, by_pix: Centavos, pix: &str) -> String {
    match total - by_pix {
        _ if by_pix == Centavos::ZERO => phrases::BACK_ON_CARD.to_owned(),
        Centavos::ZERO => pix.to_owned(),
        on_card => phrases::back_in_two_parts(on_card, by_pix, pix),
    }
}

/// Mails the confirmation of a refund request: its protocol, method and date.
pub(crate) async fn enqueue_refund_requested(
    tx: &mut Tx,
    uid: &Uid,
    subscription: &Subscription,
    summary: &RefundSummary,
    now: Timestamp,
) -> Result<()> {
    let pix = summary.due_at.map(phrases::back_by_pix_to_this_key);
    let how = ways(summary.centavos, summary.pix_centavos, &pix.unwrap_or_default());
    let bought = bought(subscription, summary.centavos);
    let mail = Mail::RefundRequested { bought, how, protocol: summary.protocol.clone() };
    // Mail again if the refund becomes a Pix because the bank refused it, or if another payment was
    // found.
    let key =
        format!("refund_requested:{}:{}:{}", summary.protocol, summary.method.text(), summary.centavos.get());
    enqueue_mail(tx, key, mail, uid, now).await
}

/// Mails the buyer, once per subscription, that the duplicate payment is refunded, how and until
/// when. Credit that paid a part becomes credit again; without a refund, credit paid all of it.
pub(crate) async fn enqueue_payment_returned(
    tx: &mut Tx,
    subscription: &Subscription,
    refund: Option<&Refund>,
    credit: Centavos,
    now: Timestamp,
) -> Result<()> {
    let key = format!("payment_returned:{}", subscription.id);
    let bought = bought(subscription, refund.map_or(credit, |refund| refund.amount_centavos));
    let (outcome, how) = match refund.map(|refund| refund.method) {
        Some(RefundMethod::Pix) => (phrases::COMES_BY_PIX, phrases::back_by_pix()),
        Some(_) => (phrases::GIVEN_BACK_ON_CARD, phrases::BACK_ON_CARD.to_owned()),
        None => (phrases::BACK_IN_YOUR_CREDIT, phrases::BACK_AS_CREDIT.to_owned()),
    };
    let beside = refund.is_some() && credit > Centavos::ZERO;
    let also = if beside { phrases::credit_comes_back_too(credit) } else { String::new() };
    let mail = Mail::PaymentReturned { bought, outcome: outcome.to_owned(), how: format!("{how}{also}") };
    enqueue_mail(tx, key, mail, &subscription.uid, now).await
}

/// Mails the payer, once per refund, that a payment arrived after the subscription had ended, and
/// how it is refunded.
pub(crate) async fn enqueue_payment_after_end(
    tx: &mut Tx,
    subscription: &Subscription,
    refund: &Refund,
    now: Timestamp,
) -> Result<()> {
    let how = match refund.due_at {
        Some(due_at) => phrases::back_by_pix_to_this_key(due_at),
        None => phrases::BACK_ON_CARD.to_owned(),
    };
    let bought = bought(subscription, refund.amount_centavos);
    let mail = Mail::PaymentAfterEnd { bought, how, protocol: protocol(refund) };
    let key = format!("payment_after_end:{}", refund.id);
    enqueue_mail(tx, key, mail, &subscription.uid, now).await
}

/// Mails that a Pix was paid. The job is due at 0, because the operator's command does not know the
/// product's time.
pub(crate) async fn enqueue_refund_paid(tx: &mut Tx, refund: &Refund) -> Result<()> {
    let mail = Mail::RefundPaid { amount: refund.amount_centavos.to_string(), protocol: protocol(refund) };
    let key = format!("refund_paid:{}", refund.id);
    enqueue_mail(tx, key, mail, &refund.uid, Timestamp::from_micros(0)).await
}

fn protocol(refund: &Refund) -> String {
    refund.protocol.clone().unwrap_or_else(|| refund.id.clone())
}
