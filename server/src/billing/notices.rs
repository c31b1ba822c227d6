//! Mails and conversions about a transition. Each is a job stored in the transition's transaction,
//! under a key that makes it unique.

use std::collections::HashSet;

use garimpo_domain::balance::{NextCharge, next_charge};
use garimpo_domain::{Access, Centavos, Policy, Renewal, Settlement, Status, SubscriptionId, Timestamp};

use crate::billing::facts::deletion_impact::DeletionImpact;
use crate::billing::facts::projection::{NewCancellation, NewPayment, NewTrialPurchase, Projection};
use crate::billing::notices::ad_conversions::hold_conversions;
use crate::mail::{Boleto, Mail, UnpaidCharge, enqueue_mail};
use crate::store::{Account, Invoice, OrEmpty as _, Result, Subscription, Tx, cancellations};

pub(super) mod ad_conversions;
pub(super) mod boleto_expiry;
mod phrases;
mod plan_changes;
mod refunds;
pub(super) mod reminders;
mod words;

use phrases::day;
use plan_changes::{plan_changed, plan_changed_key};
pub(super) use refunds::{
    enqueue_payment_after_end, enqueue_payment_returned, enqueue_refund_paid, enqueue_refund_requested,
};
use refunds::{refund_made, ways};
pub(super) use words::bought;
use words::printed_line;

/// Enqueues the mails and conversions of a projection.
pub(super) async fn enqueue(tx: &mut Tx, account: &Account, projection: &Projection) -> Result<()> {
    let now = projection.now;
    let mut requested = HashSet::new();
    for NewCancellation { subscription, .. } in &projection.cancellations {
        if cancellations::was_requested(tx, &subscription.id).await? {
            requested.insert(&subscription.id);
        }
    }
    for (key, mail) in mails(projection, &requested) {
        enqueue_mail(tx, key, mail, &account.uid, now).await?;
    }
    for payment in projection.payments.iter().chain(&projection.change_payments) {
        hold_conversions(tx, account, payment, now).await?;
    }
    Ok(())
}

/// The mails of a projection, each with its unique key. `requested` are the subscriptions that
/// their owner canceled.
fn mails(projection: &Projection, requested: &HashSet<&SubscriptionId>) -> Vec<(String, Mail)> {
    let (now, policy) = (projection.now, &projection.policy);
    let mut mails = Vec::new();
    let mut add = |key, mail| mails.push((key, mail));
    let balance = projection.balance_centavos.unwrap_or_default();
    for change in &projection.changes {
        add(plan_changed_key(change, now), plan_changed(change, balance, now));
    }
    for NewTrialPurchase { subscription, first_centavos, first_charge_at } in &projection.trial_purchases {
        let mut bought = bought(subscription, *first_centavos);
        if let Some(first) = next_charge(Some(*first_charge_at), *first_centavos, balance, false) {
            bought.amount = phrases::first_charge(&first);
        }
        let mail = Mail::TrialPurchase { bought, charged_on: day(*first_charge_at) };
        add(format!("trial_purchase:{}", subscription.id), mail);
    }
    for payment in &projection.payments {
        add(format!("payment_confirmed:{}", payment.invoice.id), payment_confirmed(payment));
    }
    for (invoice, subscription) in &projection.boletos {
        let key = format!("boleto_issued:{}:{}", invoice.id, invoice.boleto_line.or_empty());
        let outcome = match subscription.state().phase_at(now, policy).status {
            Status::AwaitingPayment => phrases::ACCESS_OPENS,
            Status::Suspended => phrases::ACCESS_COMES_BACK,
            _ => phrases::ACCESS_GOES_ON,
        };
        add(key, Mail::BoletoIssued { boleto: boleto(invoice, subscription), outcome: outcome.to_owned() });
    }
    for (invoice, subscription) in &projection.failures {
        let charge = unpaid_charge(invoice, subscription, now, policy);
        add(format!("payment_failed:{}", invoice.id), Mail::PaymentFailed(charge));
    }
    for (invoice, subscription) in &projection.authentications {
        let key = format!("payment_authentication:{}:{}", invoice.id, invoice.authentication.or_empty());
        add(key, Mail::PaymentAuthentication(unpaid_charge(invoice, subscription, now, policy)));
    }
    for NewCancellation { subscription, asked_at } in &projection.cancellations {
        let voids_boleto =
            projection.invoices.iter().any(|invoice| is_void_boleto(invoice, subscription, now));
        let is_unpaid = !requested.contains(&subscription.id) && has_ended_unpaid(subscription, now);
        let because = if is_unpaid { phrases::FOR_NON_PAYMENT } else { "" };
        let mail = subscription_canceled(subscription, (because, voids_boleto), now, policy);
        add(format!("subscription_canceled:{}:{asked_at}", subscription.id), mail);
    }
    for refund in &projection.refunds {
        let key = format!("refund_made:{}:{}", refund.invoice.id, refund.invoice.refunded_centavos.get());
        add(key, refund_made(refund));
    }
    mails
}

/// What the mails say of a failed charge: a first charge or a renewal, and what it does to access.
pub(super) fn unpaid_charge(
    invoice: &Invoice,
    subscription: &Subscription,
    now: Timestamp,
    policy: &Policy,
) -> UnpaidCharge {
    let access = match subscription.state().phase_at(now, policy).access {
        Access::Paid(until) | Access::Trial(until) => phrases::access_holds(until),
        Access::None => phrases::ACCESS_IS_SUSPENDED.to_owned(),
    };
    let is_first = subscription.first_paid_at.is_none();
    let charge = if is_first { phrases::AT_FIRST_CHARGE } else { phrases::AT_RENEWAL };
    UnpaidCharge {
        bought: bought(subscription, invoice.amount_due_centavos),
        charge: charge.to_owned(),
        access,
    }
}

/// Whether an ended subscription's boleto could still be paid, although it would give no rights.
fn is_void_boleto(invoice: &Invoice, subscription: &Subscription, now: Timestamp) -> bool {
    subscription.ended_at.is_some()
        && invoice.subscription_id == subscription.id
        && !invoice.is_paid()
        && invoice.boleto_line.is_some()
        && invoice.boleto_due_at.is_some_and(|due| now <= due)
}

/// The mail about a coming renewal: its day, the amount after credit, and the method.
pub(super) fn renewal_coming(subscription: &Subscription, next: &NextCharge) -> Mail {
    let Settlement { earlier, carried, due, .. } = next.settlement;
    let left = due + carried;
    let how = match subscription.pays_by_boleto() {
        _ if left == Centavos::ZERO => phrases::NOTHING_WILL_BE_CHARGED,
        true if carried > Centavos::ZERO => phrases::TOO_LITTLE_FOR_A_BOLETO,
        false if carried > Centavos::ZERO => phrases::TOO_LITTLE_FOR_A_CHARGE,
        true => phrases::A_BOLETO_WILL_COME,
        false => phrases::THE_CARD_WILL_BE_CHARGED,
    };
    let first = if earlier > Centavos::ZERO {
        phrases::comes_with_it(earlier)
    } else if next.credit == Centavos::ZERO {
        String::new()
    } else if left > Centavos::ZERO {
        phrases::credit_pays_a_part(next.credit, left)
    } else {
        phrases::credit_pays_it(next.credit)
    };
    Mail::RenewalComing {
        bought: bought(subscription, due),
        renews_on: day(next.at),
        how: format!("{first}{how}"),
    }
}

/// Whether the subscription ended with an unpaid renewal. The owner's cancellation of a suspended
/// subscription ends it the same way.
fn has_ended_unpaid(subscription: &Subscription, now: Timestamp) -> bool {
    match subscription.renewal {
        _ if subscription.ended_at.is_none() || subscription.returned_at.is_some() => false,
        Renewal::Failed { .. } => true,
        Renewal::Voucher { due_at } => due_at < now,
        Renewal::Open => false,
    }
}

/// The mail about a cancellation: the end of access, and until when it can be undone.
fn subscription_canceled(
    subscription: &Subscription,
    (because, voids_boleto): (&str, bool),
    now: Timestamp,
    policy: &Policy,
) -> Mail {
    let suspended = subscription.state().phase_at(now, policy).status == Status::Suspended;
    let end = subscription.paid_until.or(subscription.first_charge_at);
    let is_over = subscription.ended_at.is_some() || subscription.returned_at.is_some();
    let lasts = end.filter(|end| !is_over && now < *end);
    let (access, undo) = match lasts {
        Some(end) if suspended => {
            (phrases::ACCESS_IS_SUSPENDED_WITHOUT_CHARGES.to_owned(), phrases::undo_until_text(end))
        }
        Some(end) => {
            (phrases::access_holds_without_charges(end), phrases::CAN_BE_UNDONE_UNTIL_THEN.to_owned())
        }
        None => (phrases::ACCESS_ENDED_WITHOUT_CHARGES.to_owned(), phrases::COME_BACK_BY_A_PLAN.to_owned()),
    };
    Mail::SubscriptionCanceled {
        bought: bought(subscription, subscription.price_centavos),
        because: because.to_owned(),
        access: if voids_boleto { format!("{access} {}", phrases::DO_NOT_PAY) } else { access },
        undo,
    }
}

/// Sentences about money in the last mail of a deleted account.
pub(super) fn end_in_words(impact: &DeletionImpact<'_>) -> String {
    let mut said = Vec::new();
    match impact.subscription {
        Some(row) => said.push(phrases::subscription_ended(&bought(row, Centavos::ZERO).plan)),
        None => said.push(phrases::NO_SUBSCRIPTION_RAN.to_owned()),
    }
    if impact.voids_boleto {
        said.push(phrases::DO_NOT_PAY.to_owned());
    }
    let back = impact.refund_centavos();
    if back > Centavos::ZERO {
        let how = ways(back, impact.refund_pix_centavos(), &phrases::back_by_pix_to_this_email());
        said.push(phrases::guarantee_gives_back(back, &how));
    }
    said.join(" ")
}

fn payment_confirmed(payment: &NewPayment) -> Mail {
    let invoice = &payment.invoice;
    let (credit, carried) = (invoice.credit_used(), invoice.carried_centavos);
    // The invoice also charged the rest of an earlier one.
    let mut bought = bought(&payment.subscription, invoice.total_centavos - credit.min(Centavos::ZERO));
    let by_credit = (credit > Centavos::ZERO).then(|| phrases::of_your_credit(credit));
    let later = (carried > Centavos::ZERO).then(|| phrases::left_for_the_next_invoice(carried));
    let parts: Vec<String> = by_credit.into_iter().chain(later).collect();
    if !parts.is_empty() {
        bought.amount = phrases::total_made_of(invoice.total_centavos, &parts);
    }
    let paid_until = payment.subscription.paid_until.map(day).unwrap_or_default();
    Mail::PaymentConfirmed { bought, paid_until }
}

pub(super) fn boleto(invoice: &Invoice, subscription: &Subscription) -> Boleto {
    Boleto {
        bought: bought(subscription, invoice.amount_due_centavos),
        due_on: invoice.boleto_due_at.map(day).unwrap_or_default(),
        line: printed_line(invoice.boleto_line.or_empty()),
        voucher_url: invoice.boleto_url.or_empty().to_owned(),
    }
}
