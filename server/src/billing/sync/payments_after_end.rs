//! Refunds payments that arrived after their subscription had ended: cards at the provider, boletos
//! by Pix.

use garimpo_domain::{Centavos, Uid};

use crate::billing::facts::money_owed::is_owed_by_card;
use crate::billing::facts::projection::{PaymentAfterEnd, Projection, StoredState};
use crate::billing::facts::refund_request::{RefundSummary, refund_of, refunds_of_request};
use crate::billing::jobs::retirement::{RetireReason, retire_job};
use crate::billing::notices;
use crate::ids::Ids;
use crate::protocol_number;
use crate::store::{Account, Invoice, Refund, RefundReason, Result, Text as _, Tx, deletions, jobs, refunds};

/// Records a refund for each payment that arrived after its subscription had ended, and enqueues
/// the mail about it in the same transaction. One refund per invoice, so a repeated reading changes
/// nothing.
pub(crate) async fn refund_payments_after_end(
    tx: &mut Tx,
    ids: &Ids,
    uid: &Uid,
    account: Option<&Account>,
    projection: &Projection,
) -> Result<()> {
    let now = projection.now;
    for payment in &projection.after_end {
        let PaymentAfterEnd { invoice, centavos, subscription } = payment;
        let (email, reason) = match account {
            Some(account) => (Some(account.email.clone().into()), RefundReason::AfterEnd),
            None => (deletions::kept_email(tx, uid).await?, RefundReason::Deleted),
        };
        let refund = Refund {
            amount_centavos: *centavos,
            protocol: Some(protocol_number::choose(tx, ids, now).await?),
            ..refund_of(ids, invoice, reason, email.as_deref(), now)
        };
        if !refunds::insert(tx, &refund).await? {
            continue;
        }
        if account.is_some() {
            notices::enqueue_payment_after_end(tx, subscription, &refund, now).await?;
        }
        let user = uid.clone();
        tx.after_commit(move || {
            tracing::warn!(
                user.id = %user,
                refund.id,
                refund.method = refund.method.text(),
                "a payment arrived after its subscription had ended"
            );
        });
    }
    // Each sync enqueues unpaid refunds again, because the provider may fail for a long time.
    let refunds = refunds::by_uid(&mut *tx, uid).await?;
    let after_end: Vec<Refund> =
        refunds.into_iter().filter(|refund| refund.reason == RefundReason::AfterEnd).collect();
    for row in projection.subscriptions.iter().filter(|row| is_owed_by_card(&after_end, row)) {
        jobs::enqueue_or_revive(tx, retire_job(row, RetireReason::Over, now)).await?;
    }
    Ok(())
}

/// Refunds a payment that appears after its subscription was refunded, and mails the account.
pub(crate) async fn extend_refund_request(
    tx: &mut Tx,
    ids: &Ids,
    account: Option<&Account>,
    mut known: Vec<Refund>,
    projection: &Projection,
) -> Result<Vec<Refund>> {
    let now = projection.now;
    for invoice in projection.invoices.iter().filter(|invoice| invoice.money_kept() > Centavos::ZERO) {
        let asked =
            |refund: &&Refund| refund.was_asked_for() && refund.subscription_id == invoice.subscription_id;
        let Some(with) = known.iter().find(asked).cloned() else { continue };
        if known.iter().any(|refund| refund.invoice_id == invoice.id) {
            continue;
        }
        let refund = refund_of(ids, invoice, RefundReason::Guarantee, with.pix_key.as_deref(), now);
        let refund = Refund { protocol: with.protocol, request_id: with.request_id, ..refund };
        refunds::insert(tx, &refund).await?;
        known.push(refund.clone());
        let bought = projection.subscription(&refund.subscription_id);
        if let (Some(account), Some(bought), Some(summary)) =
            (account, bought, RefundSummary::of(&refunds_of_request(&known, &refund)))
        {
            notices::enqueue_refund_requested(tx, &account.uid, bought, &summary, now).await?;
        }
    }
    Ok(known)
}

/// Refunds the new payments of a deleted account, and enqueues the end of its subscriptions.
pub(crate) async fn settle_deleted_account(
    tx: &mut Tx,
    ids: &Ids,
    known: &StoredState,
    projection: &Projection,
) -> Result<()> {
    let (uid, now) = (&known.uid, projection.now);
    // Each new payment is refunded, also that of a plan change, because a deleted account has no
    // rights.
    let is_new = |row: &&Invoice| row.money_kept() > Centavos::ZERO && !known.was_paid(&row.id);
    let email = deletions::kept_email(tx, uid).await?;
    for invoice in projection.invoices.iter().filter(is_new) {
        refunds::insert(tx, &refund_of(ids, invoice, RefundReason::Deleted, email.as_deref(), now)).await?;
    }
    let refunds = refunds::by_uid(&mut *tx, uid).await?;
    for row in &projection.subscriptions {
        if row.ended_at.is_none() || is_owed_by_card(&refunds, row) {
            jobs::enqueue_or_revive(tx, retire_job(row, RetireReason::Deleted, now)).await?;
        }
    }
    Ok(())
}
