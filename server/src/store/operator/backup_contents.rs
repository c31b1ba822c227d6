//! The contents of a backup by which it is kept or recommended.

use std::path::Path;

use crate::store::engine::only;
use crate::store::engine::restore::connect;

/// Contents of a backup.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct BackupContents {
    /// Id of the database that was copied.
    pub database_id: String,
    pub has_accounts: bool,
    /// Whether nothing was sold, because the database had no account beside payers.
    pub is_selling_stopped: bool,
}

/// Reads a backup's database; `None` if it is no database of this version.
pub async fn read(file: &Path) -> Option<BackupContents> {
    let mut connection = connect(file, true).await.ok()?;
    let contents = only!(Sqlite, &mut connection, row
        "SELECT database_id, EXISTS (SELECT 1 FROM accounts) AS has_accounts,
           EXISTS (SELECT 1 FROM payers_check WHERE state = 'found') AS is_selling_stopped FROM database_identity");
    let _ = sqlx::Connection::close(connection).await;
    contents.ok()
}
