//! One transaction type over both databases.

use std::future::Future;
use std::pin::Pin;

use sqlx::SqliteConnection;

use super::postgres::PgSession;

/// The future of a write job or of a query inside one.
pub type TxFuture<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

/// An open transaction; only `Store::write` makes one.
///
/// Query it with the macro `tx!`. An error of a statement ends the job: PostgreSQL has aborted the
/// transaction by then, so a job never goes on after one.
pub struct Tx {
    pub(crate) connection: Connection,
    /// Set by the queue's enqueue: the worker is woken after the COMMIT.
    pub(crate) enqueued: bool,
    /// Accounts of whom it tells the feed something new: their kept answers are void after the
    /// COMMIT.
    pub(crate) rights_changed: Vec<String>,
    /// The request that this write belongs to: kept with the jobs that it enqueues, so that their
    /// log names it too.
    pub(crate) request_id: Option<String>,
    /// The span of this write's cause, if its trace is recorded: kept with the jobs too, so that
    /// they run in the same trace.
    pub(crate) traceparent: Option<String>,
    /// What [`Tx::after_commit`] was given, in its order.
    pub(super) effects: Vec<Effect>,
}

/// A log line or a counter that belongs to a write.
pub(super) type Effect = Box<dyn FnOnce() + Send + Sync>;

/// The connection that holds the transaction.
pub(crate) enum Connection {
    Sqlite(Box<SqliteConnection>),
    Pg(PgSession),
}

impl Tx {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            connection,
            enqueued: false,
            rights_changed: Vec::new(),
            request_id: None,
            traceparent: None,
            effects: Vec::new(),
        }
    }

    /// Runs `effect` once the job is committed. A job logs and counts by this alone, because it may
    /// be run again or rolled back.
    pub(crate) fn after_commit(&mut self, effect: impl FnOnce() + Send + Sync + 'static) {
        self.effects.push(Box::new(effect));
    }
}

/// Runs one query expression on an open transaction: `tx!(tx, c =>
/// sqlx::query("…").execute(c).await)`.
///
/// The expression is compiled once per database; what differs by driver (the result of `execute`)
/// has to be reduced inside it. Its `sqlx::Error` becomes a `StoreError`.
macro_rules! tx {
    ($tx:expr, $c:ident => $query:expr) => {
        match &mut $tx.connection {
            $crate::store::engine::tx::Connection::Sqlite(connection) => {
                let $c = &mut **connection;
                $query.map_err($crate::store::engine::error::StoreError::from)
            }
            $crate::store::engine::tx::Connection::Pg(session) => {
                let $c = &mut session.executor();
                $query.map_err($crate::store::engine::error::StoreError::from)
            }
        }
    };
}

/// Runs a write job to its COMMIT (`Store::write`): `transaction!(store, (id, at = row.at), |tx| {
/// …(tx, id, *at).await })?`.
///
/// Each run of the job borrows the values in parentheses and copies what else it names.
macro_rules! transaction {
    ($store:expr, |$tx:ident| $job:expr) => {
        $crate::store::engine::tx::transaction!($store, (), |$tx| $job)
    };
    ($store:expr, ($($name:ident $(= $value:expr)?),* $(,)?), |$tx:ident| $job:expr) => {
        $store
            .write(
                ($($crate::store::engine::tx::lent!($name $(= $value)?),)*),
                move |$tx, ($($name,)*)| Box::pin(async move { $job }),
            )
            .await
    };
}

macro_rules! lent {
    ($name:ident) => {
        $name
    };
    ($name:ident = $value:expr) => {
        $value
    };
}

pub(crate) use {lent, transaction, tx};
