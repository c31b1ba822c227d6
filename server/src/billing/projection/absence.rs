//! Subscriptions that our rows have and the provider does not: its customer is unknown or was deleted.
//!
//! Paid time holds until its end, whatever the provider lost (docs/decisions.md, "Paid time outlives the provider's
//! data"). So such a row is carried over as it is stored, and nothing is concluded from its absence.

use super::{Known, Observed};
use crate::store::subscriptions::Subscription;

/// Why the provider has no such customer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::billing) enum Absence {
    /// It never had it: its data was lost, or the key is of another account.
    Unknown,
    /// It was deleted there; its subscriptions were canceled with it, and nothing is charged any more.
    Deleted,
    /// The customer is there, and a subscription is not.
    Subscription,
}

impl Absence {
    /// The name that is stored.
    pub(in crate::billing) fn name(self) -> &'static str {
        match self {
            Self::Unknown => "unknown",
            Self::Deleted => "deleted",
            Self::Subscription => "subscription",
        }
    }
}

/// The stored rows that go on and that the reading lacks.
pub(super) fn carried(
    known: &Known<'_>,
    observed: &Observed,
    read: &[Subscription],
    now: garimpo_domain::Timestamp,
) -> Vec<Subscription> {
    if !known.has_account {
        return Vec::new();
    }
    let missing = known.subscriptions.iter().filter(|row| row.goes_on());
    let missing = missing.filter(|row| !read.iter().any(|new| new.id == row.id));
    missing
        .cloned()
        .map(|mut row| {
            if observed.absence == Some(Absence::Deleted) {
                row.cancel_at_period_end = true;
                row.set_renewal(garimpo_domain::subscription::Renewal::Open);
                if row.first_paid_at_us.is_none() {
                    row.ended_at_us = Some(now.as_micros());
                }
            }
            let paid_until = row.paid_until_us.filter(|until| *until <= now.as_micros());
            if row.cancel_at_period_end && row.ended_at_us.is_none() {
                row.ended_at_us = paid_until;
            }
            row
        })
        .collect()
}

/// Whether the account loses something by the absence that the operator must know of: it paid, and it did not cancel.
pub(super) fn lost(known: &Known<'_>, observed: &Observed, carried: &[Subscription]) -> Option<Absence> {
    let is_lost = carried.iter().filter(|row| row.ended_at_us.is_none()).any(|row| {
        let stored = known.subscriptions.iter().find(|stored| stored.id == row.id);
        let was_renewed = stored.is_some_and(|stored| !stored.cancel_at_period_end);
        row.first_paid_at_us.is_some() && (was_renewed || observed.absence.is_some())
    });
    is_lost.then(|| observed.absence.unwrap_or(Absence::Subscription))
}
