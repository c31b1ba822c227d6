//! PostgreSQL: its pool, how a transaction begins, and which statements have a name on the server.

use futures::future::BoxFuture;
use futures::stream::BoxStream;
use sqlx::error::BoxDynError;
use sqlx::pool::PoolConnection;
use sqlx::postgres::{PgArguments, PgQueryResult, PgRow, PgStatement, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Describe, Either, Execute, Executor, PgConnection, PgPool, Postgres, SqlSafeStr as _,
    SqlStr, Transaction,
};
use tokio::time::Instant;

use super::error::StoreError;
use super::settings::{Pooler, StoreSettings};
use crate::measures::{CALLS_WAITING, CONNECTION_WAIT_SECONDS, Counted};

/// A connection pool of PostgreSQL, or of a pooler in front of it.
#[derive(Clone)]
pub(crate) struct PgServer {
    pub(crate) pool: PgPool,
    pub(crate) pooler: Pooler,
    begin_read: SqlStr,
    begin_write: SqlStr,
    begin_snapshot: SqlStr,
}

/// Whether a store may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AccessMode {
    Write,
    ReadOnly,
}

impl PgServer {
    pub(super) fn new(pool: PgPool, settings: &StoreSettings, access: AccessMode) -> Self {
        let local_limits = match settings.pooler {
            Pooler::None => Vec::new(),
            Pooler::Transaction => limits(settings),
        };
        let local_limits: Vec<_> = local_limits
            .into_iter()
            .map(|(name, milliseconds)| format!("; SET LOCAL {name} = {milliseconds}"))
            .collect();
        let local_limits = local_limits.concat();
        let begin = |mode| AssertSqlSafe(format!("BEGIN {mode}{local_limits}")).into_sql_str();
        let write_mode = match access {
            AccessMode::Write => "ISOLATION LEVEL READ COMMITTED",
            AccessMode::ReadOnly => "ISOLATION LEVEL READ COMMITTED READ ONLY",
        };
        Self {
            pool,
            pooler: settings.pooler,
            begin_read: begin("ISOLATION LEVEL READ COMMITTED READ ONLY"),
            begin_write: begin(write_mode),
            begin_snapshot: begin("ISOLATION LEVEL REPEATABLE READ READ ONLY"),
        }
    }

    /// A connection for one read. Behind a pooler it is in a transaction, because one message
    /// prepares the statement and another runs it. Outside of a transaction, the pooler may send
    /// each to another server connection.
    pub(crate) async fn read(&self) -> Result<PgSession, sqlx::Error> {
        match self.pooler {
            Pooler::None => {
                Ok(PgSession { held: Held::Connection(self.acquire().await?), pooler: self.pooler })
            }
            Pooler::Transaction => self.begin(&self.begin_read).await,
        }
    }

    /// A transaction that writes.
    pub(crate) async fn write(&self) -> Result<PgSession, sqlx::Error> {
        self.begin(&self.begin_write).await
    }

    /// A transaction whose reads see one snapshot.
    pub(crate) async fn snapshot(&self) -> Result<PgSession, sqlx::Error> {
        self.begin(&self.begin_snapshot).await
    }

    pub(super) fn connections(&self) -> Connections {
        let idle = u32::try_from(self.pool.num_idle()).unwrap_or(u32::MAX);
        let in_use = self.pool.size().saturating_sub(idle);
        Connections { idle, in_use, max: self.pool.options().get_max_connections() }
    }

    async fn begin(&self, statement: &SqlStr) -> Result<PgSession, sqlx::Error> {
        let connection = self.acquire().await?;
        let begun = Transaction::begin(connection, Some(statement.clone())).await?;
        Ok(PgSession { held: Held::Transaction(begun), pooler: self.pooler })
    }

    async fn acquire(&self) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        let (began, waiting) = (Instant::now(), Counted::in_gauge(metrics::gauge!(CALLS_WAITING)));
        let acquired = self.pool.acquire().await;
        drop(waiting);
        metrics::histogram!(CONNECTION_WAIT_SECONDS).record(began.elapsed());
        acquired
    }
}

/// The time-outs of statements in milliseconds, by PostgreSQL's names.
pub(super) fn limits(settings: &StoreSettings) -> Vec<(&'static str, String)> {
    let limits = [("statement_timeout", settings.statement_timeout), ("lock_timeout", settings.lock_timeout)];
    limits.into_iter().filter_map(|(name, limit)| Some((name, limit?.as_millis().to_string()))).collect()
}

/// Whether to repeat a failed read once, because its connection was lost and a read changes
/// nothing.
pub(crate) fn is_read_again(is_first: &mut bool, error: &StoreError) -> bool {
    let again = *is_first && error.is_lost_connection();
    *is_first = false;
    if again {
        tracing::info!(error = %crate::causes::Causes(error), "the database closed a connection: the read is repeated");
    }
    again
}

/// A connection of the pool in use. Dropping it rolls its transaction back.
pub(crate) struct PgSession {
    held: Held,
    pooler: Pooler,
}

enum Held {
    Connection(PoolConnection<Postgres>),
    Transaction(Transaction<'static, Postgres>),
}

impl PgSession {
    /// The executor for queries.
    pub(crate) fn executor(&mut self) -> PgExecutor<'_> {
        let connection = match &mut self.held {
            Held::Connection(connection) => &mut **connection,
            Held::Transaction(transaction) => &mut **transaction,
        };
        PgExecutor { connection, pooler: self.pooler }
    }

    /// Commits the transaction.
    pub(super) async fn commit(self) -> Result<(), sqlx::Error> {
        match self.held {
            Held::Connection(_) => Ok(()),
            Held::Transaction(transaction) => transaction.commit().await,
        }
    }
}

/// Runs queries on a connection. Without a pooler, each statement has a name on the server and is
/// prepared once. Behind a pooler it has none, because another client may have used the name on the
/// same server connection.
#[derive(Debug)]
pub(crate) struct PgExecutor<'c> {
    connection: &'c mut PgConnection,
    pooler: Pooler,
}

impl<'c> Executor<'c> for &'c mut PgExecutor<'_> {
    type Database = Postgres;

    fn fetch_many<'e, 'q: 'e, E>(
        self,
        query: E,
    ) -> BoxStream<'e, Result<Either<PgQueryResult, PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.connection.fetch_many(Named { query, pooler: self.pooler })
    }

    fn fetch_optional<'e, 'q: 'e, E>(self, query: E) -> BoxFuture<'e, Result<Option<PgRow>, sqlx::Error>>
    where
        'c: 'e,
        E: 'q + Execute<'q, Postgres>,
    {
        self.connection.fetch_optional(Named { query, pooler: self.pooler })
    }

    fn prepare_with<'e>(
        self,
        sql: SqlStr,
        parameters: &'e [PgTypeInfo],
    ) -> BoxFuture<'e, Result<PgStatement, sqlx::Error>>
    where
        'c: 'e,
    {
        self.connection.prepare_with(sql, parameters)
    }

    fn describe<'e>(self, sql: SqlStr) -> BoxFuture<'e, Result<Describe<Postgres>, sqlx::Error>>
    where
        'c: 'e,
    {
        self.connection.describe(sql)
    }
}

/// A query whose statement is named, or unnamed behind a pooler.
struct Named<E> {
    query: E,
    pooler: Pooler,
}

impl<'q, E: Execute<'q, Postgres>> Execute<'q, Postgres> for Named<E> {
    fn sql(self) -> SqlStr {
        self.query.sql()
    }

    fn statement(&self) -> Option<&PgStatement> {
        self.query.statement()
    }

    fn take_arguments(&mut self) -> Result<Option<PgArguments>, BoxDynError> {
        self.query.take_arguments()
    }

    fn persistent(&self) -> bool {
        self.pooler == Pooler::None && self.query.persistent()
    }
}

/// Connection counts of this process's pool.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Connections {
    pub(crate) idle: u32,
    pub(crate) in_use: u32,
    pub(crate) max: u32,
}
