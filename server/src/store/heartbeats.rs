//! The row that readiness writes.

use super::{Store, StoreError, tx};

impl Store {
    /// Commits a write, which proves that this process can store what it accepts.
    pub async fn heartbeat_write(&self) -> Result<(), StoreError> {
        self.write(|tx| {
            Box::pin(async move {
                tx!(tx, c => sqlx::query(
                    "INSERT INTO heartbeats (name, beat) VALUES ('ready', 1)
                     ON CONFLICT (name) DO UPDATE SET beat = heartbeats.beat + 1")
                    .execute(c).await.map(drop))
            })
        })
        .await
    }
}
