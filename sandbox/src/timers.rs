//! What time does by itself: sessions and vouchers expire, periods end, failed payments are tried again.

use sqlx::Row;

use crate::moment::Moment;
use crate::payments;
use crate::payments::error::ApiError;
use crate::store::{Cause, Tx};
use crate::world::World;

/// A checkout session nobody finished.
pub const SESSION_EXPIRES: &str = "session_expires";
/// A voucher's due date passed.
pub const VOUCHER_EXPIRES: &str = "voucher_expires";
/// A test address has its voucher paid.
pub const VOUCHER_PAID: &str = "voucher_paid";
/// A subscription's period (or trial) ends.
pub const PERIOD_ENDS: &str = "period_ends";
/// A subscription ends at a chosen instant.
pub const ENDS_AT: &str = "ends_at";
/// A draft invoice of a renewal is finalised and charged, one hour after it was made.
pub const INVOICE_CLOSES: &str = "invoice_closes";
/// A failed invoice is tried again.
pub const INVOICE_RETRIES: &str = "invoice_retries";
/// The bank of a card that disputes everything disputes a charge.
pub const DISPUTE_OPENS: &str = "dispute_opens";
/// A bank decides on a refund.
pub const REFUND_SETTLES: &str = "refund_settles";

/// The earliest instant at which something happens by itself.
pub async fn next_due(world: &World) -> Result<Option<Moment>, sqlx::Error> {
    let mut tx = world.read().await?;
    let due: Option<i64> =
        sqlx::query_scalar("SELECT min(due_at_us) FROM timers").fetch_one(&mut *tx.conn).await?;
    Ok(due.map(Moment))
}

/// Fires what is due, in order, each in its own transaction.
pub async fn fire_due(world: &World) -> Result<(), sqlx::Error> {
    loop {
        if next_due(world).await?.is_none_or(|due| due > world.now()) {
            return Ok(());
        }
        let mut tx = world.write(Cause::default()).await?;
        let row = sqlx::query(
            "DELETE FROM timers WHERE rowid = (SELECT rowid FROM timers WHERE due_at_us <= $1
             ORDER BY due_at_us, rowid LIMIT 1) RETURNING object_id, what, due_at_us",
        )
        .bind(tx.now.0)
        .fetch_optional(&mut *tx.conn)
        .await?;
        let Some(row) = row else { return Ok(()) };
        let (id, what, due): (String, String, i64) = (row.get(0), row.get(1), row.get(2));
        match fire(&mut tx, &id, &what, Moment(due)).await {
            Ok(()) => world.commit(tx).await?,
            Err(error) => {
                // One broken object must not stop the world's time.
                tracing::error!(?error, id, what, "a due moment of the sandbox failed; it is dropped");
                drop(tx);
                let mut tx = world.write(Cause::default()).await?;
                sqlx::query("DELETE FROM timers WHERE object_id = $1 AND what = $2")
                    .bind(&id)
                    .bind(&what)
                    .execute(&mut *tx.conn)
                    .await?;
                world.commit(tx).await?;
            }
        }
    }
}

async fn fire(tx: &mut Tx, id: &str, what: &str, due: Moment) -> Result<(), ApiError> {
    match what {
        SESSION_EXPIRES => payments::sessions::expire_by_time(tx, id).await,
        VOUCHER_EXPIRES => payments::vouchers::expire(tx, id).await,
        VOUCHER_PAID => payments::vouchers::pay_by_itself(tx, id).await,
        PERIOD_ENDS => payments::renewals::period_ends(tx, id, due).await,
        ENDS_AT => payments::subscriptions::ends_at(tx, id).await,
        INVOICE_CLOSES => payments::renewals::invoice_closes(tx, id).await,
        INVOICE_RETRIES => payments::renewals::invoice_retries(tx, id).await,
        DISPUTE_OPENS => payments::disputes::open(tx, id).await.map(drop),
        REFUND_SETTLES => payments::refunds::settles(tx, id).await,
        _ => Ok(()),
    }
}
