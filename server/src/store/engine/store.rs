//! Access to the database.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};
use tracing::Instrument as _;

use super::commit_hooks::CommitHooks;
use super::copies::Copies;
use super::database::Db;
use super::error::{StoreError, WriteError};
use super::postgres::{AccessMode, Connections, PgServer};
use super::read::{Read, Reader, ro};
use super::settings::{StoreSettings, sqlite_file};
use super::tx::{Connection, Tx, TxFuture};
use super::writer::{Job, Write, WriterCommand};
use super::{migration, opening};
use crate::measures::{STORE_COMMITS, STORE_CONFLICTS, STORE_JOBS};
use crate::recent::Recent;
use crate::request_id;

/// Most reruns of a PostgreSQL transaction that lost against another one.
const MAX_RERUNS: u32 = 3;
/// Pause before the first rerun, so that the other transaction can commit. It doubles each time.
const RERUN_PAUSE: Duration = Duration::from_millis(10);

/// Access to the database; cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    db: Db,
    hooks: Arc<CommitHooks>,
    access: AccessMode,
    /// The file of an embedded database.
    file: Option<PathBuf>,
    copies: Copies,
}

impl<'a> Read<'a> for &'a Store {
    fn reader(self) -> Reader<'a> {
        self.db().reader()
    }
}

impl Store {
    /// Opens the database. If the settings allow it, it is created and migrated.
    ///
    /// # Errors
    /// [`StoreError::SchemaUnreleased`] if an unreleased version created the database,
    /// [`StoreError::SchemaNewer`] if a newer program's migration excludes this program,
    /// [`StoreError::SchemaOlder`] if the schema lacks a migration and the settings do not allow
    /// migrating, [`StoreError::Address`] for an unknown scheme, [`StoreError::Unavailable`] if the
    /// database cannot be reached.
    pub async fn open(settings: &StoreSettings) -> Result<Self, StoreError> {
        Self::open_with(settings, AccessMode::Write).await
    }

    /// Opens an existing database read-only. Nothing is migrated, and a write returns
    /// [`StoreError::Closing`].
    ///
    /// # Errors
    /// [`StoreError::SchemaUnreleased`], [`StoreError::SchemaOlder`] or [`StoreError::SchemaNewer`]
    /// if the schema does not fit. Other errors as in [`Store::open`].
    pub async fn open_to_read(settings: &StoreSettings) -> Result<Self, StoreError> {
        Self::open_with(settings, AccessMode::ReadOnly).await
    }

    async fn open_with(settings: &StoreSettings, access: AccessMode) -> Result<Self, StoreError> {
        let hooks = Arc::new(CommitHooks::default());
        let db = match settings.url.split(':').next() {
            Some("sqlite") => opening::sqlite(settings, access, hooks.clone()).await?,
            Some("postgres" | "postgresql") => opening::postgres(settings, access).await?,
            _ => return Err(StoreError::Address),
        };
        migration::demand_schema(&db, &opening::database_name(settings)).await?;
        let file = sqlite_file(&settings.url);
        let copies = Copies::of(settings);
        Ok(Self(Arc::new(Shared { db, hooks, access, file, copies })))
    }

    /// The file of an embedded database; `None` on PostgreSQL.
    pub fn file(&self) -> Option<&Path> {
        self.0.file.as_deref()
    }

    /// The copies of an embedded database.
    pub fn copies(&self) -> &Copies {
        &self.0.copies
    }

    /// Whether it was opened read-only.
    pub fn is_read_only(&self) -> bool {
        self.0.access == AccessMode::ReadOnly
    }

    /// Runs `job` in a transaction and returns its result once it is committed.
    ///
    /// The job contains only SQL. It may run again, and each run borrows `context`. It is not
    /// cancelled when the caller is dropped. On SQLite, waiting jobs share one COMMIT, each in its
    /// own savepoint. On PostgreSQL, a job has its own READ COMMITTED transaction and is run again
    /// at most three times if it loses against another one.
    ///
    /// # Errors
    /// The job's own error after its rollback, [`StoreError::Unavailable`] if the COMMIT failed.
    pub async fn write<C, T, E, F>(&self, context: C, job: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx, &'t C) -> TxFuture<'t, T, E> + Send + Sync + 'static,
        C: Send + Sync + 'static,
        T: Send + 'static,
        E: WriteError,
    {
        let (caller, answer) = oneshot::channel();
        self.submit(Box::new(Job::new(context, job, caller))).await?;
        answer.await.map_err(|_| StoreError::Closing)?
    }

    /// Has no type parameters, so that it is compiled once and not for every job.
    async fn submit(&self, job: Box<dyn Write>) -> Result<(), StoreError> {
        match &self.0.db {
            Db::Sqlite { writer, .. } => {
                writer.send(WriterCommand::Write(job)).await.map_err(|_| StoreError::Closing)
            }
            Db::Pg(server) => {
                let (server, hooks) = (server.clone(), self.0.hooks.clone());
                let writing = async move { write_pg(&server, &hooks, job).await };
                tokio::spawn(request_id::carried(writing).in_current_span());
                Ok(())
            }
        }
    }

    /// Notified after a COMMIT of this process that enqueued a job.
    pub(crate) fn enqueued(&self) -> &Notify {
        &self.0.hooks.enqueued
    }

    /// Accounts whose rights changed recently, by a COMMIT of this process or by the feed.
    pub(crate) fn rights_news(&self) -> &Recent {
        &self.0.hooks.rights
    }

    /// Writes that wait for the embedded database's writer; 0 on PostgreSQL.
    pub(crate) fn writes_waiting(&self) -> usize {
        match &self.0.db {
            Db::Sqlite { writer, .. } => writer.max_capacity() - writer.capacity(),
            Db::Pg(_) => 0,
        }
    }

    /// Connections to PostgreSQL; 0 for an embedded database.
    pub(crate) fn connections(&self) -> Connections {
        match &self.0.db {
            Db::Sqlite { .. } => Connections::default(),
            Db::Pg(server) => server.connections(),
        }
    }

    /// The random id that a migration gave this database; copies have the same id. A restore uses
    /// it to distinguish databases.
    pub async fn database_id(&self) -> Result<String, StoreError> {
        ro!(self, value "SELECT database_id FROM database_identity")
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// Moves the embedded database's write-ahead log into the database and empties it, because the
    /// log keeps deleted rows until it is overwritten. Returns false if a reader was in its way.
    /// A replication sidecar empties the log itself.
    pub(crate) async fn empty_log(&self) -> Result<bool, StoreError> {
        let Db::Sqlite { writer, .. } = &self.0.db else { return Ok(true) };
        let (caller, answer) = oneshot::channel();
        writer.send(WriterCommand::EmptyLog(caller)).await.map_err(|_| StoreError::Closing)?;
        answer.await.map_err(|_| StoreError::Closing)?
    }

    /// Finishes the waiting writes, accepts no more, and closes the connections.
    pub async fn close(&self) {
        match &self.0.db {
            Db::Sqlite { ro, writer } => {
                let (done, ended) = oneshot::channel();
                if writer.send(WriterCommand::Stop(done)).await.is_ok() {
                    drop(ended.await);
                }
                ro.close().await;
            }
            Db::Pg(server) => server.pool.close().await,
        }
    }
}

async fn write_pg(server: &PgServer, hooks: &CommitHooks, mut job: Box<dyn Write>) {
    let mut reruns = 0;
    let committed = loop {
        let committed = write_pg_once(server, hooks, job.as_mut()).await;
        let has_lost = match &committed {
            Ok(()) => job.has_lost(),
            Err(error) => error.is_conflict(),
        };
        if !has_lost || reruns == MAX_RERUNS {
            break committed;
        }
        tokio::time::sleep(RERUN_PAUSE * (1 << reruns)).await;
        reruns += 1;
        metrics::counter!(STORE_CONFLICTS).increment(1);
    };
    job.answer(committed);
}

async fn write_pg_once(
    server: &PgServer,
    hooks: &CommitHooks,
    job: &mut dyn Write,
) -> Result<(), StoreError> {
    let begun = server.write().await.map_err(StoreError::from)?;
    let mut tx = Tx::new(Connection::Pg(begun));
    if !job.run(&mut tx).await {
        return Ok(());
    }
    if let Connection::Pg(session) = tx.connection {
        session.commit().await.map_err(commit_failed)?;
    }
    metrics::counter!(STORE_COMMITS).increment(1);
    metrics::counter!(STORE_JOBS).increment(1);
    hooks.notify(tx.enqueued, &tx.rights_changed);
    Ok(())
}

/// A transaction that lost at its COMMIT is run again. Any other failed COMMIT is `Unavailable`.
fn commit_failed(error: sqlx::Error) -> StoreError {
    match StoreError::from(error) {
        conflict @ StoreError::Conflict(_) => conflict,
        StoreError::Unique(cause) | StoreError::Statement(cause) => StoreError::Unavailable(Arc::new(cause)),
        other => other,
    }
}
