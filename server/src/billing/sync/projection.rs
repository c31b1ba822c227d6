//! What the provider's state of one customer means for us: a pure function from facts to rows.
//!
//! Access follows money: a paid invoice opens a period, never a subscription's status alone.
//! Nothing here reads or writes; `apply` brings the facts and stores the result.

mod absence;
mod after_end;
mod changes;
mod checkouts;
mod invoices;
mod news;
mod reversals;
mod subscriptions;

use std::collections::BTreeMap;

use garimpo_domain::checkout::PaymentMethod;
use garimpo_domain::subscription::Policy;
use garimpo_domain::{Interval, PlanId, Timestamp};

use crate::billing::account_credit::AccountCredit;
use crate::billing::current_subscription::seat_one;
use crate::providers::stripe;
use crate::store::StoreError;
use crate::store::checkouts::{Checkout, CheckoutState};
use crate::store::invoices::{Invoice, was_paid};
use crate::store::refunds::Refund;
use crate::store::subscriptions::Subscription;

pub(crate) use absence::Absence;
use absence::{carried, lost};
use after_end::payments_after_end;
pub(crate) use after_end::{PaymentAfterEnd, may_be_paid_late};
pub(crate) use changes::NewChange;
use changes::new_changes;
use checkouts::checkout_state;
pub(crate) use invoices::authentication_of;
use invoices::invoice_row;
pub(crate) use news::{NewCancellation, NewPayment, NewRefund, NewTrialPurchase};
use news::{
    new_authentications, new_boletos, new_cancellations, new_failures, new_payments, new_refunds,
    new_trial_purchases, too_little,
};
pub(crate) use reversals::{Fate, TakenBack, standing};
pub(crate) use subscriptions::is_payment;
use subscriptions::subscription_row;

/// An invoice as the provider holds it, and the row that it comes to.
type InvoiceRead<'a> = (&'a stripe::Invoice, Invoice);

/// What the provider says of one customer, all read after one ticket.
#[derive(Debug, Default)]
pub(crate) struct Observed {
    /// Subscriptions and invoices.
    pub(crate) state: stripe::CustomerState,
    /// Payments of the invoices that are open or whose method is not known yet, by id.
    pub(crate) payments: BTreeMap<String, stripe::PaymentIntent>,
    /// Sessions of the checkouts that are not settled, by our checkout's id; `None` where the provider has none.
    pub(crate) sessions: BTreeMap<String, Option<stripe::CheckoutSession>>,
    /// What of the money went back.
    pub(crate) taken: TakenBack,
    /// Why the provider has no such customer; `None` where it has.
    pub(crate) absence: Option<Absence>,
    /// End of the time that each stored invoice pays for, where the provider lists some of them no
    /// more.
    pub(crate) paid_until_us: BTreeMap<String, i64>,
}

/// What we stored of the account before.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    /// Account.
    pub(crate) uid: &'a str,
    /// Its subscriptions.
    pub(crate) subscriptions: &'a [Subscription],
    /// Its invoices.
    pub(crate) invoices: &'a [Invoice],
    /// Its checkouts that are not settled.
    pub(crate) checkouts: &'a [Checkout],
    /// What is given back to it.
    pub(crate) refunds: &'a [Refund],
    /// Whether the account stands. What a deleted one bought is not kept up.
    pub(crate) has_account: bool,
}

/// What is to be stored, and what happened for the first time.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Projection {
    /// Every subscription of the account, at most one of them live.
    pub(crate) subscriptions: Vec<Subscription>,
    /// Whether paid time of the account rests on our rows alone, since the provider does not have what was bought.
    pub(crate) lost: Option<Absence>,
    /// Whether paid time runs of a subscription that the reading lacks.
    pub(crate) has_carried_access: bool,
    /// Every invoice of those subscriptions.
    pub(crate) invoices: Vec<Invoice>,
    /// What became of the checkouts.
    pub(crate) checkouts: Vec<CheckoutState>,
    /// What the provider keeps for the customer between invoices; `None` where nothing says it.
    pub(crate) balance_centavos: Option<i64>,
    /// Subscriptions that run and are not of our making, their ids parted by blanks.
    pub(crate) made_by_hand: String,
    /// Changes of plan that were not known before.
    pub(crate) changes: Vec<NewChange>,
    /// Purchases in the trial that were not known before, charged at its end.
    pub(crate) trial_purchases: Vec<NewTrialPurchase>,
    /// Payments that were not known before, of subscriptions that stand; those of a change of plan are told with it.
    pub(crate) payments: Vec<NewPayment>,
    /// Payments that were not known before, of changes of plan.
    pub(crate) change_payments: Vec<NewPayment>,
    /// Payments that arrived after their subscription had ended, and that no refund gives back yet.
    pub(crate) after_end: Vec<PaymentAfterEnd>,
    /// Invoices whose boleto was not known before.
    pub(crate) boletos: Vec<Invoice>,
    /// Invoices of renewals whose failure was not known before.
    pub(crate) failures: Vec<Invoice>,
    /// Invoices with a card, not known before, whose payment needs authentication.
    pub(crate) authentications: Vec<Invoice>,
    /// Money that went back and that no request of ours asked back.
    pub(crate) refunds: Vec<NewRefund>,
    /// Invoices whose rest is to wait for the next one.
    pub(crate) too_little: Vec<Invoice>,
    /// Cancellations that were not known before, of subscriptions that stand or stood.
    pub(crate) cancellations: Vec<NewCancellation>,
}

/// Derives the rows from the facts.
///
/// # Errors
/// [`StoreError::Inconsistent`] when a stored row cannot be read.
pub(crate) fn project(
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
    let credit = AccountCredit::of(invoices.iter().map(|(_, row)| row), known.refunds);
    let mut subscriptions: Vec<_> =
        ours.iter().map(|own| subscription_row(known, observed, own, (&invoices, &credit), now)).collect();
    let carried = carried(known, observed, &subscriptions, now);
    let lost = lost(known, observed, &carried.subscriptions);
    let has_carried_access =
        carried.subscriptions.iter().any(|row| row.goes_on() && row.first_paid_at_us.is_some());
    subscriptions.extend(carried.subscriptions);
    subscriptions.sort_by_key(|row| row.created_at_us);
    seat_one(&mut subscriptions, now, policy)?;

    let facts: Vec<_> =
        invoices.iter().map(|(fact, _)| (*fact, was_paid(known.invoices, &fact.id))).collect();
    let changes = new_changes(known.subscriptions, &subscriptions, &facts);
    let mut invoices: Vec<Invoice> = invoices.into_iter().map(|(_, row)| row).collect();
    invoices.extend(carried.invoices);
    let of_change =
        |payment: &NewPayment| changes.iter().any(|c| c.invoice_id.as_ref() == Some(&payment.invoice.id));
    let (change_payments, payments) =
        new_payments(known, &subscriptions, &invoices).into_iter().partition(of_change);
    // Where the customer is unknown, its checkouts may come to something once the provider has its data again.
    let is_unknown = lost.is_some() && observed.absence != Some(Absence::Deleted);
    let checkouts: Vec<_> = known.checkouts.iter().filter(|_| !is_unknown).collect();
    let checkouts: Vec<_> =
        checkouts.into_iter().filter_map(|c| checkout_state(c, observed, &subscriptions)).collect();
    Ok(Projection {
        lost,
        has_carried_access,
        trial_purchases: new_trial_purchases(known, &subscriptions, &checkouts),
        checkouts,
        payments,
        change_payments,
        changes,
        after_end: payments_after_end(known, observed, &subscriptions, &invoices),
        boletos: new_boletos(known, &subscriptions, &invoices),
        authentications: new_authentications(known, &subscriptions, &invoices),
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
