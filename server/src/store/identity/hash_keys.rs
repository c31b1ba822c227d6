//! Keys that the product makes for itself.

use crate::store::engine::{Store, StoreError, Tx, ro, tx};

/// The key of a name; `None` before a first start.
pub(crate) async fn hash_key_in_tx(tx: &mut Tx, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    tx!(tx, c => sqlx::query_scalar("SELECT value FROM hash_keys WHERE name = $1")
        .bind(name).fetch_optional(c).await)
}

impl Store {
    /// The key of a name; `None` before a first start.
    pub async fn hash_key_read(&self, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
        ro!(self, c => sqlx::query_scalar("SELECT value FROM hash_keys WHERE name = $1")
            .bind(name).fetch_optional(c).await)
    }

    /// The key of a name; it is `fresh` where there was none. Of many that start at once, one decides.
    pub async fn hash_key(&self, name: &'static str, fresh: Vec<u8>) -> Result<Vec<u8>, StoreError> {
        if let Some(key) = self.hash_key_read(name).await? {
            return Ok(key);
        }
        self.write(move |tx| {
            let fresh = fresh.clone();
            Box::pin(async move {
                tx!(tx, c => sqlx::query("INSERT INTO hash_keys (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING")
                    .bind(name).bind(fresh).execute(c).await.map(drop))?;
                tx!(tx, c => sqlx::query_scalar("SELECT value FROM hash_keys WHERE name = $1")
                    .bind(name).fetch_one(c).await)
            })
        })
        .await
    }
}
