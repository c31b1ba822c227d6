//! `sandbox.db`: every object as a JSON document, and the transactions over them.
//!
//! An answer is sent after its commit (WAL, `synchronous=FULL`). An event is committed in the
//! transaction of the change that it describes.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde::de::DeserializeOwned;
use serde_json::Value;
use sqlx::query::Query;
use sqlx::sqlite::{
    SqliteArguments, SqliteConnectOptions, SqliteJournalMode, SqlitePool, SqlitePoolOptions, SqliteRow,
    SqliteSynchronous,
};
use sqlx::{AssertSqlSafe, Row, Sqlite, Transaction};

use crate::state::behavior::Behavior;
use crate::state::moment::Moment;

const SCHEMA: &str = include_str!("schema.sql");

/// The database file: one writer and one reader, because each connection costs the start of
/// `make run` a parsed schema and a quarter of a megabyte.
#[derive(Clone)]
pub struct Store {
    writer: SqlitePool,
    reader: SqlitePool,
}

/// A statement with its values.
macro_rules! sql {
    ($sql:expr $(, $value:expr)*) => {
        sqlx::query::<sqlx::Sqlite>($sql)$(.bind($value))*
    };
}
pub(crate) use sql;

/// An object as it is stored: what the API shows, and what the sandbox keeps beside it.
pub trait Document {
    fn document(&self) -> Value;

    fn private(&self) -> Option<Value> {
        None
    }
}

impl Document for Value {
    fn document(&self) -> Value {
        self.clone()
    }
}

/// The request that a transaction serves.
#[derive(Default, Debug)]
pub struct Cause {
    /// `req_…` of the API call; absent for timers and visitors.
    pub request_id: Option<String>,
    pub idempotency_key: Option<String>,
}

/// One transaction at one instant of the sandbox's clock.
pub struct Tx {
    pub conn: Transaction<'static, Sqlite>,
    /// The time of every change in it: the sandbox's, or that of a test clock.
    pub now: Moment,
    pub sandbox_now: Moment,
    /// The test clock whose time `now` is.
    pub test_clock: Option<String>,
    /// The sandbox's public origin, for links in objects.
    pub url: Arc<str>,
    pub cause: Cause,
    pub behavior: Behavior,
}

impl Store {
    /// Opens or creates `sandbox.db` in a folder.
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
        let opened = create_schema(&writer).await;
        opened.context("sandbox.db is of an earlier version: delete it, with the product's data")?;
        let reader = SqlitePoolOptions::new().max_connections(1).connect_lazy_with(options.read_only(true));
        Ok(Self { writer, reader })
    }

    /// Begins a write transaction, after the one that is open now.
    pub async fn write(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        self.writer.begin_with("BEGIN IMMEDIATE").await
    }

    /// Begins a read transaction: one consistent view.
    pub async fn read(&self) -> Result<Transaction<'static, Sqlite>, sqlx::Error> {
        self.reader.begin().await
    }

    /// A setting that outlives restarts; absent too if an earlier version stored another shape.
    pub async fn setting<T: DeserializeOwned>(&self, name: &str) -> Result<Option<T>, sqlx::Error> {
        let value = sqlx::query_scalar("SELECT value FROM settings WHERE name = $1").bind(name);
        // Settings are read at the start, and the writer is open then.
        let value: Option<Value> = value.fetch_optional(&self.writer).await?;
        Ok(value.and_then(|value| serde_json::from_value(value).ok()))
    }

    pub async fn close(&self) {
        self.reader.close().await;
        self.writer.close().await;
    }
}

/// One transaction, because each statement would lock the file alone.
async fn create_schema(writer: &SqlitePool) -> Result<(), sqlx::Error> {
    let mut tx = writer.begin().await?;
    sqlx::raw_sql(SCHEMA).execute(&mut *tx).await?;
    tx.commit().await
}

impl Tx {
    /// Runs a statement and returns the number of its rows.
    pub async fn execute(&mut self, query: Query<'_, Sqlite, SqliteArguments>) -> Result<u64, sqlx::Error> {
        Ok(query.execute(&mut *self.conn).await?.rows_affected())
    }

    /// Stores a new object under its own `id` and `object`.
    pub async fn insert<D: Document>(&mut self, object: &D) -> Result<(), sqlx::Error> {
        self.insert_with(object, object.private()).await
    }

    /// Stores a new object with what the sandbox keeps beside it.
    pub async fn insert_with<D: Document>(
        &mut self,
        object: &D,
        private: Option<Value>,
    ) -> Result<(), sqlx::Error> {
        let doc = object.document();
        let created = doc["created"].as_i64().unwrap_or(self.now.seconds());
        let sql = "INSERT INTO objects (id, kind, created, doc, private) VALUES ($1, $2, $3, $4, $5)";
        let (id, kind) = (text(&doc, "id"), text(&doc, "object"));
        self.execute(sql!(sql, id, kind, created, &doc, private)).await.map(drop)
    }

    /// Replaces a stored object.
    pub async fn update<D: Document>(&mut self, object: &D) -> Result<(), sqlx::Error> {
        let doc = object.document();
        let sql = "UPDATE objects SET doc = $2, private = coalesce($3, private) WHERE id = $1";
        self.execute(sql!(sql, text(&doc, "id"), &doc, object.private())).await.map(drop)
    }

    pub async fn delete(&mut self, id: &str) -> Result<(), sqlx::Error> {
        self.execute(sql!("DELETE FROM objects WHERE id = $1", id)).await.map(drop)
    }

    /// The object of an id, whatever its kind.
    pub async fn find(&mut self, id: &str) -> Result<Option<Value>, sqlx::Error> {
        self.json("SELECT doc FROM objects WHERE id = $1", id).await
    }

    /// What the sandbox keeps beside an object; null without it.
    pub async fn private_of(&mut self, id: &str) -> Result<Value, sqlx::Error> {
        let sql = "SELECT private FROM objects WHERE id = $1 AND private IS NOT NULL";
        Ok(self.json(sql, id).await?.unwrap_or_default())
    }

    async fn json(&mut self, sql: &'static str, id: &str) -> Result<Option<Value>, sqlx::Error> {
        sqlx::query_scalar(sql).bind(id).fetch_optional(&mut *self.conn).await
    }

    /// The object of a kind and an id.
    pub async fn find_kind(&mut self, kind: &str, id: &str) -> Result<Option<Value>, sqlx::Error> {
        Ok(self.find(id).await?.filter(|doc| text(doc, "object") == kind))
    }

    /// Objects of a kind whose field (a JSON path after `$.`) has a value, newest first.
    pub async fn find_by(&mut self, kind: &str, field: &str, value: &str) -> Result<Vec<Value>, sqlx::Error> {
        self.rows_by(kind, "doc", field, value).await?.iter().map(|row| row.try_get(0)).collect()
    }

    /// `doc` and `private` of the objects of a kind by a field of one of both columns, newest
    /// first.
    pub async fn rows_by(
        &mut self,
        kind: &str,
        column: &str,
        field: &str,
        value: &str,
    ) -> Result<Vec<SqliteRow>, sqlx::Error> {
        let sql = format!(
            "SELECT doc, private FROM objects WHERE kind = $1 AND json_extract({column}, '$.{field}') = $2
             ORDER BY seq DESC"
        );
        sqlx::query(AssertSqlSafe(sql)).bind(kind).bind(value).fetch_all(&mut *self.conn).await
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
