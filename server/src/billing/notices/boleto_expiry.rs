//! Mails about an unpaid renewal boleto: when it expires, and when access is suspended.

use garimpo_domain::{Access, Renewal, SuspendedReason};

use crate::billing::facts::projection::Projection;
use crate::billing::notices::bought;
use crate::billing::notices::phrases;
use crate::billing::notices::phrases::day;
use crate::mail::{Mail, enqueue_mail};
use crate::store::{Account, Result, Tx};

/// Enqueues the mails that are due by now.
pub(crate) async fn enqueue(tx: &mut Tx, account: &Account, projection: &Projection) -> Result<()> {
    let now = projection.now;
    // An ended subscription gets no mail, because its phase is neither suspended nor paid.
    for row in projection.subscriptions.iter().filter(|row| !row.is_replaced()) {
        let state = row.state();
        let phase = state.phase_at(now, &projection.policy);
        let Renewal::Voucher { due_at } = state.renewal else { continue };
        let (what, access) = match (phase.suspended, phase.access) {
            (Some(SuspendedReason::BoletoUnpaid), _) => {
                ("suspended", phrases::ACCESS_IS_SUSPENDED.to_owned())
            }
            (None, Access::Paid(until)) if due_at <= now => ("lapsed", phrases::access_holds(until)),
            _ => continue,
        };
        let bought = bought(row, row.price_centavos);
        let mail = Mail::BoletoLapsed { bought, due_on: day(due_at), access };
        // The key has the day, because a later voucher of the same renewal changes the time but not
        // the day.
        let key = format!("boleto_{what}:{}:{}", row.id, day(due_at));
        enqueue_mail(tx, key, mail, &account.uid, now).await?;
    }
    Ok(())
}
