//! The opened database.

use sqlx::SqlitePool;
use tokio::sync::mpsc;

use super::postgres::PgServer;
use super::writer::WriterCommand;

/// The database behind the store.
pub(crate) enum Db {
    /// An embedded file: many readers and one writer task.
    Sqlite { ro: SqlitePool, writer: mpsc::Sender<WriterCommand> },
    /// A PostgreSQL server, shared by the servers of a fleet.
    Pg(PgServer),
}
