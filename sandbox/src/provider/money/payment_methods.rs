//! Payment methods made by API; a card's number is typed on a page alone.

use crate::provider::Reply;
use crate::provider::error::ApiError;
use crate::provider::money::intents;
use crate::provider::params::Params;
use crate::state::store::Tx;
use serde_json::{Value, json};

/// `POST /v1/payment_methods`: a boleto method, not attached to anybody yet.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["type", "boleto.tax_id", "billing_details", "metadata"])?;
    if params.required("type")? != "boleto" {
        let message =
            "The sandbox makes payment methods of type boleto alone. Attach a test card by its name.";
        return Err(ApiError::invalid(Some("type"), None, message));
    }
    let payer = json!({"id": null, "email": params.text("billing_details.email")});
    let name = params.required("billing_details.name")?.to_owned();
    let tax_id = params.required("boleto.tax_id")?.to_owned();
    let address = params.at("billing_details.address").cloned().unwrap_or(Value::Null);
    intents::save_boleto(tx, &payer, &name, &tax_id, &address).await
}
