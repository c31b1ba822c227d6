//! Payment intents, charges and payment methods.

use serde_json::{Value, json};

use crate::cards::{self, Card};
use crate::ids;
use crate::params::Params;
use crate::payments::catalog::get;
use crate::payments::error::ApiError;
use crate::payments::{Reply, customers, disputes, events};
use crate::store::Tx;

/// Saves a card for a customer.
pub async fn save_card(tx: &mut Tx, customer: &Value, card: &Card) -> Reply {
    let doc = json!({
        "id": ids::new("pm"), "object": "payment_method", "allow_redisplay": "limited",
        "billing_details": {"address": null, "email": customer["email"], "name": card.name, "phone": null,
            "tax_id": null},
        "card": {"brand": card.brand(), "checks": {"address_line1_check": null,
                "address_postal_code_check": null, "cvc_check": "pass"},
            "country": "BR", "display_brand": card.brand(), "exp_month": card.exp_month, "exp_year": card.exp_year,
            "fingerprint": ids::random(16), "funding": "credit", "generated_from": null, "last4": card.last4(),
            "networks": {"available": [card.brand()], "preferred": null},
            "three_d_secure_usage": {"supported": true}, "wallet": null},
        "created": tx.now.seconds(), "customer": customer["id"], "livemode": false, "metadata": {}, "type": "card",
        "_number": card.number,
    });
    tx.insert(&doc).await?;
    Ok(doc)
}

/// `POST /v1/payment_methods/{id}/attach`: a saved method, or a test card by the provider's name for it.
pub async fn attach(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["customer"])?;
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let doc = if let Some(number) = cards::of_token(id) {
        save_card(tx, &customer, &Card::of_number(number, tx.now)?).await?
    } else {
        let mut doc = get(tx, "payment_method", id).await?;
        doc["customer"] = customer["id"].clone();
        tx.update(&doc).await?;
        doc
    };
    events::emit(tx, "payment_method.attached", &doc, None).await?;
    Ok(doc)
}

/// `POST /v1/payment_methods/{id}/detach`: its customer can be charged on it no more.
pub async fn detach(tx: &mut Tx, id: &str) -> Reply {
    let before = get(tx, "payment_method", id).await?;
    if before["customer"].is_null() {
        let message =
            "The payment method you provided is not attached to a customer so detachment is impossible.";
        return Err(ApiError::state(None, message));
    }
    let mut doc = before.clone();
    doc["customer"] = Value::Null;
    tx.update(&doc).await?;
    events::emit(tx, "payment_method.detached", &doc, Some(events::changed(&before, &doc))).await?;
    Ok(doc)
}

/// Saves who pays a boleto.
pub async fn save_boleto(tx: &mut Tx, customer: &Value, name: &str, tax_id: &str, address: &Value) -> Reply {
    let doc = json!({
        "id": ids::new("pm"), "object": "payment_method", "allow_redisplay": "limited",
        "billing_details": {"address": address, "email": customer["email"], "name": name, "phone": null,
            "tax_id": tax_id},
        "boleto": {"tax_id": tax_id}, "created": tx.now.seconds(), "customer": customer["id"],
        "livemode": false, "metadata": {}, "type": "boleto",
    });
    tx.insert(&doc).await?;
    Ok(doc)
}

/// A payment intent for an invoice, with a state; not yet stored.
pub fn for_invoice(tx: &Tx, invoice: &Value, method: &Value, status: &str) -> Value {
    let id = ids::new("pi");
    json!({
        "id": id, "object": "payment_intent", "amount": invoice["amount_due"], "amount_capturable": 0,
        "amount_received": 0, "application": null, "automatic_payment_methods": null, "canceled_at": null,
        "cancellation_reason": null, "capture_method": "automatic",
        "client_secret": format!("{id}_secret_{}", ids::random(24)), "confirmation_method": "automatic",
        "created": tx.now.seconds(), "currency": invoice["currency"], "customer": invoice["customer"],
        "description": "Subscription creation", "last_payment_error": null, "latest_charge": null,
        "livemode": false, "metadata": {}, "next_action": null, "payment_method": method["id"],
        "payment_method_options": {}, "payment_method_types": [method["type"]], "processing": null,
        "receipt_email": null, "setup_future_usage": if method["type"] == "card" { json!("off_session") }
            else { Value::Null },
        "shipping": null, "statement_descriptor": null, "status": status, "transfer_group": null,
        "_invoice": invoice["id"], "_subscription": invoice["_subscription"],
    })
}

/// The charge that pays an intent; stored, and the intent told of it.
pub async fn charge(tx: &mut Tx, intent: &mut Value, method: &Value) -> Reply {
    let kind = method["type"].as_str().unwrap_or("card");
    let details = if kind == "card" { card_as_charged(&method["card"]) } else { method["boleto"].clone() };
    let doc = json!({
        "id": ids::new(if kind == "boleto" { "py" } else { "ch" }), "object": "charge",
        "amount": intent["amount"], "amount_captured": intent["amount"], "amount_refunded": 0,
        "balance_transaction": null, "billing_details": method["billing_details"], "captured": true,
        "created": tx.now.seconds(), "currency": intent["currency"], "customer": intent["customer"],
        "description": intent["description"], "disputed": false, "failure_code": null, "failure_message": null,
        "livemode": false, "metadata": {},
        "outcome": {"network_status": "approved_by_network", "reason": null, "risk_level": "normal",
            "seller_message": "Payment complete.", "type": "authorized"},
        "paid": true, "payment_intent": intent["id"], "payment_method": method["id"],
        "payment_method_details": {"type": kind, kind: details}, "receipt_url": null, "refunded": false,
        "status": "succeeded",
    });
    tx.insert(&doc).await?;
    intent["status"] = json!("succeeded");
    intent["amount_received"] = intent["amount"].clone();
    intent["latest_charge"] = doc["id"].clone();
    intent["next_action"] = Value::Null;
    disputes::watch(tx, &doc, method).await?;
    events::emit(tx, "charge.succeeded", &doc, None).await?;
    Ok(doc)
}

/// A card as the charges made on it tell of it.
fn card_as_charged(card: &Value) -> Value {
    let mut charged = json!({"network": card["brand"]});
    for same in
        ["brand", "checks", "country", "exp_month", "exp_year", "fingerprint", "funding", "last4", "wallet"]
    {
        charged[same] = card[same].clone();
    }
    charged
}

/// Notes a failed attempt on an intent and tells of it.
pub async fn fail(tx: &mut Tx, intent: &mut Value, why: &ApiError) -> Result<(), ApiError> {
    intent["status"] = json!("requires_payment_method");
    intent["next_action"] = Value::Null;
    intent["last_payment_error"] = why.told();
    tx.update(intent).await?;
    events::emit(tx, "payment_intent.payment_failed", intent, None).await?;
    Ok(())
}
