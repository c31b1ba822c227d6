//! A renewal whose card is declined: the invoice, its payment and charges, retries, a new card, and what ends it.
//!
//! One test clock, three customers: one whose retries run to their end, one who pays with a new card, one whose other
//! subscription is canceled.

use std::collections::BTreeSet;

use crate::billing::rehearsal::assumption::Outcome;
use crate::billing::rehearsal::stage::{Clock, DAY, HOUR, SceneError, Stage};
use crate::providers::stripe::StripeError;
use crate::providers::stripe::rehearsal::{
    ObservedCharge, ObservedIntent, ObservedInvoice, ObservedInvoicePayment, ObservedSubscription,
};

/// A card that pays.
pub(super) const PAYS: &str = "pm_card_visa";
/// A card that can be attached and is declined at every charge.
pub(super) const DECLINES: &str = "pm_card_chargeCustomerFail";
/// The days between attempts that `docs/operation.md` asks the operator to set.
const ADVISED_RETRIES: [i64; 3] = [3, 5, 7];
/// More attempts than any schedule of the provider makes.
const MAX_ATTEMPTS: usize = 12;

/// What the scene showed. A part that could not be played keeps its own failure.
pub(super) struct Dunning {
    failed: FailedRenewal,
    new_card: Result<NewCard, SceneError>,
    stopped: Result<Stopped, SceneError>,
    retries: Result<Retries, SceneError>,
}

/// The renewal right after its first attempt.
struct FailedRenewal {
    /// Status of the invoice within its first hour.
    draft_status: Option<String>,
    invoice: ObservedInvoice,
    payments: Vec<ObservedInvoicePayment>,
    /// The default payment's intent, and its charges.
    attempt: Option<(ObservedIntent, Vec<ObservedCharge>)>,
    /// The card that the subscription names.
    card: String,
}

/// A second card pays what the first one did not.
struct NewCard {
    /// How two payments under one key were refused, and how many charges both made.
    declined: [Option<String>; 2],
    charges: usize,
    attempts_before: u32,
    paid: ObservedInvoice,
    subscription: String,
    /// Whether a second payment was refused.
    again: Result<(), StripeError>,
    /// Status of the invoice of a canceled subscription after a payment.
    after_cancellation: Option<String>,
}

/// The customer's other subscription was canceled, then the open invoice was voided.
struct Stopped {
    auto_advance: Option<bool>,
    after_void: String,
}

/// All attempts to the end.
struct Retries {
    /// Days between attempts.
    days: Vec<i64>,
    intents: BTreeSet<String>,
    cards: BTreeSet<String>,
    end: String,
}

/// A customer of the scene: a card that pays is the customer's default, another one declines.
struct Debtor {
    good: String,
    bad: String,
    subscriptions: Vec<ObservedSubscription>,
}

impl Debtor {
    /// Subscribes so many times; the first `failing` of the subscriptions then name the card that is declined.
    async fn start(
        stage: &Stage,
        clock: &Clock<'_>,
        name: &str,
        subscriptions: usize,
        failing: usize,
    ) -> Result<Self, SceneError> {
        let customer = clock.customer(&format!("{name}@example.com")).await?;
        let good = stage.card(PAYS, &customer).await?;
        stage.stripe.customer_default_set(&customer.id, &good).await?;
        let mut started = Vec::new();
        for _ in 0..subscriptions {
            started.push(stage.subscribe(&customer, &good).await?);
        }
        let bad = stage.card(DECLINES, &customer).await?;
        for subscription in &started[..failing] {
            stage.stripe.subscription_method_set(&subscription.id, &bad).await?;
        }
        Ok(Self { good, bad, subscriptions: started })
    }

    /// The renewal that failed.
    async fn open_invoice(&self, stage: &Stage, nth: usize) -> Result<ObservedInvoice, SceneError> {
        let invoice = stage.newest_invoice(&self.subscriptions[nth].id).await?;
        if invoice.is("open") {
            return Ok(invoice);
        }
        let status = invoice.status.unwrap_or_default();
        Err(SceneError::Unexpected(format!("the renewal with a declined card is {status}, not open")))
    }

    /// Whether a failed renewal left the subscription in `past_due`.
    async fn demand_past_due(&self, stage: &Stage, nth: usize) -> Result<(), SceneError> {
        let status = stage.stripe.subscription_observe(&self.subscriptions[nth].id).await?.status;
        if status == "past_due" {
            return Ok(());
        }
        Err(SceneError::Unexpected(format!(
            "the account makes no retry: the subscription is {status} after its first failed payment"
        )))
    }
}

impl Dunning {
    /// Plays the scene.
    pub(super) async fn play(stage: &Stage) -> Result<Self, SceneError> {
        let mut clock = stage.clock().await?;
        let retrying = Debtor::start(stage, &clock, "ensaio.novas.tentativas", 1, 1).await?;
        let paying = Debtor::start(stage, &clock, "ensaio.cartao.novo", 2, 2).await?;
        let cancelling = Debtor::start(stage, &clock, "ensaio.cancelamento", 2, 1).await?;
        // Subscriptions of one scene start within seconds of each other.
        let renewal = cancelling.subscriptions[1].period_end();
        clock.advance_to(renewal + HOUR / 2).await?;
        let draft = stage.newest_invoice(&retrying.subscriptions[0].id).await?;
        clock.advance_to(renewal + 2 * HOUR).await?;
        Ok(Self {
            failed: FailedRenewal::observe(stage, &retrying, draft).await?,
            new_card: NewCard::play(stage, &paying).await,
            stopped: Stopped::play(stage, &cancelling).await,
            retries: Retries::play(stage, &mut clock, &retrying).await,
        })
    }

    fn new_card(&self) -> Result<&NewCard, SceneError> {
        self.new_card.as_ref().map_err(Clone::clone)
    }

    fn stopped(&self) -> Result<&Stopped, SceneError> {
        self.stopped.as_ref().map_err(Clone::clone)
    }

    /// Whether the account retries failed payments.
    pub(super) fn has_retries(&self) -> Result<bool, SceneError> {
        Ok(!self.retries()?.days.is_empty())
    }

    fn retries(&self) -> Result<&Retries, SceneError> {
        self.retries.as_ref().map_err(Clone::clone)
    }
}

impl FailedRenewal {
    async fn observe(stage: &Stage, debtor: &Debtor, draft: ObservedInvoice) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let invoice = stripe.invoice_observe(&draft.id).await?;
        let payments = stripe.invoice_payments(&invoice.id).await?;
        let attempt = match payments.iter().find_map(ObservedInvoicePayment::intent) {
            Some(intent) => Some((stripe.intent_observe(intent).await?, stripe.charges_of(intent).await?)),
            None => None,
        };
        Ok(Self { draft_status: draft.status, invoice, payments, attempt, card: debtor.bad.clone() })
    }
}

impl NewCard {
    async fn play(stage: &Stage, debtor: &Debtor) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        debtor.demand_past_due(stage, 0).await?;
        let invoice = debtor.open_invoice(stage, 0).await?;
        let charged = async || {
            let mut charges = 0;
            for payment in stripe.invoice_payments(&invoice.id).await? {
                if let Some(intent) = payment.intent() {
                    charges += stripe.charges_of(intent).await?.len();
                }
            }
            Ok::<_, SceneError>(charges)
        };
        let (before, key) = (charged().await?, stage.key());
        let mut declined = [None, None];
        for answer in &mut declined {
            *answer = match stripe.invoice_pay_now(&invoice.id, &debtor.bad, &key).await {
                Ok(_) => None,
                Err(StripeError::Refused { status: 402, code, .. }) => Some(code),
                Err(error) => return Err(error.into()),
            };
        }
        let charges = charged().await? - before;
        let attempts_before = stripe.invoice_observe(&invoice.id).await?.attempt_count;
        let paid = stripe.invoice_pay_now(&invoice.id, &debtor.good, &stage.key()).await?;
        let subscription = stripe.subscription_observe(&debtor.subscriptions[0].id).await?.status;
        let again = stripe.invoice_pay_now(&invoice.id, &debtor.good, &stage.key()).await.map(drop);

        let canceled = debtor.open_invoice(stage, 1).await?;
        stripe.subscription_cancel(&debtor.subscriptions[1].id).await?;
        let after_cancellation = match stripe.invoice_pay_now(&canceled.id, &debtor.good, &stage.key()).await
        {
            Ok(invoice) => invoice.status,
            Err(StripeError::Refused { code, .. }) => Some(code),
            Err(error) => return Err(error.into()),
        };
        Ok(Self { declined, charges, attempts_before, paid, subscription, again, after_cancellation })
    }
}

impl Stopped {
    async fn play(stage: &Stage, debtor: &Debtor) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        debtor.demand_past_due(stage, 0).await?;
        let invoice = debtor.open_invoice(stage, 0).await?;
        stripe.subscription_cancel(&debtor.subscriptions[1].id).await?;
        let auto_advance = stripe.invoice_observe(&invoice.id).await?.auto_advance;
        stripe.invoice_void_now(&invoice.id).await?;
        let after_void = stripe.subscription_observe(&debtor.subscriptions[0].id).await?.status;
        Ok(Self { auto_advance, after_void })
    }
}

impl Retries {
    async fn play(stage: &Stage, clock: &mut Clock<'_>, debtor: &Debtor) -> Result<Self, SceneError> {
        let stripe = &stage.stripe;
        let mut invoice = debtor.open_invoice(stage, 0).await?;
        let mut days = Vec::new();
        let mut last = clock.now();
        while let Some(next) = invoice.next_payment_attempt.filter(|_| days.len() < MAX_ATTEMPTS) {
            clock.advance_to(next + 2 * HOUR).await?;
            let after = stripe.invoice_observe(&invoice.id).await?;
            if after.attempt_count <= invoice.attempt_count {
                break;
            }
            // A first attempt counts from within the hours by which the clock was advanced past it.
            days.push((next - last + DAY / 2).div_euclid(DAY));
            (last, invoice) = (next, after);
        }
        let (mut intents, mut cards) = (BTreeSet::new(), BTreeSet::new());
        for payment in stripe.invoice_payments(&invoice.id).await? {
            let Some(intent) = payment.intent() else { continue };
            for charge in stripe.charges_of(intent).await? {
                intents.insert(intent.to_owned());
                cards.extend(charge.payment_method);
            }
        }
        let end = stripe.subscription_observe(&debtor.subscriptions[0].id).await?.status;
        Ok(Self { days, intents, cards, end })
    }
}

/// The invoice of a renewal is a draft for an hour.
pub(super) async fn renewal_is_a_draft(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.dunning().await?.failed.draft_status.as_deref();
    Ok(Outcome::of(seen == Some("draft"), || {
        format!("half an hour after the period's end the invoice is {}", seen.unwrap_or("without a status"))
    }))
}

/// A failed renewal stays open and counts its attempt.
pub(super) async fn failed_renewal_stays_open(stage: &Stage) -> Result<Outcome, SceneError> {
    let invoice = &stage.dunning().await?.failed.invoice;
    Ok(Outcome::of(invoice.is("open") && invoice.attempt_count == 1, || {
        let status = invoice.status.as_deref().unwrap_or("without a status");
        format!(
            "after the first failed attempt the invoice is {status}, attempt_count {}",
            invoice.attempt_count
        )
    }))
}

/// An open invoice has one default payment with its intent.
pub(super) async fn open_invoice_has_a_default_payment(stage: &Stage) -> Result<Outcome, SceneError> {
    let payments = &stage.dunning().await?.failed.payments;
    let defaults: Vec<_> = payments.iter().filter(|payment| payment.is_default).collect();
    let is_as_assumed =
        matches!(defaults.as_slice(), [only] if only.status == "open" && only.intent().is_some());
    Ok(Outcome::of(is_as_assumed, || {
        let statuses: Vec<_> = defaults.iter().map(|payment| payment.status.as_str()).collect();
        format!("{} payments, of them default: {statuses:?}", payments.len())
    }))
}

/// A failed attempt is a charge that failed.
pub(super) async fn failed_attempt_is_a_charge(stage: &Stage) -> Result<Outcome, SceneError> {
    let Some((intent, charges)) = &stage.dunning().await?.failed.attempt else {
        return Ok(Outcome::nothing_to_see("the open invoice has no payment intent"));
    };
    let is_failed = |charge: &ObservedCharge| charge.status == "failed" && !charge.paid;
    let newest = charges.first();
    let is_as_assumed = charges.len() == 1
        && charges.iter().all(is_failed)
        && newest.map(|charge| charge.id.as_str()) == intent.latest_charge.as_deref();
    Ok(Outcome::of(is_as_assumed, || {
        let seen: Vec<_> = charges.iter().map(|charge| (charge.status.as_str(), charge.paid)).collect();
        format!("charges (status, paid) {seen:?}, latest_charge {:?}", intent.latest_charge)
    }))
}

/// The subscription's card is charged before the customer's default.
pub(super) async fn subscription_card_comes_first(stage: &Stage) -> Result<Outcome, SceneError> {
    let failed = &stage.dunning().await?.failed;
    let charge = failed.attempt.as_ref().and_then(|(_, charges)| charges.first());
    if charge.is_none() && !failed.invoice.is("paid") {
        return Ok(Outcome::nothing_to_see("the failed attempt shows no charge"));
    }
    let method = charge.and_then(|charge| charge.payment_method.as_deref());
    Ok(Outcome::of(method == Some(failed.card.as_str()), || {
        "the customer's default card was charged, although the subscription names another one".into()
    }))
}

/// Every retry uses the intent of the first attempt.
pub(super) async fn retries_use_one_intent(stage: &Stage) -> Result<Outcome, SceneError> {
    let retries = stage.dunning().await?.retries()?;
    if retries.days.is_empty() {
        return Ok(Outcome::nothing_to_see("the account makes no retry"));
    }
    if retries.intents.is_empty() {
        return Ok(Outcome::nothing_to_see("the attempts show no charge"));
    }
    Ok(Outcome::of(retries.intents.len() == 1, || {
        format!("{} attempts used {} payment intents", retries.days.len() + 1, retries.intents.len())
    }))
}

/// Retries go on with the subscription's card.
pub(super) async fn retries_keep_the_card(stage: &Stage) -> Result<Outcome, SceneError> {
    let dunning = stage.dunning().await?;
    let retries = dunning.retries()?;
    if retries.days.is_empty() || retries.cards.is_empty() {
        return Ok(Outcome::nothing_to_see("the account makes no retry"));
    }
    Ok(Outcome::of(retries.cards.iter().eq([&dunning.failed.card]), || {
        format!("{} attempts charged {} cards", retries.days.len() + 1, retries.cards.len())
    }))
}

/// The retry schedule is the one that the operator is to set.
pub(super) async fn retries_are_as_advised(stage: &Stage) -> Result<Outcome, SceneError> {
    let days = &stage.dunning().await?.retries()?.days;
    Ok(Outcome::of(*days == ADVISED_RETRIES, || {
        format!("{} retries, days between attempts: {days:?}", days.len())
    }))
}

/// The last failed retry cancels the subscription.
pub(super) async fn retries_end_in_cancellation(stage: &Stage) -> Result<Outcome, SceneError> {
    let end = stage.dunning().await?.retries()?.end.as_str();
    Ok(Outcome::of(end == "canceled", || format!("after the last attempt the subscription is {end}")))
}

/// `pay` with another card pays the open invoice once, and the subscription is active.
pub(super) async fn pay_takes_another_card(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.dunning().await?.new_card()?;
    let is_refused = matches!(seen.again, Err(StripeError::Refused { .. }));
    Ok(Outcome::of(seen.paid.is("paid") && seen.subscription == "active" && is_refused, || {
        let invoice = seen.paid.status.as_deref().unwrap_or("without a status");
        let second = if is_refused { "refused" } else { "not refused" };
        format!(
            "the invoice is {invoice}, the subscription {}, a second payment was {second}",
            seen.subscription
        )
    }))
}

/// A manual attempt leaves the count of attempts as it is.
pub(super) async fn pay_counts_no_attempt(stage: &Stage) -> Result<Outcome, SceneError> {
    let count = stage.dunning().await?.new_card()?.attempts_before;
    Ok(Outcome::of(count == 1, || {
        format!("attempt_count is {count} after one automatic and one manual attempt")
    }))
}

/// A decline is answered again under its key, and makes no second charge.
pub(super) async fn decline_is_replayed(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.dunning().await?.new_card()?;
    let [first, second] = &seen.declined;
    Ok(Outcome::of(first.is_some() && first == second && seen.charges <= 1, || {
        format!("first answer {first:?}, second {second:?}, {} charges", seen.charges)
    }))
}

/// An invoice stays payable after the cancellation of its subscription.
pub(super) async fn canceled_invoice_stays_payable(stage: &Stage) -> Result<Outcome, SceneError> {
    let seen = stage.dunning().await?.new_card()?.after_cancellation.as_deref();
    Ok(Outcome::of(seen == Some("paid"), || {
        format!("a payment after the cancellation: {}", seen.unwrap_or("-"))
    }))
}

/// A cancellation stops the collection of the customer's other invoices as well.
pub(super) async fn cancellation_stops_the_customer(stage: &Stage) -> Result<Outcome, SceneError> {
    let collects = stage.dunning().await?.stopped()?.auto_advance;
    Ok(Outcome::of(collects == Some(false), || {
        "the open invoice of the customer's other subscription is still collected (auto_advance true)".into()
    }))
}

/// A subscription stays `past_due` when its open invoice is voided.
pub(super) async fn void_keeps_past_due(stage: &Stage) -> Result<Outcome, SceneError> {
    let status = stage.dunning().await?.stopped()?.after_void.as_str();
    Ok(Outcome::of(status == "past_due", || {
        format!("the subscription is {status} after its invoice was voided")
    }))
}
