//! Enqueues conversions of payments for advertising platforms.

use garimpo_domain::{Centavos, ConversionEvent, Timestamp};

use crate::billing::facts::projection::NewPayment;
use crate::store::{Account, Result, Tx, attributions, checkouts, consents, text_or_empty};
use crate::tracking::{Conversion, PaymentFacts, hold_conversion};

/// Only the server reports payments, with the paid amount. The first payment of a subscription has
/// the same event id as the event of the page, so that the platform counts it once. Later payments,
/// of renewals and plan changes, use their invoice's id.
pub(crate) async fn hold_conversions(
    tx: &mut Tx,
    account: &Account,
    payment: &NewPayment,
    now: Timestamp,
) -> Result<()> {
    let invoice = &payment.invoice;
    if invoice.amount_due_centavos == Centavos::ZERO {
        // Paid by credit alone: that money was reported when it was paid.
        return Ok(());
    }
    let opens = payment.opens_subscription && !invoice.is_of_change();
    let mut consent = account.ads_allowed(now);
    let (mut session, mut clicked) = (None, None);
    if opens {
        // No conversion if consent was refused in the browser of the purchase.
        let at_checkout = consents::of_subscription(tx, &account.uid, &payment.subscription.id).await?;
        consent = consent.filter(|_| at_checkout != Some(false));
        let checkout = checkouts::by_subscription(&mut *tx, &payment.subscription.id).await?;
        session = checkout.and_then(|checkout| checkout.session_id);
        clicked = attributions::click_ids_of_purchase(tx, &account.uid, &payment.subscription.id).await?;
    }
    let subject = session.as_deref().unwrap_or(&invoice.id);
    let mut events = vec![ConversionEvent::PaymentConfirmed];
    if payment.is_new_subscriber {
        events.push(ConversionEvent::NewSubscriber);
    }
    for event in events {
        let facts = payment_facts(payment);
        let conversion = Conversion::of_payment(event, subject, account, facts, clicked.as_ref(), consent);
        hold_conversion(tx, conversion, now).await?;
    }
    Ok(())
}

fn payment_facts(payment: &NewPayment) -> PaymentFacts {
    PaymentFacts {
        paid_at: payment.invoice.paid_at.unwrap_or(payment.invoice.created_at),
        value: payment.invoice.amount_due_centavos,
        plan_id: text_or_empty(payment.invoice.plan_id).to_owned(),
        interval: text_or_empty(payment.invoice.plan_interval).to_owned(),
    }
}
