//! Payment intents, charges and payment methods.

use serde_json::{Value, json};

use crate::objects::Metadata;
use crate::objects::charge::{Charge, ChargeStatus, Outcome, PaymentMethodDetails};
use crate::objects::payment_intent::{NextAction, PaymentIntent, PaymentIntentStatus};
use crate::provider::catalog::get;
use crate::provider::error::ApiError;
use crate::provider::money::cards;
use crate::provider::money::cards::Card;
use crate::provider::money::disputes;
use crate::provider::params::Params;
use crate::provider::{Reply, customers, events};
use crate::state::ids;
use crate::state::store::{Tx, public, text};

/// Saves a card for a customer.
pub async fn save_card(tx: &mut Tx, customer: &Value, card: &Card) -> Reply {
    let doc = card_document(tx, customer, card);
    tx.insert(&doc).await?;
    Ok(doc)
}

/// The payment method of a card, not stored.
pub fn card_document(tx: &Tx, customer: &Value, card: &Card) -> Value {
    json!({
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
    })
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

/// A PaymentIntent without attempts, not stored.
pub fn new_intent(tx: &Tx, amount: i64, currency: &str, customer: Option<&str>) -> PaymentIntent {
    let id = ids::new("pi");
    PaymentIntent {
        client_secret: format!("{id}_secret_{}", ids::random(24)),
        id,
        object: "payment_intent".into(),
        amount,
        amount_capturable: 0,
        amount_received: 0,
        canceled_at: None,
        cancellation_reason: None,
        capture_method: "automatic".into(),
        confirmation_method: "automatic".into(),
        created: tx.now.seconds(),
        currency: currency.into(),
        customer: customer.map(str::to_owned),
        description: Some("Subscription creation".into()),
        last_payment_error: None,
        latest_charge: None,
        livemode: false,
        metadata: Metadata::new(),
        next_action: None,
        payment_method: None,
        payment_method_options: Metadata::new(),
        payment_method_types: vec!["card".into()],
        setup_future_usage: Some("off_session".into()),
        status: PaymentIntentStatus::RequiresPaymentMethod,
        invoice: None,
        subscription: None,
        session: None,
        voucher: None,
    }
}

/// Records a successful attempt: the charge, and the PaymentIntent as succeeded.
pub async fn succeed(tx: &mut Tx, intent: &mut PaymentIntent, method: &Value) -> Result<Charge, ApiError> {
    let charge = new_charge(tx, intent, method, None)?;
    let document = tx.create(&charge).await?;
    intent.status = PaymentIntentStatus::Succeeded;
    intent.amount_received = intent.amount;
    intent.latest_charge = Some(charge.id.clone());
    intent.payment_method = method["id"].as_str().map(str::to_owned);
    intent.last_payment_error = None;
    intent.next_action = None;
    let paid = tx.replace(intent).await?;
    tx.timers_clear(&intent.id).await?;
    disputes::watch(tx, &charge, method).await?;
    events::emit(tx, "charge.succeeded", &document, None).await?;
    events::emit(tx, "payment_intent.succeeded", &paid, None).await?;
    Ok(charge)
}

/// Records a declined attempt: a failed charge, and the PaymentIntent as waiting for another method.
pub async fn decline(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &Value,
    why: &ApiError,
) -> Result<(), ApiError> {
    let charge = new_charge(tx, intent, method, Some(why))?;
    let document = tx.create(&charge).await?;
    events::emit(tx, "charge.failed", &document, None).await?;
    intent.latest_charge = Some(charge.id);
    intent.payment_method = method["id"].as_str().map(str::to_owned);
    fail(tx, intent, why).await
}

/// Lets a PaymentIntent wait for the holder's authentication.
pub async fn require_authentication(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &Value,
) -> Result<(), ApiError> {
    intent.status = PaymentIntentStatus::RequiresAction;
    intent.payment_method = method["id"].as_str().map(str::to_owned);
    intent.next_action = Some(NextAction { kind: "use_stripe_sdk".into(), boleto_display_details: None });
    let document = tx.replace(intent).await?;
    tx.timers_clear(&intent.id).await?;
    events::emit(tx, "payment_intent.requires_action", &document, None).await?;
    Ok(())
}

/// Records a failure without a charge, such as an expired voucher.
pub async fn fail(tx: &mut Tx, intent: &mut PaymentIntent, why: &ApiError) -> Result<(), ApiError> {
    let method = tx.find(intent.payment_method.as_deref().unwrap_or_default()).await?;
    let mut error = why.told();
    if let Some(method) = method {
        error["payment_method"] = public(&method);
    }
    intent.status = PaymentIntentStatus::RequiresPaymentMethod;
    intent.next_action = None;
    intent.payment_method = None;
    intent.last_payment_error = Some(error);
    let document = tx.replace(intent).await?;
    tx.timers_clear(&intent.id).await?;
    events::emit(tx, "payment_intent.payment_failed", &document, None).await?;
    Ok(())
}

/// Cancels a PaymentIntent that is not paid, for a reason of the provider's list.
pub async fn cancel(tx: &mut Tx, id: &str, reason: &str) -> Result<(), ApiError> {
    let Some(mut intent) = tx.load::<PaymentIntent>(id).await? else { return Ok(()) };
    if matches!(intent.status, PaymentIntentStatus::Succeeded | PaymentIntentStatus::Canceled) {
        return Ok(());
    }
    intent.status = PaymentIntentStatus::Canceled;
    intent.canceled_at = Some(tx.now.seconds());
    intent.cancellation_reason = Some(reason.into());
    intent.next_action = None;
    let document = tx.replace(&intent).await?;
    tx.timers_clear(id).await?;
    events::emit(tx, "payment_intent.canceled", &document, None).await?;
    Ok(())
}

/// `POST /v1/payment_intents/{id}` and `/cancel`: the PaymentIntent of an invoice cannot be edited
/// or canceled directly.
///
/// # Errors
/// 400 for every PaymentIntent of the sandbox, because each belongs to an invoice or a session.
pub async fn refuse_direct_change(tx: &mut Tx, id: &str) -> Reply {
    get(tx, "payment_intent", id).await?;
    let message = "This PaymentIntent was created by an invoice or a Checkout Session, so it cannot be edited or \
                   canceled directly. Void the invoice or expire the session instead.";
    Err(ApiError::state(Some("payment_intent_unexpected_state"), message))
}

fn new_charge(
    tx: &Tx,
    intent: &PaymentIntent,
    method: &Value,
    declined: Option<&ApiError>,
) -> Result<Charge, ApiError> {
    let kind = method["type"].as_str().unwrap_or("card");
    let decline_code = |error: &ApiError| error.error["decline_code"].as_str().map(str::to_owned);
    let collected = if declined.is_none() { intent.amount } else { 0 };
    Ok(Charge {
        id: ids::new(if kind == "boleto" { "py" } else { "ch" }),
        object: "charge".into(),
        amount: intent.amount,
        amount_captured: collected,
        amount_refunded: 0,
        balance_transaction: None,
        billing_details: serde_json::from_value(method["billing_details"].clone())?,
        captured: declined.is_none(),
        // A test clock does not move charges, refunds and disputes.
        created: tx.sandbox_now.seconds(),
        currency: intent.currency.clone(),
        customer: intent.customer.clone(),
        description: intent.description.clone(),
        disputed: false,
        failure_code: declined.map(|error| error.code().to_owned()),
        failure_message: declined.and_then(|error| error.error["message"].as_str().map(str::to_owned)),
        livemode: false,
        metadata: Metadata::new(),
        outcome: match declined {
            None => Outcome {
                advice_code: None,
                network_status: "approved_by_network".into(),
                reason: None,
                risk_level: "normal".into(),
                seller_message: "Payment complete.".into(),
                kind: "authorized".into(),
            },
            Some(error) => Outcome {
                advice_code: None,
                network_status: "declined_by_network".into(),
                reason: decline_code(error).or_else(|| Some(error.code().to_owned())),
                risk_level: "normal".into(),
                seller_message: "The bank did not return any further details with this decline.".into(),
                kind: "issuer_declined".into(),
            },
        },
        paid: declined.is_none(),
        payment_intent: Some(intent.id.clone()),
        payment_method: method["id"].as_str().map(str::to_owned),
        payment_method_details: details(kind, method)?,
        receipt_url: None,
        refunded: false,
        status: if declined.is_none() { ChargeStatus::Succeeded } else { ChargeStatus::Failed },
    })
}

/// The method as the charge shows it.
fn details(kind: &str, method: &Value) -> Result<PaymentMethodDetails, ApiError> {
    let mut details = PaymentMethodDetails { boleto: None, card: None, kind: kind.to_owned() };
    if kind == "boleto" {
        details.boleto = serde_json::from_value(method["boleto"].clone())?;
    } else {
        details.card = serde_json::from_value(method["card"].clone())?;
        if let Some(card) = &mut details.card {
            text(&method["card"], "brand").clone_into(&mut card.network);
        }
    }
    Ok(details)
}
