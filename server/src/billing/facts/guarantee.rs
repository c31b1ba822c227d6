//! What the money-back guarantee refunds now.

use garimpo_domain::guarantee::{guarantee_ends_at, has_guarantee};
use garimpo_domain::{Centavos, Takeback, Timestamp};

use crate::billing::facts::refund_request::refund_method;
use crate::store::{Account, Invoice, RefundMethod, Subscription};

/// A refund by the guarantee.
pub(crate) struct GuaranteeRefund<'a> {
    /// The person's first subscription.
    pub(crate) subscription: &'a Subscription,
    /// End of the guarantee.
    pub(crate) until: Timestamp,
    /// All payments of money for it: the first one, and the differences of plan changes.
    pub(crate) payments: Vec<&'a Invoice>,
}

impl GuaranteeRefund<'_> {
    /// Amount to refund. Used credit is no money.
    pub(crate) fn centavos(&self) -> Centavos {
        self.payments.iter().map(|invoice| invoice.money_kept()).sum()
    }

    /// Amount of it to refund by Pix. The rest is refunded to the card.
    pub(crate) fn pix_centavos(&self) -> Centavos {
        let by_pix =
            self.payments.iter().filter(|invoice| refund_method(invoice.payment_method) == RefundMethod::Pix);
        by_pix.map(|invoice| invoice.money_kept()).sum()
    }

    /// Refund method: `pix` if any part of it is by Pix.
    pub(crate) fn method(&self) -> RefundMethod {
        if self.pix_centavos() > Centavos::ZERO { RefundMethod::Pix } else { RefundMethod::Card }
    }
}

/// The refund of a person's first subscription during the guarantee. It has no conditions, so it
/// also applies to a subscription that was ended immediately at the provider.
///
/// A person has one first subscription. If another account of the person had it, this one has no
/// guarantee.
pub(crate) fn guarantee_refund<'a>(
    account: &Account,
    rows: &'a [Subscription],
    invoices: &'a [Invoice],
    now: Timestamp,
) -> Option<GuaranteeRefund<'a>> {
    if account.subscribed_before {
        return None;
    }
    let is_whole = |row: &Subscription| row.state().takeback == Takeback::None;
    // The provider's times are whole seconds. Of two subscriptions paid in the same second, the
    // refunded one was the first.
    let first = rows
        .iter()
        .filter(|row| row.is_counted_as_paid())
        .min_by_key(|row| (row.first_paid_at, is_whole(row)))?;
    let first_paid_at = first.first_paid_at?;
    let of_first =
        |invoice: &&Invoice| invoice.subscription_id == first.id && invoice.money_kept() > Centavos::ZERO;
    let payments: Vec<_> = invoices.iter().filter(of_first).collect();
    let holds = is_whole(first) && has_guarantee(first_paid_at, now);
    (holds && !payments.is_empty()).then(|| GuaranteeRefund {
        subscription: first,
        until: guarantee_ends_at(first_paid_at),
        payments,
    })
}
