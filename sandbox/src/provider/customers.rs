//! Customers: created, changed, listed and found by search.

use serde_json::{Value, json};

use crate::objects::{PaymentMethod, template};
use crate::provider::{
    ApiError, Call, Listing, Params, Reply, clock_time, events, get, get_param, listing, load_param,
    set_fields,
};
use crate::state::behavior::{DeletedCustomer, UnknownCustomer};
use crate::state::{Moment, Tx, ids, number, sql, text};

/// `POST /v1/customers`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    check_email(params)?;
    clock_time::check_customer(tx, params).await?;
    let given = json!({
        "id": ids::new("cus"), "address": params.at("address"), "created": tx.now.seconds(),
        "email": params.text("email"), "invoice_prefix": ids::random(8).to_uppercase(),
        "metadata": params.metadata_of(&Value::Null), "name": params.text("name"),
        "phone": params.text("phone"), "preferred_locales": params.texts("preferred_locales"),
        "test_clock": params.text("test_clock"),
    });
    let doc = template("customer", given);
    tx.insert(&doc).await?;
    record_change(tx, &doc).await?;
    events::emit(tx, "customer.created", &doc).await?;
    Ok(doc)
}

/// `GET /v1/customers/{id}`, also of a deleted customer.
pub async fn retrieve(tx: &mut Tx, id: &str) -> Reply {
    let doc = get(tx, "customer", id).await?;
    Ok(if doc["deleted"] == true { json!({"id": id, "object": "customer", "deleted": true}) } else { doc })
}

/// `POST /v1/customers/{id}`.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    check_email(params)?;
    let mut doc = live(tx, id, "id").await?;
    let before = doc.clone();
    set_fields(&mut doc, params, &["email", "name", "phone"]);
    if let Some(method) = params.text("invoice_settings.default_payment_method") {
        get_param(tx, "payment_method", method, "invoice_settings[default_payment_method]").await?;
        doc["invoice_settings"]["default_payment_method"] = json!(method);
    }
    if let Some(balance) = params.integer("balance")? {
        doc["balance"] = json!(balance);
    }
    record_change(tx, &doc).await?;
    events::update(tx, "customer.updated", &before, &doc).await?;
    Ok(doc)
}

/// Stores the balance that an invoice left; a negative one is credit.
pub async fn set_balance(tx: &mut Tx, before: Value, balance: i64) -> Result<(), ApiError> {
    if number(&before, "balance") == balance {
        return Ok(());
    }
    let mut after = before.clone();
    after["balance"] = json!(balance);
    Ok(events::update(tx, "customer.updated", &before, &after).await?)
}

/// `GET /v1/customers`: the email filter is exact and case-sensitive. Customers of a test clock are
/// listed by `test_clock` alone.
pub async fn list(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let customers = Listing::of("customer").by(&["email", "test_clock"]);
    customers.without_test_clocks(call, &["test_clock"]).run(tx, call).await
}

/// `GET /v1/customers/search`: `email:'…'`, `name:'…'` and `metadata['…']:'…'`, joined by AND.
pub async fn search(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let query = call.params.required("query")?;
    let mut filters = Vec::new();
    for part in query.split(" AND ") {
        let wrong = || ApiError::param("query", format!("Could not read the query: {part}"));
        let (field, value) = part.trim().split_once(':').ok_or_else(wrong)?;
        let value = value.trim_matches(['\'', '"']).to_owned();
        let named = field.strip_prefix("metadata['").and_then(|rest| rest.strip_suffix("']"));
        let path = match (field, named) {
            ("email" | "name" | "phone", _) => field.to_owned(),
            (_, Some(key)) if key.chars().all(|c| c.is_alphanumeric() || c == '_') => {
                format!("metadata.{key}")
            }
            _ => return Err(wrong()),
        };
        filters.push((path, value));
    }
    let Some(((path, value), rest)) = filters.split_first() else { return Err(ApiError::missing("query")) };
    let mut found = tx.find_by("customer", path, value).await?;
    let not_indexed = changed_lately(tx).await?;
    found.retain(|doc| {
        doc["deleted"] != true
            && !not_indexed.iter().any(|id| id == text(doc, "id"))
            && rest.iter().all(|(path, value)| {
                path.split('.').fold(doc, |doc, step| &doc[step]).as_str() == Some(value.as_str())
            })
    });
    let limit = listing::limit(&call.params)?;
    let wrong_page = || ApiError::param("page", "Invalid page: pass the next_page of a search.");
    let from = call.params.text("page").map_or(Ok(0), |page| page.parse().map_err(|_| wrong_page()))?;
    let next = from + limit as usize;
    let has_more = found.len() > next;
    let data: Vec<Value> = found.into_iter().skip(from).take(limit as usize).collect();
    Ok(json!({"object": "search_result", "url": "/v1/customers/search", "has_more": has_more,
        "next_page": has_more.then(|| next.to_string()), "data": data}))
}

/// Records the time of a change by the machine's clock, because search is delayed by real time.
async fn record_change(tx: &mut Tx, customer: &Value) -> Result<(), sqlx::Error> {
    let sql = "INSERT INTO search_changes (object_id, at_us) VALUES ($1, $2)
               ON CONFLICT (object_id) DO UPDATE SET at_us = excluded.at_us";
    tx.execute(sql!(sql, text(customer, "id"), Moment::of_the_machine())).await.map(drop)
}

/// Customers whose last change is younger than `search_delay_ms`.
async fn changed_lately(tx: &mut Tx) -> Result<Vec<String>, sqlx::Error> {
    let since = Moment::of_the_machine().plus(-i64::from(tx.behavior.search_delay_ms) * 1_000);
    let sql = "SELECT object_id FROM search_changes WHERE at_us > $1";
    sqlx::query_scalar(sql).bind(since).fetch_all(&mut *tx.conn).await
}

/// `GET /v1/customers/{id}/payment_methods`.
pub async fn payment_methods(tx: &mut Tx, call: &Call<'_>, id: &str) -> Reply {
    live(tx, id, "id").await?;
    Listing::of("payment_method").by(&["type"]).is("customer", Some(id)).run(tx, call).await
}

/// Refuses a list of the objects of an unknown or deleted customer, if the behavior says so.
pub async fn check_listed(tx: &mut Tx, call: &Call<'_>) -> Result<(), ApiError> {
    let Some(id) = call.params.text("customer") else { return Ok(()) };
    let refuses = match tx.find(id).await? {
        None => tx.behavior.unknown_customer == UnknownCustomer::Refused,
        Some(doc) => doc["deleted"] == true && tx.behavior.deleted_customer == DeletedCustomer::Refused,
    };
    if refuses { Err(ApiError::not_found("customer", id, "customer")) } else { Ok(()) }
}

/// A customer that is not deleted.
pub async fn live(tx: &mut Tx, id: &str, param: &str) -> Reply {
    let doc = get_param(tx, "customer", id, param).await?;
    ensure!(doc["deleted"] != true, ApiError::not_found("customer", text(&doc, "id"), param));
    Ok(doc)
}

/// A payment method of the customer, which a parameter names.
///
/// # Errors
/// 400 when it is unknown or of another customer.
pub async fn own_method(
    tx: &mut Tx,
    customer: &str,
    method: &str,
    param: &str,
) -> Result<PaymentMethod, ApiError> {
    let method: PaymentMethod = load_param(tx, method, param).await?;
    let message = "The payment method does not belong to the customer.";
    ensure!(method.customer.as_deref() == Some(customer), ApiError::param(param, message));
    Ok(method)
}

fn check_email(params: &Params) -> Result<(), ApiError> {
    match params.text("email") {
        Some(email) if !email.contains('@') || email.contains(' ') => {
            Err(ApiError::invalid("email", "email_invalid", format!("Invalid email address: {email}")))
        }
        _ => Ok(()),
    }
}
