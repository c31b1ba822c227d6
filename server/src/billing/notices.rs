//! Mails and conversions about a transition. Each is a job stored in the transition's transaction,
//! under a key that makes it unique.

use std::collections::HashSet;

use garimpo_domain::balance::{NextCharge, next_charge};
use garimpo_domain::{Access, Centavos, Policy, Renewal, Settlement, Status, SubscriptionId, Timestamp};

use crate::billing::facts::deletion_impact::DeletionImpact;
use crate::billing::facts::projection::{NewCancellation, NewPayment, NewTrialPurchase, Projection};
use crate::billing::notices::ad_conversions::hold_conversions;
use crate::mail::{Template, Values, enqueue_mail};
use crate::store::{Account, Invoice, OrEmpty as _, Result, Subscription, Tx, cancellations};

pub(super) mod ad_conversions;
pub(super) mod boleto_expiry;
mod phrases;
mod plan_changes;
mod refunds;
pub(super) mod reminders;
mod template_values;

use phrases::day;
use plan_changes::{plan_changed_key, plan_changed_values};
pub(super) use refunds::{
    enqueue_payment_after_end, enqueue_payment_returned, enqueue_refund_paid, enqueue_refund_requested,
};
use refunds::{refund_made_values, ways};
pub(super) use template_values::bought;
use template_values::printed_line;

/// Enqueues the mails and conversions of a projection.
pub(super) async fn enqueue(tx: &mut Tx, account: &Account, projection: &Projection) -> Result<()> {
    let now = projection.now;
    let mut requested = HashSet::new();
    for NewCancellation { subscription, .. } in &projection.cancellations {
        if cancellations::was_requested(tx, &subscription.id).await? {
            requested.insert(&subscription.id);
        }
    }
    for (template, key, values) in mails(projection, &requested) {
        enqueue_mail(tx, key, template, &account.uid, values, now).await?;
    }
    for payment in projection.payments.iter().chain(&projection.change_payments) {
        hold_conversions(tx, account, payment, now).await?;
    }
    Ok(())
}

/// The mails of a projection, each with its unique key and its values. `requested` are the
/// subscriptions that their owner canceled.
fn mails(projection: &Projection, requested: &HashSet<&SubscriptionId>) -> Vec<(Template, String, Values)> {
    let (now, policy) = (projection.now, &projection.policy);
    let mut mails = Vec::new();
    let mut add = |template, key, values| mails.push((template, key, values));
    let balance = projection.balance_centavos.unwrap_or_default();
    for change in &projection.changes {
        let values = plan_changed_values(change, balance, now);
        add(Template::PlanChanged, plan_changed_key(change, now), values);
    }
    for NewTrialPurchase { subscription, first_centavos, first_charge_at } in &projection.trial_purchases {
        let mut values = bought(subscription, *first_centavos);
        let first = next_charge(Some(*first_charge_at), *first_centavos, balance, false);
        values.extend(first.map(|first| ("amount".to_owned(), phrases::first_charge(&first))));
        values.insert("charged_on".into(), day(*first_charge_at));
        add(Template::TrialPurchase, format!("trial_purchase:{}", subscription.id), values);
    }
    for payment in &projection.payments {
        let key = format!("payment_confirmed:{}", payment.invoice.id);
        add(Template::PaymentConfirmed, key, payment_values(payment));
    }
    for (invoice, subscription) in &projection.boletos {
        let key = format!("boleto_issued:{}:{}", invoice.id, invoice.boleto_line.or_empty());
        let status = subscription.state().phase_at(now, policy).status;
        add(Template::BoletoIssued, key, boleto_values(invoice, subscription, status));
    }
    for (invoice, subscription) in &projection.failures {
        let values = payment_failed_values(invoice, subscription, now, policy);
        add(Template::PaymentFailed, format!("payment_failed:{}", invoice.id), values);
    }
    for (invoice, subscription) in &projection.authentications {
        let key = format!("payment_authentication:{}:{}", invoice.id, invoice.authentication.or_empty());
        let values = payment_failed_values(invoice, subscription, now, policy);
        add(Template::PaymentAuthentication, key, values);
    }
    for NewCancellation { subscription, asked_at } in &projection.cancellations {
        let voids_boleto =
            projection.invoices.iter().any(|invoice| is_void_boleto(invoice, subscription, now));
        let mut values = canceled_values(subscription, voids_boleto, now, policy);
        let is_unpaid = !requested.contains(&subscription.id) && has_ended_unpaid(subscription, now);
        let because = if is_unpaid { phrases::FOR_NON_PAYMENT } else { "" };
        values.insert("because".into(), because.to_owned());
        let key = format!("subscription_canceled:{}:{asked_at}", subscription.id);
        add(Template::SubscriptionCanceled, key, values);
    }
    for refund in &projection.refunds {
        let key = format!("refund_made:{}:{}", refund.invoice.id, refund.invoice.refunded_centavos.get());
        add(Template::RefundMade, key, refund_made_values(refund));
    }
    mails
}

/// Values of the mail about a failed charge: first charge or renewal, and the effect on access.
pub(super) fn payment_failed_values(
    invoice: &Invoice,
    subscription: &Subscription,
    now: Timestamp,
    policy: &Policy,
) -> Values {
    let access = match subscription.state().phase_at(now, policy).access {
        Access::Paid(until) | Access::Trial(until) => phrases::access_holds(until),
        Access::None => phrases::ACCESS_IS_SUSPENDED.to_owned(),
    };
    let is_first = subscription.first_paid_at.is_none();
    let charge = if is_first { phrases::AT_FIRST_CHARGE } else { phrases::AT_RENEWAL };
    let mut values = bought(subscription, invoice.amount_due_centavos);
    values.insert("access".into(), access);
    values.insert("charge".into(), charge.to_owned());
    values
}

/// Whether an ended subscription's boleto could still be paid, although it would give no rights.
fn is_void_boleto(invoice: &Invoice, subscription: &Subscription, now: Timestamp) -> bool {
    subscription.ended_at.is_some()
        && invoice.subscription_id == subscription.id
        && !invoice.is_paid()
        && invoice.boleto_line.is_some()
        && invoice.boleto_due_at.is_some_and(|due| now <= due)
}

/// Values of the mail about a coming renewal: its day, the amount after credit, and the method.
pub(super) fn renewal_values(subscription: &Subscription, next: &NextCharge) -> Values {
    let mut values = bought(subscription, next.price);
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
    values.insert("renews_on".into(), day(next.at));
    values.insert("how".into(), format!("{first}{how}"));
    values
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

/// Values of the mail about a cancellation: the end of access, and until when it can be undone.
fn canceled_values(
    subscription: &Subscription,
    voids_boleto: bool,
    now: Timestamp,
    policy: &Policy,
) -> Values {
    let suspended = subscription.state().phase_at(now, policy).status == Status::Suspended;
    let mut values = bought(subscription, subscription.price_centavos);
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
    values.insert(
        "access".into(),
        if voids_boleto { format!("{access} {}", phrases::DO_NOT_PAY) } else { access },
    );
    values.insert("undo".into(), undo);
    values
}

/// Sentences about money in the last mail of a deleted account.
pub(super) fn end_in_words(impact: &DeletionImpact<'_>) -> String {
    let mut said = Vec::new();
    match impact.subscription {
        Some(row) => {
            let plan = bought(row, Centavos::ZERO).remove("plan").unwrap_or_default();
            said.push(phrases::subscription_ended(&plan));
        }
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

fn payment_values(payment: &NewPayment) -> Values {
    let invoice = &payment.invoice;
    let (credit, carried) = (invoice.credit_used(), invoice.carried_centavos);
    // The invoice also charged the rest of an earlier one.
    let mut values = bought(&payment.subscription, invoice.total_centavos - credit.min(Centavos::ZERO));
    let by_credit = (credit > Centavos::ZERO).then(|| phrases::of_your_credit(credit));
    let later = (carried > Centavos::ZERO).then(|| phrases::left_for_the_next_invoice(carried));
    let parts: Vec<String> = by_credit.into_iter().chain(later).collect();
    if !parts.is_empty() {
        values.insert("amount".into(), phrases::total_made_of(invoice.total_centavos, &parts));
    }
    let paid_until = payment.subscription.paid_until;
    values.insert("paid_until".into(), paid_until.map(day).unwrap_or_default());
    values
}

pub(super) fn boleto_values(invoice: &Invoice, subscription: &Subscription, status: Status) -> Values {
    let mut values = bought(subscription, invoice.amount_due_centavos);
    let due = invoice.boleto_due_at.map(day).unwrap_or_default();
    values.insert("due_day".into(), due.get(..5).unwrap_or_default().to_owned());
    values.insert("due_date".into(), due);
    values.insert("line".into(), printed_line(invoice.boleto_line.or_empty()));
    values.insert("voucher_url".into(), invoice.boleto_url.or_empty().to_owned());
    let outcome = match status {
        Status::AwaitingPayment => phrases::ACCESS_OPENS,
        Status::Suspended => phrases::ACCESS_COMES_BACK,
        _ => phrases::ACCESS_GOES_ON,
    };
    values.insert("outcome".into(), outcome.to_owned());
    values
}
