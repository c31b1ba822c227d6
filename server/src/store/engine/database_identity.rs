//! The name of the database, by which gateways tell two databases apart.

use super::{Store, StoreError, ro};

impl Store {
    /// The id that a migration drew once for this database; its copies have the same.
    pub async fn database_id(&self) -> Result<String, StoreError> {
        ro!(self, c => sqlx::query_scalar("SELECT database_id FROM database_identity").fetch_one(c).await)
    }
}
