//! Boletos: issued, paid days later or never.

use serde_json::{Value, json};
use time::{Duration, PrimitiveDateTime, Time, UtcOffset};

use crate::control::behavior::{BoletoConfirmation, BoletoIncomplete};
use crate::objects::payment_intent::{
    BoletoDisplayDetails, NextAction, PaymentIntent, PaymentIntentStatus, Voucher,
};
use crate::objects::to_document;
use crate::provider::billing::{collection, invoices, subscriptions};
use crate::provider::error::ApiError;
use crate::provider::money::boleto;
use crate::provider::money::{confirmation, intents};
use crate::provider::{events, test_clocks};
use crate::state::ids;
use crate::state::moment::{DAY, Moment, SECOND};
use crate::state::store::{Tx, number, text};
use crate::state::timers::{INCOMPLETE_ENDS, VOUCHER_CONFIRMED, VOUCHER_EXPIRES, VOUCHER_PAID};

/// How long after a renewal's voucher expired the next one is issued.
const NEXT_VOUCHER: i64 = 3 * DAY;
/// When the boleto of `expire_with_delay@` expires.
const LATER: i64 = 180 * SECOND;
/// How long a first subscription may be unpaid.
const INCOMPLETE_FOR: i64 = 23 * 3_600 * SECOND;
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

/// Issues a voucher for the PaymentIntent of an open invoice, due at 23:59 São Paulo so many days ahead.
pub async fn issue(
    tx: &mut Tx,
    mut intent: PaymentIntent,
    method: &Value,
    subscription: &Value,
    session: Option<&str>,
) -> Result<PaymentIntent, ApiError> {
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
    let numbers = boleto::numbers(due_day, intent.amount, &free);
    let token = ids::random(40);
    let page = format!("{}/boleto/{token}", tx.url);
    intent.status = PaymentIntentStatus::RequiresAction;
    intent.payment_method = method["id"].as_str().map(str::to_owned);
    intent.setup_future_usage = None;
    intent.next_action = Some(NextAction {
        kind: "boleto_display_details".into(),
        boleto_display_details: Some(BoletoDisplayDetails {
            expires_at: due.seconds(),
            pdf: format!("{page}/pdf"),
            hosted_voucher_url: page,
            number: numbers.line.clone(),
        }),
    });
    intent.voucher = Some(Voucher {
        token,
        line: numbers.line,
        bar_code: numbers.bar_code,
        due: due.seconds(),
        payer: serde_json::from_value(method["billing_details"].clone())?,
        return_url: subscription["_return_url"].as_str().map(str::to_owned),
    });
    intent.session = session.map(str::to_owned);
    let document = tx.replace(&intent).await?;
    let is_incomplete = text(subscription, "status") == "incomplete";
    if is_incomplete && tx.behavior.boleto_incomplete == BoletoIncomplete::After23Hours {
        tx.timer_set(text(subscription, "id"), INCOMPLETE_ENDS, tx.now.plus(INCOMPLETE_FOR)).await?;
    }
    let expires = if fate == Some(Fate::ExpiresLater) { tx.now.plus(LATER) } else { due.plus(SECOND) };
    tx.timer_set(&intent.id, VOUCHER_EXPIRES, expires).await?;
    if fate == Some(Fate::PaidAtOnce) {
        tx.timer_set(&intent.id, VOUCHER_PAID, tx.now.plus(SECOND)).await?;
    }
    events::emit(tx, "payment_intent.requires_action", &document, None).await?;
    Ok(intent)
}

/// The voucher is paid at some bank. Paying a paid one changes nothing.
///
/// # Errors
/// 400 when it expired, was cancelled, or the invoice was paid by a card instead.
pub async fn pay(tx: &mut Tx, intent: PaymentIntent) -> Result<PaymentIntent, ApiError> {
    test_clocks::enter_clock_of(tx, &to_document(&intent)?).await?;
    let method = tx.find(intent.payment_method.as_deref().unwrap_or_default()).await?.unwrap_or_default();
    match intent.status {
        PaymentIntentStatus::Succeeded if method["type"] == "boleto" => return Ok(intent),
        PaymentIntentStatus::RequiresAction if method["type"] == "boleto" => {}
        _ => return Err(ApiError::state(Some("boleto_not_payable"), "Este boleto venceu ou foi cancelado.")),
    }
    if confirmation::postpone(tx, &intent.id).await? {
        return Ok(intent);
    }
    confirm(tx, intent).await
}

/// The bank confirms the payment, possibly after the due date or the end of the subscription.
pub async fn confirm_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    match tx.load::<PaymentIntent>(id).await? {
        Some(intent) => confirm(tx, intent).await.map(drop),
        None => Ok(()),
    }
}

/// The money is there. It pays the invoice only if that is still open.
async fn confirm(tx: &mut Tx, mut intent: PaymentIntent) -> Result<PaymentIntent, ApiError> {
    test_clocks::enter_clock_of(tx, &to_document(&intent)?).await?;
    // An expiry that was reported first has taken the method off.
    let failed = intent.last_payment_error.as_ref().and_then(|error| error["payment_method"]["id"].as_str());
    let method = intent.payment_method.as_deref().or(failed).unwrap_or_default();
    let method = tx.find(method).await?.unwrap_or_default();
    let invoice = intent.invoice.clone().unwrap_or_default();
    match tx.find(&invoice).await?.filter(|doc| doc["status"] == "open") {
        Some(mut invoice) => collection::pay(tx, &mut intent, &mut invoice, &method).await?,
        None => intents::succeed(tx, &mut intent, &method).await.map(drop)?,
    }
    if let Some(mut session) = tx.find(intent.session.as_deref().unwrap_or_default()).await? {
        session["payment_status"] = json!("paid");
        tx.update(&session).await?;
        events::emit(tx, "checkout.session.async_payment_succeeded", &session, None).await?;
    }
    Ok(intent)
}

/// A test address asked for it to be paid; it may have been cancelled meanwhile.
pub async fn pay_by_itself(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let intent = tx.load::<PaymentIntent>(id).await?;
    if let Some(intent) = intent.filter(|intent| intent.status == PaymentIntentStatus::RequiresAction) {
        pay(tx, intent).await?;
    }
    Ok(())
}

/// Its due date passed and nobody paid.
pub async fn expire(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let intent = tx.load::<PaymentIntent>(id).await?;
    let Some(mut intent) = intent.filter(|intent| intent.status == PaymentIntentStatus::RequiresAction)
    else {
        return Ok(());
    };
    test_clocks::enter_clock_of(tx, &to_document(&intent)?).await?;
    let confirmed_at = confirmation::awaited_at(tx, id).await?;
    let is_paid = confirmed_at.is_some();
    if is_paid && tx.behavior.boleto_confirmation == BoletoConfirmation::NextBusinessDay {
        return Ok(());
    }
    let why =
        ApiError::declined("payment_intent_payment_attempt_expired", None, "O boleto venceu sem pagamento.");
    intents::fail(tx, &mut intent, &why).await?;
    if let Some(confirmed_at) = confirmed_at {
        tx.timer_set(id, VOUCHER_CONFIRMED, confirmed_at).await?;
    }
    let invoice = tx.find(intent.invoice.as_deref().unwrap_or_default()).await?;
    let Some(mut invoice) = invoice.filter(|doc| doc["status"] == "open") else { return Ok(()) };
    let subscription = tx.find(intent.subscription.as_deref().unwrap_or_default()).await?.unwrap_or_default();
    if invoice["billing_reason"] == "subscription_create" {
        invoices::mark_attempted(tx, &mut invoice, None, true).await?;
        if let Some(session) = tx.find(intent.session.as_deref().unwrap_or_default()).await? {
            // The session itself does not change: complete and unpaid.
            events::emit(tx, "checkout.session.async_payment_failed", &session, None).await?;
        }
        // A voucher that was paid on its last day reports its expiry, and its payment is confirmed later.
        if !is_paid {
            // Voiding the first invoice is what makes an incomplete subscription expire.
            invoices::void(tx, text(&invoice, "id")).await?;
        }
        return Ok(());
    }
    let is_over = subscription.is_null() || subscriptions::is_over(&subscription);
    let again = number(&invoice, "attempt_count") + 1 < MOST_VOUCHERS && !is_over;
    // A cancellation has stopped the collection: no further voucher is issued.
    let is_collected = invoice["auto_advance"] != false;
    let next = tx.now.plus(NEXT_VOUCHER);
    invoices::mark_attempted(tx, &mut invoice, (again && is_collected).then_some(next), true).await?;
    if is_over {
        return Ok(());
    }
    if again {
        return subscriptions::set_status(tx, text(&subscription, "id"), "past_due").await;
    }
    collection::give_up(tx, subscription).await
}

/// 23 hours after a first subscription was created: it ends unpaid. Its invoice is void, its voucher stays payable.
pub async fn incomplete_ends(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let subscription = tx.find_kind("subscription", id).await?;
    let Some(subscription) = subscription.filter(|doc| doc["status"] == "incomplete") else { return Ok(()) };
    invoices::void_but_voucher(tx, text(&subscription, "latest_invoice")).await.map(drop)
}

/// The newest voucher of the subscription that a session made.
pub async fn of_session(tx: &mut Tx, session: &Value) -> Result<Option<PaymentIntent>, ApiError> {
    let Some(subscription) = session["subscription"].as_str() else { return Ok(None) };
    let intents: Vec<PaymentIntent> = tx.load_by("_subscription", subscription).await?;
    Ok(intents.into_iter().find(|intent| intent.voucher.is_some()))
}
