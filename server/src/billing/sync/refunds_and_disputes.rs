//! Refunds and disputes by PaymentIntent: those made in the provider's dashboard or by a bank, and
//! our own refunds that a bank did not accept. The projection derives their effect on access.

use std::collections::{BTreeMap, BTreeSet};

use garimpo_domain::guarantee::pix_refund_due_at;
use garimpo_domain::{Centavos, PaymentIntentId, Timestamp, Uid};

use crate::billing::facts::projection::{PaymentReversals, Reversals};
use crate::billing::facts::refund_request::{RefundSummary, refunds_of_request};
use crate::billing::notices;
use crate::billing::sync::AccountSync;
use crate::providers::stripe::{Charge, CustomerState, PaymentIntent, StripeError};
use crate::store::{Invoice, Refund, Result, Tx, deletions, invoices, refunds, subscriptions};

impl AccountSync {
    /// Reads the refunds and disputes of a customer's payments. The payments of `unlisted`,
    /// invoices that the provider no longer lists with the customer, are read individually.
    pub(crate) async fn read_reversals(
        &self,
        state: &CustomerState,
        unlisted: &[&Invoice],
        refunds: &[Refund],
    ) -> Result<Reversals, StripeError> {
        let mut charges: Vec<Charge> =
            state.payments.iter().filter_map(PaymentIntent::latest_charge).cloned().collect();
        for payment in unlisted.iter().filter_map(|invoice| invoice.payment_intent_id.as_ref()) {
            match self.stripe.charges_of_payment(payment).await {
                Ok(found) => charges.extend(found),
                // The provider no longer has the payment, so its stored state stays.
                Err(StripeError::Refused { status: 400 | 404, .. }) => {}
                Err(error) => return Err(error),
            }
        }
        let listed = state
            .invoices
            .iter()
            .map(|fact| (&fact.id, fact.payment_intent(), Centavos::new(fact.amount_paid)));
        let stored =
            unlisted.iter().map(|row| (&row.id, row.payment_intent_id.as_ref(), row.amount_due_centavos));
        let payments: Vec<_> = listed.chain(stored).collect();
        let mut by_payment: BTreeMap<PaymentIntentId, PaymentReversals> = BTreeMap::new();
        // A failed attempt has no money to refund.
        for charge in charges.into_iter().filter(Charge::has_succeeded) {
            let disputes =
                if charge.disputed { self.stripe.list_disputes(&charge.id).await? } else { Vec::new() };
            let Some(intent_id) = charge.payment_intent else { continue };
            let reversal = by_payment.entry(intent_id).or_default();
            reversal.refunded = reversal.refunded + Centavos::new(charge.amount_refunded);
            reversal.disputes.extend(disputes);
        }
        let mut failed = BTreeSet::new();
        for refund in refunds.iter().filter(|refund| refund.goes_by_card()) {
            let paid = payments.iter().find(|(invoice_id, ..)| **invoice_id == refund.invoice_id);
            let Some((_, intent_id, centavos)) = paid else { continue };
            let Some(reversal) = intent_id.and_then(|id| by_payment.get(id)) else { continue };
            // The provider refunds nothing of a charge that was partly lost in a dispute.
            let is_lost_in_part = reversal.is_lost() && reversal.reversed_centavos() < *centavos;
            if refund.waits_for_card() && is_lost_in_part {
                failed.insert(refund.id.clone());
            }
            let Some(id) = &refund.provider_id else { continue };
            // The refund is read only if the charge's total does not contain it, because a failed
            // refund no longer counts there.
            if reversal.refunded < refund.amount_centavos && !self.stripe.get_refund(id).await?.is_counted() {
                failed.insert(refund.id.clone());
            }
        }
        Ok(Reversals { by_payment, failed })
    }
}

/// Settles refunds by card that we have not made, if the payer has the money already: refunded in
/// the provider's dashboard, or by a lost dispute.
pub(crate) async fn settle_refunds(
    tx: &mut Tx,
    uid: &Uid,
    reversals: &Reversals,
    now: Timestamp,
) -> Result<()> {
    for refund in refunds::by_uid(&mut *tx, uid).await?.iter().filter(|refund| refund.waits_for_card()) {
        let Some(invoice) = invoices::by_id(tx, &refund.invoice_id).await? else { continue };
        let payment = invoice.payment_intent_id.as_ref();
        let back = payment
            .and_then(|id| reversals.by_payment.get(id))
            .map_or(Centavos::ZERO, PaymentReversals::reversed_centavos);
        if back >= invoice.amount_due_centavos {
            refunds::mark_paid(tx, &invoice.id, None, now).await?;
        }
    }
    Ok(())
}

/// Turns the refunds by card with these ids into Pix refunds, and mails the person.
pub(crate) async fn turn_into_pix(
    tx: &mut Tx,
    uid: &Uid,
    email: Option<&str>,
    ids: &BTreeSet<String>,
    now: Timestamp,
) -> Result<()> {
    for id in ids {
        let email = match email {
            Some(email) => Some(email.to_owned()),
            None => deletions::kept_email(tx, uid).await?,
        };
        if !refunds::turn_into_pix(tx, id, email.as_deref(), pix_refund_due_at(now)).await? {
            continue;
        }
        let (user, refund_id) = (uid.clone(), id.clone());
        tx.after_commit(move || {
            tracing::warn!(
                user.id = %user,
                refund.id = refund_id,
                "a refund by card failed: it is paid by Pix"
            );
        });
        let refunds = refunds::by_uid(&mut *tx, uid).await?;
        let Some(refund) = refunds.iter().find(|refund| refund.id == *id) else { continue };
        let bought = subscriptions::by_id(&mut *tx, &refund.subscription_id).await?;
        if let (Some(bought), Some(summary)) =
            (bought, RefundSummary::of(&refunds_of_request(&refunds, refund)))
        {
            notices::enqueue_refund_requested(tx, uid, &bought, &summary, now).await?;
        }
    }
    Ok(())
}
