//! `expand[]`: ids become the objects that they name, and what is only shown on demand appears.

use serde_json::{Value, json};

use crate::control::behavior::DeletedCustomer;
use crate::provider::billing::invoice_payments;
use crate::provider::error::ApiError;
use crate::state::store::{Tx, text};

/// Steps of one wish, `data` of lists among them.
const DEPTH: usize = 4;
/// What may be named although it was deleted: then its id stays.
const DELETABLE: [&str; 5] = ["coupon", "product", "customer", "promotion_code", "test_clock"];

/// Expands one dotted path, such as `data.customer` or `latest_invoice.payments`.
pub async fn expand(tx: &mut Tx, body: &mut Value, wish: &str) -> Result<(), ApiError> {
    let steps: Vec<&str> = wish.split('.').collect();
    if steps.len() > DEPTH {
        let message = format!("You cannot expand more than {DEPTH} levels of a property. Property: {wish}");
        return Err(ApiError::invalid(Some("expand"), None, message));
    }
    expand_steps(tx, body, &steps).await.map_err(|refused| refused.about(wish, body))
}

/// Why a wish was not granted.
enum Refused {
    /// No such property, or one that is no reference.
    Property,
    /// The database failed.
    Store(sqlx::Error),
}

impl From<sqlx::Error> for Refused {
    fn from(error: sqlx::Error) -> Self {
        Self::Store(error)
    }
}

impl Refused {
    fn about(self, wish: &str, body: &Value) -> ApiError {
        let hint = if body["object"] == "list" && !wish.starts_with("data") {
            format!(" You may want to try expanding 'data.{wish}' instead.")
        } else {
            String::new()
        };
        match self {
            Self::Store(error) => error.into(),
            Self::Property => ApiError::invalid(
                Some("expand"),
                None,
                format!("This property cannot be expanded ({wish}).{hint}"),
            ),
        }
    }
}

async fn expand_steps(tx: &mut Tx, value: &mut Value, steps: &[&str]) -> Result<(), Refused> {
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
    if value["deleted"] == true && tx.behavior.deleted_customer == DeletedCustomer::Listed {
        return Ok(());
    }
    on_demand(tx, value, step).await?;
    let Some(field) = value.get_mut(*step).filter(|_| !step.starts_with('_')) else {
        return Err(Refused::Property);
    };
    if let Value::Array(ids) = field {
        for item in ids {
            resolve(tx, item, step).await?;
        }
    } else {
        resolve(tx, field, step).await?;
    }
    Box::pin(expand_steps(tx, field, rest)).await
}

/// Puts the object in the place of its id.
async fn resolve(tx: &mut Tx, value: &mut Value, step: &str) -> Result<(), Refused> {
    match value {
        Value::String(id) => match tx.find(id).await? {
            Some(found) if found["deleted"] == true => {
                *value = json!({"id": id, "object": found["object"], "deleted": true});
            }
            Some(found) => *value = found,
            None if DELETABLE.contains(&step) => {}
            None => return Err(Refused::Property),
        },
        Value::Number(_) | Value::Bool(_) => return Err(Refused::Property),
        _ => {}
    }
    Ok(())
}

/// Fields that the provider leaves out until they are asked for.
async fn on_demand(tx: &mut Tx, value: &mut Value, step: &str) -> Result<(), sqlx::Error> {
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
        ("invoice", "confirmation_secret") => {
            let intent = invoice_payments::default_intent(tx, &id).await.ok().flatten();
            value["confirmation_secret"] = intent.map_or(
                Value::Null,
                |intent| json!({"client_secret": intent.client_secret, "type": "payment_intent"}),
            );
        }
        ("customer", "subscriptions") => {
            let mut subscriptions = tx.find_by("subscription", "customer", &id).await?;
            subscriptions.retain(|doc| doc["status"] != "canceled");
            value["subscriptions"] = list(format!("/v1/customers/{id}/subscriptions"), json!(subscriptions));
        }
        ("coupon", "applies_to") => value["applies_to"] = value["_applies_to"].clone(),
        _ => {}
    }
    Ok(())
}
