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
    ro!(store, first_value "SELECT hash FROM catalog_pushes WHERE name = 'catalog'")
}

/// The pushed price of a plan and interval.
pub async fn price(store: &Store, plan: PlanId, interval: Interval) -> Result<Option<PushedPrice>> {
    ro!(store, first "SELECT plan_id, plan_interval, price_id, price_centavos FROM catalog_prices
         WHERE plan_id = $1 AND plan_interval = $2", plan.text(), interval.text())
}

/// Deletes the record of the last push, so that the next push compares every object again.
pub async fn forget(tx: &mut Tx) -> Result<()> {
    tx!(tx, execute "DELETE FROM catalog_pushes WHERE name = 'catalog'")
}

/// Stores the record of a complete push.
pub async fn save(tx: &mut Tx, hash: &str, prices: &[PushedPrice], now: Timestamp) -> Result<()> {
    for price in prices {
        tx!(tx, execute
            "INSERT INTO catalog_prices (plan_id, plan_interval, price_id, price_centavos) VALUES ($1, $2, $3, $4)
             ON CONFLICT (plan_id, plan_interval) DO UPDATE
             SET price_id = excluded.price_id, price_centavos = excluded.price_centavos",
            price.plan_id.text(), price.plan_interval.text(), &price.price_id, price.price_centavos)?;
    }
    tx!(tx, execute "INSERT INTO catalog_pushes (name, hash, pushed_at_us) VALUES ('catalog', $1, $2)
         ON CONFLICT (name) DO UPDATE SET hash = excluded.hash, pushed_at_us = excluded.pushed_at_us",
        hash, now)
}
