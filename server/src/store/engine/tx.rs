//! One transaction type over both databases.

use std::future::Future;
use std::pin::Pin;

use garimpo_domain::Uid;
use sqlx::SqliteConnection;

use super::postgres::PgSession;
use crate::request_id::Cause;

/// The future of a write job or of a query inside one.
pub type TxFuture<'t, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 't>>;

/// An open transaction. Only `Store::write` creates one.
///
/// Query it with the macro `tx!`. A job ends at its first failed statement, because PostgreSQL has
/// aborted the transaction then.
pub struct Tx {
    pub(crate) connection: Connection,
    /// Set when a job was enqueued, so that the worker is notified after the COMMIT.
    pub(crate) enqueued: bool,
    /// Accounts with a change in the feed; their cached replies are dropped after the COMMIT.
    pub(crate) rights_changed: Vec<Uid>,
    /// The cause of this write. It is stored with the jobs that the write enqueues, so that they
    /// have the same id in the log and run in the same trace.
    pub(crate) cause: Cause,
    /// What [`Tx::after_commit`] was given, in its order.
    pub(super) effects: Vec<Effect>,
}

/// A callback that logs or counts.
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
            cause: Cause::default(),
            effects: Vec::new(),
        }
    }

    /// Runs `effect` after the COMMIT. A job must log and count only here, because it may run again
    /// or be rolled back.
    pub(crate) fn after_commit(&mut self, effect: impl FnOnce() + Send + Sync + 'static) {
        self.effects.push(Box::new(effect));
    }
}

/// Runs one query of [`query!`](super::query) on an open transaction, and registers its statement.
///
/// The query is compiled once per database. Tests also run any expression of an executor, whose
/// statement is not registered: `tx!(tx, c => sqlx::query("…").fetch_all(c).await)`. Results that
/// differ by driver (of `execute`) must be converted inside it. Its `sqlx::Error` becomes a
/// `StoreError`.
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
    ($tx:expr, $form:ident $($query:tt)*) => {{
        $crate::store::engine::statements::registered!($form $($query)*);
        $crate::store::engine::tx::tx!($tx, c => $crate::store::engine::query::query!(c, $form $($query)*))
    }};
}

/// Runs a write job by `Store::write`:
/// `transaction!(store, (id, at = row.at), |tx| { …(tx, id, *at).await })?`.
///
/// Each run of the job borrows the values in parentheses and copies its other captures.
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
