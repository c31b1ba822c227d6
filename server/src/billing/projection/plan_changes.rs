//! Plan changes since the last sync, made by us or at the provider.

use garimpo_domain::{Centavos, Settlement};

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

/// Compares stored with current rows, for subscriptions that were paid and continue.
pub(super) fn new_changes(
    stored: &[Subscription],
    rows: &[Subscription],
    invoices: &[(&stripe::Invoice, bool)],
) -> Vec<NewChange> {
    let changed = |row: &Subscription| {
        let before = stored.iter().find(|before| before.id == row.id && before.first_paid_at.is_some())?;
        let is_other = before.plan_id != row.plan_id || before.plan_interval != row.plan_interval;
        (is_other && row.goes_on()).then_some(before)
    };
    rows.iter()
        .filter_map(|row| {
            let before = changed(row)?;
            let made = invoices.iter().filter(|(invoice, was_known)| {
                !was_known
                    && invoice.paid_at().is_some()
                    && invoice.is_of_change()
                    && invoice.subscription() == Some(&row.id)
            });
            let invoice = made.map(|(invoice, _)| *invoice).max_by_key(|invoice| invoice.created);
            Some(NewChange {
                before: before.clone(),
                after: row.clone(),
                invoice_id: invoice.map(|invoice| invoice.id.clone()),
                settlement: match invoice {
                    Some(invoice) => invoice.settlement(),
                    None => Settlement::of(Centavos::new(0), Centavos::new(0), Centavos::new(0)),
                },
            })
        })
        .collect()
}
