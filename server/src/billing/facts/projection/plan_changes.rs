//! Plan changes since the last sync, made by us or at the provider.

use garimpo_domain::provider_status::{InvoiceStatus, SubscriptionStatus};
use garimpo_domain::{InvoiceId, Settlement};

use crate::billing::facts::projection::input::StoredState;
use crate::providers::stripe;
use crate::store::{Invoice, Subscription};

/// A plan change seen for the first time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewChange {
    /// The subscription before the change.
    pub(crate) before: Subscription,
    /// The subscription after the change.
    pub(crate) after: Subscription,
    /// Its invoice; `None` if nothing was charged or credited.
    pub(crate) invoice_id: Option<InvoiceId>,
    /// Amount that it charged or credited, and its parts.
    pub(crate) settlement: Settlement,
}

/// Whether an invoice is of a plan change that waits for its payment, or that was not paid. The
/// provider then keeps the old plan and the status `active`, so it is no failed renewal. A change
/// that the provider applied before its payment makes the subscription `past_due` instead.
pub(crate) fn is_of_unpaid_change(invoice: &Invoice, status: &SubscriptionStatus) -> bool {
    invoice.is_of_change()
        && match invoice.status {
            InvoiceStatus::Void => true,
            InvoiceStatus::Open | InvoiceStatus::Uncollectible => *status == SubscriptionStatus::Active,
            InvoiceStatus::Draft | InvoiceStatus::Paid => false,
        }
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
        if (before.plan_id, before.plan_interval) == (row.plan_id, row.plan_interval)
            || !row.is_running_and_kept()
        {
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
