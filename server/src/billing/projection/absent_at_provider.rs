//! Stored subscriptions that are missing at the provider, because their customer is unknown or was
//! deleted.
//!
//! Paid time lasts to its end, even if the provider lost the data (docs/decisions.md, "Paid time
//! outlives the provider's data"). So such a row stays as it is stored. The payments of a deleted
//! customer can still be read: a refund or dispute ends access, because access follows payments.

use garimpo_domain::{Renewal, Timestamp};

use crate::billing::account_credit::AccountCredit;
use crate::billing::projection::facts::{Known, Observed};
use crate::billing::projection::reversals::{MoneyRead, set_takeback};
use crate::store::{Absence, Invoice, Subscription};

/// Stored rows that are missing at the provider, with the state of their payments.
pub(super) struct Carried {
    /// Subscriptions that continue, and those with a payment that was read individually.
    pub(super) subscriptions: Vec<Subscription>,
    /// Invoices whose payment was read individually.
    pub(super) invoices: Vec<Invoice>,
}

/// Keeps the stored rows that are missing at the provider. Their paid time lasts. A refund or
/// dispute ends access as usual.
pub(super) fn carried(
    known: &Known<'_>,
    observed: &Observed,
    read: &[Subscription],
    now: Timestamp,
) -> Carried {
    if !known.has_account {
        return Carried { subscriptions: Vec::new(), invoices: Vec::new() };
    }
    let fate = |row: &Invoice| observed.taken.fates.get(row.payment_intent_id.as_deref()?);
    let is_read = |id: &str| read.iter().any(|row| row.id == id);
    let stored: Vec<Invoice> = known
        .invoices
        .iter()
        .filter(|row| !is_read(&row.subscription_id))
        .map(|row| match fate(row) {
            Some(fate) => fate.noted_on(row.clone()),
            None => row.clone(),
        })
        .collect();
    let has_payment_read =
        |id: &str| stored.iter().any(|row| row.subscription_id == id && fate(row).is_some());
    let credit = AccountCredit::of(stored.iter(), known.refunds);
    let money = MoneyRead { refunds: known.refunds, taken: &observed.taken, credit: &credit };
    let missing = known.subscriptions.iter().filter(|row| !is_read(&row.id));
    let subscriptions = missing
        .filter(|row| row.goes_on() || has_payment_read(&row.id))
        .map(|row| {
            let mut carried = row.clone();
            if has_payment_read(&row.id) {
                let of_row = |invoice: &&Invoice| invoice.subscription_id == row.id && invoice.is_paid();
                let until = |invoice: &Invoice| {
                    observed.paid_until.get(&invoice.id).copied().or(row.paid_until).unwrap_or_default()
                };
                let paid: Vec<_> =
                    stored.iter().filter(of_row).map(|invoice| (invoice, until(invoice))).collect();
                set_takeback(&mut carried, Some(row), &money, &paid, now);
            }
            end_carried(&mut carried, observed, now);
            carried
        })
        .collect();
    let invoices = stored.iter().filter(|row| fate(row).is_some()).cloned().collect();
    Carried { subscriptions, invoices }
}

/// Ends a kept row that can no longer renew.
fn end_carried(row: &mut Subscription, observed: &Observed, now: Timestamp) {
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
pub(super) fn lost(known: &Known<'_>, observed: &Observed, carried: &[Subscription]) -> Option<Absence> {
    let is_lost = carried.iter().filter(|row| row.ended_at.is_none()).any(|row| {
        let stored = known.subscriptions.iter().find(|stored| stored.id == row.id);
        let was_renewed = stored.is_some_and(|stored| !stored.cancel_at_period_end);
        row.first_paid_at.is_some() && (was_renewed || observed.absence.is_some())
    });
    is_lost.then(|| observed.absence.unwrap_or(Absence::Subscription))
}
