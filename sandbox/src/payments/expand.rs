//! `expand[]`: ids become the objects that they name, and what is only shown on demand appears.

use serde_json::{Value, json};

use crate::payments::error::ApiError;
use crate::store::{Tx, text};

const DEPTH: usize = 5;

/// Expands one dotted path, such as `data.customer` or `latest_invoice.payments.data.payment.payment_intent`.
pub async fn expand(tx: &mut Tx, body: &mut Value, wish: &str) -> Result<(), ApiError> {
    let steps: Vec<&str> = wish.split('.').collect();
    if steps.iter().filter(|step| **step != "data").count() > DEPTH {
        let message = "You cannot expand more than 4 levels of a property.";
        return Err(ApiError::invalid(Some("expand"), None, message));
    }
    Box::pin(expand_steps(tx, body, &steps)).await
}

async fn expand_steps(tx: &mut Tx, value: &mut Value, steps: &[&str]) -> Result<(), ApiError> {
    if let Value::Array(items) = value {
        for item in items {
            Box::pin(expand_steps(tx, item, steps)).await?;
        }
        return Ok(());
    }
    let Some((step, rest)) = steps.split_first() else { return Ok(()) };
    if !value.is_object() {
        return Ok(());
    }
    on_demand(tx, value, step).await?;
    let Some(field) = value.get_mut(*step) else { return Ok(()) };
    let id = field.as_str().map(str::to_owned);
    if let Some(id) = id
        && let Some(found) = tx.find(&id).await?
    {
        *field = found;
    } else if let Value::Array(ids) = field {
        for item in ids {
            let Some(id) = item.as_str().map(str::to_owned) else { continue };
            if let Some(found) = tx.find(&id).await? {
                *item = found;
            }
        }
    }
    Box::pin(expand_steps(tx, field, rest)).await
}

/// Fields that the provider leaves out until they are asked for.
async fn on_demand(tx: &mut Tx, value: &mut Value, step: &str) -> Result<(), ApiError> {
    let (kind, id) = (text(value, "object").to_owned(), text(value, "id").to_owned());
    let list =
        |url: String, data: Value| json!({"object": "list", "url": url, "has_more": false, "data": data});
    match (kind.as_str(), step) {
        ("checkout.session", "line_items") => {
            let items = value["_line_items"].clone();
            value["line_items"] = list(format!("/v1/checkout/sessions/{id}/line_items"), items);
        }
        ("invoice", "payments") => {
            let payments = tx.find_by("invoice_payment", "invoice", &id).await?;
            value["payments"] = list(format!("/v1/invoice_payments?invoice={id}"), json!(payments));
        }
        ("customer", "subscriptions") => {
            let subscriptions = tx.find_by("subscription", "customer", &id).await?;
            value["subscriptions"] = list(format!("/v1/subscriptions?customer={id}"), json!(subscriptions));
        }
        ("coupon", "applies_to") => value["applies_to"] = value["_applies_to"].clone(),
        _ => {}
    }
    Ok(())
}
