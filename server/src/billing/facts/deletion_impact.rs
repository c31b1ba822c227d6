//! What deleting the account would cancel and refund. The preview shows it; the deletion applies
//! it.

use garimpo_domain::{Centavos, Timestamp};

use crate::billing::facts::current_subscription::waiting_boleto;
use crate::billing::facts::guarantee::{GuaranteeRefund, guarantee_refund};
use crate::rights::current;
use crate::store::{Account, Invoice, Subscription, Text as _};

/// What deleting the account would cancel and refund.
pub(crate) struct DeletionImpact<'a> {
    /// The subscription to cancel, if one runs.
    pub subscription: Option<&'a Subscription>,
    /// End of the paid access.
    pub paid_until: Option<Timestamp>,
    /// The refund by the guarantee.
    pub(crate) refund: Option<GuaranteeRefund<'a>>,
    /// Whether an open boleto would be voided.
    pub voids_boleto: bool,
}

impl DeletionImpact<'_> {
    /// Amount to refund.
    pub fn refund_centavos(&self) -> Centavos {
        self.refund.as_ref().map_or(Centavos::ZERO, GuaranteeRefund::centavos)
    }

    /// Amount of it to refund by Pix. The rest is refunded to the card.
    pub fn refund_pix_centavos(&self) -> Centavos {
        self.refund.as_ref().map_or(Centavos::ZERO, GuaranteeRefund::pix_centavos)
    }

    /// Refund method: `pix` if any part of it is by Pix, otherwise `card`.
    pub fn refund_method(&self) -> Option<&'static str> {
        self.refund.as_ref().map(|refund| refund.method().text())
    }
}

/// What deleting the account would cancel and refund. Preview and deletion both use it.
pub(crate) fn deletion_impact<'a>(
    account: &Account,
    rows: &'a [Subscription],
    invoices: &'a [Invoice],
    now: Timestamp,
) -> DeletionImpact<'a> {
    let runs_paid = |row: &&Subscription| row.is_running() && row.first_paid_at.is_some();
    let subscription = current(rows).filter(runs_paid);
    let paid_until = subscription.and_then(|row| row.paid_until);
    DeletionImpact {
        subscription,
        paid_until: paid_until.filter(|until| *until > now),
        refund: guarantee_refund(account, rows, invoices, now),
        voids_boleto: waiting_boleto(invoices, rows, now).is_some(),
    }
}
