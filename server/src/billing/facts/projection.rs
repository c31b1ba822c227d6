//! Derives our rows from the provider's state of one customer. Pure functions, except
//! [`StoredState::read`].
//!
//! Access follows payments: only a paid invoice opens a period, never a subscription's status
//! alone.

mod after_end;
mod checkouts;
mod first_sightings;
mod input;
mod invoices;
mod missing_subscriptions;
mod plan_changes;
mod reversals;
mod subscriptions;

use garimpo_domain::{Centavos, Policy, SubscriptionId, Timestamp};

use crate::billing::facts::account_credit::AccountCredit;
use crate::billing::facts::current_subscription::choose_live;
use crate::providers::stripe;
use crate::store::{Absence, CheckoutState, Invoice, Names, Subscription};

pub(crate) use after_end::{PaymentAfterEnd, may_be_paid_late};
use checkouts::checkout_state;
pub(crate) use checkouts::{CHECKOUT_KEY, paid_purchase};
use first_sightings::Sightings;
pub(crate) use first_sightings::{NewCancellation, NewPayment, NewRefund, NewTrialPurchase};
use input::OwnSubscription;
pub(crate) use input::{ProviderState, StoredState};
use invoices::invoice_row;
pub(crate) use invoices::{authentication_of, status_of};
use missing_subscriptions::{lost, retain_missing};
use plan_changes::new_changes;
pub(crate) use plan_changes::{NewChange, is_of_unpaid_change};
pub(crate) use reversals::{PaymentReversals, Reversals, earliest_answer_by, state_of};
pub(crate) use subscriptions::is_payment;
use subscriptions::subscription_row;

/// The rows to store, and the changes seen for the first time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Projection {
    /// The instant for which it was derived.
    pub(crate) now: Timestamp,
    pub(crate) policy: Policy,
    /// Every subscription of the account, at most one of them live.
    pub(crate) subscriptions: Vec<Subscription>,
    /// Why the provider no longer has the account's purchase, if paid time depends on our rows
    /// alone.
    pub(crate) lost: Option<Absence>,
    /// Whether a subscription that is missing at the provider has paid time left.
    pub(crate) has_retained_access: bool,
    /// Every invoice of those subscriptions.
    pub(crate) invoices: Vec<Invoice>,
    /// State of the checkouts that were not settled.
    pub(crate) checkouts: Vec<CheckoutState>,
    /// The customer's balance at the provider; `None` if unknown.
    pub(crate) balance_centavos: Option<Centavos>,
    /// Ids of running subscriptions that somebody made at the provider.
    pub(crate) made_by_hand: Names,
    /// Changes of plan that were not known before.
    pub(crate) changes: Vec<NewChange>,
    /// Trial purchases seen for the first time, charged at the trial's end.
    pub(crate) trial_purchases: Vec<NewTrialPurchase>,
    /// Payments seen for the first time, of subscriptions that were not replaced. Payments of plan
    /// changes are in `change_payments`.
    pub(crate) payments: Vec<NewPayment>,
    /// Payments of plan changes seen for the first time.
    pub(crate) change_payments: Vec<NewPayment>,
    /// Payments after their subscription's end that are not refunded yet.
    pub(crate) after_end: Vec<PaymentAfterEnd>,
    /// Invoices with a boleto seen for the first time.
    pub(crate) boletos: Vec<(Invoice, Subscription)>,
    /// Failed renewals seen for the first time.
    pub(crate) failures: Vec<(Invoice, Subscription)>,
    /// Invoices whose card payment needs authentication, seen for the first time for this card.
    pub(crate) authentications: Vec<(Invoice, Subscription)>,
    /// Payments that were refunded or lost at the provider, although we did not request it.
    pub(crate) refunds: Vec<NewRefund>,
    /// Invoices below the boleto minimum, whose rest moves to the next one.
    pub(crate) too_little: Vec<(Invoice, Subscription)>,
    /// Cancellations seen for the first time, of subscriptions that were not replaced.
    pub(crate) cancellations: Vec<NewCancellation>,
}

impl Projection {
    pub(crate) fn subscription(&self, id: &SubscriptionId) -> Option<&Subscription> {
        self.subscriptions.iter().find(|row| row.id == *id)
    }
}

/// Derives the rows from the provider's state and the stored rows.
pub(crate) fn project(
    known: &StoredState,
    observed: &ProviderState,
    now: Timestamp,
    policy: &Policy,
) -> Projection {
    // The provider lists the newest first, in whole seconds. Reversing keeps the order within a
    // second.
    let ours: Vec<_> = observed
        .state
        .subscriptions
        .iter()
        .rev()
        .filter_map(|fact| OwnSubscription::of(fact, &known.uid))
        .collect();
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
    let credit = AccountCredit::of(invoices.iter().map(|(_, row)| row), &known.refunds);
    let mut subscriptions: Vec<_> =
        ours.iter().map(|own| subscription_row(known, observed, own, (&invoices, &credit), now)).collect();
    let retained = retain_missing(known, observed, &subscriptions, now);
    let lost = lost(known, observed, &retained.subscriptions);
    let has_retained_access =
        retained.subscriptions.iter().any(|row| row.is_running_and_kept() && row.first_paid_at.is_some());
    subscriptions.extend(retained.subscriptions);
    subscriptions.sort_by_key(|row| row.created_at);
    choose_live(&mut subscriptions, now, policy);

    let newly_paid: Vec<_> =
        invoices.iter().map(|(fact, _)| *fact).filter(|fact| !known.was_paid(&fact.id)).collect();
    let changes = new_changes(known, &subscriptions, &newly_paid);
    let mut invoices: Vec<Invoice> = invoices.into_iter().map(|(_, row)| row).collect();
    invoices.extend(retained.invoices);
    let seen = Sightings { known, subscriptions: &subscriptions, invoices: &invoices };
    let of_change =
        |payment: &NewPayment| changes.iter().any(|c| c.invoice_id.as_ref() == Some(&payment.invoice.id));
    let (change_payments, payments) = seen.payments().into_iter().partition(of_change);
    // If the customer is unknown, its checkouts may still be paid when the provider has its data
    // again.
    let is_unknown = lost.is_some() && observed.absence != Some(Absence::Deleted);
    let checkouts: Vec<_> = known.checkouts.iter().filter(|_| !is_unknown).collect();
    let checkouts: Vec<_> =
        checkouts.into_iter().filter_map(|c| checkout_state(c, observed, &subscriptions)).collect();
    Projection {
        now,
        policy: *policy,
        lost,
        has_retained_access,
        trial_purchases: seen.trial_purchases(&checkouts),
        checkouts,
        payments,
        change_payments,
        changes,
        after_end: seen.payments_after_end(observed),
        boletos: seen.boletos(),
        authentications: seen.authentications(),
        failures: seen.failures(),
        refunds: seen.refunds(),
        too_little: seen.too_little(&ours),
        balance_centavos: observed
            .state
            .subscriptions
            .iter()
            .find_map(stripe::Subscription::balance)
            .map(Centavos::new),
        cancellations: seen.cancellations(&ours),
        made_by_hand: made_by_hand(&observed.state.subscriptions, &ours),
        subscriptions,
        invoices,
    }
}

/// Ids of running subscriptions without our metadata. They give no rights, because only the
/// metadata names the account and the plan.
fn made_by_hand(facts: &[stripe::Subscription], ours: &[OwnSubscription<'_>]) -> Names {
    let is_ours = |fact: &&stripe::Subscription| ours.iter().any(|own| own.fact.id == fact.id);
    let strange = facts.iter().filter(|fact| !fact.is_over() && !is_ours(fact));
    strange.map(|fact| &*fact.id).collect()
}
