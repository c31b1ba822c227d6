//! PaymentIntents and their charges.

use serde_json::{Value, json};

use crate::objects::{
    Charge, ChargeStatus, MethodKind, NextAction, PaymentIntent, PaymentIntentStatus, PaymentMethod,
    PaymentMethodDetails, template,
};
use crate::provider::money::disputes;
use crate::provider::{ApiError, Reply, events, load};
use crate::state::{Tx, ids};

/// A PaymentIntent without attempts, not stored.
pub fn new_intent(tx: &Tx, amount: i64, currency: &str, customer: Option<String>) -> PaymentIntent {
    let id = ids::new("pi");
    PaymentIntent {
        client_secret: format!("{id}_secret_{}", ids::random(24)),
        id,
        amount,
        currency: currency.into(),
        customer,
        ..template("payment_intent", json!({"created": tx.now.seconds()}))
    }
}

/// Records a successful attempt: the charge, and the PaymentIntent as succeeded.
pub async fn succeed(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &PaymentMethod,
) -> Result<(), ApiError> {
    let charge = new_charge(tx, intent, method, None);
    tx.insert(&charge).await?;
    intent.status = PaymentIntentStatus::Succeeded;
    intent.amount_received = intent.amount;
    intent.latest_charge = Some(charge.id.clone());
    intent.payment_method = Some(method.id.clone());
    intent.last_payment_error = None;
    intent.next_action = None;
    tx.update(intent).await?;
    tx.clear_timers(&intent.id).await?;
    disputes::watch(tx, &charge, method).await?;
    events::emit(tx, "charge.succeeded", &charge).await?;
    events::emit(tx, "payment_intent.succeeded", intent).await?;
    Ok(())
}

/// Records a declined attempt: a failed charge, and the PaymentIntent as waiting for another
/// method.
pub async fn decline(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &PaymentMethod,
    why: &ApiError,
) -> Result<(), ApiError> {
    let charge = new_charge(tx, intent, method, Some(why));
    events::insert(tx, "charge.failed", &charge).await?;
    intent.latest_charge = Some(charge.id);
    intent.payment_method = Some(method.id.clone());
    fail(tx, intent, why).await
}

/// Lets a PaymentIntent wait for the authentication by the holder of the card.
pub async fn require_authentication(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &PaymentMethod,
) -> Result<(), ApiError> {
    intent.status = PaymentIntentStatus::RequiresAction;
    intent.payment_method = Some(method.id.clone());
    intent.next_action = Some(NextAction { kind: "use_stripe_sdk".into(), boleto_display_details: None });
    store(tx, "payment_intent.requires_action", intent).await
}

/// Records a failure without a charge, such as an expired voucher.
pub async fn fail(tx: &mut Tx, intent: &mut PaymentIntent, why: &ApiError) -> Result<(), ApiError> {
    let mut error = why.error.clone();
    if let Some(method) = tx.find(intent.payment_method.as_deref().unwrap_or_default()).await? {
        error["payment_method"] = method;
    }
    intent.status = PaymentIntentStatus::RequiresPaymentMethod;
    intent.next_action = None;
    intent.payment_method = None;
    intent.last_payment_error = Some(error);
    store(tx, "payment_intent.payment_failed", intent).await
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
    store(tx, "payment_intent.canceled", &intent).await
}

/// Stores a PaymentIntent that no timer may change any more, with its event.
async fn store(tx: &mut Tx, event: &str, intent: &PaymentIntent) -> Result<(), ApiError> {
    tx.update(intent).await?;
    tx.clear_timers(&intent.id).await?;
    Ok(events::emit(tx, event, intent).await?)
}

/// `POST /v1/payment_intents/{id}` and `/cancel`.
///
/// # Errors
/// 400 for every PaymentIntent, because each belongs to an invoice or a session.
pub async fn refuse_direct_change(tx: &mut Tx, id: &str) -> Reply {
    load::<PaymentIntent>(tx, id).await?;
    let message = "This PaymentIntent was created by an invoice or a Checkout Session, so it cannot be edited or \
                   canceled directly. Void the invoice or expire the session instead.";
    Err(ApiError::state(Some("payment_intent_unexpected_state"), message))
}

fn new_charge(
    tx: &Tx,
    intent: &PaymentIntent,
    method: &PaymentMethod,
    declined: Option<&ApiError>,
) -> Charge {
    let is_paid = declined.is_none();
    let reason = |error: &ApiError| error.error["decline_code"].as_str().unwrap_or(error.code()).to_owned();
    let outcome = declined.map(|error| {
        json!({
            "network_status": "declined_by_network", "reason": reason(error), "type": "issuer_declined",
            "seller_message": "The bank did not return any further details with this decline.",
        })
    });
    let given = json!({
        "amount_captured": if is_paid { intent.amount } else { 0 }, "billing_details": method.billing_details,
        // A test clock does not move charges, refunds and disputes.
        "captured": is_paid, "created": tx.sandbox_now.seconds(), "description": intent.description,
        "failure_code": declined.map(ApiError::code), "failure_message": declined.map(ApiError::message),
        "outcome": outcome.unwrap_or(json!({})),
    });
    Charge {
        id: ids::new(if method.kind == MethodKind::Boleto { "py" } else { "ch" }),
        amount: intent.amount,
        currency: intent.currency.clone(),
        customer: intent.customer.clone(),
        paid: is_paid,
        payment_intent: Some(intent.id.clone()),
        payment_method: Some(method.id.clone()),
        payment_method_details: PaymentMethodDetails {
            boleto: method.boleto.clone(),
            card: method.card.as_ref().map(charged),
            kind: method.kind,
        },
        status: if is_paid { ChargeStatus::Succeeded } else { ChargeStatus::Failed },
        ..template("charge", given)
    }
}

/// A card as its charge shows it.
fn charged(card: &Value) -> Value {
    let given = json!({
        "brand": card["brand"], "checks": card["checks"], "country": card["country"],
        "exp_month": card["exp_month"], "exp_year": card["exp_year"], "fingerprint": card["fingerprint"],
        "funding": card["funding"], "last4": card["last4"], "network": card["brand"],
    });
    template("charge.card", given)
}
