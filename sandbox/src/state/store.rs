//! `sandbox.db`: every object of the played world as a JSON document, and the transactions over them.
//!
//! A key that begins with `_` is private to the sandbox: [`public`] drops it before anyone sees it.
//! What is acknowledged is committed first (WAL, `synchronous=FULL`), events in the same transaction
//! as the change that they tell of.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sqlx::sqlite::{
    SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Row, Sqlite, Transaction};

use crate::control::behavior::Behavior;
use crate::state::moment::Moment;
use crate::state::timers::SANDBOX_TIME;

const SCHEMA: &str = include_str!("schema.sql");

/// The database file: one writer, four readers.
#[derive(Clone)]
pub struct Store {
    writer: SqlitePool,
    readers: SqlitePool,
}

/// What a transaction knows of the request that it serves.
#[derive(Default, Debug)]
pub struct Cause {
    /// `req_…` of the API call, absent for what time or a visitor does.
    pub request_id: Option<String>,
    /// The call's Idempotency-Key.
    pub idempotency_key: Option<String>,
}

/// One transaction at one instant of the sandbox's clock.
pub struct Tx {
    /// The open transaction, for modules with tables of their own.
    pub conn: Transaction<'static, Sqlite>,
    /// The instant at which everything in it happens: the sandbox's time, or that of a test clock.
    pub now: Moment,
    /// The sandbox's time.
    pub sandbox_now: Moment,
    /// The test clock whose time `now` is.
    pub test_clock: Option<String>,
    /// The sandbox's own public origin, for links in objects.
    pub url: Arc<str>,
    /// The request behind it, for events.
    pub cause: Cause,
    /// How the provider behaves in it.
    pub behavior: Behavior,
}

impl Store {
    /// Opens or makes `sandbox.db` in a folder.
    pub async fn open(data_dir: &Path) -> anyhow::Result<Self> {
        tokio::fs::create_dir_all(data_dir).await?;
        let options = SqliteConnectOptions::new()
            .filename(data_dir.join("sandbox.db"))
            .create_if_missing(true)
            .journal_mode(SqliteJournalMode::Wal)
            .synchronous(SqliteSynchronous::Full)
            .busy_timeout(Duration::from_secs(10));
        let writer = SqlitePoolOptions::new()
            .max_connections(1)
            .min_connections(1)
            .acquire_timeout(Duration::from_mins(1))
            .idle_timeout(None)
            .max_lifetime(None)
            .connect_with(options.clone())
            .await?;
        sqlx::raw_sql(SCHEMA).execute(&writer).await?;
        let readers =
            SqlitePoolOptions::new().max_connections(4).connect_with(options.read_only(true)).await?;
        Ok(Self { writer, readers })
    }

    /// Begins the one write transaction, after whoever holds it now.
    pub async fn write(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        self.writer.begin_with("BEGIN IMMEDIATE").await
    }

    /// Begins a read transaction: one consistent view.
    pub async fn read(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        self.readers.begin().await
    }

    /// Closes every connection, so that the file may be opened anew.
    pub async fn close(&self) {
        self.readers.close().await;
        self.writer.close().await;
    }
}

impl Tx {
    /// Stores a new object under its own `id` and `object`.
    pub async fn insert(&mut self, doc: &Value) -> Result<(), sqlx::Error> {
        sqlx::query("INSERT INTO objects (id, kind, created, doc) VALUES ($1, $2, $3, $4)")
            .bind(text(doc, "id"))
            .bind(text(doc, "object"))
            .bind(doc["created"].as_i64().unwrap_or(self.now.seconds()))
            .bind(doc.to_string())
            .execute(&mut *self.conn)
            .await?;
        Ok(())
    }

    /// Replaces a stored object.
    pub async fn update(&mut self, doc: &Value) -> Result<(), sqlx::Error> {
        sqlx::query("UPDATE objects SET doc = $2 WHERE id = $1")
            .bind(text(doc, "id"))
            .bind(doc.to_string())
            .execute(&mut *self.conn)
            .await?;
        Ok(())
    }

    /// Forgets a stored object.
    pub async fn delete(&mut self, id: &str) -> Result<(), sqlx::Error> {
        sqlx::query("DELETE FROM objects WHERE id = $1").bind(id).execute(&mut *self.conn).await?;
        Ok(())
    }

    /// The object of that id, whatever its kind.
    pub async fn find(&mut self, id: &str) -> Result<Option<Value>, sqlx::Error> {
        let row = sqlx::query("SELECT doc FROM objects WHERE id = $1")
            .bind(id)
            .fetch_optional(&mut *self.conn)
            .await?;
        Ok(row.and_then(|row| serde_json::from_str(row.get(0)).ok()))
    }

    /// The object of that kind and id.
    pub async fn find_kind(&mut self, kind: &str, id: &str) -> Result<Option<Value>, sqlx::Error> {
        Ok(self.find(id).await?.filter(|doc| text(doc, "object") == kind))
    }

    /// Objects of a kind whose field (a JSON path after `$.`) has a value, newest first.
    pub async fn find_by(&mut self, kind: &str, field: &str, value: &str) -> Result<Vec<Value>, sqlx::Error> {
        let sql = format!(
            "SELECT doc FROM objects WHERE kind = $1 AND json_extract(doc, '$.{field}') = $2 ORDER BY seq DESC"
        );
        let rows = sqlx::query(AssertSqlSafe(sql)).bind(kind).bind(value).fetch_all(&mut *self.conn).await?;
        Ok(rows.iter().filter_map(|row| serde_json::from_str(row.get(0)).ok()).collect())
    }

    /// Sets (or moves) what shall happen to an object at an instant.
    pub async fn timer_set(&mut self, id: &str, what: &str, due: Moment) -> Result<(), sqlx::Error> {
        let clock = self.test_clock.as_ref().filter(|_| !SANDBOX_TIME.contains(&what));
        if let Some(clock) = clock {
            sqlx::query(
                "INSERT INTO clock_timers (clock_id, object_id, what, due_at_us) VALUES ($1, $2, $3, $4)
                 ON CONFLICT (object_id, what) DO UPDATE SET due_at_us = excluded.due_at_us",
            )
            .bind(clock)
            .bind(id)
            .bind(what)
            .bind(due.0)
            .execute(&mut *self.conn)
            .await?;
            return Ok(());
        }
        let due = self.sandbox_now.plus(due.0 - self.now.0);
        sqlx::query(
            "INSERT INTO timers (object_id, what, due_at_us) VALUES ($1, $2, $3)
             ON CONFLICT (object_id, what) DO UPDATE SET due_at_us = excluded.due_at_us",
        )
        .bind(id)
        .bind(what)
        .bind(due.0)
        .execute(&mut *self.conn)
        .await?;
        Ok(())
    }

    /// When something shall happen to an object.
    pub async fn timer_due(&mut self, id: &str, what: &str) -> Result<Option<Moment>, sqlx::Error> {
        let sql = "SELECT due_at_us FROM timers WHERE object_id = $1 AND what = $2
                   UNION ALL SELECT due_at_us FROM clock_timers WHERE object_id = $1 AND what = $2";
        let due: Option<i64> =
            sqlx::query_scalar(sql).bind(id).bind(what).fetch_optional(&mut *self.conn).await?;
        Ok(due.map(Moment))
    }

    /// Takes back every timer of an object.
    pub async fn timers_clear(&mut self, id: &str) -> Result<(), sqlx::Error> {
        sqlx::query("DELETE FROM timers WHERE object_id = $1").bind(id).execute(&mut *self.conn).await?;
        sqlx::query("DELETE FROM clock_timers WHERE object_id = $1")
            .bind(id)
            .execute(&mut *self.conn)
            .await?;
        Ok(())
    }

    /// Writes a setting that outlives restarts.
    pub async fn setting_set(&mut self, name: &str, value: &str) -> Result<(), sqlx::Error> {
        sqlx::query(
            "INSERT INTO settings (name, value) VALUES ($1, $2)
             ON CONFLICT (name) DO UPDATE SET value = excluded.value",
        )
        .bind(name)
        .bind(value)
        .execute(&mut *self.conn)
        .await?;
        Ok(())
    }
}

/// A text field of a document, empty when absent.
pub fn text<'d>(doc: &'d Value, field: &str) -> &'d str {
    doc.get(field).and_then(Value::as_str).unwrap_or_default()
}

/// A whole-number field of a document, 0 when absent.
pub fn number(doc: &Value, field: &str) -> i64 {
    doc.get(field).and_then(Value::as_i64).unwrap_or_default()
}

/// A document as the outside may see it: without the sandbox's private keys, at any depth.
pub fn public(doc: &Value) -> Value {
    match doc {
        Value::Object(fields) => Value::Object(
            fields
                .iter()
                .filter(|(name, _)| !name.starts_with('_'))
                .map(|(name, value)| {
                    // Metadata belongs to the caller: its keys are never the sandbox's.
                    let value = if name == "metadata" { value.clone() } else { public(value) };
                    (name.clone(), value)
                })
                .collect::<Map<_, _>>(),
        ),
        Value::Array(items) => Value::Array(items.iter().map(public).collect()),
        other => other.clone(),
    }
}
