//! A renewal whose card is declined: the invoice, its payment and charges, retries, a new card, and
//! the end.
//!
//! One test clock has three customers: the first one's retries run to their end, the second one
//! pays with a new card, and the third one cancels another subscription.

use garimpo_domain::PaymentIntentId;
use garimpo_domain::provider_status::{
    ChargeStatus, InvoicePaymentStatus, InvoiceStatus, SubscriptionStatus,
};
use std::collections::BTreeSet;

use crate::billing::rehearsal::outcome::Outcome;
use crate::billing::rehearsal::tools::{
    Clock, DAY, DECLINES, HOUR, PAYS, Result, SceneError, Tools, accepted, period_end, seen, status_of,
};
use crate::providers::stripe::{Charge, Invoice, InvoicePayment, PaymentIntent, StripeError, Subscription};

/// The days between attempts that `docs/operation.md` asks the operator to set.
const ADVISED_RETRIES: [i64; 3] = [3, 5, 7];
/// More attempts than any schedule of the provider makes.
const MAX_ATTEMPTS: usize = 12;

/// A failed part of the scene keeps its own error.
pub struct Dunning {
    pub failed: FailedRenewal,
    new_card: Result<NewCard>,
    stopped: Result<Stopped>,
    retries: Result<Retries>,
}

/// The renewal right after its first attempt.
pub struct FailedRenewal {
    /// The invoice within its first hour.
    draft: Invoice,
    invoice: Invoice,
    payments: Vec<InvoicePayment>,
    /// The intent of the payment, and its charges.
    attempt: Option<(PaymentIntent, Vec<Charge>)>,
    /// The card of the subscription.
    card: String,
}

/// A payment with a second card.
pub struct NewCard {
    /// Codes of two declined payments under one key, and the charges that both made.
    declined: [Option<String>; 2],
    charges: usize,
    attempts_before: u32,
    paid: Invoice,
    subscription_status: SubscriptionStatus,
    is_second_refused: bool,
    /// Status of the invoice of a canceled subscription after a payment, or the code of its
    /// refusal.
    after_cancellation: Option<String>,
}

/// The customer's other subscription was canceled, then the open invoice was voided.
pub struct Stopped {
    auto_advance: Option<bool>,
    after_void: SubscriptionStatus,
}

/// All attempts to the end.
pub struct Retries {
    /// Days between attempts.
    days: Vec<i64>,
    intents: BTreeSet<PaymentIntentId>,
    cards: BTreeSet<String>,
    /// The card of the subscription.
    card: String,
    end: SubscriptionStatus,
}

/// A customer whose default card pays; another card is declined.
struct Debtor {
    good: String,
    bad: String,
    subscriptions: Vec<Subscription>,
}

impl Debtor {
    /// Starts subscriptions; the first `failing` of them charge the card that is declined.
    async fn start(
        tools: &Tools,
        clock: &Clock<'_>,
        name: &str,
        subscriptions: usize,
        failing: usize,
    ) -> Result<Self> {
        let customer = clock.customer(&format!("{name}@example.com")).await?;
        let good = tools.card(PAYS, &customer).await?;
        tools.stripe.set_customer_default(&customer.id, &good).await?;
        let mut started = Vec::new();
        for _ in 0..subscriptions {
            started.push(tools.subscribe(&customer, &good).await?);
        }
        let bad = tools.card(DECLINES, &customer).await?;
        for subscription in &started[..failing] {
            tools.stripe.set_subscription_card(&subscription.id, &bad).await?;
        }
        Ok(Self { good, bad, subscriptions: started })
    }

    /// The invoice of the failed renewal.
    async fn open_invoice(&self, tools: &Tools, nth: usize) -> Result<Invoice> {
        let invoice = tools.newest_invoice(&self.subscriptions[nth]).await?;
        if invoice.is(InvoiceStatus::Open) {
            return Ok(invoice);
        }
        let status = status_of(&invoice);
        Err(SceneError::Unexpected(format!("the renewal with a declined card is {status}, not open")))
    }

    /// The invoice of the failed renewal, whose subscription must be `past_due`.
    async fn past_due_invoice(&self, tools: &Tools) -> Result<Invoice> {
        let status = tools.status(&self.subscriptions[0]).await?;
        if status == SubscriptionStatus::PastDue {
            return self.open_invoice(tools, 0).await;
        }
        Err(SceneError::Unexpected(format!(
            "the account makes no retry: the subscription is {status} after its first failed payment"
        )))
    }
}

impl Dunning {
    pub async fn play(tools: &Tools) -> Result<Self> {
        let mut clock = tools.clock().await?;
        let retrying = Debtor::start(tools, &clock, "ensaio.novas.tentativas", 1, 1).await?;
        let paying = Debtor::start(tools, &clock, "ensaio.cartao.novo", 2, 2).await?;
        let cancelling = Debtor::start(tools, &clock, "ensaio.cancelamento", 2, 1).await?;
        // Subscriptions of one scene start within seconds of each other.
        let renewal = period_end(&cancelling.subscriptions[1]);
        clock.advance_to(renewal + HOUR / 2).await?;
        let draft = tools.newest_invoice(&retrying.subscriptions[0]).await?;
        clock.advance_to(renewal + 2 * HOUR).await?;
        Ok(Self {
            failed: FailedRenewal::observe(tools, &retrying, draft).await?,
            new_card: NewCard::play(tools, &paying).await,
            stopped: Stopped::play(tools, &cancelling).await,
            retries: Retries::play(tools, &mut clock, retrying).await,
        })
    }

    pub fn new_card(&self) -> Result<&NewCard> {
        seen(&self.new_card)
    }

    pub fn stopped(&self) -> Result<&Stopped> {
        seen(&self.stopped)
    }

    pub fn retries(&self) -> Result<&Retries> {
        seen(&self.retries)
    }
}

impl FailedRenewal {
    async fn observe(tools: &Tools, debtor: &Debtor, draft: Invoice) -> Result<Self> {
        let stripe = &tools.stripe;
        let invoice = stripe.get_invoice(&draft.id).await?;
        let payments = stripe.invoice_payments(&invoice.id).await?;
        let attempt = match payments.iter().find_map(InvoicePayment::intent) {
            Some(id) => Some((stripe.get_payment_intent(id).await?, stripe.charges_of_payment(id).await?)),
            None => None,
        };
        Ok(Self { draft, invoice, payments, attempt, card: debtor.bad.clone() })
    }

    pub fn starts_as_a_draft(&self) -> Outcome {
        let seen = format!("half an hour after the period's end the invoice is {}", status_of(&self.draft));
        Outcome::of(self.draft.is(InvoiceStatus::Draft), seen)
    }

    pub fn stays_open(&self) -> Outcome {
        let (status, attempts) = (status_of(&self.invoice), self.invoice.attempt_count);
        let seen =
            format!("after the first failed attempt the invoice is {status}, attempt_count {attempts}");
        Outcome::of(self.invoice.is(InvoiceStatus::Open) && attempts == 1, seen)
    }

    pub fn keeps_a_default_payment(&self) -> Outcome {
        let defaults: Vec<_> = self.payments.iter().filter(|payment| payment.is_default).collect();
        let is_as_assumed = matches!(defaults.as_slice(), [only] if only.status == Some(InvoicePaymentStatus::Open) && only.intent().is_some());
        let statuses: Vec<_> = defaults.iter().map(|payment| &payment.status).collect();
        let seen = format!("{} payments, of them default: {statuses:?}", self.payments.len());
        Outcome::of(is_as_assumed, seen)
    }

    pub fn adds_a_failed_charge(&self) -> Outcome {
        let Some((intent, charges)) = &self.attempt else {
            return Outcome::nothing_to_see("the open invoice has no payment intent");
        };
        let latest = intent.latest_charge_id();
        let is_as_assumed = matches!(charges.as_slice(), [only]
            if only.status == ChargeStatus::Failed && !only.paid && latest == Some(only.id.as_str()));
        let charged: Vec<_> = charges.iter().map(|charge| (&charge.status, charge.paid)).collect();
        let seen = format!("charges (status, paid) {charged:?}, latest_charge {latest:?}");
        Outcome::of(is_as_assumed, seen)
    }

    pub fn charges_the_subscriptions_card(&self) -> Outcome {
        let charge = self.attempt.as_ref().and_then(|(_, charges)| charges.first());
        if charge.is_none() && !self.invoice.is(InvoiceStatus::Paid) {
            return Outcome::nothing_to_see("the failed attempt shows no charge");
        }
        let method = charge.and_then(|charge| charge.payment_method.as_ref());
        let seen = "the customer's default card was charged, although the subscription names another one";
        Outcome::of(method == Some(&self.card), seen)
    }
}

impl NewCard {
    async fn play(tools: &Tools, debtor: &Debtor) -> Result<Self> {
        let stripe = &tools.stripe;
        let invoice = debtor.past_due_invoice(tools).await?;
        let pay = async |invoice: &Invoice, card: &str, key: &str, statuses: &[u16]| {
            accepted(stripe.pay_invoice_now(&invoice.id, card, key).await, statuses)
        };
        let (before, key) = (tools.charges(&invoice).await?.len(), tools.key());
        let declined = [
            pay(&invoice, &debtor.bad, &key, &[402]).await?.err(),
            pay(&invoice, &debtor.bad, &key, &[402]).await?.err(),
        ];
        let charges = tools.charges(&invoice).await?.len() - before;
        let attempts_before = stripe.get_invoice(&invoice.id).await?.attempt_count;
        let paid = stripe.pay_invoice_now(&invoice.id, &debtor.good, &tools.key()).await?;
        let subscription_status = tools.status(&debtor.subscriptions[0]).await?;
        let again = stripe.pay_invoice_now(&invoice.id, &debtor.good, &tools.key()).await;
        let is_second_refused = matches!(again, Err(StripeError::Refused { .. }));

        let canceled = debtor.open_invoice(tools, 1).await?;
        stripe.cancel_subscription(&debtor.subscriptions[1].id).await?;
        let after_cancellation = match pay(&canceled, &debtor.good, &tools.key(), &[400, 402, 404]).await? {
            Ok(invoice) => Some(status_of(&invoice).to_owned()),
            Err(code) => Some(code),
        };
        Ok(Self {
            declined,
            charges,
            attempts_before,
            paid,
            subscription_status,
            is_second_refused,
            after_cancellation,
        })
    }

    pub fn pays_once(&self) -> Outcome {
        let Self { paid, subscription_status: status, is_second_refused, .. } = self;
        let second = if *is_second_refused { "refused" } else { "not refused" };
        let invoice = status_of(paid);
        let seen =
            format!("the invoice is {invoice}, the subscription {status}, a second payment was {second}");
        Outcome::of(
            paid.is(InvoiceStatus::Paid) && *status == SubscriptionStatus::Active && *is_second_refused,
            seen,
        )
    }

    pub fn counts_no_attempt(&self) -> Outcome {
        let count = self.attempts_before;
        let seen = format!("attempt_count is {count} after one automatic and one manual attempt");
        Outcome::of(count == 1, seen)
    }

    pub fn decline_is_replayed(&self) -> Outcome {
        let Self { declined: [first, second], charges, .. } = self;
        let seen = format!("first answer {first:?}, second {second:?}, {charges} charges");
        Outcome::of(first.is_some() && first == second && *charges <= 1, seen)
    }

    pub fn pays_after_cancellation(&self) -> Outcome {
        let seen = self.after_cancellation.as_deref().unwrap_or("-");
        Outcome::of(seen == "paid", format!("a payment after the cancellation: {seen}"))
    }
}

impl Stopped {
    async fn play(tools: &Tools, debtor: &Debtor) -> Result<Self> {
        let stripe = &tools.stripe;
        let invoice = debtor.past_due_invoice(tools).await?;
        stripe.cancel_subscription(&debtor.subscriptions[1].id).await?;
        let auto_advance = stripe.get_invoice(&invoice.id).await?.auto_advance;
        stripe.void_invoice(&invoice.id).await?;
        Ok(Self { auto_advance, after_void: tools.status(&debtor.subscriptions[0]).await? })
    }

    pub fn stops_the_customers_collection(&self) -> Outcome {
        let seen =
            "the open invoice of the customer's other subscription is still collected (auto_advance true)";
        Outcome::of(self.auto_advance == Some(false), seen)
    }

    pub fn keeps_past_due_after_void(&self) -> Outcome {
        let status = &self.after_void;
        let seen = format!("the subscription is {status} after its invoice was voided");
        Outcome::of(*status == SubscriptionStatus::PastDue, seen)
    }
}

impl Retries {
    async fn play(tools: &Tools, clock: &mut Clock<'_>, debtor: Debtor) -> Result<Self> {
        let mut invoice = debtor.open_invoice(tools, 0).await?;
        let mut days = Vec::new();
        let mut last = clock.now;
        while let Some(next) = invoice.next_payment_attempt.filter(|_| days.len() < MAX_ATTEMPTS) {
            clock.advance_to(next + 2 * HOUR).await?;
            let after = tools.stripe.get_invoice(&invoice.id).await?;
            if after.attempt_count <= invoice.attempt_count {
                break;
            }
            // Rounded, because the clock was advanced past the first attempt by some hours.
            days.push((next - last + DAY / 2).div_euclid(DAY));
            (last, invoice) = (next, after);
        }
        let (mut intents, mut cards) = (BTreeSet::new(), BTreeSet::new());
        for charge in tools.charges(&invoice).await? {
            intents.extend(charge.payment_intent);
            cards.extend(charge.payment_method);
        }
        let end = tools.status(&debtor.subscriptions[0]).await?;
        Ok(Self { days, intents, cards, card: debtor.bad, end })
    }

    /// Whether the account retries failed payments.
    pub fn exist(&self) -> bool {
        !self.days.is_empty()
    }

    pub fn use_one_intent(&self) -> Outcome {
        if !self.exist() {
            return Outcome::nothing_to_see("the account makes no retry");
        }
        if self.intents.is_empty() {
            return Outcome::nothing_to_see("the attempts show no charge");
        }
        let seen = format!("{} attempts used {} payment intents", self.days.len() + 1, self.intents.len());
        Outcome::of(self.intents.len() == 1, seen)
    }

    pub fn keep_the_card(&self) -> Outcome {
        if !self.exist() || self.cards.is_empty() {
            return Outcome::nothing_to_see("the account makes no retry");
        }
        let seen = format!("{} attempts charged {} cards", self.days.len() + 1, self.cards.len());
        Outcome::of(self.cards.iter().eq([&self.card]), seen)
    }

    pub fn follow_the_advised_schedule(&self) -> Outcome {
        let days = &self.days;
        let seen = format!("{} retries, days between attempts: {days:?}", days.len());
        Outcome::of(*days == ADVISED_RETRIES, seen)
    }

    pub fn end_in_cancellation(&self) -> Outcome {
        let end = &self.end;
        let seen = format!("after the last attempt the subscription is {end}");
        Outcome::of(*end == SubscriptionStatus::Canceled, seen)
    }
}
