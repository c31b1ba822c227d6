//! Computes an account's credit from its invoices, and whether the payment behind it was refunded.
//! The rule is in the domain ([`garimpo_domain::credit`]).

use garimpo_domain::credit::{Backing, CreditHistory, PaidInvoice};
use garimpo_domain::{Centavos, SubscriptionId};

use crate::store::{Invoice, Refund};

/// The credit of an account, after all of its paid invoices.
pub(crate) struct AccountCredit<'a> {
    invoices: Vec<&'a Invoice>,
    history: CreditHistory<'a>,
}

impl<'a> AccountCredit<'a> {
    /// Computes from an account's invoices, oldest first, and its refunds.
    pub(crate) fn of(invoices: impl Iterator<Item = &'a Invoice>, refunds: &[Refund]) -> Self {
        let invoices: Vec<_> = invoices.filter(|row| row.is_paid()).collect();
        let history = CreditHistory::of(invoices.iter().map(|row| paid(row, refunds)));
        Self { invoices, history }
    }

    /// The source of most of the credit that paid an invoice; `None` if it used no credit.
    pub(crate) fn backing(&self, invoice: &Invoice) -> Option<Backing> {
        let at = self.invoices.iter().position(|row| row.id == invoice.id)?;
        (invoice.credit_used() > Centavos::ZERO).then(|| self.history.backing(at))
    }

    /// Remaining credit of a subscription whose payment was refunded.
    pub(crate) fn gone(&self, subscription_id: &SubscriptionId) -> Centavos {
        Centavos::new(self.history.gone(subscription_id))
    }
}

/// Plan changes that created credit from a refunded payment: those since the first refunded payment
/// of their subscription.
fn credits_of_refunded<'a>(
    invoices: impl Iterator<Item = &'a Invoice> + Clone,
    refunds: &[Refund],
) -> impl Iterator<Item = &'a Invoice> {
    let paid = invoices.filter(|row| row.is_paid());
    let goes_back = |row: &&Invoice| {
        let is_asked = refunds.iter().any(|refund| refund.invoice_id == row.id);
        row.amount_due_centavos > Centavos::ZERO && (is_asked || row.money_kept() == Centavos::ZERO)
    };
    let since = paid.clone().filter(goes_back).map(|row| row.created_at).min();
    paid.filter(move |row| {
        row.is_of_change()
            && row.total_centavos < Centavos::ZERO
            && since.is_some_and(|since| since <= row.created_at)
    })
}

/// Whether the credit of an invoice ended with the refund of its payment. `invoices` are those of
/// its returned subscription.
pub(crate) fn is_credit_of_refunded(invoice: &Invoice, invoices: &[Invoice], refunds: &[Refund]) -> bool {
    let of_it = invoices.iter().filter(|row| row.subscription_id == invoice.subscription_id);
    credits_of_refunded(of_it, refunds).any(|row| row.id == invoice.id)
}

/// Amount of credit to end with a returned subscription. `invoices` are all of its account. An
/// invoice that charges money has used all earlier credit.
pub(crate) fn credit_to_end(
    subscription_id: &SubscriptionId,
    invoices: &[Invoice],
    refunds: &[Refund],
) -> Centavos {
    let of_it = invoices.iter().filter(|row| row.subscription_id == *subscription_id);
    let is_used = has_used_credit(subscription_id, invoices);
    let made = credits_of_refunded(of_it, refunds).filter(|_| !is_used).map(|row| -row.total_centavos).sum();
    // `gone` also counts credit that was bought with other credit whose payment was refunded.
    AccountCredit::of(invoices.iter(), refunds).gone(subscription_id).max(made)
}

/// Whether a later purchase has used up the credit of this subscription: an invoice charges money
/// only when no credit is left. Credit created after that belongs to another subscription.
fn has_used_credit(subscription_id: &SubscriptionId, invoices: &[Invoice]) -> bool {
    let of_it = |row: &&Invoice| row.subscription_id == *subscription_id;
    let last = invoices.iter().filter(of_it).map(|row| row.created_at).max();
    let asks_for_money = |row: &&Invoice| {
        row.subscription_id != *subscription_id && row.is_paid() && row.amount_due_centavos > Centavos::ZERO
    };
    invoices.iter().filter(asks_for_money).any(|row| Some(row.created_at) > last)
}

fn paid<'a>(row: &'a Invoice, refunds: &[Refund]) -> PaidInvoice<'a> {
    let is_asked_back = refunds.iter().any(|refund| refund.invoice_id == row.id);
    let backing = if is_asked_back || row.money_kept() == Centavos::ZERO {
        Backing::Gone
    } else if row.is_disputed() {
        Backing::Disputed
    } else {
        Backing::Kept
    };
    PaidInvoice {
        subscription: &row.subscription_id,
        opens_period: !row.is_of_change(),
        money: row.amount_due_centavos.get().max(0),
        backing,
        credit_used: row.credit_used().get().max(0),
        credit_made: (-row.total_centavos.get()).max(0),
        credit_returned: row.credit_returned_centavos.get().max(0),
    }
}
