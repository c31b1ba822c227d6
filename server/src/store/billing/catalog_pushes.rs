//! The prices that were last pushed to the provider's catalogue.

use crate::store::engine::{Result, Store, Text as _, Tx, ro, row, tx};
use garimpo_domain::{Centavos, Interval, PlanId, Timestamp};

row! {
    "catalog_prices" by price_id;

    /// A pushed price.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct PushedPrice {
        pub plan_id: PlanId,
        pub plan_interval: Interval,
        /// The provider's id, `price_…`.
        pub price_id: String,
        /// Amount of each period.
        pub price_centavos: Centavos,
    }
}

/// Hash of the catalogue that was last pushed completely.
pub async fn hash(store: &Store) -> Result<Option<String>> {
    ro!(store, c => sqlx::query_scalar("SELECT hash FROM catalog_pushes WHERE name = 'catalog'")
        .fetch_optional(c).await)
}

/// The pushed price of a plan and interval.
pub async fn price(store: &Store, plan: PlanId, interval: Interval) -> Result<Option<PushedPrice>> {
    ro!(store, c => sqlx::query_as(
        "SELECT plan_id, plan_interval, price_id, price_centavos FROM catalog_prices
         WHERE plan_id = $1 AND plan_interval = $2")
        .bind(plan.text()).bind(interval.text()).fetch_optional(c).await)
}

/// Deletes the record of the last push, so that the next push compares every object again.
pub async fn forget(tx: &mut Tx) -> Result<()> {
    tx!(tx, c => sqlx::query("DELETE FROM catalog_pushes WHERE name = 'catalog'").execute(c).await.map(drop))
}

/// Stores the record of a complete push.
pub async fn save(tx: &mut Tx, hash: &str, prices: &[PushedPrice], now: Timestamp) -> Result<()> {
    for price in prices {
        tx!(tx, c => sqlx::query(
            "INSERT INTO catalog_prices (plan_id, plan_interval, price_id, price_centavos) VALUES ($1, $2, $3, $4)
             ON CONFLICT (plan_id, plan_interval) DO UPDATE
             SET price_id = excluded.price_id, price_centavos = excluded.price_centavos")
            .bind(price.plan_id.text()).bind(price.plan_interval.text()).bind(&price.price_id).bind(price.price_centavos)
            .execute(c).await.map(drop))?;
    }
    tx!(tx, c => sqlx::query(
        "INSERT INTO catalog_pushes (name, hash, pushed_at_us) VALUES ('catalog', $1, $2)
         ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, pushed_at_us = excluded.pushed_at_us")
        .bind(hash).bind(now).execute(c).await.map(drop))
}
