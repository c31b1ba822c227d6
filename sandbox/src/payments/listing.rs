//! Lists: newest first, by pages of `limit` between the objects that `starting_after` and `ending_before` name.

use std::fmt::Write;

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::params::Params;
use crate::payments::error::ApiError;
use crate::payments::{Call, Reply};
use crate::store::Tx;

/// Parameters that every list takes.
const COMMON: [&str; 4] = ["limit", "starting_after", "ending_before", "created"];

/// One condition: a JSON path after `$.`, and the texts one of which it must have.
pub type Filter<'f> = (&'f str, Vec<String>);

/// Lists the objects of a kind. `by_name` are the parameters that filter by the field of their name.
pub async fn list(tx: &mut Tx, call: &Call<'_>, kind: &str, by_name: &[&str], more: &[Filter<'_>]) -> Reply {
    let known: Vec<&str> = COMMON.iter().chain(by_name).copied().collect();
    call.params.only(&known)?;
    list_loosely(tx, call, kind, by_name, more).await
}

/// As [`list`], for calls that check their parameters themselves.
pub async fn list_loosely(
    tx: &mut Tx,
    call: &Call<'_>,
    kind: &str,
    by_name: &[&str],
    more: &[Filter<'_>],
) -> Reply {
    let params = &call.params;
    let limit = params.integer("limit")?.unwrap_or(10);
    if !(1..=100).contains(&limit) {
        return Err(ApiError::invalid(Some("limit"), None, "limit must be between 1 and 100."));
    }
    let mut filters: Vec<Filter<'_>> = more.to_vec();
    for name in by_name {
        if let Some(value) = params.text(name) {
            filters.push((name, vec![value.to_owned()]));
        }
    }
    let page = page(tx, params, kind, &filters, limit).await?;
    Ok(json!({
        "object": "list",
        "url": format!("/v1/{}", call.path.join("/")),
        "has_more": page.1,
        "data": page.0,
    }))
}

async fn page(
    tx: &mut Tx,
    params: &Params,
    kind: &str,
    filters: &[Filter<'_>],
    limit: i64,
) -> Result<(Vec<Value>, bool), ApiError> {
    let before = cursor(tx, params, "starting_after").await?.unwrap_or(i64::MAX);
    let after = cursor(tx, params, "ending_before").await?;
    // Paths are the sandbox's own constants; values are bound.
    let mut sql = String::from("SELECT doc FROM objects WHERE kind = ? AND seq < ? AND seq > ?");
    for (field, values) in filters {
        // JSON's truth values are 1 and 0 to SQLite.
        let wanted = match values.as_slice() {
            [one] if one == "true" => "= 1".to_owned(),
            [one] if one == "false" => "= 0".to_owned(),
            many => format!("IN ({})", vec!["?"; many.len()].join(", ")),
        };
        let _ = write!(sql, " AND json_extract(doc, '$.{field}') {wanted}");
    }
    let created = [("gt", ">"), ("gte", ">="), ("lt", "<"), ("lte", "<=")];
    let mut bounds = Vec::new();
    for (name, sign) in created {
        if let Some(bound) = params.integer(&format!("created.{name}"))? {
            let _ = write!(sql, " AND created {sign} ?");
            bounds.push(bound);
        }
    }
    // Backwards, the nearest to the cursor come first from the database and are turned around below.
    sql += if after.is_some() { " ORDER BY seq ASC LIMIT ?" } else { " ORDER BY seq DESC LIMIT ?" };
    let mut query =
        sqlx::query(AssertSqlSafe(sql)).bind(kind.to_owned()).bind(before).bind(after.unwrap_or(-1));
    let truths = ["true", "false"];
    for value in filters
        .iter()
        .filter(|(_, values)| values.len() != 1 || !truths.contains(&values[0].as_str()))
        .flat_map(|(_, values)| values)
    {
        query = query.bind(value.clone());
    }
    for bound in bounds {
        query = query.bind(bound);
    }
    let rows = query.bind(limit + 1).fetch_all(&mut *tx.conn).await?;
    let mut data: Vec<Value> = rows.iter().filter_map(|row| serde_json::from_str(row.get(0)).ok()).collect();
    let has_more = data.len() as i64 > limit;
    data.truncate(limit as usize);
    if after.is_some() {
        data.reverse();
    }
    Ok((data, has_more))
}

async fn cursor(tx: &mut Tx, params: &Params, name: &str) -> Result<Option<i64>, ApiError> {
    let Some(id) = params.text(name) else { return Ok(None) };
    let seq: Option<i64> = sqlx::query_scalar("SELECT seq FROM objects WHERE id = $1")
        .bind(id)
        .fetch_optional(&mut *tx.conn)
        .await?;
    seq.map(Some).ok_or_else(|| ApiError::not_found("object", id, name))
}
