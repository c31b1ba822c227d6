//! Refunds: cards alone; a boleto is paid back outside. Most succeed at once; those of two test cards are decided later,
//! for better and for worse.

use serde_json::{Value, json};

use crate::ids;
use crate::moment::SECOND;
use crate::params::Params;
use crate::payments::catalog::{get, get_param};
use crate::payments::error::ApiError;
use crate::payments::{Reply, disputes, events};
use crate::store::{Tx, number, text};
use crate::timers::REFUND_SETTLES;

/// The test card whose refunds begin as pending and succeed later.
const PENDS: &str = "4000000000007726";
/// The test card whose refunds succeed and fail later.
const FAILS: &str = "4000000000005126";
/// When the bank decides.
const DECIDED_AFTER: i64 = 60 * SECOND;

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
    if disputes::is_open_or_lost(tx, &charge).await? {
        let message = format!("Charge {} has been charged back; cannot issue a refund.", text(&charge, "id"));
        return Err(ApiError::state(Some("charge_disputed"), message));
    }
    let left = number(&charge, "amount") - number(&charge, "amount_refunded");
    if left == 0 {
        let message = format!("Charge {} has already been refunded.", text(&charge, "id"));
        return Err(ApiError::state(Some("charge_already_refunded"), message));
    }
    let method = tx.find(text(&charge, "payment_method")).await?.unwrap_or_default();
    let card = text(&method, "_number").to_owned();
    let amount = params.integer("amount")?.unwrap_or(left);
    if !(1..=left).contains(&amount) {
        let message = format!("Refund amount is greater than unrefunded amount on charge ({left}).");
        return Err(ApiError::invalid(Some("amount"), None, message));
    }
    let doc = json!({
        "id": ids::new("re"), "object": "refund", "amount": amount, "balance_transaction": null,
        "charge": charge["id"], "customer": charge["customer"],
        "payment_method": charge["payment_method"], "created": tx.now.seconds(), "currency": charge["currency"],
        "destination_details": {"type": "card", "card": {"type": "pending", "reference_status": "pending"}},
        "metadata": params.metadata("metadata", None), "payment_intent": charge["payment_intent"],
        "reason": params.text("reason"), "receipt_number": null, "source_transfer_reversal": null,
        "status": if card == PENDS { "pending" } else { "succeeded" }, "transfer_reversal": null,
    });
    tx.insert(&doc).await?;
    if card == PENDS || card == FAILS {
        tx.timer_set(text(&doc, "id"), REFUND_SETTLES, tx.now.plus(DECIDED_AFTER)).await?;
    }
    let before = charge.clone();
    charge["amount_refunded"] = json!(number(&charge, "amount_refunded") + amount);
    charge["refunded"] = json!(charge["amount_refunded"] == charge["amount"]);
    tx.update(&charge).await?;
    let changed: Value = events::changed(&before, &charge);
    events::emit(tx, "charge.refunded", &charge, Some(changed)).await?;
    events::emit(tx, "refund.created", &doc, None).await?;
    Ok(doc)
}

/// The bank's word on a refund: `pending` ones succeed, the others of such cards fail and are no more.
pub async fn settles(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(before) = tx.find_kind("refund", id).await? else { return Ok(()) };
    let mut doc = before.clone();
    let fails = before["status"] != "pending";
    doc["status"] = json!(if fails { "failed" } else { "succeeded" });
    if fails {
        doc["failure_reason"] = json!("lost_or_stolen_card");
        if let Some(mut charge) = tx.find(text(&doc, "charge")).await? {
            let left = number(&charge, "amount_refunded") - number(&doc, "amount");
            charge["amount_refunded"] = json!(left);
            charge["refunded"] = json!(false);
            tx.update(&charge).await?;
        }
    }
    tx.update(&doc).await?;
    let changed = events::changed(&before, &doc);
    events::emit(tx, "refund.updated", &doc, Some(changed)).await?;
    if fails {
        events::emit(tx, "refund.failed", &doc, None).await?;
    }
    Ok(())
}

/// `POST /v1/refunds/{id}`: its metadata alone.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["metadata"])?;
    let before = get(tx, "refund", id).await?;
    let mut doc = before.clone();
    doc["metadata"] = params.metadata("metadata", Some(&before["metadata"]));
    tx.update(&doc).await?;
    events::emit(tx, "refund.updated", &doc, Some(events::changed(&before, &doc))).await?;
    Ok(doc)
}
