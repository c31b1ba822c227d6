//! The contract of writes, on both databases.

use crate::store::engine::transaction;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Notify, oneshot};

use super::engine::writer::WriterCommand;
use super::engine::{Db, Pooler, Store, StoreError, StoreSettings, Tx, TxFuture, migration, ro, tx};
use crate::tests::database::Database;

mod jobs;
mod kill;
mod log;
mod migrations;
mod paid;
mod postgres;
mod statements;
pub(crate) mod support;
mod write;

/// A test job that inserts one row into `notes`.
fn insert(
    id: i64,
    body: &str,
) -> impl for<'t> Fn(&'t mut Tx, &'t ()) -> TxFuture<'t, i64, StoreError> + use<> {
    let body = body.to_owned();
    job(move |tx, ()| {
        let body = body.clone();
        Box::pin(async move {
            tx!(tx, execute "INSERT INTO notes (id, body) VALUES ($1, $2)", id, body)?;
            Ok(id)
        })
    })
}

/// Helps the compiler to infer that a closure is a job.
fn job<T, E, F>(job: F) -> F
where
    F: for<'t> Fn(&'t mut Tx, &'t ()) -> TxFuture<'t, T, E>,
{
    job
}

/// Runs one statement, as a migration would.
async fn execute(store: &Store, statement: &'static str) {
    transaction!(store, |tx| tx!(tx, c => sqlx::raw_sql(statement).execute(c).await.map(drop)))
        .map_err(|error: StoreError| error)
        .expect("the statement runs");
}

/// Opens a new database with the table `notes`.
async fn notes(database: &Database) -> Store {
    let store = database.open().await;
    execute(&store, "CREATE TABLE notes (id BIGINT PRIMARY KEY, body TEXT NOT NULL)").await;
    store
}

async fn ids(store: &Store) -> Vec<i64> {
    ro!(store, values "SELECT id FROM notes ORDER BY id").expect("notes can be read")
}
