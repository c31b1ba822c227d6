//! Lists: newest first, by pages of `limit` between the objects that `starting_after` and `ending_before` name.

use serde_json::{Value, json};
use sqlx::{AssertSqlSafe, Row};

use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::provider::{Call, Reply};
use crate::state::store::Tx;

/// Parameters that every list takes.
const COMMON: [&str; 4] = ["limit", "starting_after", "ending_before", "created"];

/// One condition: a JSON path after `$.`, and the texts one of which it must have.
pub type Filter<'f> = (&'f str, Vec<String>);

/// One condition of the sandbox's own SQL with one `?`, and the text bound there, NULL without one.
pub type Condition = (String, Option<String>);

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
    list_where(tx, call, kind, by_name, more, &[]).await
}

/// As [`list_loosely`], under conditions of the sandbox's own SQL too.
pub async fn list_where(
    tx: &mut Tx,
    call: &Call<'_>,
    kind: &str,
    by_name: &[&str],
    more: &[Filter<'_>],
    conditions: &[Condition],
) -> Reply {
    let params = &call.params;
    let limit = limit(params)?;
    let mut all: Vec<Condition> = conditions.to_vec();
    let named = by_name.iter().filter_map(|name| Some((*name, vec![params.text(name)?.to_owned()])));
    for (field, values) in more.iter().cloned().chain(named) {
        all.push(has_one_of(field, values));
    }
    all.extend(created(params)?);
    let (data, has_more) = page(tx, params, kind, &all, limit).await?;
    let url = format!("/v1/{}", call.path.join("/"));
    Ok(json!({"object": "list", "url": url, "has_more": has_more, "data": data}))
}

/// Leaves out objects of test clocks unless the call filters by one of these parameters.
pub fn without_test_clocks(call: &Call<'_>, filters: &[&str]) -> Vec<Condition> {
    if filters.iter().any(|name| call.params.text(name).is_some()) {
        return Vec::new();
    }
    vec![("json_extract(doc, '$.test_clock') IS ?".to_owned(), None)]
}

/// How many objects a page may have: 1 to 100, 10 when nothing is said.
pub fn limit(params: &Params) -> Result<i64, ApiError> {
    let limit = params.integer("limit")?.unwrap_or(10);
    let wrong = match limit {
        ..1 => "This value must be greater than or equal to 1.",
        101.. => "This value must be less than or equal to 100.",
        _ => return Ok(limit),
    };
    Err(ApiError::invalid(Some("limit"), Some("parameter_invalid_integer"), wrong))
}

/// Field names are the sandbox's own constants; values are bound, a list of them as JSON.
fn has_one_of(field: &str, values: Vec<String>) -> Condition {
    // JSON's truth values are 1 and 0 to SQLite.
    let values: Vec<Value> = values
        .into_iter()
        .map(|value| match value.as_str() {
            "true" => json!(1),
            "false" => json!(0),
            _ => json!(value),
        })
        .collect();
    // One value as an equation, because SQLite then finds it by the field's index in the order of the list.
    let is = if values.len() == 1 { "=" } else { "IN" };
    let sql = format!("json_extract(doc, '$.{field}') {is} (SELECT value FROM json_each(?))");
    (sql, Some(json!(values).to_string()))
}

/// `created=…`, `created[gte]=…` and their like.
fn created(params: &Params) -> Result<Vec<Condition>, ApiError> {
    let mut all = Vec::new();
    if let Some(Value::Object(bounds)) = params.at("created") {
        for name in bounds.keys() {
            let sign = match name.as_str() {
                "gt" => ">",
                "gte" => ">=",
                "lt" => "<",
                "lte" => "<=",
                _ => {
                    let name = format!("created[{name}]");
                    let message = format!("Received unknown parameter: {name}");
                    return Err(ApiError::invalid(Some(&name), Some("parameter_unknown"), message));
                }
            };
            all.extend(params.integer(&format!("created.{name}"))?.map(|bound| (sign, bound)));
        }
    } else {
        all.extend(params.integer("created")?.map(|at| ("=", at)));
    }
    Ok(all
        .into_iter()
        .map(|(sign, bound)| (format!("created {sign} CAST(? AS INTEGER)"), Some(bound.to_string())))
        .collect())
}

async fn page(
    tx: &mut Tx,
    params: &Params,
    kind: &str,
    conditions: &[Condition],
    limit: i64,
) -> Result<(Vec<Value>, bool), ApiError> {
    let older_than = cursor(tx, params, kind, "starting_after").await?;
    let newer_than = cursor(tx, params, kind, "ending_before").await?;
    if older_than.is_some() && newer_than.is_some() {
        let message = "You may only specify one of these parameters: starting_after, ending_before.";
        return Err(ApiError::invalid(Some("ending_before"), None, message));
    }
    let mut sql = String::from("SELECT doc FROM objects WHERE kind = ? AND seq < ? AND seq > ?");
    for (condition, _) in conditions {
        sql += " AND ";
        sql += condition;
    }
    // Backwards, the nearest to the cursor come first from the database and are turned around below.
    sql += if newer_than.is_some() { " ORDER BY seq ASC LIMIT ?" } else { " ORDER BY seq DESC LIMIT ?" };
    let mut query = sqlx::query(AssertSqlSafe(sql))
        .bind(kind.to_owned())
        .bind(older_than.unwrap_or(i64::MAX))
        .bind(newer_than.unwrap_or(-1));
    for (_, value) in conditions {
        query = query.bind(value.clone());
    }
    let rows = query.bind(limit + 1).fetch_all(&mut *tx.conn).await?;
    let mut data: Vec<Value> = rows.iter().filter_map(|row| serde_json::from_str(row.get(0)).ok()).collect();
    let has_more = data.len() as i64 > limit;
    data.truncate(limit as usize);
    if newer_than.is_some() {
        data.reverse();
    }
    Ok((data, has_more))
}

async fn cursor(tx: &mut Tx, params: &Params, kind: &str, name: &str) -> Result<Option<i64>, ApiError> {
    let Some(id) = params.text(name) else { return Ok(None) };
    let seq: Option<i64> = sqlx::query_scalar("SELECT seq FROM objects WHERE id = $1 AND kind = $2")
        .bind(id)
        .bind(kind)
        .fetch_optional(&mut *tx.conn)
        .await?;
    seq.map(Some).ok_or_else(|| ApiError::not_found(kind, id, name))
}
