//! `expand[]`: replaces ids by the objects that they name, and adds the fields that the provider
//! leaves out by default.

use serde_json::{Value, json};

use crate::provider::ApiError;
use crate::provider::billing::invoice_payments;
use crate::state::behavior::DeletedCustomer;
use crate::state::{Tx, text};

/// Levels of one path, `data` of a list included.
const MAX_DEPTH: usize = 4;
/// Fields whose object may be deleted: then the id stays.
const DELETABLE: [&str; 5] = ["coupon", "product", "customer", "promotion_code", "test_clock"];

/// Expands one dotted path, such as `data.customer` or `latest_invoice.payments`.
pub async fn expand(tx: &mut Tx, body: &mut Value, path: &str) -> Result<(), ApiError> {
    let steps: Vec<&str> = path.split('.').collect();
    let message = format!("You cannot expand more than {MAX_DEPTH} levels of a property. Property: {path}");
    ensure!(steps.len() <= MAX_DEPTH, ApiError::param("expand", message));
    let is_list = body["object"] == "list" && !path.starts_with("data");
    if expand_steps(tx, body, &steps).await? {
        return Ok(());
    }
    let hint = if is_list {
        format!(" You may want to try expanding 'data.{path}' instead.")
    } else {
        String::new()
    };
    let message = format!("This property cannot be expanded ({path}).{hint}");
    Err(ApiError::param("expand", message))
}

/// Returns whether every step names a reference.
async fn expand_steps(tx: &mut Tx, value: &mut Value, steps: &[&str]) -> Result<bool, sqlx::Error> {
    if let Value::Array(items) = value {
        for item in items {
            if !Box::pin(expand_steps(tx, item, steps)).await? {
                return Ok(false);
            }
        }
        return Ok(true);
    }
    let Some((step, rest)) = steps.split_first() else { return Ok(true) };
    if !value.is_object() {
        return Ok(true);
    }
    if value["deleted"] == true && tx.behavior.deleted_customer == DeletedCustomer::Listed {
        return Ok(true);
    }
    add_on_demand(tx, value, step).await?;
    let Some(field) = value.get_mut(*step) else { return Ok(false) };
    if let Value::Array(ids) = field {
        for item in ids {
            if !resolve(tx, item, step).await? {
                return Ok(false);
            }
        }
    } else if !resolve(tx, field, step).await? {
        return Ok(false);
    }
    Box::pin(expand_steps(tx, field, rest)).await
}

/// Replaces an id by its object. Returns whether the value is a reference.
async fn resolve(tx: &mut Tx, value: &mut Value, step: &str) -> Result<bool, sqlx::Error> {
    match value {
        Value::String(id) => match tx.find(id).await? {
            Some(found) if found["deleted"] == true => {
                *value = json!({"id": id, "object": found["object"], "deleted": true});
            }
            Some(found) => *value = found,
            None => return Ok(DELETABLE.contains(&step)),
        },
        Value::Number(_) | Value::Bool(_) => return Ok(false),
        _ => {}
    }
    Ok(true)
}

/// Adds a field that the provider leaves out unless it is expanded.
async fn add_on_demand(tx: &mut Tx, value: &mut Value, step: &str) -> Result<(), sqlx::Error> {
    let (kind, id) = (text(value, "object").to_owned(), text(value, "id").to_owned());
    let list =
        |url: String, data: Value| json!({"object": "list", "url": url, "has_more": false, "data": data});
    match (kind.as_str(), step) {
        ("checkout.session", "line_items") => {
            let items = tx.private_of(&id).await?["line_items"].take();
            value["line_items"] = list(format!("/v1/checkout/sessions/{id}/line_items"), items);
        }
        ("invoice", "payments") => {
            let payments = tx.find_by("invoice_payment", "invoice", &id).await?;
            value["payments"] = list(format!("/v1/invoice_payments?invoice={id}"), json!(payments));
        }
        ("invoice", "confirmation_secret") => {
            let intent = invoice_payments::default_intent(tx, &id).await?;
            let secret =
                intent.map(|intent| json!({"client_secret": intent.client_secret, "type": "payment_intent"}));
            value["confirmation_secret"] = json!(secret);
        }
        ("customer", "subscriptions") => {
            let mut subscriptions = tx.find_by("subscription", "customer", &id).await?;
            subscriptions.retain(|doc| doc["status"] != "canceled");
            value["subscriptions"] = list(format!("/v1/customers/{id}/subscriptions"), json!(subscriptions));
        }
        ("coupon", "applies_to") => {
            value["applies_to"] = tx.private_of(&id).await?["applies_to"].take();
        }
        _ => {}
    }
    Ok(())
}
