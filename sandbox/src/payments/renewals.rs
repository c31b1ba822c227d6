//! Renewals: a period ends, an invoice is made, closed an hour later, charged, and tried again.

use serde_json::{Value, json};

use crate::cards::{Verdict, later_charge};
use crate::moment::{DAY, Moment, SECOND};
use crate::payments::amounts::{BOLETO_BOUNDS, discount};
use crate::payments::error::ApiError;
use crate::payments::{drafts, events, intents, invoices, subscriptions, vouchers};
use crate::store::{Tx, number, text};
use crate::timers::INVOICE_CLOSES;

/// A renewal's invoice stays a draft that long, as at the provider.
const DRAFT: i64 = 3_600 * SECOND;
/// Days between attempts to charge; after the last one the subscription ends.
const RETRY_DAYS: [i64; 3] = [3, 5, 7];

/// The period (or trial) ended at `due`.
pub async fn period_ends(tx: &mut Tx, id: &str, due: Moment) -> Result<(), ApiError> {
    let Some(before) = tx.find_kind("subscription", id).await? else { return Ok(()) };
    if !matches!(text(&before, "status"), "active" | "trialing" | "past_due") {
        return Ok(());
    }
    if before["cancel_at_period_end"] == true {
        subscriptions::cancel_now(tx, before, "cancellation_requested").await?;
        return Ok(());
    }
    let mut after = before.clone();
    subscriptions::next_period(&mut after);
    if before["status"] == "trialing" {
        after["status"] = json!("active");
    }
    let discount = standing_discount(tx, &mut after).await?;
    let invoice = drafts::draft(tx, &after, "subscription_cycle", discount).await?;
    after["_pending"] = json!([]);
    after["latest_invoice"] = invoice["id"].clone();
    subscriptions::save(tx, &before, &after).await?;
    subscriptions::watch_period(tx, &after).await?;
    tx.timer_set(text(&invoice, "id"), INVOICE_CLOSES, due.plus(DRAFT)).await?;
    Ok(())
}

/// The discount that a subscription still carries; one of duration `once` is used up by this.
pub async fn standing_discount(
    tx: &mut Tx,
    subscription: &mut Value,
) -> Result<Option<(Value, i64)>, ApiError> {
    let Some(id) = subscription["discounts"][0].as_str().map(str::to_owned) else { return Ok(None) };
    let Some(doc) = tx.find(&id).await? else { return Ok(None) };
    let Some(coupon) = tx.find(text(&doc["source"], "coupon")).await? else { return Ok(None) };
    if coupon["duration"] == "once" {
        subscription["discounts"] = json!([]);
    }
    let amount: i64 = subscription["items"]["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| number(&item["price"], "unit_amount") * number(item, "quantity").max(1))
        .sum();
    let off = discount(&coupon, amount);
    Ok(Some((doc, off)))
}

/// The draft of a renewal is closed and charged.
pub async fn invoice_closes(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let Some(mut invoice) = tx.find(id).await?.filter(|doc| doc["status"] == "draft") else { return Ok(()) };
    let subscription = tx.find(text(&invoice, "_subscription")).await?.unwrap_or_default();
    if subscriptions::is_over(&subscription) {
        return Ok(());
    }
    invoices::finalize(tx, &mut invoice).await?;
    if number(&invoice, "amount_due") == 0 {
        return invoices::mark_paid(tx, &mut invoice, false).await;
    }
    attempt(tx, invoice).await
}

/// A failed invoice is tried again.
pub async fn invoice_retries(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    match tx.find(id).await?.filter(|doc| doc["status"] == "open") {
        Some(invoice) => attempt(tx, invoice).await,
        None => Ok(()),
    }
}

/// Tries to get an open invoice paid by the subscription's method: a charge, or a new voucher.
pub async fn attempt(tx: &mut Tx, mut invoice: Value) -> Result<(), ApiError> {
    let subscription = tx.find(text(&invoice, "_subscription")).await?.unwrap_or_default();
    let method = tx.find(text(&subscription, "default_payment_method")).await?.unwrap_or_default();
    let mut waiting = tx.find_by("payment_intent", "_invoice", text(&invoice, "id")).await?;
    waiting.retain(|intent| intent["status"] == "requires_action");
    if method["type"] == "boleto" {
        if !waiting.is_empty() {
            return Ok(());
        }
        if !BOLETO_BOUNDS.contains(&number(&invoice, "amount_due")) {
            let why = ApiError::state(Some("amount_too_small"), "Amount must be at least R$5.00 for boleto.");
            return refuse(tx, invoice, &method, subscription, &why).await;
        }
        vouchers::issue(tx, &invoice, &method, &subscription, None).await?;
        return Ok(());
    }
    // One invoice is collected once: a card in the voucher's place ends the voucher.
    for intent in &waiting {
        vouchers::cancel(tx, text(intent, "id"), "automatic").await?;
        invoices::untie(tx, text(intent, "id"), false).await?;
    }
    match later_charge(text(&method, "_number")) {
        Verdict::Declined(why) => refuse(tx, invoice, &method, subscription, &why).await,
        Verdict::Paid | Verdict::Challenge => {
            let mut intent = intents::for_invoice(tx, &invoice, &method, "requires_payment_method");
            intents::charge(tx, &mut intent, &method).await?;
            tx.insert(&intent).await?;
            invoices::mark_paid(tx, &mut invoice, true).await?;
            invoices::tie(tx, &invoice, text(&intent, "id"), true).await?;
            events::emit(tx, "payment_intent.created", &intent, None).await?;
            events::emit(tx, "payment_intent.succeeded", &intent, None).await?;
            if matches!(text(&subscription, "status"), "past_due" | "incomplete") {
                subscriptions::set_status(tx, text(&subscription, "id"), "active").await?;
            }
            Ok(())
        }
    }
}

/// The attempt comes to nothing.
async fn refuse(
    tx: &mut Tx,
    mut invoice: Value,
    method: &Value,
    subscription: Value,
    why: &ApiError,
) -> Result<(), ApiError> {
    let mut intent = intents::for_invoice(tx, &invoice, method, "requires_payment_method");
    tx.insert(&intent).await?;
    events::emit(tx, "payment_intent.created", &intent, None).await?;
    intents::fail(tx, &mut intent, why).await?;
    fail(tx, &mut invoice, subscription).await
}

async fn fail(tx: &mut Tx, invoice: &mut Value, subscription: Value) -> Result<(), ApiError> {
    let wait = RETRY_DAYS.get(number(invoice, "attempt_count") as usize);
    let retry_at = wait.map(|days| tx.now.plus(days * DAY));
    invoices::mark_failed(tx, invoice, retry_at).await?;
    if retry_at.is_some() {
        return subscriptions::set_status(tx, text(&subscription, "id"), "past_due").await;
    }
    if !subscriptions::is_over(&subscription) && !subscription.is_null() {
        subscriptions::cancel_now(tx, subscription, "payment_failed").await?;
    }
    Ok(())
}
