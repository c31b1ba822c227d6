//! Reads, outside and inside of a transaction.

use sqlx::pool::PoolConnection;
use sqlx::{Sqlite, SqliteConnection};

use super::database::Db;
use super::error::StoreError;
use super::postgres::{PgExecutor, PgSession, is_read_again};
use super::tx::{Connection, Tx};

/// A source of reads: a store, or an open transaction, which sees its own writes.
pub trait Read<'a>: Send {
    /// The connections for one read with `ro!`.
    fn reader(self) -> Reader<'a>;
}

impl<'a> Read<'a> for &'a Db {
    fn reader(self) -> Reader<'a> {
        Reader { source: Source::Pool(self), is_first: true }
    }
}

impl<'a> Read<'a> for &'a mut Tx {
    fn reader(self) -> Reader<'a> {
        Reader { source: Source::Transaction(&mut self.connection), is_first: true }
    }
}

/// The connections for one read.
pub struct Reader<'a> {
    source: Source<'a>,
    is_first: bool,
}

enum Source<'a> {
    Pool(&'a Db),
    Transaction(&'a mut Connection),
}

impl Reader<'_> {
    /// A pooled connection, or the connection of the transaction.
    pub(crate) async fn session(&mut self) -> Result<Session<'_>, StoreError> {
        Ok(match &mut self.source {
            Source::Pool(Db::Sqlite { ro, .. }) => Session::SqlitePool(ro.acquire().await?),
            Source::Pool(Db::Pg(server)) => Session::PgPool(server.read().await?),
            Source::Transaction(Connection::Sqlite(connection)) => Session::SqliteTransaction(connection),
            Source::Transaction(Connection::Pg(session)) => Session::PgTransaction(session),
        })
    }

    /// Whether to read a second time, because a connection of PostgreSQL's pool was lost. Inside a
    /// transaction it is false, because the transaction is lost too.
    pub(crate) fn is_read_again(&mut self, error: &StoreError) -> bool {
        matches!(self.source, Source::Pool(Db::Pg(_))) && is_read_again(&mut self.is_first, error)
    }
}

/// A connection during a read.
pub(crate) enum Session<'a> {
    SqlitePool(PoolConnection<Sqlite>),
    SqliteTransaction(&'a mut SqliteConnection),
    PgPool(PgSession),
    PgTransaction(&'a mut PgSession),
}

/// The executor for queries.
pub(crate) enum Executor<'a> {
    Sqlite(&'a mut SqliteConnection),
    Pg(PgExecutor<'a>),
}

impl Session<'_> {
    pub(crate) fn executor(&mut self) -> Executor<'_> {
        match self {
            Self::SqlitePool(connection) => Executor::Sqlite(connection),
            Self::SqliteTransaction(connection) => Executor::Sqlite(connection),
            Self::PgPool(session) => Executor::Pg(session.executor()),
            Self::PgTransaction(session) => Executor::Pg(session.executor()),
        }
    }
}

/// Runs one query of [`query!`](super::query) that reads, and registers its statement.
///
/// The query is compiled once per database. On PostgreSQL's pool it runs a second time if its
/// connection was lost. Tests also run any expression of an executor, whose statement is not
/// registered: `ro!(store, c => sqlx::query_as("…").fetch_all(c).await)`.
macro_rules! ro {
    ($from:expr, $c:ident => $query:expr) => {{
        let mut reader = $crate::store::engine::read::Read::reader($from);
        loop {
            let read = match reader.session().await {
                Ok(mut session) => match session.executor() {
                    $crate::store::engine::read::Executor::Sqlite($c) => {
                        $query.map_err($crate::store::engine::error::StoreError::from)
                    }
                    $crate::store::engine::read::Executor::Pg(mut executor) => {
                        let $c = &mut executor;
                        $query.map_err($crate::store::engine::error::StoreError::from)
                    }
                },
                Err(error) => Err(error),
            };
            match read {
                Err(error) if reader.is_read_again(&error) => {}
                read => break read,
            }
        }
    }};
    ($from:expr, $form:ident $($query:tt)*) => {{
        $crate::store::engine::statements::registered!($form $($query)*);
        $crate::store::engine::read::ro!($from, c => $crate::store::engine::query::query!(c, $form $($query)*))
    }};
}

/// Runs queries for many values from one snapshot, returns their results as a tuple, and registers
/// their statements: `snapshot!(store, rows in uids => "… IN {}", rows in uids => "… IN {}")`.
///
/// On PostgreSQL all queries run a second time if their connection was lost.
macro_rules! snapshot {
    ($store:expr, $($form:ident in $values:expr => $sql:expr),+) => {{
        $($crate::store::engine::statements::registered!($form in $values => $sql);)+
        match $store.db() {
            // A deferred transaction: its first query fixes the snapshot.
            $crate::store::engine::database::Db::Sqlite { ro, .. } => {
                let mut transaction = ro.begin().await?;
                ($({
                    let c = &mut *transaction;
                    $crate::store::engine::query::query!(c, $form in $values => $sql)?
                },)+)
            }
            $crate::store::engine::database::Db::Pg(server) => {
                let mut is_first = true;
                loop {
                    let read: Result<_, $crate::store::engine::error::StoreError> = async {
                        let mut session = server.snapshot().await?;
                        let mut executor = session.executor();
                        Ok(($({
                            let c = &mut executor;
                            $crate::store::engine::query::query!(c, $form in $values => $sql)?
                        },)+))
                    }
                    .await;
                    match read {
                        Err(error)
                            if $crate::store::engine::postgres::is_read_again(&mut is_first, &error) => {}
                        read => break read?,
                    }
                }
            }
        }
    }};
}

pub(crate) use {ro, snapshot};
