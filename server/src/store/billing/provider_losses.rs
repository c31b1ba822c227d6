//! Accounts that paid and are missing at the provider, and the stop of reconciliation if there are
//! too many.

use garimpo_domain::{CustomerId, Timestamp, Uid};
use serde::Serialize;
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Read, Result, Store, Text as _, Tx, ro, row, text, tx};

/// Reconciliation continues with at most this many losses.
const FEW_LOSSES: i64 = 5;
/// Reconciliation continues with at most this percentage of all customers lost.
const FEW_PERCENT: i64 = 1;

/// Why the provider does not have what an account paid for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, Serialize)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Absence {
    /// The customer is unknown: the provider lost it, or the key is of another account.
    Unknown,
    /// The customer was deleted, which canceled its subscriptions. Nothing is charged.
    Deleted,
    /// The customer exists, but not the subscription.
    Subscription,
}

text!(Absence);

row! {
    "provider_losses" by uid;

    /// A paying account whose customer or subscription is missing at the provider.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct ProviderLoss {
        pub uid: Uid,
        /// Its customer, `cus_…`.
        pub customer_id: CustomerId,
        /// Kind of the loss.
        pub kind: Absence,
    }
}

row! {
    "provider_stops" by losses;

    /// The stop of reconciliation.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub struct ProviderStop {
        /// When reconciliation stopped.
        pub stopped_at: Timestamp as stopped_at_us,
        /// Lost accounts at that time.
        pub losses: i64,
        /// Accounts with a customer at that time.
        pub customers: i64,
    }
}

impl ProviderStop {
    /// Whether to stop: more than 5 accounts and more than 1% of all are lost.
    pub fn is_needed(losses: i64, customers: i64) -> bool {
        losses > FEW_LOSSES && losses * 100 > customers * FEW_PERCENT
    }
}

/// Lost accounts ordered by uid, at most `limit`.
pub async fn list(store: &Store, limit: i64) -> Result<Vec<ProviderLoss>> {
    ro!(store, rows "SELECT uid, customer_id, kind FROM provider_losses ORDER BY uid LIMIT $1", limit)
}

/// Whether an account is lost.
pub async fn is_lost(store: &Store, uid: &Uid) -> Result<bool> {
    ro!(store, exists "SELECT COUNT(*) FROM provider_losses WHERE uid = $1", uid)
}

/// Whether the account's purchases may return at the provider. A deleted customer never returns.
pub async fn is_curable(store: &Store, uid: &Uid) -> Result<bool> {
    ro!(store, exists "SELECT COUNT(*) FROM provider_losses WHERE uid = $1 AND kind <> 'deleted'", uid)
}

/// Number of lost accounts.
pub async fn count(db: impl Read<'_>) -> Result<i64> {
    ro!(db, value "SELECT COUNT(*) FROM provider_losses")
}

/// The current stop; `None` while reconciliation runs.
pub async fn current_stop(store: &Store) -> Result<Option<ProviderStop>> {
    ro!(store, first "SELECT stopped_at_us, losses, customers FROM provider_stops WHERE id = 1")
}

/// Stores a loss; returns whether it is new.
pub async fn add(tx: &mut Tx, loss: &ProviderLoss, now: Timestamp) -> Result<bool> {
    tx!(tx, changed "INSERT INTO provider_losses (uid, customer_id, kind, seen_at_us) VALUES ($1, $2, $3, $4)
         ON CONFLICT (uid) DO NOTHING", &loss.uid, &loss.customer_id, loss.kind.text(), now)
}

/// Deletes a loss, because the provider has the account again. Returns whether there was one. The
/// loss of a deleted customer stays while its paid time runs, even if the account has another
/// customer.
pub async fn remove(tx: &mut Tx, uid: &Uid, has_retained_access: bool) -> Result<bool> {
    tx!(tx, changed "DELETE FROM provider_losses WHERE uid = $1 AND (kind <> 'deleted' OR NOT $2)",
        uid, has_retained_access)
}

/// Marks the losses that were not reported to the operator, and returns them.
pub async fn mark_reported(tx: &mut Tx) -> Result<Vec<ProviderLoss>> {
    tx!(tx, rows
        "UPDATE provider_losses SET reported = TRUE WHERE NOT reported RETURNING uid, customer_id, kind")
}

/// Stops reconciliation if too many accounts are lost. Returns the stop if it is new.
pub async fn begin_stop(tx: &mut Tx, now: Timestamp) -> Result<Option<ProviderStop>> {
    let losses = count(&mut *tx).await?;
    if losses <= FEW_LOSSES {
        return Ok(None);
    }
    let customers = count_customers(tx).await?;
    if !ProviderStop::is_needed(losses, customers) {
        return Ok(None);
    }
    let stop = ProviderStop { stopped_at: now, losses, customers };
    let rows = tx!(tx, affected
        "INSERT INTO provider_stops (id, stopped_at_us, losses, customers) VALUES (1, $1, $2, $3)
         ON CONFLICT (id) DO NOTHING", stop.stopped_at, losses, customers)?;
    Ok((rows > 0).then_some(stop))
}

/// Ends the stop if at most half of the losses that cause a stop remain. Returns whether it ended.
pub async fn end_stop(tx: &mut Tx) -> Result<bool> {
    let losses = count(&mut *tx).await?;
    if ProviderStop::is_needed(losses * 2, count_customers(tx).await?) && losses > FEW_LOSSES {
        return Ok(false);
    }
    tx!(tx, changed "DELETE FROM provider_stops WHERE id = 1")
}

async fn count_customers(tx: &mut Tx) -> Result<i64> {
    tx!(tx, value "SELECT COUNT(*) FROM customers WHERE customer_id IS NOT NULL")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_five_missing_customers_or_one_percent_do_not_stop_reconciliation() {
        for (losses, customers, stops) in [
            (5, 5, false),
            (6, 6, true),
            (6, 599, true),
            (6, 600, false),
            (200, 20_000, false),
            (201, 20_000, true),
        ] {
            assert_eq!(ProviderStop::is_needed(losses, customers), stops, "{losses} of {customers}");
        }
    }
}
