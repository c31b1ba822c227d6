//! The database: SQLite embedded in the process or PostgreSQL for a fleet, one SQL text for both.
//!
//! All SQL of the product lives in `store/<table>.rs`, with `$N` placeholders. Names put the resource
//! first, then the verb: `account_by_email`, `job_claim`. A read is a method of [`Store`]; a query
//! inside a transaction is a function with the suffix `_in_tx` that takes `&mut Tx`. What is absent is
//! an `Option`, not an error. Times are `i64` microseconds in columns ending `_at_us`, money `i64` in
//! columns ending `_centavos`, booleans INTEGER in SQLite and BOOLEAN in PostgreSQL.
//!
//! Every write goes through [`Store::write`]. Migrations stand in `migrations/{sqlite,postgres}` under
//! the same names; they only add. One of PostgreSQL that indexes a table of an earlier one begins with
//! `-- no-transaction` and has a single `CREATE INDEX CONCURRENTLY IF NOT EXISTS`, so that writes go on.

use std::sync::Arc;
use std::time::Duration;

use sqlx::SqlitePool;
use tokio::sync::{Notify, mpsc, oneshot};

use tracing::Instrument as _;

use crate::measures::{STORE_COMMITS, STORE_CONFLICTS, STORE_JOBS};
use crate::recent::Recent;
use crate::request_id;

pub mod backup;
mod database_identity;
pub(crate) mod error;
pub(in crate::store) mod many;
pub(in crate::store) mod migration;
mod opening;
pub(crate) mod postgres;
pub(in crate::store) mod purge;
pub(crate) mod tx;
pub(in crate::store) mod writer;

pub use error::{StoreError, UniqueViolation, WriteError};
pub use migration::newest_migration;
pub use tx::{Tx, TxFuture};
pub(crate) use tx::{ro, snapshot, tx};

use postgres::PgServer;
use tx::Connection;
use writer::{BATCH, Job, Order};

/// A PostgreSQL transaction that loses against another one is run again at most this many times.
const RUN_AGAIN: u32 = 3;
/// The pause before that, so that the winner is through; it doubles.
const RUN_AGAIN_AFTER: Duration = Duration::from_millis(10);

/// The database behind the store.
pub(crate) enum Db {
    /// An embedded file: many readers, one writing task.
    Sqlite { ro: SqlitePool, writer: mpsc::Sender<Order> },
    /// A server shared by a fleet.
    Pg(PgServer),
}

/// PostgreSQL connections of a process. Six servers take 72 of PostgreSQL's default of 100, which leaves 25 (3 are for
/// superusers) to a seventh server during a rollout, to commands and to backups.
pub const CONNECTIONS: u32 = 12;
/// Longest run of a statement: callers give up after 10 s, and every statement of a job is bounded in rows.
pub const STATEMENT_TIMEOUT: Duration = Duration::from_secs(15);
/// Longest wait for a lock. With the 5 s for a connection it ends before the 10 s after which callers give up.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(4);

/// What stands in front of PostgreSQL.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pooler {
    /// Nothing: a connection keeps its session.
    None,
    /// A pooler that gives each transaction another session, as PgBouncer in transaction mode.
    Transaction,
}

/// How to open a store.
#[derive(Debug, Clone)]
pub struct StoreSettings {
    /// `sqlite://<path>` or `postgres://…`.
    pub url: String,
    /// PostgreSQL connections of this process.
    pub connections: u32,
    /// Longest run of a statement on PostgreSQL; `None` leaves it to the role. Migrations have no limit of ours.
    pub statement_timeout: Option<Duration>,
    /// Longest wait of a statement for a lock of PostgreSQL; `None` leaves it to the role.
    pub lock_timeout: Option<Duration>,
    /// What stands in front of PostgreSQL.
    pub pooler: Pooler,
    /// Address of PostgreSQL for migrations; `None` is that of [`StoreSettings::url`]. Behind a pooler it must not lead
    /// through it, because the lock of a migration belongs to its connection.
    pub migration_url: Option<String>,
    /// How many writes may share one COMMIT of the embedded database; 1 switches sharing off.
    pub batch: usize,
    /// Whether a replication side-car copies the embedded database's log and owns its checkpoints.
    pub replicated: bool,
    /// Whether opening creates an absent embedded database and migrates an older schema; otherwise it refuses both.
    pub migrates: bool,
}

impl StoreSettings {
    /// The defaults for an address.
    pub fn new(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            connections: CONNECTIONS,
            statement_timeout: Some(STATEMENT_TIMEOUT),
            lock_timeout: Some(LOCK_TIMEOUT),
            pooler: Pooler::None,
            migration_url: None,
            batch: BATCH,
            replicated: false,
            migrates: true,
        }
    }
}

/// Access to the database; cheap to clone.
#[derive(Clone)]
pub struct Store(Arc<Shared>);

struct Shared {
    db: Db,
    committed: Arc<Committed>,
    is_read_only: bool,
}

/// What this process hears of its own COMMITs, before whoever wrote hears of them.
pub(crate) struct Committed {
    /// Rings when a job was enqueued.
    enqueued: Notify,
    /// Accounts whose rights changed lately.
    rights: Recent,
}

/// What an account may use is read anew for so long after a change: longer than any reading of before is kept.
const RIGHTS_ARE_NEWS: Duration = Duration::from_secs(10);
/// Accounts that are news at once.
const RIGHTS_AT_ONCE: usize = 100_000;

impl Default for Committed {
    fn default() -> Self {
        Self { enqueued: Notify::new(), rights: Recent::new(RIGHTS_AT_ONCE, RIGHTS_ARE_NEWS) }
    }
}

impl Committed {
    fn tell(&self, enqueued: bool, rights_changed: &[String]) {
        if enqueued {
            self.enqueued.notify_one();
        }
        for uid in rights_changed {
            self.rights.add(uid);
        }
    }
}

impl Store {
    /// Opens the database; where the settings say so, it is created and migrated.
    ///
    /// # Errors
    /// [`StoreError::SchemaNewer`] when a newer program made a migration that excludes this one,
    /// [`StoreError::SchemaOlder`] when it lacks a migration and the settings allow none, [`StoreError::Address`]
    /// for an unknown scheme, [`StoreError::Unavailable`] when it cannot be reached.
    pub async fn open(settings: &StoreSettings) -> Result<Self, StoreError> {
        let committed = Arc::new(Committed::default());
        let db = if settings.url.starts_with("sqlite:") {
            opening::sqlite(settings, committed.clone()).await?
        } else if settings.url.starts_with("postgres:") || settings.url.starts_with("postgresql:") {
            opening::postgres(settings).await?
        } else {
            return Err(StoreError::Address);
        };
        let store = Self(Arc::new(Shared { db, committed, is_read_only: false }));
        store.demand_schema().await?;
        Ok(store)
    }

    /// Opens a database that stands, to read alone: nothing is migrated, and a write answers [`StoreError::Closing`].
    ///
    /// # Errors
    /// [`StoreError::SchemaOlder`] or [`StoreError::SchemaNewer`] when its schema does not fit, the others as for [`Store::open`].
    pub async fn open_to_read(settings: &StoreSettings) -> Result<Self, StoreError> {
        let db = if settings.url.starts_with("sqlite:") {
            opening::sqlite_to_read(settings).await?
        } else if settings.url.starts_with("postgres:") || settings.url.starts_with("postgresql:") {
            opening::postgres_to_read(settings).await?
        } else {
            return Err(StoreError::Address);
        };
        let store = Self(Arc::new(Shared { db, committed: Arc::default(), is_read_only: true }));
        store.demand_schema().await?;
        Ok(store)
    }

    /// Whether it was opened to read alone.
    pub fn is_read_only(&self) -> bool {
        self.0.is_read_only
    }

    /// Runs `job` in a transaction and answers once it is committed.
    ///
    /// The job is SQL only and may be run again, so it captures values that it clones. A caller that
    /// goes away does not cancel it. SQLite: jobs that wait together share one COMMIT, each in its
    /// savepoint. PostgreSQL: a READ COMMITTED transaction of its own, run again at most three times when it
    /// loses against another one.
    ///
    /// # Errors
    /// The job's own error after its rollback; [`StoreError::Unavailable`] when the COMMIT failed.
    pub async fn write<T, E, F>(&self, job: F) -> Result<T, E>
    where
        F: for<'t> Fn(&'t mut Tx) -> TxFuture<'t, T, E> + Send + Sync + 'static,
        T: Send + 'static,
        E: WriteError,
    {
        match &self.0.db {
            Db::Sqlite { writer, .. } => {
                let (caller, answer) = oneshot::channel();
                let order = Order::Write(Box::new(Job::new(job, caller)));
                writer.send(order).await.map_err(|_| StoreError::Closing)?;
                answer.await.map_err(|_| StoreError::Closing)?
            }
            Db::Pg(server) => {
                let (server, committed) = (server.clone(), self.0.committed.clone());
                let writing = async move { write_pg(&server, &committed, &job).await };
                let running = tokio::spawn(request_id::carried(writing).in_current_span());
                running.await.map_err(|ended| {
                    if ended.is_panic() { StoreError::Panicked } else { StoreError::Closing }
                })?
            }
        }
    }

    /// Rings after a COMMIT that enqueued a job in this process.
    pub(crate) fn enqueued(&self) -> &Notify {
        &self.0.committed.enqueued
    }

    /// Accounts whose rights changed lately, as this process heard by its own COMMITs or by the feed.
    pub(crate) fn rights_news(&self) -> &Recent {
        &self.0.committed.rights
    }

    /// How many writes wait for the one writer of the embedded database; PostgreSQL has no such queue.
    pub(crate) fn writes_waiting(&self) -> usize {
        match &self.0.db {
            Db::Sqlite { writer, .. } => writer.max_capacity() - writer.capacity(),
            Db::Pg(_) => 0,
        }
    }

    pub(crate) fn db(&self) -> &Db {
        &self.0.db
    }

    /// Finishes the writes that wait, takes no more, and closes the connections.
    pub async fn close(&self) {
        match &self.0.db {
            Db::Sqlite { ro, writer } => {
                let (done, ended) = oneshot::channel();
                if writer.send(Order::Stop(done)).await.is_ok() {
                    drop(ended.await);
                }
                ro.close().await;
            }
            Db::Pg(server) => server.pool.close().await,
        }
    }
}

async fn write_pg<T, E, F>(server: &PgServer, committed: &Committed, job: &F) -> Result<T, E>
where
    F: for<'t> Fn(&'t mut Tx) -> TxFuture<'t, T, E> + Send + Sync,
    E: WriteError,
{
    let mut again = 0;
    loop {
        let result = write_pg_once(server, committed, job).await;
        let lost = result.as_ref().is_err_and(|error| error.as_store().is_some_and(StoreError::is_conflict));
        if !lost || again == RUN_AGAIN {
            return result;
        }
        tokio::time::sleep(RUN_AGAIN_AFTER * (1 << again)).await;
        again += 1;
        metrics::counter!(STORE_CONFLICTS).increment(1);
    }
}

async fn write_pg_once<T, E, F>(server: &PgServer, committed: &Committed, job: &F) -> Result<T, E>
where
    F: for<'t> Fn(&'t mut Tx) -> TxFuture<'t, T, E> + Send + Sync,
    E: WriteError,
{
    let begun = server.write().await.map_err(StoreError::from)?;
    let mut tx = Tx::new(Connection::Pg(begun));
    tx.request_id = request_id::current();
    let kept = job(&mut tx).await?;
    if let Connection::Pg(session) = tx.connection {
        session.commit().await.map_err(commit_failed)?;
    }
    metrics::counter!(STORE_COMMITS).increment(1);
    metrics::counter!(STORE_JOBS).increment(1);
    committed.tell(tx.enqueued, &tx.rights_changed);
    tx.effects.into_iter().for_each(|effect| effect());
    Ok(kept)
}

/// A COMMIT that lost is run again; any other failed COMMIT makes the call UNAVAILABLE.
fn commit_failed(error: sqlx::Error) -> StoreError {
    match StoreError::from(error) {
        conflict @ StoreError::Conflict(_) => conflict,
        StoreError::Unique(cause) | StoreError::Statement(cause) => StoreError::Unavailable(Arc::new(cause)),
        other => other,
    }
}
