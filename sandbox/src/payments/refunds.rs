//! Refunds: cards alone; a boleto is paid back outside.

use serde_json::{Value, json};

use crate::ids;
use crate::params::Params;
use crate::payments::catalog::get_param;
use crate::payments::error::ApiError;
use crate::payments::{Reply, events};
use crate::store::{Tx, number, text};

/// `POST /v1/refunds`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["payment_intent", "charge", "amount", "reason", "metadata", "instructions_email"])?;
    let mut charge = match (params.text("payment_intent"), params.text("charge")) {
        (Some(id), None) => {
            let intent = get_param(tx, "payment_intent", id, "payment_intent").await?;
            let charge = text(&intent, "latest_charge").to_owned();
            tx.find(&charge).await?.ok_or_else(|| {
                ApiError::state(
                    None,
                    format!("This PaymentIntent ({id}) does not have a successful charge to refund."),
                )
            })?
        }
        (None, Some(id)) => get_param(tx, "charge", id, "charge").await?,
        _ => return Err(ApiError::missing("payment_intent")),
    };
    if charge["payment_method_details"]["type"] == "boleto" {
        return Err(ApiError::invalid(Some("charge"), None, "Charges made with boleto cannot be refunded."));
    }
    let left = number(&charge, "amount") - number(&charge, "amount_refunded");
    if left == 0 {
        let message = format!("Charge {} has already been refunded.", text(&charge, "id"));
        return Err(ApiError::state(Some("charge_already_refunded"), message));
    }
    let amount = params.integer("amount")?.unwrap_or(left);
    if !(1..=left).contains(&amount) {
        let message = format!("Refund amount is greater than unrefunded amount on charge ({left}).");
        return Err(ApiError::invalid(Some("amount"), None, message));
    }
    let doc = json!({
        "id": ids::new("re"), "object": "refund", "amount": amount, "balance_transaction": null,
        "charge": charge["id"], "created": tx.now.seconds(), "currency": charge["currency"],
        "destination_details": {"type": "card", "card": {"type": "pending", "reference_status": "pending"}},
        "metadata": params.metadata("metadata", None), "payment_intent": charge["payment_intent"],
        "reason": params.text("reason"), "receipt_number": null, "source_transfer_reversal": null,
        "status": "succeeded", "transfer_reversal": null,
    });
    tx.insert(&doc).await?;
    let before = charge.clone();
    charge["amount_refunded"] = json!(number(&charge, "amount_refunded") + amount);
    charge["refunded"] = json!(charge["amount_refunded"] == charge["amount"]);
    tx.update(&charge).await?;
    let changed: Value = events::changed(&before, &charge);
    events::emit(tx, "charge.refunded", &charge, Some(changed)).await?;
    events::emit(tx, "refund.created", &doc, None).await?;
    Ok(doc)
}
