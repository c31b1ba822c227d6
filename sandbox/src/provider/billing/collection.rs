//! Collection of open invoices: attempts, the retry schedule, and its end.

use serde_json::{Value, json};

use crate::control::behavior::{
    AuthenticationEvents, AuthenticationStatus, CollectionScope, RetryEnd, RetryIntent, RetrySchedule,
};
use crate::objects::charge::Charge;
use crate::objects::payment_intent::{PaymentIntent, PaymentIntentStatus};
use crate::provider::billing::{invoice_payments, invoices, subscriptions};
use crate::provider::checkout::amounts::BOLETO_BOUNDS;
use crate::provider::error::ApiError;
use crate::provider::events;
use crate::provider::money::cards;
use crate::provider::money::cards::{Challenge, Verdict, authenticated_charge, first_charge, later_charge};
use crate::provider::money::{intents, vouchers};
use crate::state::moment::{DAY, Moment, SECOND};
use crate::state::store::{Tx, number, text};
use crate::state::timers::{INVOICE_CLOSES, INVOICE_RETRIES};

/// Days between attempts of a custom schedule.
const CUSTOM_DAYS: [i64; 3] = [3, 5, 7];
/// Days between attempts of Smart Retries: eight retries in two weeks.
const SMART_DAYS: [i64; 8] = [1, 1, 2, 2, 2, 2, 2, 2];
/// After this time a draft is finalized, and an invoice is attempted whose collection was resumed.
const HOUR: i64 = 3_600 * SECOND;
/// Declines after which a retry is counted and not made until there is another payment method.
const HARD_DECLINES: [&str; 8] = [
    "incorrect_number",
    "lost_card",
    "pickup_card",
    "stolen_card",
    "revocation_of_authorization",
    "authentication_required",
    "highest_risk_level",
    "transaction_not_allowed",
];

/// Who makes an attempt.
pub enum Attempt {
    /// The retry schedule.
    Scheduled,
    /// A call or a person. After the first attempt it changes neither count nor schedule.
    Manual {
        /// Method to charge in place of the invoice's.
        method: Option<Value>,
        /// Whether the card's holder is absent.
        off_session: bool,
    },
}

/// Result of an attempt.
pub enum Collected {
    /// The invoice is paid.
    Paid,
    /// A voucher waits for its payer.
    Waiting,
    /// The attempt failed.
    Declined(ApiError),
}

/// Tries to get an open invoice paid, by a charge or by a new voucher.
pub async fn attempt(tx: &mut Tx, mut invoice: Value, by: &Attempt) -> Result<Collected, ApiError> {
    let subscription = tx.find(text(&invoice, "_subscription")).await?.unwrap_or_default();
    let method = match by {
        Attempt::Manual { method: Some(method), .. } => method.clone(),
        _ => method_of(tx, &invoice, &subscription).await?,
    };
    let is_counted = matches!(by, Attempt::Scheduled) || invoice["attempted"] != true;
    let mut intent = intent_of(tx, &invoice).await?;
    let is_card = method["type"] == "card";
    if method["type"] == "boleto" {
        if intent.status == PaymentIntentStatus::RequiresAction {
            return Ok(Collected::Waiting);
        }
        if tx.behavior.boleto_without_reissue
            && matches!(by, Attempt::Scheduled)
            && number(&invoice, "attempt_count") > 0
        {
            // The retry is counted, and no voucher is issued.
            count(tx, &mut invoice, subscription, false).await?;
            return Ok(Collected::Waiting);
        }
        if BOLETO_BOUNDS.contains(&number(&invoice, "amount_remaining")) {
            vouchers::issue(tx, intent, &method, &subscription, None).await?;
            return Ok(Collected::Waiting);
        }
    }
    if is_card && matches!(by, Attempt::Scheduled) && is_pointless(tx, &intent, &method).await? {
        count(tx, &mut invoice, subscription, false).await?;
        return Ok(Collected::Waiting);
    }
    let why = if is_card {
        match verdict(&method, by) {
            Verdict::Declined(why) => {
                intents::decline(tx, &mut intent, &method, &why).await?;
                why
            }
            Verdict::Challenge => {
                let why = hold(tx, &mut intent, &mut invoice, subscription, &method, is_counted).await?;
                return Ok(Collected::Declined(why));
            }
            Verdict::Paid => {
                pay(tx, &mut intent, &mut invoice, &method).await?;
                return Ok(Collected::Paid);
            }
        }
    } else {
        let why = if method["type"] == "boleto" {
            ApiError::declined("amount_too_small", None, "Amount must be at least R$5.00 for boleto.")
        } else {
            let message = "This customer has no attached payment source or default payment method.";
            ApiError::declined("resource_missing", None, message)
        };
        intents::fail(tx, &mut intent, &why).await?;
        why
    };
    if is_counted {
        count(tx, &mut invoice, subscription, true).await?;
    } else {
        events::emit(tx, "invoice.payment_failed", &invoice, None).await?;
    }
    Ok(Collected::Declined(why))
}

/// The bank's answer. With its holder present a card that passes alone can still be asked about.
fn verdict(method: &Value, by: &Attempt) -> Verdict {
    let number = text(method, "_number");
    match (later_charge(number), by) {
        (Verdict::Paid, Attempt::Manual { off_session: false, .. }) => {
            first_charge(number, Challenge::Unasked)
        }
        (alone, _) => alone,
    }
}

/// Records an attempt that the bank does not let pass without its holder. Returns the error for the
/// caller.
async fn hold(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    invoice: &mut Value,
    subscription: Value,
    method: &Value,
    is_counted: bool,
) -> Result<ApiError, ApiError> {
    let why = cards::declined("authentication_required", Some("authentication_required"));
    match tx.behavior.authentication_status {
        AuthenticationStatus::RequiresAction => intents::require_authentication(tx, intent, method).await?,
        AuthenticationStatus::RequiresPaymentMethod => intents::decline(tx, intent, method, &why).await?,
    }
    let events = tx.behavior.authentication_events;
    let is_failure_sent = events != AuthenticationEvents::ActionRequired;
    if is_counted {
        count(tx, invoice, subscription, is_failure_sent).await?;
    } else if is_failure_sent {
        events::emit(tx, "invoice.payment_failed", invoice, None).await?;
    }
    if events != AuthenticationEvents::PaymentFailed {
        events::emit(tx, "invoice.payment_action_required", invoice, None).await?;
    }
    Ok(why)
}

/// Checks that the payer can authenticate a payment of an invoice now.
///
/// # Errors
/// `payment_intent_unexpected_state` when it is paid, canceled or waits for a voucher.
pub fn authenticatable(intent: &PaymentIntent) -> Result<(), ApiError> {
    let waits_for_voucher =
        intent.next_action.as_ref().is_some_and(|action| action.boleto_display_details.is_some());
    match intent.status {
        _ if intent.invoice.is_none() => {}
        PaymentIntentStatus::RequiresAction if !waits_for_voucher => return Ok(()),
        PaymentIntentStatus::RequiresPaymentMethod => return Ok(()),
        _ => {}
    }
    let message = "You cannot confirm this PaymentIntent because of its status.";
    Err(ApiError::state(Some("payment_intent_unexpected_state"), message))
}

/// The payer confirms an [`authenticatable`] payment in the browser and answers the bank's question.
/// Returns the decline, if any.
pub async fn authenticate(
    tx: &mut Tx,
    mut intent: PaymentIntent,
    method: Option<&str>,
    challenge: Challenge,
) -> Result<Option<ApiError>, ApiError> {
    let id = method.map(str::to_owned).or_else(|| intent.payment_method.clone()).unwrap_or_default();
    let method = tx.find_kind("payment_method", &id).await?.unwrap_or_default();
    if id.is_empty() || method["customer"].as_str() != intent.customer.as_deref() {
        let message = "You cannot confirm this PaymentIntent because it's missing a payment method.";
        return Err(ApiError::state(Some("payment_intent_unexpected_state"), message));
    }
    let mut invoice = tx.find(intent.invoice.as_deref().unwrap_or_default()).await?.unwrap_or_default();
    match authenticated_charge(text(&method, "_number"), challenge) {
        Verdict::Declined(why) => {
            intents::decline(tx, &mut intent, &method, &why).await?;
            events::emit(tx, "invoice.payment_failed", &invoice, None).await?;
            Ok(Some(why))
        }
        Verdict::Paid | Verdict::Challenge => {
            pay(tx, &mut intent, &mut invoice, &method).await?;
            Ok(None)
        }
    }
}

/// The method of the first field that names one: invoice, subscription, customer.
async fn method_of(tx: &mut Tx, invoice: &Value, subscription: &Value) -> Result<Value, ApiError> {
    let customer = tx.find(text(invoice, "customer")).await?.unwrap_or_default();
    for id in [
        &invoice["default_payment_method"],
        &subscription["default_payment_method"],
        &customer["invoice_settings"]["default_payment_method"],
    ] {
        if let Some(id) = id.as_str() {
            let method = tx.find(id).await?.unwrap_or_default();
            // A detached method cannot be charged.
            return Ok(if method["customer"] == invoice["customer"] { method } else { Value::Null });
        }
    }
    Ok(Value::Null)
}

/// The PaymentIntent to confirm: the default one, or a new one for each retry.
async fn intent_of(tx: &mut Tx, invoice: &Value) -> Result<PaymentIntent, ApiError> {
    let id = text(invoice, "id");
    let default = invoice_payments::default_intent(tx, id).await?;
    match default {
        Some(intent) if tx.behavior.retry_intent == RetryIntent::Same || intent.is_fresh() => Ok(intent),
        Some(intent) if intent.status == PaymentIntentStatus::RequiresAction => Ok(intent),
        _ => {
            invoice_payments::cancel_open(tx, id, "automatic").await?;
            invoice_payments::create_default(tx, invoice, None).await
        }
    }
}

/// Whether the method of a retry is the one that was declined for good.
async fn is_pointless(tx: &mut Tx, intent: &PaymentIntent, method: &Value) -> Result<bool, ApiError> {
    if intent.status == PaymentIntentStatus::RequiresAction {
        return Ok(intent.payment_method.as_deref() == method["id"].as_str());
    }
    let Some(latest) = &intent.latest_charge else { return Ok(false) };
    let Some(charge) = tx.load::<Charge>(latest).await? else { return Ok(false) };
    let is_hard = charge.outcome.reason.is_some_and(|code| HARD_DECLINES.contains(&code.as_str()));
    Ok(is_hard && charge.payment_method.as_deref() == method["id"].as_str())
}

/// Records the payment of an invoice by one successful attempt.
pub async fn pay(
    tx: &mut Tx,
    intent: &mut PaymentIntent,
    invoice: &mut Value,
    method: &Value,
) -> Result<(), ApiError> {
    intents::succeed(tx, intent, method).await?;
    let is_card = method["type"] == "card";
    invoices::mark_paid(tx, invoice, is_card).await?;
    invoice_payments::mark_paid(tx, &intent.id).await?;
    subscriptions::follow_latest_invoice(tx, text(invoice, "_subscription")).await
}

/// Counts a scheduled attempt that did not pay, and schedules the next one or ends the schedule.
pub async fn count(
    tx: &mut Tx,
    invoice: &mut Value,
    subscription: Value,
    is_executed: bool,
) -> Result<(), ApiError> {
    let days: &[i64] = match tx.behavior.retry_schedule {
        RetrySchedule::Custom => &CUSTOM_DAYS,
        RetrySchedule::Smart => &SMART_DAYS,
        RetrySchedule::None => &[],
    };
    let is_over = subscription.is_null() || subscriptions::is_over(&subscription);
    let made = usize::try_from(number(invoice, "attempt_count")).unwrap_or_default();
    let retry_at = days.get(made).filter(|_| !is_over).map(|days| tx.now.plus(days * DAY));
    invoices::mark_attempted(tx, invoice, retry_at, is_executed).await?;
    if is_over {
        return Ok(());
    }
    let id = text(&subscription, "id").to_owned();
    if retry_at.is_some() {
        return subscriptions::set_status(tx, &id, "past_due").await;
    }
    give_up(tx, subscription).await
}

/// Ends the collection of a subscription's invoice as the account is set.
pub async fn give_up(tx: &mut Tx, subscription: Value) -> Result<(), ApiError> {
    let id = text(&subscription, "id").to_owned();
    match tx.behavior.retry_end {
        RetryEnd::Canceled => subscriptions::cancel_now(tx, subscription, "payment_failed").await.map(drop),
        RetryEnd::Unpaid => subscriptions::set_status(tx, &id, "unpaid").await,
        RetryEnd::PastDue => subscriptions::set_status(tx, &id, "past_due").await,
    }
}

/// A scheduled retry is due.
pub async fn retry(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    match tx.find(id).await?.filter(|doc| doc["status"] == "open" && doc["auto_advance"] != false) {
        Some(invoice) => attempt(tx, invoice, &Attempt::Scheduled).await.map(drop),
        None => Ok(()),
    }
}

/// Stops the collection that the cancellation of a subscription ends.
pub async fn stop_after_cancellation(tx: &mut Tx, subscription: &Value) -> Result<(), ApiError> {
    for invoice in tx.find_by("invoice", "customer", text(subscription, "customer")).await? {
        let is_own = invoice["_subscription"] == subscription["id"];
        let is_stopped = match text(&invoice, "status") {
            "open" => is_own || tx.behavior.cancellation_stops == CollectionScope::Customer,
            "draft" => is_own,
            _ => false,
        };
        if is_stopped {
            set_auto_advance(tx, invoice, false).await?;
        }
    }
    Ok(())
}

/// Sets `auto_advance` of a draft or an open invoice: stops its finalization and retries, or resumes them.
pub async fn set_auto_advance(tx: &mut Tx, before: Value, is_on: bool) -> Result<Value, ApiError> {
    let mut after = before.clone();
    let id = text(&before, "id").to_owned();
    if before["auto_advance"] == is_on {
        return Ok(before);
    }
    after["auto_advance"] = json!(is_on);
    let at = tx.now.plus(HOUR);
    if !is_on {
        after["next_payment_attempt"] = Value::Null;
        tx.timers_clear(&id).await?;
    } else if before["status"] == "draft" {
        tx.timer_set(&id, INVOICE_CLOSES, at).await?;
    } else {
        after["next_payment_attempt"] = json!(Moment::seconds(at));
        tx.timer_set(&id, INVOICE_RETRIES, at).await?;
    }
    tx.update(&after).await?;
    events::emit(tx, "invoice.updated", &after, Some(events::changed(&before, &after))).await?;
    Ok(after)
}
