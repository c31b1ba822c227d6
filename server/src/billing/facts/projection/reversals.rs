//! Effect of a refunded or disputed payment on its subscription ([`garimpo_domain::takeback`]).

use garimpo_domain::provider_status::DisputeStatus;
use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::credit::Backing;
use garimpo_domain::takeback::{Charge, Money, ends_access};
use garimpo_domain::{Centavos, PaymentIntentId, Timestamp};

use crate::billing::facts::account_credit::AccountCredit;
use crate::providers::stripe;
use crate::store::{DisputeState, Invoice, Refund, Subscription};

/// Refunds and disputes of one payment, as the provider reports them now.
#[derive(Debug, Clone, Default)]
pub(crate) struct PaymentReversals {
    /// Amount that was refunded.
    pub(crate) refunded: Centavos,
    /// Its disputes and inquiries. A charge can have several.
    pub(crate) disputes: Vec<stripe::Dispute>,
}

/// Refunds and disputes of a customer.
#[derive(Debug, Default)]
pub(crate) struct Reversals {
    /// By id of the PaymentIntent.
    pub(crate) by_payment: BTreeMap<PaymentIntentId, PaymentReversals>,
    /// Ids of our refunds that failed at the provider.
    pub(crate) failed: BTreeSet<String>,
}

/// The state of a dispute; `None` if it moves no money.
pub(crate) fn state_of(dispute: &stripe::Dispute) -> Option<DisputeState> {
    match dispute.status {
        DisputeStatus::NeedsResponse | DisputeStatus::UnderReview => Some(DisputeState::Open),
        // An appeal follows a lost dispute: the payer has the money until it is won.
        DisputeStatus::Lost | DisputeStatus::AppealNeedsResponse | DisputeStatus::AppealUnderReview => {
            Some(DisputeState::Lost)
        }
        DisputeStatus::Won => Some(DisputeState::Won),
        DisputeStatus::WarningNeedsResponse | DisputeStatus::Other(_) => None,
    }
}

/// The earliest deadline of the disputes and inquiries that wait for our answer.
pub(crate) fn earliest_answer_by<'d>(
    disputes: impl IntoIterator<Item = &'d stripe::Dispute>,
) -> Option<Timestamp> {
    disputes.into_iter().filter_map(stripe::Dispute::answer_by).min().map(Timestamp::from_unix_seconds)
}

impl PaymentReversals {
    /// Amount that the payer has back.
    pub(crate) fn reversed_centavos(&self) -> Centavos {
        let lost = self.in_state(DisputeState::Lost).map(|dispute| Centavos::new(dispute.amount));
        self.refunded + lost.sum()
    }

    /// The row of its invoice, with the refunds and disputes.
    pub(super) fn apply_to(&self, row: Invoice) -> Invoice {
        let refunded_centavos = self.reversed_centavos().min(row.amount_due_centavos);
        let (dispute, dispute_answer_by) = (self.dispute(), self.answer_by());
        Invoice { refunded_centavos, dispute, dispute_answer_by, ..row }
    }

    /// Whether a dispute was lost at least in part, and none is open.
    pub(crate) fn is_lost(&self) -> bool {
        self.dispute() == Some(DisputeState::Lost)
    }

    /// The combined state of its disputes: an open one counts first, then a lost one.
    pub(crate) fn dispute(&self) -> Option<DisputeState> {
        self.disputes.iter().filter_map(state_of).min()
    }

    /// The earliest deadline that waits for our answer.
    pub(super) fn answer_by(&self) -> Option<Timestamp> {
        earliest_answer_by(&self.disputes)
    }

    /// Creation of the oldest open dispute.
    fn disputed_since(&self) -> Option<Timestamp> {
        let created = self.in_state(DisputeState::Open).map(|dispute| dispute.created).min();
        created.map(Timestamp::from_unix_seconds)
    }

    fn in_state(&self, state: DisputeState) -> impl Iterator<Item = &stripe::Dispute> {
        self.disputes.iter().filter(move |dispute| state_of(dispute) == Some(state))
    }
}

/// The state of an account's money.
pub(super) struct MoneyState<'a> {
    /// The account's refunds.
    pub(super) refunds: &'a [Refund],
    /// Refunds and disputes at the provider.
    pub(super) reversals: &'a Reversals,
    /// The account's credit and the payments behind it.
    pub(super) credit: &'a AccountCredit<'a>,
}

/// Sets `disputed_at` and `returned_at` by the payments of the last paid period. `stored` is the
/// stored row. `paid` are the paid invoices with the end of their periods, ordered by creation.
pub(super) fn set_reversal(
    row: &mut Subscription,
    stored: Option<&Subscription>,
    read: &MoneyState<'_>,
    paid: &[(&Invoice, Timestamp)],
    now: Timestamp,
) {
    // A period that ends when the last paid period begins is over.
    let covers = |(_, end): &&(&Invoice, Timestamp)| row.paid_from.is_some_and(|from| *end > from);
    let covering: Vec<&(&Invoice, Timestamp)> = paid.iter().filter(covers).collect();
    let money = |invoice: &Invoice| match read.credit.backing(invoice) {
        Some(Backing::Gone) => Money::Lost,
        _ => money(invoice),
    };
    let ends = |at: usize| ends_access(charge(&covering[..=at]), money(covering[at].0));
    let asked = |refund: &&Refund| refund.was_asked_for() && refund.subscription_id == row.id;
    let asked_at = read.refunds.iter().filter(asked).map(|refund| refund.created_at).min();
    let seen_at = || stored.and_then(|stored| stored.returned_at).unwrap_or(now);
    let back_at = (0..covering.len()).any(ends).then(seen_at);
    // Credit is disputed together with the payment that created it. The account's first open
    // dispute counts.
    let first_dispute =
        || read.reversals.by_payment.values().filter_map(PaymentReversals::disputed_since).min();
    let disputed_at = |invoice: &Invoice| {
        if read.credit.backing(invoice) == Some(Backing::Disputed) {
            return first_dispute().or(stored.and_then(|stored| stored.disputed_at));
        }
        let reversal = read.reversals.by_payment.get(invoice.payment_intent_id.as_ref()?)?;
        let since = reversal.disputed_since();
        (invoice.is_disputed()).then(|| since.or(stored.and_then(|stored| stored.disputed_at)))?
    };
    row.returned_at = asked_at.or(back_at);
    row.disputed_at = covering.iter().filter_map(|(invoice, _)| disputed_at(invoice)).min();
}

/// The item that the last of these paid invoices charged for. Each has the end of its period.
fn charge(paid: &[&(&Invoice, Timestamp)]) -> Charge {
    let Some(((invoice, end), before)) = paid.split_last() else { return Charge::Period };
    let has_paid_for_it = before.iter().any(|(_, ended)| ended == end);
    if invoice.is_of_change() && has_paid_for_it { Charge::Difference } else { Charge::Period }
}

fn money(invoice: &Invoice) -> Money {
    match (invoice.amount_due_centavos.get(), invoice.money_kept().get()) {
        (1.., 0) if invoice.dispute == Some(DisputeState::Lost) => Money::Lost,
        (1.., 0) => Money::GivenBack,
        _ => Money::Kept,
    }
}
