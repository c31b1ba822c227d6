//! What the provider's state of one customer means for us: a pure function from facts to rows.
//!
//! Access follows money: a paid invoice opens a period, never a subscription's status alone (design section 7).
//! Nothing here reads or writes; `apply` brings the facts and stores the result.

mod news;

use std::collections::BTreeMap;

use garimpo_domain::checkout::{BOLETO_DAYS, PaymentMethod};
use garimpo_domain::subscription::{Policy, Renewal};
use garimpo_domain::{Interval, PlanId, Timestamp};

use super::changed::{NewChange, new_changes};
use super::seat::seat_one;
use super::takeback::{TakenBack, set_takeback};
use crate::providers::stripe;
use crate::store::StoreError;
use crate::store::checkouts::{Checkout, CheckoutState};
use crate::store::invoices::{Invoice, was_paid};
use crate::store::refunds::Refund;
use crate::store::subscriptions::{DUPLICATE, REPLACED, Subscription};

pub(super) use news::{NewCancellation, NewPayment, NewRefund, NewTrialPurchase};
use news::{
    new_boletos, new_cancellations, new_failures, new_payments, new_refunds, new_trial_purchases, too_little,
};

/// What the provider says of one customer, all read after one ticket.
#[derive(Debug, Default)]
pub(super) struct Observed {
    /// Subscriptions and invoices.
    pub(super) state: stripe::CustomerState,
    /// Payments of the invoices that are open or whose method is not known yet, by id.
    pub(super) payments: BTreeMap<String, stripe::PaymentIntent>,
    /// Sessions of the checkouts that are not settled, by our checkout's id; `None` where the provider has none.
    pub(super) sessions: BTreeMap<String, Option<stripe::CheckoutSession>>,
    /// What of the money went back.
    pub(super) taken: TakenBack,
}

/// What we stored of the account before.
#[derive(Debug)]
pub(super) struct Known<'a> {
    /// Account.
    pub(super) uid: &'a str,
    /// Its subscriptions.
    pub(super) subscriptions: &'a [Subscription],
    /// Its invoices.
    pub(super) invoices: &'a [Invoice],
    /// Its checkouts that are not settled.
    pub(super) checkouts: &'a [Checkout],
    /// What is given back to it.
    pub(super) refunds: &'a [Refund],
}

/// What is to be stored, and what happened for the first time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Projection {
    /// Every subscription of the account, at most one of them live.
    pub(super) subscriptions: Vec<Subscription>,
    /// Every invoice of those subscriptions.
    pub(super) invoices: Vec<Invoice>,
    /// What became of the checkouts.
    pub(super) checkouts: Vec<CheckoutState>,
    /// What the provider keeps for the customer between invoices; `None` where nothing says it.
    pub(super) balance_centavos: Option<i64>,
    /// Subscriptions that run and are not of our making, their ids parted by blanks.
    pub(super) made_by_hand: String,
    /// Changes of plan that were not known before.
    pub(super) changes: Vec<NewChange>,
    /// Purchases in the trial that were not known before, charged at its end.
    pub(super) trial_purchases: Vec<NewTrialPurchase>,
    /// Payments that were not known before, of subscriptions that stand; those of a change of plan are told with it.
    pub(super) payments: Vec<NewPayment>,
    /// Payments that were not known before, of changes of plan.
    pub(super) change_payments: Vec<NewPayment>,
    /// Invoices whose boleto was not known before.
    pub(super) boletos: Vec<Invoice>,
    /// Invoices of renewals whose failure was not known before.
    pub(super) failures: Vec<Invoice>,
    /// Money that went back and that no request of ours asked back.
    pub(super) refunds: Vec<NewRefund>,
    /// Invoices whose rest is to wait for the next one.
    pub(super) too_little: Vec<Invoice>,
    /// Cancellations that were not known before, of subscriptions that stand or stood.
    pub(super) cancellations: Vec<NewCancellation>,
}

/// Derives the rows from the facts.
///
/// # Errors
/// [`StoreError::Inconsistent`] when a stored row cannot be read.
pub(super) fn project(
    known: &Known<'_>,
    observed: &Observed,
    now: Timestamp,
    policy: &Policy,
) -> Result<Projection, StoreError> {
    // The provider lists newest first and its times have whole seconds: from the end, the order of a second is kept.
    let ours: Vec<_> =
        observed.state.subscriptions.iter().rev().filter_map(|fact| Ours::of(fact, known.uid)).collect();
    let invoices: Vec<_> = observed
        .state
        .invoices
        .iter()
        .rev()
        .filter_map(|fact| {
            let own = ours.iter().find(|own| fact.subscription() == Some(&own.fact.id))?;
            Some((fact, invoice_row(known, observed, own, fact)))
        })
        .collect();
    let mut subscriptions: Vec<_> =
        ours.iter().map(|own| subscription_row(known, observed, own, &invoices, now)).collect();
    subscriptions.sort_by_key(|row| row.created_at_us);
    seat_one(&mut subscriptions, now, policy)?;

    let facts: Vec<_> =
        invoices.iter().map(|(fact, _)| (*fact, was_paid(known.invoices, &fact.id))).collect();
    let changes = new_changes(known.subscriptions, &subscriptions, &facts);
    let invoices: Vec<Invoice> = invoices.into_iter().map(|(_, row)| row).collect();
    let of_change =
        |payment: &NewPayment| changes.iter().any(|c| c.invoice_id.as_ref() == Some(&payment.invoice.id));
    let (change_payments, payments) =
        new_payments(known, &subscriptions, &invoices).into_iter().partition(of_change);
    let checkouts: Vec<_> =
        known.checkouts.iter().filter_map(|c| checkout_state(c, observed, &subscriptions)).collect();
    Ok(Projection {
        trial_purchases: new_trial_purchases(known, &subscriptions, &checkouts),
        checkouts,
        payments,
        change_payments,
        changes,
        boletos: new_boletos(known, &subscriptions, &invoices),
        failures: new_failures(known, &subscriptions, &invoices),
        refunds: new_refunds(known, &subscriptions, &invoices),
        too_little: too_little(&ours, &subscriptions, &invoices),
        balance_centavos: observed.state.subscriptions.iter().find_map(stripe::Subscription::balance),
        cancellations: new_cancellations(known, &subscriptions, &ours),
        made_by_hand: made_by_hand(&observed.state.subscriptions, &ours),
        subscriptions,
        invoices,
    })
}

/// A subscription of our making: the metadata says for whom and what.
struct Ours<'a> {
    fact: &'a stripe::Subscription,
    plan: PlanId,
    interval: Interval,
}

impl<'a> Ours<'a> {
    fn of(fact: &'a stripe::Subscription, uid: &str) -> Option<Self> {
        if fact.metadata.get("uid").map(String::as_str) != Some(uid) {
            return None;
        }
        let price = &fact.item()?.price.metadata;
        // The portal and a plan change move the item to another price, whose own metadata is then the truth.
        let key = |name: &str| price.get(name).or_else(|| fact.metadata.get(name));
        let plan = PlanId::parse(key("plan")?)?;
        let interval = Interval::parse(key("interval")?)?;
        Some(Self { fact, plan, interval })
    }

    /// What the next invoice is paid by; nothing says it of what is over.
    fn pays_by(&self) -> Option<String> {
        let method = self.fact.method().filter(|_| !self.fact.is_over())?;
        Some(method.name().to_owned())
    }

    fn pays_by_boleto(&self) -> bool {
        self.fact.method() == Some(PaymentMethod::Boleto)
    }
}

/// Without our metadata nothing says whose they are or what they give: they give nothing, and the operator is told.
fn made_by_hand(facts: &[stripe::Subscription], ours: &[Ours<'_>]) -> String {
    let is_ours = |fact: &&stripe::Subscription| ours.iter().any(|own| own.fact.id == fact.id);
    let strange = facts.iter().filter(|fact| !fact.is_over() && !is_ours(fact));
    strange.map(|fact| fact.id.as_str()).collect::<Vec<_>>().join(" ")
}

fn invoice_row(known: &Known<'_>, observed: &Observed, own: &Ours<'_>, fact: &stripe::Invoice) -> Invoice {
    let stored = known.invoices.iter().find(|row| row.id == fact.id);
    let intent_id =
        fact.payment_intent().or(stored.map(|row| row.payment_intent_id.as_str())).unwrap_or_default();
    let payment = observed.payments.get(intent_id);
    let fate = observed.taken.fates.get(intent_id);
    let method = card_instead(own, fact, payment).or_else(|| payment?.method());
    let waited = stored.filter(|_| method != Some(PaymentMethod::Card));
    let boleto = payment.and_then(stripe::PaymentIntent::boleto);
    Invoice {
        id: fact.id.clone(),
        uid: known.uid.to_owned(),
        subscription_id: fact.subscription().unwrap_or_default().to_owned(),
        reason: fact.billing_reason.clone().unwrap_or_default(),
        status: fact.status.clone().unwrap_or_else(|| "draft".to_owned()),
        total_centavos: fact.total,
        payment_method: method
            .map(PaymentMethod::name)
            .or(stored.map(|row| row.payment_method.as_str()))
            .unwrap_or_default()
            .to_owned(),
        payment_intent_id: intent_id.to_owned(),
        // A voucher that expired is shown by the provider no more; what it was still decides until when access holds.
        boleto_line: boleto
            .and_then(|b| b.number.as_deref())
            .or(waited.map(|row| row.boleto_line.as_str()))
            .unwrap_or_default()
            .to_owned(),
        boleto_due_at_us: boleto
            .and_then(|b| b.expires_at)
            .map(micros)
            .or(waited.and_then(|row| row.boleto_due_at_us)),
        boleto_url: boleto
            .and_then(|b| b.hosted_voucher_url.as_deref())
            .or(waited.map(|row| row.boleto_url.as_str()))
            .unwrap_or_default()
            .to_owned(),
        receipt_url: fact.hosted_invoice_url.clone().unwrap_or_default(),
        paid_at_us: fact.paid_at().map(micros),
        created_at_us: micros(fact.created),
        amount_due_centavos: fact.amount_due,
        refunded_centavos: match fate {
            Some(fate) => fate.back_centavos().min(fact.amount_due),
            None => stored.map_or(0, |row| row.refunded_centavos),
        },
        dispute: match fate {
            Some(fate) => fate.dispute().to_owned(),
            None => stored.map(|row| row.dispute.clone()).unwrap_or_default(),
        },
        // What was bought with it: a later change of plan does not change what it charged for.
        plan_id: first_known(stored.map(|row| &row.plan_id), own.plan.as_str()),
        plan_interval: first_known(stored.map(|row| &row.plan_interval), own.interval.written()),
        carried_centavos: fact.carried(),
        credit_returned_centavos: stored.map_or(0, |row| row.credit_returned_centavos),
    }
}

/// The card that serves since: it ended the voucher, which nobody is to pay now, and until whose day nothing holds.
fn card_instead(
    own: &Ours<'_>,
    fact: &stripe::Invoice,
    payment: Option<&stripe::PaymentIntent>,
) -> Option<PaymentMethod> {
    let is_open = fact.status.as_deref() == Some("open");
    let has_ended = payment.is_some_and(|payment| !payment.may_still_pay());
    own.fact.method().filter(|method| is_open && has_ended && *method == PaymentMethod::Card)
}

fn first_known(stored: Option<&String>, now: &str) -> String {
    stored.filter(|text| !text.is_empty()).cloned().unwrap_or_else(|| now.to_owned())
}

fn subscription_row(
    known: &Known<'_>,
    observed: &Observed,
    own: &Ours<'_>,
    invoices: &[(&stripe::Invoice, Invoice)],
    now: Timestamp,
) -> Subscription {
    let fact = own.fact;
    let stored = known.subscriptions.iter().find(|row| row.id == fact.id);
    let mine: Vec<_> = invoices.iter().filter(|(_, row)| row.subscription_id == fact.id).collect();
    let paid: Vec<_> = mine.iter().copied().filter(|(fact, _)| is_payment(fact)).collect();
    let last_paid = paid.iter().copied().max_by_key(|(_, row)| row.created_at_us);
    let item = fact.item();
    let period = last_paid.map(|(invoice, _)| {
        let (start, end) = paid_period(invoice, item);
        // A change of plan charged the rest of a period, which began with the payment before.
        let same = paid.iter().map(|(fact, _)| paid_period(fact, item)).filter(|period| period.1 == end);
        (same.map(|(start, _)| start).min().unwrap_or(start), end)
    });
    // An invoice that credit alone paid names no method.
    let with_method = |list: &[&(&stripe::Invoice, Invoice)]| {
        let named = list.iter().filter(|(_, row)| !row.payment_method.is_empty());
        named.max_by_key(|(_, row)| row.created_at_us).map(|(_, row)| row.payment_method.clone())
    };
    let metadata = |name: &str| fact.metadata.get(name).cloned().unwrap_or_default();
    let mut row = Subscription {
        id: fact.id.clone(),
        uid: known.uid.to_owned(),
        plan_id: own.plan.as_str().to_owned(),
        plan_interval: own.interval.written().to_owned(),
        coupon_id: metadata("coupon"),
        promo_code: metadata("code"),
        price_centavos: item.and_then(|item| item.price.unit_amount).unwrap_or_default(),
        payment_method: own
            .pays_by()
            .or_else(|| with_method(&paid))
            .or_else(|| with_method(&mine))
            .unwrap_or_default(),
        provider_status: fact.status.clone(),
        live: stored.is_some_and(|row| row.live),
        retired: retired(known, stored, &paid),
        first_paid_at_us: paid.iter().filter_map(|(_, row)| row.paid_at_us).min(),
        paid_from_us: period.map(|(start, _)| micros(start)),
        paid_until_us: period.map(|(_, end)| micros(end)),
        first_charge_at_us: fact.trial_end.filter(|_| paid.is_empty()).map(micros),
        renewal: String::new(),
        renewal_at_us: None,
        cancel_at_period_end: fact.cancels(),
        ended_at_us: ended_at(fact).map(micros),
        created_at_us: micros(fact.created),
        disputed_at_us: None,
        returned_at_us: None,
    };
    let opened: Vec<_> = paid.iter().map(|(fact, row)| (row, micros(paid_period(fact, item).1))).collect();
    set_takeback(&mut row, (stored, known.refunds), &observed.taken, &opened, now);
    let since = last_paid.map(|(_, row)| row.created_at_us).unwrap_or_default();
    // What waits for the next invoice is no renewal that failed: this one is paid as soon as it is noted.
    let is_asked =
        |row: &Invoice| row.created_at_us >= since && !(own.pays_by_boleto() && row.is_too_little());
    row.set_renewal(renewal(mine.iter().copied().filter(|(_, row)| is_asked(row))));
    row
}

/// A replaced subscription that is paid all the same, in the moment before its end, becomes a duplicate to give back.
fn retired(
    known: &Known<'_>,
    stored: Option<&Subscription>,
    paid: &[&(&stripe::Invoice, Invoice)],
) -> String {
    let before = stored.map(|row| row.retired.as_str()).unwrap_or_default();
    let is_new = |row: &Invoice| !was_paid(known.invoices, &row.id);
    if before == REPLACED && paid.iter().any(|(_, row)| is_new(row)) { DUPLICATE } else { before }.to_owned()
}

/// A payment moved money or credit; the empty invoice that opens a trial did not.
pub(super) fn is_payment(fact: &stripe::Invoice) -> bool {
    fact.paid_at().is_some() && fact.moved()
}

/// The time that a paid invoice opened. A change of plan within a period charges the rest of it: the period is the item's.
fn paid_period(invoice: &stripe::Invoice, item: Option<&stripe::SubscriptionItem>) -> (i64, i64) {
    let of_item = item.map(|item| (item.current_period_start, item.current_period_end));
    match (invoice.period(), of_item) {
        (Some((start, end)), Some(current)) if end == current.1 => (start.min(current.0), end),
        (charged, current) => charged.or(current).unwrap_or_default(),
    }
}

fn ended_at(fact: &stripe::Subscription) -> Option<i64> {
    fact.is_over().then(|| fact.ended_at.or(fact.canceled_at).unwrap_or(fact.created))
}

/// What is known of the invoice after the last paid one.
fn renewal<'a>(since_paid: impl Iterator<Item = &'a (&'a stripe::Invoice, Invoice)>) -> Renewal {
    let unpaid = since_paid.filter(|(_, row)| row.can_be_paid()).max_by_key(|(_, row)| row.created_at_us);
    let Some((fact, row)) = unpaid else { return Renewal::Open };
    let begun_at = Timestamp::from_unix_seconds(fact.finalized_at());
    if row.payment_method == PaymentMethod::Boleto.name() {
        // The first voucher's day counts: those that the provider issues after it was missed prolong nothing.
        let first_due = begun_at.plus_days(BOLETO_DAYS).end_of_day_sao_paulo();
        let due_at = row.boleto_due_at_us.map(Timestamp::from_micros);
        return Renewal::Voucher { due_at: due_at.map_or(first_due, |due| due.min(first_due)) };
    }
    // The provider does not say when the first attempt failed; it makes it as it finalizes the invoice.
    if fact.attempt_count > 0 { Renewal::Failed { at: begun_at } } else { Renewal::Open }
}

fn checkout_state(checkout: &Checkout, observed: &Observed, rows: &[Subscription]) -> Option<CheckoutState> {
    let Some(session) = observed.sessions.get(&checkout.id)? else {
        return Some(CheckoutState {
            id: checkout.id.clone(),
            status: "expired".to_owned(),
            payment_status: checkout.payment_status.clone(),
            settled: true,
            subscription_id: checkout.subscription_id.clone(),
            amount_total_centavos: None,
        });
    };
    let subscription_id = session.subscription.clone().or(checkout.subscription_id.clone());
    let subscription = rows.iter().find(|row| Some(&row.id) == subscription_id.as_ref());
    // The session of a boleto may keep saying unpaid; its subscription's invoice says when it was paid.
    let is_paid =
        session.payment_status != "unpaid" || subscription.is_some_and(|row| row.first_paid_at_us.is_some());
    let is_over = subscription.is_some_and(|row| row.ended_at_us.is_some());
    let is_paid = is_paid && session.status == "complete";
    Some(CheckoutState {
        id: checkout.id.clone(),
        status: session.status.clone(),
        payment_status: if is_paid { "paid" } else { "unpaid" }.to_owned(),
        settled: match session.status.as_str() {
            "open" => false,
            "complete" => is_paid || is_over,
            _ => true,
        },
        subscription_id,
        // A session that is charged at the trial's end asks for nothing now; its first payment is what was quoted.
        amount_total_centavos: session.amount_total.filter(|total| *total > 0),
    })
}

fn micros(unix_seconds: i64) -> i64 {
    Timestamp::from_unix_seconds(unix_seconds).as_micros()
}
