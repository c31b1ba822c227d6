//! PaymentIntents and their charges.

use crate::objects::Metadata;
use crate::objects::charge::{Charge, ChargeStatus, ChargedCard, Outcome, PaymentMethodDetails};
use crate::objects::payment_intent::{NextAction, PaymentIntent, PaymentIntentStatus, PrivateIntent};
use crate::objects::payment_method::{MethodKind, PaymentMethod, SavedCard};
use crate::provider::call::{Reply, load};
use crate::provider::error::ApiError;
use crate::provider::events;
use crate::provider::money::disputes;
use crate::state::ids;
use crate::state::store::Tx;

/// A PaymentIntent without attempts, not stored.
pub fn new_intent(tx: &Tx, amount: i64, currency: &str, customer: Option<String>) -> PaymentIntent {
    let id = ids::new("pi");
    PaymentIntent {
        client_secret: format!("{id}_secret_{}", ids::random(24)),
        id,
        amount,
        amount_received: 0,
        canceled_at: None,
        cancellation_reason: None,
        created: tx.now.seconds(),
        currency: currency.into(),
        customer,
        description: Some("Subscription creation".into()),
        last_payment_error: None,
        latest_charge: None,
        metadata: Metadata::new(),
        next_action: None,
        payment_method: None,
        payment_method_types: vec!["card".into()],
        setup_future_usage: Some("off_session".into()),
        status: PaymentIntentStatus::RequiresPaymentMethod,
        private: PrivateIntent::default(),
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
    tx.timers_clear(&intent.id).await?;
    disputes::watch(tx, &charge, method).await?;
    events::emit(tx, "charge.succeeded", &charge).await?;
    events::emit(tx, "payment_intent.succeeded", intent).await?;
    Ok(())
}

/// Records a declined attempt: a failed charge, and the PaymentIntent as waiting for another method.
pub async fn decline(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    method: &PaymentMethod,
    why: &ApiError,
) -> Result<(), ApiError> {
    let charge = new_charge(tx, intent, method, Some(why));
    tx.insert(&charge).await?;
    events::emit(tx, "charge.failed", &charge).await?;
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
    let mut error = why.compact();
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
    tx.timers_clear(&intent.id).await?;
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
    Charge {
        id: ids::new(if method.kind == MethodKind::Boleto { "py" } else { "ch" }),
        amount: intent.amount,
        amount_captured: if is_paid { intent.amount } else { 0 },
        amount_refunded: 0,
        billing_details: method.billing_details.clone(),
        captured: is_paid,
        // A test clock does not move charges, refunds and disputes.
        created: tx.sandbox_now.seconds(),
        currency: intent.currency.clone(),
        customer: intent.customer.clone(),
        description: intent.description.clone(),
        disputed: false,
        failure_code: declined.map(|error| error.code().to_owned()),
        failure_message: declined.and_then(|error| error.error["message"].as_str().map(str::to_owned)),
        metadata: Metadata::new(),
        outcome: outcome(declined),
        paid: is_paid,
        payment_intent: Some(intent.id.clone()),
        payment_method: Some(method.id.clone()),
        payment_method_details: PaymentMethodDetails {
            boleto: method.boleto.clone(),
            card: method.card.as_ref().map(charged),
            kind: method.kind,
        },
        refunded: false,
        status: if is_paid { ChargeStatus::Succeeded } else { ChargeStatus::Failed },
    }
}

fn outcome(declined: Option<&ApiError>) -> Outcome {
    let (kind, network_status, seller_message) = match declined {
        None => ("authorized", "approved_by_network", "Payment complete."),
        Some(_) => (
            "issuer_declined",
            "declined_by_network",
            "The bank did not return any further details with this decline.",
        ),
    };
    let reason = |error: &ApiError| error.error["decline_code"].as_str().unwrap_or(error.code()).to_owned();
    Outcome {
        advice_code: (),
        network_advice_code: (),
        network_decline_code: (),
        network_status: network_status.into(),
        reason: declined.map(reason),
        risk_level: "normal".into(),
        seller_message: seller_message.into(),
        kind: kind.into(),
    }
}

/// A card as its charge shows it.
fn charged(card: &SavedCard) -> ChargedCard {
    ChargedCard {
        amount_authorized: (),
        authorization_code: (),
        brand: card.brand.clone(),
        checks: card.checks.clone(),
        country: card.country.clone(),
        electronic_commerce_indicator: (),
        exp_month: card.exp_month,
        exp_year: card.exp_year,
        fingerprint: card.fingerprint.clone(),
        funding: card.funding.clone(),
        installments: (),
        last4: card.last4.clone(),
        mandate: (),
        network: card.brand.clone(),
        network_transaction_id: (),
        regulated_status: (),
        three_d_secure: (),
        transaction_link_id: (),
        wallet: (),
    }
}
