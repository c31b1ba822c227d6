//! Lists: newest first, by pages of `limit` between the objects that `starting_after` and
//! `ending_before` name.

use serde_json::{Value, json};
use sqlx::AssertSqlSafe;

use crate::provider::call::{Call, Reply};
use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::state::Tx;

/// SQL with one `?`, and the text bound there, NULL without one.
type Condition = (String, Option<String>);

/// A list of the objects of a kind.
pub struct Listing<'l> {
    kind: &'l str,
    filters: Vec<&'l str>,
    conditions: Vec<Condition>,
    /// Whether a field has one value, which its index finds.
    has_field: bool,
}

impl<'l> Listing<'l> {
    pub fn of(kind: &'l str) -> Self {
        Self { kind, filters: Vec::new(), conditions: Vec::new(), has_field: false }
    }

    /// Parameters that filter by the field of their name.
    pub fn by(mut self, filters: &[&'l str]) -> Self {
        self.filters.extend(filters);
        self
    }

    /// The field (a JSON path after `$.`) has a value.
    pub fn is(self, field: &str, value: Option<&str>) -> Self {
        self.one_of(field, value.map(str::to_owned).into_iter().collect())
    }

    /// The field (a JSON path after `$.`) has one of the values, if there are any.
    pub fn one_of(mut self, field: &str, values: Vec<String>) -> Self {
        if !values.is_empty() {
            self.has_field |= values.len() == 1;
            self.conditions.push(field_in(field, values));
        }
        self
    }

    /// A condition in SQL with one `?`.
    pub fn and(mut self, sql: &str, bound: Option<String>) -> Self {
        self.conditions.push((sql.to_owned(), bound));
        self
    }

    /// Leaves out objects of test clocks unless the call filters by one of these parameters.
    pub fn without_test_clocks(self, call: &Call<'_>, unless: &[&str]) -> Self {
        if unless.iter().any(|name| call.params.text(name).is_some()) {
            return self;
        }
        self.and("json_extract(doc, '$.test_clock') IS ?", None)
    }

    pub async fn run(mut self, tx: &mut Tx, call: &Call<'_>) -> Reply {
        let params = &call.params;
        let limit = limit(params)?;
        for name in std::mem::take(&mut self.filters) {
            self = self.is(name, params.text(name));
        }
        self.conditions.extend(created(params)?);
        let (data, has_more) = self.page(tx, params, limit).await?;
        let url = format!("/v1/{}", call.path.join("/"));
        Ok(json!({"object": "list", "url": url, "has_more": has_more, "data": data}))
    }

    async fn page(&self, tx: &mut Tx, params: &Params, limit: i64) -> Result<(Vec<Value>, bool), ApiError> {
        let older_than = self.cursor(tx, params, "starting_after").await?;
        let newer_than = self.cursor(tx, params, "ending_before").await?;
        let message = "You may only specify one of these parameters: starting_after, ending_before.";
        ensure!(older_than.is_none() || newer_than.is_none(), ApiError::param("ending_before", message));
        let mut query = sqlx::query_scalar(AssertSqlSafe(self.statement(newer_than.is_some())))
            .bind(self.kind)
            .bind(older_than.unwrap_or(i64::MAX))
            .bind(newer_than.unwrap_or(-1));
        for (_, value) in &self.conditions {
            query = query.bind(value);
        }
        let mut data: Vec<Value> = query.bind(limit + 1).fetch_all(&mut *tx.conn).await?;
        let has_more = data.len() as i64 > limit;
        data.truncate(limit as usize);
        if newer_than.is_some() {
            data.reverse();
        }
        Ok((data, has_more))
    }

    fn statement(&self, is_backwards: bool) -> String {
        // With `+` SQLite finds no range of `seq`. It would prefer a range to the index of a field,
        // and read every object of the kind.
        let seq = if self.has_field { "+seq" } else { "seq" };
        let mut sql = format!("SELECT doc FROM objects WHERE kind = ? AND {seq} < ? AND {seq} > ?");
        for (condition, _) in &self.conditions {
            sql += " AND ";
            sql += condition;
        }
        // Backwards, the objects nearest to the cursor come first, and the page reverses them.
        sql += if is_backwards { " ORDER BY seq ASC LIMIT ?" } else { " ORDER BY seq DESC LIMIT ?" };
        sql
    }

    async fn cursor(&self, tx: &mut Tx, params: &Params, name: &str) -> Result<Option<i64>, ApiError> {
        let Some(id) = params.text(name) else { return Ok(None) };
        let sql = "SELECT seq FROM objects WHERE id = $1 AND kind = $2";
        let seq = sqlx::query_scalar(sql).bind(id).bind(self.kind).fetch_optional(&mut *tx.conn).await?;
        seq.map(Some).ok_or_else(|| ApiError::not_found(self.kind, id, name))
    }
}

/// Number of objects on a page: 1 to 100, by default 10.
pub fn limit(params: &Params) -> Result<i64, ApiError> {
    let limit = params.integer("limit")?.unwrap_or(10);
    let wrong = match limit {
        ..1 => "This value must be greater than or equal to 1.",
        101.. => "This value must be less than or equal to 100.",
        _ => return Ok(limit),
    };
    Err(ApiError::invalid("limit", "parameter_invalid_integer", wrong))
}

/// Field names are constants of the sandbox. Values are bound, a list of them as JSON.
fn field_in(field: &str, values: Vec<String>) -> Condition {
    // SQLite reads JSON's truth values as 1 and 0.
    let values: Vec<Value> = values
        .into_iter()
        .map(|value| match value.as_str() {
            "true" => json!(1),
            "false" => json!(0),
            _ => json!(value),
        })
        .collect();
    // SQLite finds an equation by the field's index in the order of the list, and `IN` not.
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
                _ => continue,
            };
            all.extend(params.integer(&format!("created.{name}"))?.map(|bound| (sign, bound)));
        }
    } else {
        all.extend(params.integer("created")?.map(|at| ("=", at)));
    }
    let condition =
        |(sign, bound): (&str, i64)| (format!("created {sign} CAST(? AS INTEGER)"), Some(bound.to_string()));
    Ok(all.into_iter().map(condition).collect())
}

#[cfg(test)]
mod tests {
    use sqlx::Row as _;

    use super::*;
    use crate::state::store::Store;

    #[tokio::test]
    async fn a_list_by_an_indexed_field_does_not_scan_other_objects() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(folder.path()).await.expect("it opens");
        let mut connection = store.read().await.expect("a transaction");

        for field in ["customer", "subscription", "invoice", "email", "lookup_key"] {
            let lists = [
                Listing::of("x").is(field, Some("a")),
                Listing::of("x").is(field, Some("a")).one_of("status", vec!["b".into(), "c".into()]),
            ];
            for (list, is_backwards) in lists.iter().flat_map(|list| [(list, false), (list, true)]) {
                let sql = format!("EXPLAIN QUERY PLAN {}", list.statement(is_backwards));
                let plan = sqlx::query(AssertSqlSafe(sql)).fetch_all(&mut *connection).await.expect("a plan");
                let first: String = plan.first().expect("a step").get("detail");
                assert!(first.contains("(<expr>=? AND kind=?"), "{field}: {first}");
            }
        }
    }
}
