//! What time does by itself: sessions and vouchers expire, periods end, failed payments are tried again.

use sqlx::{AssertSqlSafe, Row};

use crate::provider;
use crate::provider::error::ApiError;
use crate::state::moment::Moment;
use crate::state::store::{Cause, Tx};
use crate::state::world::World;

/// A checkout session nobody finished.
pub const SESSION_EXPIRES: &str = "session_expires";
/// A voucher's due date passed.
pub const VOUCHER_EXPIRES: &str = "voucher_expires";
/// A test address has its voucher paid.
pub const VOUCHER_PAID: &str = "voucher_paid";
/// The bank confirms the payment of a voucher.
pub const VOUCHER_CONFIRMED: &str = "voucher_confirmed";
/// A first subscription was not paid within 23 hours.
pub const INCOMPLETE_ENDS: &str = "incomplete_ends";
/// A subscription's period (or trial) ends.
pub const PERIOD_ENDS: &str = "period_ends";
/// A renewal comes in some days.
pub const RENEWAL_NEARS: &str = "renewal_nears";
/// A trial ends in three days, or sooner.
pub const TRIAL_NEARS_END: &str = "trial_nears_end";
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
/// A test clock and its customers are deleted.
pub const CLOCK_DELETED: &str = "clock_deleted";

/// The earliest instant at which something happens by itself.
pub async fn next_due(world: &World) -> Result<Option<Moment>, sqlx::Error> {
    let mut tx = world.read().await?;
    let due: Option<i64> =
        sqlx::query_scalar("SELECT min(due_at_us) FROM timers").fetch_one(&mut *tx.conn).await?;
    Ok(due.map(Moment))
}

/// Timers that keep the sandbox's time for customers of a test clock too.
pub const SANDBOX_TIME: [&str; 4] = [SESSION_EXPIRES, DISPUTE_OPENS, REFUND_SETTLES, CLOCK_DELETED];

/// Something that is due.
pub struct Due {
    /// The object to which it happens.
    pub object_id: String,
    /// One of the constants above.
    pub what: String,
    /// When it was due.
    pub at: Moment,
}

/// Fires what is due, in order, each in its own transaction. Then takes advancing test clocks to their targets.
pub async fn fire_due(world: &World) -> Result<(), sqlx::Error> {
    while next_due(world).await?.is_some_and(|due| due <= world.now()) {
        let mut tx = world.write(Cause::default()).await?;
        let row = sqlx::query(
            "DELETE FROM timers WHERE rowid = (SELECT rowid FROM timers WHERE due_at_us <= $1
             ORDER BY due_at_us, rowid LIMIT 1) RETURNING object_id, what, due_at_us",
        )
        .bind(tx.now.0)
        .fetch_optional(&mut *tx.conn)
        .await?;
        let Some(row) = row else { break };
        let due = Due { object_id: row.get(0), what: row.get(1), at: Moment(row.get(2)) };
        match fire(&mut tx, &due).await {
            Ok(()) => world.commit(tx).await?,
            Err(error) => {
                drop(tx);
                drop_broken(world, &due, &error).await?;
            }
        }
    }
    provider::test_clocks::run_advances(world).await
}

/// Deletes a timer that cannot be fired: one broken object must not stop time.
pub async fn drop_broken(world: &World, due: &Due, error: &ApiError) -> Result<(), sqlx::Error> {
    tracing::error!(?error, id = due.object_id, what = due.what, "a due timer failed and is dropped");
    let mut tx = world.write(Cause::default()).await?;
    for table in ["timers", "clock_timers"] {
        sqlx::query(AssertSqlSafe(format!("DELETE FROM {table} WHERE object_id = $1 AND what = $2")))
            .bind(&due.object_id)
            .bind(&due.what)
            .execute(&mut *tx.conn)
            .await?;
    }
    world.commit(tx).await
}

/// Does to an object what is due.
pub async fn fire(tx: &mut Tx, due: &Due) -> Result<(), ApiError> {
    let id = due.object_id.as_str();
    match due.what.as_str() {
        SESSION_EXPIRES => provider::checkout::sessions::expire_by_time(tx, id).await,
        VOUCHER_EXPIRES => provider::money::vouchers::expire(tx, id).await,
        VOUCHER_PAID => provider::money::vouchers::pay_by_itself(tx, id).await,
        VOUCHER_CONFIRMED => provider::money::vouchers::confirm_by_time(tx, id).await,
        INCOMPLETE_ENDS => provider::money::vouchers::incomplete_ends(tx, id).await,
        PERIOD_ENDS => provider::billing::renewals::period_ends(tx, id, due.at).await,
        RENEWAL_NEARS => provider::billing::renewals::announce_renewal(tx, id).await,
        TRIAL_NEARS_END => provider::billing::renewals::announce_trial_end(tx, id).await,
        ENDS_AT => provider::billing::subscriptions::ends_at(tx, id).await,
        INVOICE_CLOSES => provider::billing::renewals::invoice_closes(tx, id).await,
        INVOICE_RETRIES => provider::billing::collection::retry(tx, id).await,
        DISPUTE_OPENS => {
            provider::money::disputes::open(tx, id, provider::money::disputes::NewDispute::default())
                .await
                .map(drop)
        }
        REFUND_SETTLES => provider::money::refunds::settles(tx, id).await,
        CLOCK_DELETED => provider::test_clocks::delete_by_time(tx, id).await,
        _ => Ok(()),
    }
}
