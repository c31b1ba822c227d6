//! Boletos: issued, paid days later or never.

use serde_json::{Value, json};
use time::{Duration, PrimitiveDateTime, Time, UtcOffset};

use crate::boleto;
use crate::ids;
use crate::moment::{DAY, Moment, SECOND};
use crate::payments::error::ApiError;
use crate::payments::{Reply, events, intents, invoices, subscriptions};
use crate::store::{Tx, number, text};
use crate::timers::{VOUCHER_EXPIRES, VOUCHER_PAID};

/// How long after a renewal's voucher expired the next one is issued.
const NEXT_VOUCHER: i64 = 3 * DAY;
/// When the boleto of `expire_with_delay@` expires.
const LATER: i64 = 180 * SECOND;
/// After so many vouchers nobody paid, the subscription ends.
const MOST_VOUCHERS: i64 = 3;

/// What becomes of a boleto by itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fate {
    PaidAtOnce,
    ExpiresAtOnce,
    ExpiresLater,
}

/// What the provider's test addresses ask for, with anything before them. At any other address, as at
/// `fill_never@`, the boleto waits for its payer or its due date: here somebody plays the payer.
fn fate(email: &str) -> Option<Fate> {
    let name = email.split('@').next().unwrap_or_default();
    [
        ("succeed_immediately", Fate::PaidAtOnce),
        ("expire_immediately", Fate::ExpiresAtOnce),
        ("expire_with_delay", Fate::ExpiresLater),
    ]
    .into_iter()
    .find_map(|(ending, fate)| name.ends_with(ending).then_some(fate))
}

/// Issues a voucher for an open invoice, due at 23:59 São Paulo so many days ahead.
pub async fn issue(
    tx: &mut Tx,
    invoice: &Value,
    method: &Value,
    subscription: &Value,
    session: Option<&str>,
) -> Reply {
    let mut intent = intents::for_invoice(tx, invoice, method, "requires_action");
    let fate = fate(text(&method["billing_details"], "email"));
    let days = if fate == Some(Fate::ExpiresAtOnce) { 0 } else { number(subscription, "_boleto_days") };
    let due_day = tx.now.in_sao_paulo().date() + Duration::days(days.clamp(0, 60));
    let offset = UtcOffset::from_hms(-3, 0, 0).unwrap_or(UtcOffset::UTC);
    let last_second = Time::from_hms(23, 59, 59).unwrap_or(Time::MIDNIGHT);
    let mut due = Moment::from(PrimitiveDateTime::new(due_day, last_second).assume_offset(offset));
    if fate == Some(Fate::ExpiresAtOnce) {
        due = tx.now;
    }
    let free: String = (0..25).map(|_| char::from(b'0' + rand::random_range(0..10u8))).collect();
    let numbers = boleto::numbers(due_day, number(invoice, "amount_due"), &free);
    let token = ids::random(40);
    let page = format!("{}/boleto/{token}", tx.url);
    intent["next_action"] = json!({"type": "boleto_display_details", "boleto_display_details": {
        "expires_at": due.seconds(), "hosted_voucher_url": page, "number": numbers.line,
        "pdf": format!("{page}/pdf"),
    }});
    intent["_voucher"] = json!(token);
    intent["_line"] = json!(numbers.line);
    intent["_bar_code"] = json!(numbers.bar_code);
    intent["_due"] = json!(due.seconds());
    intent["_payer"] = method["billing_details"].clone();
    intent["_session"] = json!(session);
    intent["_return_url"] = subscription["_return_url"].clone();
    tx.insert(&intent).await?;
    invoices::tie(tx, invoice, text(&intent, "id"), false).await?;
    let expires = if fate == Some(Fate::ExpiresLater) { tx.now.plus(LATER) } else { due.plus(SECOND) };
    tx.timer_set(text(&intent, "id"), VOUCHER_EXPIRES, expires).await?;
    if fate == Some(Fate::PaidAtOnce) {
        tx.timer_set(text(&intent, "id"), VOUCHER_PAID, tx.now.plus(SECOND)).await?;
    }
    events::emit(tx, "payment_intent.created", &intent, None).await?;
    events::emit(tx, "payment_intent.requires_action", &intent, None).await?;
    Ok(intent)
}

/// The voucher is paid at some bank. Paying a paid one changes nothing.
///
/// # Errors
/// 400 when it expired or was cancelled.
pub async fn pay(tx: &mut Tx, mut intent: Value) -> Reply {
    match text(&intent, "status") {
        "succeeded" => return Ok(intent),
        "requires_action" => {}
        _ => return Err(ApiError::state(Some("boleto_not_payable"), "Este boleto venceu ou foi cancelado.")),
    }
    let method = tx.find(text(&intent, "payment_method")).await?.unwrap_or_default();
    intents::charge(tx, &mut intent, &method).await?;
    tx.update(&intent).await?;
    tx.timers_clear(text(&intent, "id")).await?;
    events::emit(tx, "payment_intent.succeeded", &intent, None).await?;
    let subscription = text(&intent, "_subscription").to_owned();
    let is_waiting = tx
        .find(&subscription)
        .await?
        .is_some_and(|sub| matches!(text(&sub, "status"), "incomplete" | "past_due"));
    if is_waiting {
        subscriptions::set_status(tx, &subscription, "active").await?;
    }
    if let Some(mut invoice) = tx.find(text(&intent, "_invoice")).await? {
        invoices::mark_paid(tx, &mut invoice, false).await?;
    }
    invoices::untie(tx, text(&intent, "id"), true).await?;
    if let Some(mut session) = tx.find(text(&intent, "_session")).await? {
        session["payment_status"] = json!("paid");
        tx.update(&session).await?;
        events::emit(tx, "checkout.session.async_payment_succeeded", &session, None).await?;
    }
    Ok(intent)
}

/// A test address asked for it to be paid; it may have been cancelled meanwhile.
pub async fn pay_by_itself(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    if let Some(intent) = tx.find(id).await?.filter(|doc| doc["status"] == "requires_action") {
        pay(tx, intent).await?;
    }
    Ok(())
}

/// Its due date passed and nobody paid.
pub async fn expire(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(mut intent) = tx.find(id).await?.filter(|doc| doc["status"] == "requires_action") else {
        return Ok(());
    };
    let why =
        ApiError::declined("payment_intent_payment_attempt_expired", None, "O boleto venceu sem pagamento.");
    intents::fail(tx, &mut intent, &why).await?;
    let Some(mut invoice) = tx.find(text(&intent, "_invoice")).await?.filter(|doc| doc["status"] == "open")
    else {
        return Ok(());
    };
    let subscription = tx.find(text(&intent, "_subscription")).await?.unwrap_or_default();
    if invoice["billing_reason"] == "subscription_create" {
        invoices::mark_failed(tx, &mut invoice, None).await?;
        if let Some(session) = tx.find(text(&intent, "_session")).await? {
            // The session itself does not change: complete and unpaid (providers 1.10).
            events::emit(tx, "checkout.session.async_payment_failed", &session, None).await?;
        }
        // Voiding the first invoice is what makes an incomplete subscription expire.
        invoices::void(tx, text(&invoice, "id")).await?;
        return Ok(());
    }
    invoices::untie(tx, id, false).await?;
    let again =
        number(&invoice, "attempt_count") + 1 < MOST_VOUCHERS && !subscriptions::is_over(&subscription);
    let next = tx.now.plus(NEXT_VOUCHER);
    invoices::mark_failed(tx, &mut invoice, again.then_some(next)).await?;
    if again {
        return subscriptions::set_status(tx, text(&subscription, "id"), "past_due").await;
    }
    if !subscriptions::is_over(&subscription) && !subscription.is_null() {
        subscriptions::cancel_now(tx, subscription, "payment_failed").await?;
    }
    Ok(())
}

/// Nobody may pay it any more, for a reason of the provider's list.
pub async fn cancel(tx: &mut Tx, id: &str, reason: &str) -> Result<(), ApiError> {
    let Some(mut intent) = tx.find(id).await? else { return Ok(()) };
    if matches!(text(&intent, "status"), "succeeded" | "canceled") {
        return Ok(());
    }
    intent["status"] = json!("canceled");
    intent["canceled_at"] = json!(tx.now.seconds());
    intent["cancellation_reason"] = json!(reason);
    intent["next_action"] = Value::Null;
    tx.update(&intent).await?;
    tx.timers_clear(id).await?;
    events::emit(tx, "payment_intent.canceled", &intent, None).await?;
    Ok(())
}

/// The newest voucher of the subscription that a session made.
pub async fn of_session(tx: &mut Tx, session: &Value) -> Result<Option<Value>, ApiError> {
    let Some(subscription) = session["subscription"].as_str() else { return Ok(None) };
    let intents = tx.find_by("payment_intent", "_subscription", subscription).await?;
    Ok(intents.into_iter().find(|intent| intent["_voucher"].is_string()))
}
