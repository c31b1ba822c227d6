//! Stored subscriptions that are missing at the provider, because their customer is unknown or was
//! deleted.
//!
//! Paid time lasts to its end, even if the provider lost the data (docs/decisions.md, "Paid time
//! outlives the provider's data"). So such a row stays as it is stored. The payments of a deleted
//! customer can still be read: a refund or dispute ends access, because access follows payments.

use garimpo_domain::{Renewal, SubscriptionId, Timestamp};

use crate::billing::facts::account_credit::AccountCredit;
use crate::billing::facts::projection::input::{ProviderState, StoredState};
use crate::billing::facts::projection::reversals::{MoneyState, set_reversal};
use crate::store::{Absence, Invoice, Subscription};

/// Stored rows that are missing at the provider, with the state of their payments.
pub(super) struct RetainedRows {
    /// Subscriptions that continue, and those with a payment that was read individually.
    pub(super) subscriptions: Vec<Subscription>,
    /// Invoices whose payment was read individually.
    pub(super) invoices: Vec<Invoice>,
}

/// Keeps the stored rows that are missing at the provider. Their paid time lasts. A refund or
/// dispute ends access as usual.
pub(super) fn retain_missing(
    known: &StoredState,
    observed: &ProviderState,
    read: &[Subscription],
    now: Timestamp,
) -> RetainedRows {
    if !known.has_account {
        return RetainedRows { subscriptions: Vec::new(), invoices: Vec::new() };
    }
    let reversal = |row: &Invoice| observed.reversals.by_payment.get(row.payment_intent_id.as_ref()?);
    let is_read = |id: &SubscriptionId| read.iter().any(|row| row.id == *id);
    let stored: Vec<Invoice> = known
        .invoices
        .iter()
        .filter(|row| !is_read(&row.subscription_id))
        .map(|row| match reversal(row) {
            Some(reversal) => reversal.apply_to(row.clone()),
            None => row.clone(),
        })
        .collect();
    let has_payment_read =
        |id: &SubscriptionId| stored.iter().any(|row| row.subscription_id == *id && reversal(row).is_some());
    let credit = AccountCredit::of(stored.iter(), &known.refunds);
    let money = MoneyState { refunds: &known.refunds, reversals: &observed.reversals, credit: &credit };
    let missing = known.subscriptions.iter().filter(|row| !is_read(&row.id));
    let subscriptions = missing
        .filter(|row| row.is_running_and_kept() || has_payment_read(&row.id))
        .map(|row| {
            let mut retained = row.clone();
            if has_payment_read(&row.id) {
                let of_row = |invoice: &&Invoice| invoice.subscription_id == row.id && invoice.is_paid();
                let until = |invoice: &Invoice| {
                    observed.paid_until.get(&invoice.id).copied().or(row.paid_until).unwrap_or_default()
                };
                let paid: Vec<_> =
                    stored.iter().filter(of_row).map(|invoice| (invoice, until(invoice))).collect();
                set_reversal(&mut retained, Some(row), &money, &paid, now);
            }
            end_retained(&mut retained, observed, now);
            retained
        })
        .collect();
    let invoices = stored.iter().filter(|row| reversal(row).is_some()).cloned().collect();
    RetainedRows { subscriptions, invoices }
}

/// Ends a kept row that can no longer renew.
fn end_retained(row: &mut Subscription, observed: &ProviderState, now: Timestamp) {
    if row.ended_at.is_some() {
        return;
    }
    if observed.absence == Some(Absence::Deleted) {
        row.cancel_at_period_end = true;
        row.renewal = Renewal::Open;
        if row.first_paid_at.is_none() {
            row.ended_at = Some(now);
        }
    }
    // The provider has no such subscription that could be canceled later.
    row.ended_at = row.ended_at.or(row.returned_at);
    if row.cancel_at_period_end && row.ended_at.is_none() {
        row.ended_at = row.paid_until.filter(|until| *until <= now);
    }
}

/// Why the account's purchase is missing, if the operator must know: the account paid and did not
/// cancel.
pub(super) fn lost(
    known: &StoredState,
    observed: &ProviderState,
    retained: &[Subscription],
) -> Option<Absence> {
    let is_lost = retained.iter().filter(|row| row.ended_at.is_none()).any(|row| {
        let was_renewed = known.subscription(&row.id).is_some_and(|stored| !stored.cancel_at_period_end);
        row.first_paid_at.is_some() && (was_renewed || observed.absence.is_some())
    });
    is_lost.then(|| observed.absence.unwrap_or(Absence::Subscription))
}
