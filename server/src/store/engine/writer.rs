//! The single writer of the embedded database. Jobs that wait together share one COMMIT.
//!
//! A job that fails or panics is rolled back alone: the batch is rolled back and run again, each
//! job in its own savepoint. Most batches need no savepoints, and a savepoint costs as much as a
//! statement. No result, including a refusal, is returned before the COMMIT, because a refusal may
//! depend on another job of the batch, and that job is lost if the COMMIT fails.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, Row as _, SqliteConnection};
use tokio::sync::{mpsc, oneshot};

use super::commit_hooks::CommitHooks;
use super::error::{StoreError, WriteError};
use super::tx::{Connection, Effect, Tx, TxFuture};
use crate::causes::Causes;
use crate::measures::{STORE_COMMITS, STORE_JOBS};
use crate::request_id::Cause;

/// Longest wait for a connection, or for another process that is writing.
pub(super) const BUSY: Duration = Duration::from_secs(5);

/// A write job with its type erased.
pub(crate) trait Write: Send {
    /// Runs the job, stores its result, and returns whether its writes are kept. It may run again
    /// after a rollback.
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> Pin<Box<dyn Future<Output = bool> + Send + 't>>;
    /// Whether its last run failed because another transaction won, so that another run may not.
    fn has_lost(&self) -> bool;
    /// Answers the caller, who may be gone.
    fn answer(self: Box<Self>, committed: Result<(), StoreError>);
}

/// A job, its result, and its caller.
pub(super) struct Job<C, T, E, F> {
    context: C,
    work: F,
    result: Option<Result<T, E>>,
    effects: Vec<Effect>,
    cause: Cause,
    /// The caller's, for what is logged after the COMMIT.
    span: tracing::Span,
    caller: oneshot::Sender<Result<T, E>>,
}

impl<C, T, E, F> Job<C, T, E, F> {
    pub(super) fn new(context: C, work: F, caller: oneshot::Sender<Result<T, E>>) -> Self {
        let (cause, span) = (Cause::current(), tracing::Span::current());
        Self { context, work, result: None, effects: Vec::new(), cause, span, caller }
    }
}

impl<C, T, E, F> Write for Job<C, T, E, F>
where
    F: for<'t> Fn(&'t mut Tx, &'t C) -> TxFuture<'t, T, E> + Send + Sync,
    C: Send + Sync,
    T: Send,
    E: WriteError,
{
    fn run<'t>(&'t mut self, tx: &'t mut Tx) -> Pin<Box<dyn Future<Output = bool> + Send + 't>> {
        Box::pin(async move {
            tx.cause.clone_from(&self.cause);
            // The closure is called inside the guard: it may panic before its future exists.
            let job = AssertUnwindSafe(async { (self.work)(tx, &self.context).await });
            self.result = job.catch_unwind().await.ok();
            self.effects = std::mem::take(&mut tx.effects);
            matches!(self.result, Some(Ok(_)))
        })
    }

    fn has_lost(&self) -> bool {
        let failure = self.result.as_ref().and_then(|result| result.as_ref().err());
        failure.and_then(WriteError::as_store).is_some_and(StoreError::is_conflict)
    }

    fn answer(mut self: Box<Self>, committed: Result<(), StoreError>) {
        let effects = std::mem::take(&mut self.effects);
        if committed.is_ok() && matches!(self.result, Some(Ok(_))) {
            self.span.in_scope(|| effects.into_iter().for_each(|effect| effect()));
        }
        let answer = match (committed, self.result) {
            (Err(failed), _) => Err(failed.into()),
            (Ok(()), Some(result)) => result,
            (Ok(()), None) => Err(StoreError::Panicked.into()),
        };
        // The caller may be gone; the job is committed anyway.
        drop(self.caller.send(answer));
    }
}

/// A request to the writer.
pub(crate) enum WriterCommand {
    Write(Box<dyn Write>),
    /// Move the write-ahead log into the database, after the writes before it.
    EmptyLog(oneshot::Sender<Result<bool, StoreError>>),
    /// Finish the waiting jobs, then end.
    Stop(oneshot::Sender<()>),
}

/// The checkpoint after an erasure and at the writer's end: moves everything into the database and
/// empties the write-ahead log. Otherwise SQLite makes a passive checkpoint every thousand pages.
pub(super) const TRUNCATE: &str = "PRAGMA wal_checkpoint(TRUNCATE)";
/// Moves pages that no reader needs into the database. The log stays, because a replication sidecar
/// copies it.
pub(super) const PASSIVE: &str = "PRAGMA wal_checkpoint(PASSIVE)";

/// Owner of the only writing connection.
pub(super) struct Writer {
    pub options: SqliteConnectOptions,
    pub connection: Option<Box<SqliteConnection>>,
    pub commands: mpsc::Receiver<WriterCommand>,
    /// Most jobs that share a COMMIT.
    pub batch: usize,
    /// [`TRUNCATE`] or [`PASSIVE`].
    pub checkpoint: &'static str,
    pub hooks: Arc<CommitHooks>,
}

impl Writer {
    /// Runs until it receives `Stop` or every sender is dropped.
    pub(super) async fn run(mut self) {
        let mut waiting = Vec::with_capacity(self.batch);
        let (mut emptying, mut stopping) = (Vec::new(), Vec::new());
        while self.commands.recv_many(&mut waiting, self.batch).await > 0 {
            let mut jobs = Vec::with_capacity(waiting.len());
            for command in waiting.drain(..) {
                match command {
                    WriterCommand::Write(job) => jobs.push(job),
                    WriterCommand::EmptyLog(done) => emptying.push(done),
                    WriterCommand::Stop(done) => {
                        self.commands.close();
                        stopping.push(done);
                    }
                }
            }
            // Without this guard a panic would end the only writer while the process goes on. The
            // connection is dropped with the batch. Its callers get `Closing` and may try again.
            if !jobs.is_empty() && AssertUnwindSafe(self.commit(jobs)).catch_unwind().await.is_err() {
                tracing::error!("a batch of writes panicked outside its jobs; the writer goes on");
            }
            for done in emptying.drain(..) {
                // The caller may be gone.
                let _ = done.send(self.empty_log().await.map_err(StoreError::from));
            }
        }
        if let Some(connection) = self.connection.take()
            && let Err(error) = checkpoint_and_close(*connection, self.checkpoint).await
        {
            tracing::warn!(error = %Causes(&error), "the last checkpoint was not made");
        }
        for done in stopping {
            // The caller may be gone.
            let _ = done.send(());
        }
    }

    /// Makes the checkpoint; returns false if a reader was in its way. An error drops the
    /// connection, and the next batch opens a new one.
    async fn empty_log(&mut self) -> Result<bool, sqlx::Error> {
        if self.checkpoint == PASSIVE {
            return Ok(true);
        }
        let mut connection = self.connect().await?;
        // Every write waits meanwhile, and a backup may read for minutes.
        sqlx::raw_sql("PRAGMA busy_timeout = 500").execute(&mut *connection).await?;
        let row = sqlx::raw_sql(self.checkpoint).fetch_one(&mut *connection).await?;
        let busy_timeout = AssertSqlSafe(format!("PRAGMA busy_timeout = {}", BUSY.as_millis()));
        sqlx::raw_sql(busy_timeout).execute(&mut *connection).await?;
        self.connection = Some(connection);
        Ok(row.try_get::<i64, _>("busy")? == 0)
    }

    async fn connect(&mut self) -> Result<Box<SqliteConnection>, sqlx::Error> {
        match self.connection.take() {
            Some(connection) => Ok(connection),
            None => Ok(Box::new(self.options.connect().await?)),
        }
    }

    /// Runs one batch and returns the results to its callers.
    async fn commit(&mut self, mut jobs: Vec<Box<dyn Write>>) {
        let count = jobs.len() as u64;
        let committed = self.transaction(&mut jobs).await.map_err(Arc::new);
        match &committed {
            Ok(()) => {
                metrics::counter!(STORE_COMMITS).increment(1);
                metrics::counter!(STORE_JOBS).increment(count);
            }
            Err(error) => tracing::error!(
                error = %Causes(error.as_ref()),
                jobs = count,
                "a batch of writes was not committed"
            ),
        }
        for job in jobs {
            job.answer(
                committed.as_ref().map(|&()| ()).map_err(|error| StoreError::Unavailable(error.clone())),
            );
        }
    }

    /// Runs the jobs in one transaction. If one fails, nothing is stored.
    async fn transaction(&mut self, jobs: &mut [Box<dyn Write>]) -> Result<(), sqlx::Error> {
        let mut tx = Tx::new(Connection::Sqlite(self.connect().await?));
        execute(&mut tx, "BEGIN IMMEDIATE").await?;
        if !all_kept(&mut tx, jobs).await {
            // It fails if SQLite has rolled back everything itself (full disk). Then the batch is
            // lost.
            execute(&mut tx, "ROLLBACK; BEGIN IMMEDIATE").await?;
            tx.enqueued = false;
            tx.rights_changed.clear();
            if jobs.len() > 1 {
                one_by_one(&mut tx, jobs).await?;
            }
        }
        execute(&mut tx, "COMMIT").await?;
        self.hooks.notify(tx.enqueued, &tx.rights_changed);
        // After each failure above, the connection is dropped, which rolls back the transaction.
        // The next batch opens a new one.
        if let Connection::Sqlite(connection) = tx.connection {
            self.connection = Some(connection);
        }
        Ok(())
    }
}

/// Runs the jobs until one must be rolled back.
async fn all_kept(tx: &mut Tx, jobs: &mut [Box<dyn Write>]) -> bool {
    for job in jobs {
        if !job.run(tx).await {
            return false;
        }
    }
    true
}

/// Runs each job in its own savepoint.
async fn one_by_one(tx: &mut Tx, jobs: &mut [Box<dyn Write>]) -> Result<(), sqlx::Error> {
    execute(tx, "SAVEPOINT job").await?;
    for job in jobs {
        // After a rollback the savepoint stays open for the next job.
        let kept = job.run(tx).await;
        execute(tx, if kept { "RELEASE job; SAVEPOINT job" } else { "ROLLBACK TO job" }).await?;
    }
    Ok(())
}

async fn checkpoint_and_close(
    mut connection: SqliteConnection,
    statement: &'static str,
) -> Result<(), sqlx::Error> {
    sqlx::raw_sql(statement).execute(&mut connection).await?;
    connection.close().await
}

async fn execute(tx: &mut Tx, statement: &'static str) -> Result<(), sqlx::Error> {
    match &mut tx.connection {
        Connection::Sqlite(connection) => sqlx::raw_sql(statement).execute(&mut **connection).await.map(drop),
        Connection::Pg(session) => sqlx::raw_sql(statement).execute(&mut session.executor()).await.map(drop),
    }
}
