//! Changes of plan since the last sync, made here or at the provider.

use garimpo_domain::{Centavos, Settlement};

use crate::providers::stripe;
use crate::store::Subscription;

/// A change of plan that was not known before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NewChange {
    /// The subscription as it was.
    pub(crate) before: Subscription,
    /// The subscription as it is.
    pub(crate) after: Subscription,
    /// The invoice that it made; none where nothing was charged or credited at once.
    pub(crate) invoice_id: Option<String>,
    /// What that charged, or gave back, and why so much.
    pub(crate) settlement: Settlement,
}

/// Changes of plan between what was stored and what is now, of subscriptions that were paid and go
/// on.
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
