//! An account's credit by its invoices, and whether money stands behind it. The rule is the
//! domain's ([`garimpo_domain::credit`]).

use garimpo_domain::Centavos;
use garimpo_domain::credit::{Backing, CreditHistory, PaidInvoice};

use crate::store::billing::invoices::Invoice;
use crate::store::billing::refunds::Refund;

/// The credit of an account, after all of its paid invoices.
pub(super) struct AccountCredit<'a> {
    invoices: Vec<&'a Invoice>,
    history: CreditHistory<'a>,
}

impl<'a> AccountCredit<'a> {
    /// Reads an account's invoices, oldest first, and what is given back to it.
    pub(super) fn of(invoices: impl Iterator<Item = &'a Invoice>, refunds: &[Refund]) -> Self {
        let invoices: Vec<_> = invoices.filter(|row| row.is_paid()).collect();
        let history = CreditHistory::of(invoices.iter().map(|row| paid(row, refunds)));
        Self { invoices, history }
    }

    /// Where most of what paid an invoice is; `None` where it used no credit.
    pub(super) fn backing(&self, invoice: &Invoice) -> Option<Backing> {
        let at = self.invoices.iter().position(|row| row.id == invoice.id)?;
        (invoice.credit_used() > Centavos::ZERO).then(|| self.history.backing(at))
    }

    /// Credit of a subscription that is left although its money is gone.
    pub(super) fn gone(&self, subscription_id: &str) -> Centavos {
        Centavos::new(self.history.gone(subscription_id))
    }
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
