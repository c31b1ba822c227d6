//! Renewals: a period ends, an invoice is made, closed an hour later, charged, and tried again.

use serde_json::{Value, json};

use crate::provider::billing::collection;
use crate::provider::billing::collection::Attempt;
use crate::provider::billing::{drafts, invoices, plan_changes, subscriptions};
use crate::provider::checkout::amounts::discount;
use crate::provider::error::ApiError;
use crate::provider::events;
use crate::state::moment::{Moment, SECOND};
use crate::state::store::{Tx, number, text};
use crate::state::timers::INVOICE_CLOSES;

/// A renewal's invoice stays a draft that long, as at the provider.
const DRAFT: i64 = 3_600 * SECOND;

/// The period (or trial) ended at `due`.
pub async fn period_ends(tx: &mut Tx, id: &str, due: Moment) -> Result<(), ApiError> {
    let Some(before) = tx.find_kind("subscription", id).await? else { return Ok(()) };
    if !matches!(text(&before, "status"), "active" | "trialing" | "past_due" | "unpaid") {
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
    let mut invoice = drafts::draft(tx, &after, "subscription_cycle", discount).await?;
    after["_pending"] = json!([]);
    after["latest_invoice"] = invoice["id"].clone();
    subscriptions::save(tx, &before, &after).await?;
    subscriptions::watch_period(tx, &after).await?;
    if before["status"] == "unpaid" {
        // The invoices of an unpaid subscription stay drafts.
        invoice["auto_advance"] = json!(false);
        tx.update(&invoice).await?;
    } else {
        tx.timer_set(text(&invoice, "id"), INVOICE_CLOSES, due.plus(DRAFT)).await?;
    }
    Ok(())
}

/// Sends `invoice.upcoming` for a subscription that will renew. Its invoice has no id.
pub async fn announce_renewal(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let renews =
        |doc: &Value| matches!(text(doc, "status"), "active" | "past_due") && doc["cancel_at"].is_null();
    let Some(doc) = tx.find_kind("subscription", id).await?.filter(renews) else { return Ok(()) };
    let mut invoice = plan_changes::upcoming_of(tx, doc).await?;
    if let Some(fields) = invoice.as_object_mut() {
        fields.remove("id");
    }
    events::emit(tx, "invoice.upcoming", &invoice, None).await?;
    Ok(())
}

/// Sends `customer.subscription.trial_will_end`.
pub async fn announce_trial_end(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_trial = |doc: &Value| doc["status"] == "trialing";
    if let Some(doc) = tx.find_kind("subscription", id).await?.filter(is_trial) {
        events::emit(tx, "customer.subscription.trial_will_end", &doc, None).await?;
    }
    Ok(())
}

/// The discount that a subscription still carries; one of duration `once` is used up by this.
pub async fn standing_discount(
    tx: &mut Tx,
    subscription: &mut Value,
) -> Result<Option<(Value, i64)>, ApiError> {
    let Some(id) = subscription["discounts"][0].as_str().map(str::to_owned) else { return Ok(None) };
    let Some(doc) = tx.find(&id).await? else { return Ok(None) };
    let coupon = match tx.find(text(&doc["source"], "coupon")).await? {
        Some(coupon) => coupon,
        // Deleting a coupon does not end the discounts that were made with it.
        None => doc["_coupon"].clone(),
    };
    if coupon["duration"] == "once" {
        subscription["discounts"] = json!([]);
    }
    let amount: i64 = subscription["items"]["data"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|item| number(&item["price"], "unit_amount") * number(item, "quantity").max(1))
        .sum();
    let off = discount(&coupon, amount, tx.behavior.coupon_rounding);
    Ok(Some((doc, off)))
}

/// The draft of a renewal is closed and charged.
pub async fn invoice_closes(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let is_due = |doc: &Value| doc["status"] == "draft" && doc["auto_advance"] != false;
    let Some(mut invoice) = tx.find(id).await?.filter(is_due) else { return Ok(()) };
    let subscription = tx.find(text(&invoice, "_subscription")).await?.unwrap_or_default();
    if subscriptions::is_over(&subscription) {
        return Ok(());
    }
    if invoices::finalize(tx, &mut invoice).await?.is_none() {
        return invoices::mark_paid(tx, &mut invoice, false).await;
    }
    collection::attempt(tx, invoice, &Attempt::Scheduled).await.map(drop)
}

/// One more attempt at an open invoice by its own method.
pub async fn attempt(tx: &mut Tx, invoice: Value) -> Result<(), ApiError> {
    let by = Attempt::Manual { method: None, off_session: true };
    collection::attempt(tx, invoice, &by).await.map(drop)
}
