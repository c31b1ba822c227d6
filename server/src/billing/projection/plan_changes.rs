//! Plan changes since the last sync, made by us or at the provider.

use garimpo_domain::Settlement;

use crate::billing::projection::input::StoredState;
use crate::providers::stripe;
use crate::store::Subscription;

/// A plan change seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewChange {
    /// The subscription before the change.
    pub(crate) before: Subscription,
    /// The subscription after the change.
    pub(crate) after: Subscription,
    /// Its invoice; `None` if nothing was charged or credited.
    pub(crate) invoice_id: Option<String>,
    /// Amount that it charged or credited, and its parts.
    pub(crate) settlement: Settlement,
}

/// Compares stored with current rows, for subscriptions that were paid and continue. `newly_paid`
/// are the invoices that were not stored as paid.
pub(super) fn new_changes(
    known: &StoredState,
    rows: &[Subscription],
    newly_paid: &[&stripe::Invoice],
) -> Vec<NewChange> {
    let change = |row: &Subscription| {
        let before = known.subscription(&row.id).filter(|before| before.first_paid_at.is_some())?;
        if (before.plan_id, before.plan_interval) == (row.plan_id, row.plan_interval) || !row.goes_on() {
            return None;
        }
        let is_its = |invoice: &&&stripe::Invoice| {
            invoice.paid_at().is_some() && invoice.is_of_change() && invoice.subscription() == Some(&row.id)
        };
        let invoice = newly_paid.iter().filter(is_its).max_by_key(|invoice| invoice.created);
        Some(NewChange {
            before: before.clone(),
            after: row.clone(),
            invoice_id: invoice.map(|invoice| invoice.id.clone()),
            settlement: invoice.map(|invoice| invoice.settlement()).unwrap_or_default(),
        })
    };
    rows.iter().filter_map(change).collect()
}
