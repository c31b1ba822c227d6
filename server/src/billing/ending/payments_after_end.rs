//! Refunds payments that arrived after their subscription had ended: cards at the provider, boletos
//! by Pix.

use crate::billing::ending::guarantee::{protocol_in_tx, refund_of};
use crate::billing::ending::retire::{RetireReason, is_owed_by_card, retire_job};
use crate::billing::notices;
use crate::billing::sync::projection::{PaymentAfterEnd, Projection};
use crate::ids::Ids;
use crate::store::{Account, Refund, RefundReason, Result, Text as _, Tx, deletions, jobs, refunds};

/// Records a refund for each payment that arrived after its subscription had ended, and enqueues
/// the mail about it in the same transaction. One refund per invoice, so a repeated reading changes
/// nothing.
pub(crate) async fn payments_after_end_in_tx(
    tx: &mut Tx,
    ids: &Ids,
    uid: &str,
    account: Option<&Account>,
    projection: &Projection,
) -> Result<()> {
    let now = projection.now;
    for payment in &projection.after_end {
        let PaymentAfterEnd { invoice, centavos, subscription } = payment;
        let (email, reason) = match account {
            Some(account) => (Some(account.email.clone()), RefundReason::AfterEnd),
            None => (deletions::kept_email(tx, uid).await?, RefundReason::Deleted),
        };
        let refund = Refund {
            amount_centavos: *centavos,
            protocol: Some(protocol_in_tx(tx, ids, now).await?),
            ..refund_of(ids, invoice, reason, email.as_deref(), now)
        };
        if !refunds::insert(tx, &refund).await? {
            continue;
        }
        if account.is_some() {
            notices::payment_after_end_in_tx(tx, subscription, &refund, now).await?;
        }
        let user = uid.to_owned();
        tx.after_commit(move || {
            tracing::warn!(
                user.id = user,
                refund.id,
                refund.method = refund.method.text(),
                "a payment arrived after its subscription had ended"
            );
        });
    }
    // The provider may fail for long, so each reading asks again.
    let refunds = refunds::by_uid(&mut *tx, uid).await?;
    let after_end: Vec<Refund> =
        refunds.into_iter().filter(|refund| refund.reason == RefundReason::AfterEnd).collect();
    for row in projection.subscriptions.iter().filter(|row| is_owed_by_card(&after_end, row)) {
        jobs::enqueue_or_revive(tx, retire_job(row, RetireReason::Over, now)).await?;
    }
    Ok(())
}
