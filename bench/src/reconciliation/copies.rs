//! Copies of one customer in the databases of the stopped product and its sandbox.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use sqlx::Connection as _;

use crate::filled;
use crate::world::Subscriber;

pub const CUSTOMERS: u32 = 20_000;

/// Phase and pages of the sweep.
pub async fn sweep_state(data: &Path) -> Result<(String, i64)> {
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    let found = sqlx::query_as("SELECT sweep_phase, sweep_pages FROM reconciliation")
        .fetch_one(&mut database)
        .await?;
    database.close().await?;
    Ok(found)
}

pub async fn run_sql(data: &Path, sql: &str) -> Result<()> {
    let mut database = filled::open(&data.join("garimpo.db")).await?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql.to_owned())).execute(&mut database).await?;
    Ok(database.close().await?)
}

/// Copies a customer 20,000 times, with `_1`, `_2`, … appended to every id.
pub async fn multiply(data: &Path, one: &Subscriber) -> Result<()> {
    let numbers =
        format!("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {CUSTOMERS}) ");
    let mut database = filled::open(&data.join("sandbox.db")).await?;
    let of_customer = format!(
        "SELECT id FROM objects WHERE kind <> 'event' AND (id = '{0}' OR doc LIKE '%{0}%')",
        one.customer_id
    );
    let ids: Vec<String> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(of_customer.clone())).fetch_all(&mut database).await?;
    let mut doc = format!("replace(doc, '{0}', '{0}_' || i)", one.uid);
    for id in &ids {
        doc = format!("replace({doc}, '{id}', '{id}_' || i)");
    }
    let mut sql = numbers;
    write!(
        sql,
        "INSERT INTO objects (id, kind, created, doc) SELECT id || '_' || i, kind, created, {doc}
         FROM objects, n WHERE id IN ({of_customer})"
    )?;
    sqlx::raw_sql(sqlx::AssertSqlSafe(sql)).execute(&mut database).await?;
    database.close().await?;
    let copies = include_str!("../../../server/src/store/tests/copies.sql");
    run_sql(data, &copies.replace("$1", &format!("'{}'", one.uid)).replace("$2", &CUSTOMERS.to_string()))
        .await?;
    run_sql(data, "ANALYZE").await
}
