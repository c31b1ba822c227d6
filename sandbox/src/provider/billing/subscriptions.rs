//! Subscriptions: made by checkout, changed and cancelled by API, portal and time.

use serde_json::{Value, json};

use crate::provider::billing::{collection, plan_changes};
use crate::provider::catalog::{get, get_param};
use crate::provider::checkout::amounts::{check_coupon, period_end};
use crate::provider::checkout::discounts;
use crate::provider::checkout::discounts::DiscountOwner;
use crate::provider::error::ApiError;
use crate::provider::params::Params;
use crate::provider::{Call, Reply, events, listing};
use crate::state::ids;
use crate::state::moment::{DAY, Moment};
use crate::state::store::{Tx, number, text};
use crate::state::timers::{ENDS_AT, PERIOD_ENDS, RENEWAL_NEARS, TRIAL_NEARS_END};

/// Days before a renewal on which `invoice.upcoming` is sent: an account setting.
const DAYS_OF_UPCOMING: i64 = 3;
/// Days before the end of a trial on which `customer.subscription.trial_will_end` is sent.
const DAYS_OF_TRIAL_END: i64 = 3;

/// The states that have no way back.
pub fn is_over(subscription: &Value) -> bool {
    matches!(text(subscription, "status"), "canceled" | "incomplete_expired")
}

/// The subscription that a finished session asks for; its state is the caller's to set.
pub fn of_session(tx: &Tx, session: &Value, method: &Value, discount: Option<&Value>) -> Value {
    let now = tx.now.seconds();
    let id = ids::new("sub");
    let trial_end = session["_trial_end"].as_i64();
    let mut items = Vec::new();
    let mut anchor = now;
    for line in session["_line_items"].as_array().into_iter().flatten() {
        if line["price"]["type"] != "recurring" {
            continue;
        }
        let end = trial_end.unwrap_or_else(|| period_end(now, &line["price"]["recurring"]));
        anchor = trial_end.unwrap_or(now);
        items.push(json!({
            "id": ids::new("si"), "object": "subscription_item", "billing_thresholds": null, "created": now,
            "current_period_start": now, "current_period_end": end, "discounts": [], "metadata": {},
            "price": line["price"], "quantity": line["quantity"], "subscription": id, "tax_rates": [],
        }));
    }
    json!({
        "id": id, "object": "subscription", "application": null, "automatic_tax": {"enabled": false},
        "billing_cycle_anchor": anchor, "billing_mode": {"type": "flexible"}, "cancel_at": null,
        "cancel_at_period_end": false, "canceled_at": null,
        "cancellation_details": {"comment": null, "feedback": null, "reason": null},
        "collection_method": "charge_automatically", "created": now, "currency": session["currency"],
        "customer": session["customer"], "days_until_due": null, "default_payment_method": method["id"],
        "default_source": null, "default_tax_rates": [], "description": null,
        "discounts": discount.map_or_else(Vec::new, |doc| vec![doc["id"].clone()]), "ended_at": null,
        "items": {"object": "list", "has_more": false, "url": format!("/v1/subscription_items?subscription={id}"),
            "data": items},
        "latest_invoice": null, "livemode": false, "metadata": session["_subscription_metadata"],
        "next_pending_invoice_item_invoice": null, "on_behalf_of": null, "pause_collection": null,
        "payment_settings": {"payment_method_options": null,
            "payment_method_types": session["payment_method_types"], "save_default_payment_method": "off"},
        "pending_invoice_item_interval": null, "pending_setup_intent": null, "pending_update": null,
        "schedule": null, "start_date": now, "status": "incomplete", "test_clock": tx.test_clock, "transfer_data": null,
        "trial_end": trial_end, "trial_settings": {"end_behavior": {"missing_payment_method": "create_invoice"}},
        "trial_start": trial_end.map(|_| now),
        "_boleto_days": session["_boleto_days"], "_return_url": session["return_url"],
        "_session": session["id"],
    })
}

/// Start and end of the current period, in Unix seconds.
pub fn period(subscription: &Value) -> (i64, i64) {
    let item = &subscription["items"]["data"][0];
    (number(item, "current_period_start"), number(item, "current_period_end"))
}

/// Begins the period that follows the current one.
pub fn next_period(subscription: &mut Value) {
    for item in subscription["items"]["data"].as_array_mut().into_iter().flatten() {
        let start = number(item, "current_period_end");
        item["current_period_start"] = json!(start);
        item["current_period_end"] = json!(period_end(start, &item["price"]["recurring"]));
    }
}

/// Wakes the subscription when its current period ends.
pub async fn watch_period(tx: &mut Tx, subscription: &Value) -> Result<(), ApiError> {
    let end = Moment::from_seconds(period(subscription).1);
    let id = text(subscription, "id");
    tx.timer_set(id, PERIOD_ENDS, end).await?;
    let days_before = |days: i64| Moment(end.plus(-days * DAY).0.max(tx.now.0));
    let (renewal_nears, trial_nears_end) = (days_before(DAYS_OF_UPCOMING), days_before(DAYS_OF_TRIAL_END));
    if subscription["trial_end"].as_i64() == Some(end.seconds()) {
        tx.timer_set(id, TRIAL_NEARS_END, trial_nears_end).await?;
    } else {
        tx.timer_set(id, RENEWAL_NEARS, renewal_nears).await?;
    }
    Ok(())
}

/// Writes a changed subscription and tells of it.
pub async fn save(tx: &mut Tx, before: &Value, after: &Value) -> Result<(), ApiError> {
    if before == after {
        return Ok(());
    }
    tx.update(after).await?;
    events::emit(tx, "customer.subscription.updated", after, Some(events::changed(before, after))).await?;
    Ok(())
}

/// Moves a subscription to a state, if it is not over.
pub async fn set_status(tx: &mut Tx, id: &str, status: &str) -> Result<(), ApiError> {
    let Some(before) = tx.find_kind("subscription", id).await?.filter(|doc| !is_over(doc)) else {
        return Ok(());
    };
    let mut after = before.clone();
    after["status"] = json!(status);
    if status == "incomplete_expired" {
        after["ended_at"] = json!(tx.now.seconds());
        tx.timers_clear(id).await?;
    }
    save(tx, &before, &after).await
}

/// Makes a subscription active whose newest finalized invoice, void ones left out, is paid.
pub async fn follow_latest_invoice(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let waits = |doc: &Value| matches!(text(doc, "status"), "past_due" | "unpaid" | "incomplete");
    if !tx.find_kind("subscription", id).await?.is_some_and(|doc| waits(&doc)) {
        return Ok(());
    }
    let invoices = tx.find_by("invoice", "_subscription", id).await?;
    let newest = invoices.iter().find(|invoice| !matches!(text(invoice, "status"), "draft" | "void"));
    if newest.is_some_and(|invoice| invoice["status"] == "paid") {
        set_status(tx, id, "active").await?;
    }
    Ok(())
}

/// `POST /v1/subscriptions/{id}`.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&[
        "cancel_at_period_end",
        "cancel_at",
        "cancellation_details",
        "metadata",
        "default_payment_method",
        "description",
        "proration_behavior",
        "proration_date",
        "billing_cycle_anchor",
        "items",
        "trial_end",
        "payment_behavior",
        "discounts.coupon",
    ])?;
    if params.at("trial_end").is_some() {
        let message = "The sandbox does not play changes of trial_end.";
        return Err(ApiError::invalid(Some("trial_end"), None, message));
    }
    let before = get(tx, "subscription", id).await?;
    let change = plan_changes::plan(tx, &before, params, "").await?;
    let mut after = change.as_ref().map_or_else(|| before.clone(), |change| change.after.clone());
    if let Some(cancel) = params.boolean("cancel_at_period_end")? {
        if is_over(&before) {
            return Err(ApiError::state(None, "A canceled subscription can only update its metadata."));
        }
        cancel_later(tx, &mut after, cancel);
    } else if after["cancel_at_period_end"] == true {
        after["cancel_at"] = json!(period(&after).1);
    }
    if params.at("cancel_at").is_some() {
        cancel_at(tx, &mut after, params.integer("cancel_at")?).await?;
    }
    for field in ["comment", "feedback"] {
        if let Some(text) = params.text(&format!("cancellation_details.{field}")) {
            after["cancellation_details"][field] = json!(text);
        }
    }
    if let Some(method) = params.text("default_payment_method") {
        get_param(tx, "payment_method", method, "default_payment_method").await?;
        after["default_payment_method"] = json!(method);
    }
    if let Some(coupon) = params.text("discounts.0.coupon") {
        after["discounts"] = json!([set_coupon(tx, &before, coupon).await?["id"]]);
    }
    after["metadata"] = params.metadata("metadata", Some(&before["metadata"]));
    if let Some(change) = change {
        let behavior = params.text("payment_behavior").unwrap_or("allow_incomplete");
        return plan_changes::carry_out(tx, &before, after, change, behavior).await;
    }
    save(tx, &before, &after).await?;
    Ok(after)
}

/// Redeems a coupon for a subscription; the given discounts replace those of before.
async fn set_coupon(tx: &mut Tx, subscription: &Value, coupon_id: &str) -> Reply {
    if is_over(subscription) {
        return Err(ApiError::state(None, "A canceled subscription can only update its metadata."));
    }
    let coupon = get_param(tx, "coupon", coupon_id, "discounts[0][coupon]").await?;
    check_coupon(tx, &coupon, text(subscription, "currency"))?;
    let owner = DiscountOwner {
        customer: subscription["customer"].clone(),
        checkout_session: Value::Null,
        subscription: subscription["id"].clone(),
    };
    discounts::redeem(tx, coupon_id, Value::Null, owner).await
}

/// Sets or takes back an instant to end at.
async fn cancel_at(tx: &mut Tx, subscription: &mut Value, at: Option<i64>) -> Result<(), ApiError> {
    cancel_later(tx, subscription, false);
    let Some(at) = at else { return Ok(()) };
    if at <= tx.now.seconds() {
        return Err(ApiError::invalid(Some("cancel_at"), None, "cancel_at must be in the future."));
    }
    subscription["cancel_at"] = json!(at);
    subscription["canceled_at"] = json!(tx.now.seconds());
    subscription["cancellation_details"]["reason"] = json!("cancellation_requested");
    tx.timer_set(text(subscription, "id"), ENDS_AT, Moment::from_seconds(at)).await?;
    Ok(())
}

/// The instant to end at came, if it still is to end then.
pub async fn ends_at(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    let due = |doc: &Value| !is_over(doc) && doc["cancel_at"].as_i64().is_some_and(|at| at <= now);
    if let Some(doc) = tx.find_kind("subscription", id).await?.filter(due) {
        cancel_now(tx, doc, "cancellation_requested").await?;
    }
    Ok(())
}

/// Sets or takes back the wish to end with the current period.
pub fn cancel_later(tx: &Tx, subscription: &mut Value, cancel: bool) {
    subscription["cancel_at_period_end"] = json!(cancel);
    subscription["cancel_at"] = if cancel { json!(period(subscription).1) } else { Value::Null };
    subscription["canceled_at"] = if cancel { json!(tx.now.seconds()) } else { Value::Null };
    subscription["cancellation_details"]["reason"] =
        if cancel { json!("cancellation_requested") } else { Value::Null };
}

/// `DELETE /v1/subscriptions/{id}`: at once; open invoices stay open.
pub async fn cancel(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["invoice_now", "prorate", "cancellation_details"])?;
    let mut doc = get(tx, "subscription", id).await?;
    if is_over(&doc) {
        return Err(ApiError::not_found("subscription", id, "id"));
    }
    for field in ["comment", "feedback"] {
        if let Some(text) = params.text(&format!("cancellation_details.{field}")) {
            doc["cancellation_details"][field] = json!(text);
        }
    }
    cancel_now(tx, doc, "cancellation_requested").await
}

/// Ends a subscription now, for a reason of the provider's list.
pub async fn cancel_now(tx: &mut Tx, mut doc: Value, reason: &str) -> Reply {
    let now = tx.now.seconds();
    doc["status"] = json!("canceled");
    if doc["canceled_at"].is_null() {
        doc["canceled_at"] = json!(now);
    }
    doc["ended_at"] = json!(now);
    doc["cancellation_details"]["reason"] = json!(reason);
    tx.update(&doc).await?;
    tx.timers_clear(text(&doc, "id")).await?;
    events::emit(tx, "customer.subscription.deleted", &doc, None).await?;
    collection::stop_after_cancellation(tx, &doc).await?;
    Ok(doc)
}

/// `GET /v1/subscriptions`: without a status, those that did not end.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    call.params.only(&[
        "limit",
        "starting_after",
        "ending_before",
        "created",
        "customer",
        "status",
        "price",
        "collection_method",
        "test_clock",
    ])?;
    let of = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
    let more = match call.params.text("status") {
        Some("all") => vec![],
        Some("ended") => vec![("status", of(&["canceled", "incomplete_expired"]))],
        Some(status) => vec![("status", of(&[status]))],
        None => vec![("status", of(&["active", "trialing", "past_due", "incomplete", "unpaid", "paused"]))],
    };
    let clocks = listing::without_test_clocks(call, &["test_clock", "customer"]);
    listing::list_where(tx, call, "subscription", &["customer", "test_clock"], &more, &clocks).await
}
