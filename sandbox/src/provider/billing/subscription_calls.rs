//! Calls that change, cancel and list subscriptions.

use serde_json::json;

use crate::objects::Subscription;
use crate::provider::billing::{pauses, plan_changes, subscriptions, trials, voiding};
use crate::provider::{ApiError, Call, Listing, Params, Reply, customers, discounts, get_param, load};
use crate::state::{Document, Moment, Timer, Tx, text};

/// Parameters that a pending update does not support.
const NEVER_PENDING: [&str; 7] = [
    "cancel_at_period_end",
    "cancel_at",
    "cancellation_details",
    "metadata",
    "default_payment_method",
    "discounts",
    "pause_collection",
];

/// `POST /v1/subscriptions/{id}`.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let behavior = params.text("payment_behavior").unwrap_or("allow_incomplete");
    if behavior == plan_changes::PENDING {
        let is_refused = |name: &&str| params.has(name);
        if let Some(name) = NEVER_PENDING.into_iter().find(is_refused) {
            let message = format!("{name} cannot be set with payment_behavior={behavior}.");
            return Err(ApiError::param(name, message));
        }
        let message = "The sandbox does not hold a trial until its invoice is paid.";
        ensure!(!params.has("trial_end"), ApiError::value_not_played("trial_end", message));
    }
    if params.has("items") || params.has("trial_end") {
        voiding::discard_pending_update(tx, id).await?;
    }
    let before: Subscription = load(tx, id).await?;
    if params.has("trial_end") || params.has("pause_collection") {
        refuse_over(&before)?;
    }
    let change = match trials::plan(tx, &before, params).await? {
        Some(trial) => Some(trial),
        None => plan_changes::plan(tx, &before, params, "").await?,
    };
    let message = "The sandbox bills no change at once while collection is paused.";
    let is_paused =
        before.pause_collection.is_some() && change.as_ref().is_some_and(|change| change.bills_now);
    ensure!(!is_paused, ApiError::value_not_played("pause_collection", message));
    let mut after = change.as_ref().map_or_else(|| before.clone(), |change| change.after.clone());
    if let Some(cancel) = params.boolean("cancel_at_period_end")? {
        refuse_over(&before)?;
        after.cancel_later(tx.now.seconds(), cancel);
    } else if after.cancel_at_period_end {
        after.cancel_at = Some(after.period().1);
    }
    let ends_at = params.integer("cancel_at")?;
    if ends_at.is_some() || params.is_cleared("cancel_at") {
        cancel_at(tx, &mut after, ends_at).await?;
    }
    set_details(&mut after, params);
    pauses::change(tx, &mut after, params).await?;
    if let Some(method) = params.text("default_payment_method") {
        get_param(tx, "payment_method", method, "default_payment_method").await?;
        after.default_payment_method = Some(method.to_owned());
    }
    if params.is_cleared("discounts") {
        after.discounts = Vec::new();
    }
    // A coupon replaces the earlier ones.
    if let Some(coupon) = discounts::coupon(tx, params, &before.currency).await? {
        refuse_over(&before)?;
        let owner = json!({"customer": before.customer, "subscription": before.id});
        after.discounts = vec![discounts::redeem(tx, text(&coupon, "id"), owner).await?.id];
    }
    after.metadata = params.metadata(&before.metadata);
    if let Some(change) = change {
        return Box::pin(plan_changes::apply(tx, &before, after, change, behavior)).await;
    }
    subscriptions::save(tx, &before, &after).await?;
    Ok(after.document())
}

fn refuse_over(subscription: &Subscription) -> Result<(), ApiError> {
    let message = "A canceled subscription can only update its metadata.";
    ensure!(!subscription.is_over(), ApiError::state(None, message));
    Ok(())
}

fn set_details(subscription: &mut Subscription, params: &Params) {
    let details = &mut subscription.cancellation_details;
    for (name, field) in [("comment", &mut details.comment), ("feedback", &mut details.feedback)] {
        if let Some(text) = params.text(&format!("cancellation_details.{name}")) {
            *field = Some(text.to_owned());
        }
    }
}

/// Sets or clears the instant of the end.
async fn cancel_at(tx: &mut Tx, subscription: &mut Subscription, at: Option<i64>) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    subscription.cancel_later(now, false);
    let Some(at) = at else { return Ok(()) };
    ensure!(at > now, ApiError::param("cancel_at", "cancel_at must be in the future."));
    subscription.cancel_at = Some(at);
    subscription.canceled_at = Some(now);
    subscription.cancellation_details.reason = Some("cancellation_requested".into());
    Ok(tx.set_timer(&subscription.id, Timer::EndsAt, Moment::from_seconds(at)).await?)
}

/// `DELETE /v1/subscriptions/{id}`: at once. Open invoices stay open.
pub async fn cancel(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    voiding::discard_pending_update(tx, id).await?;
    let mut subscription: Subscription = load(tx, id).await?;
    ensure!(!subscription.is_over(), ApiError::not_found("subscription", id, "id"));
    set_details(&mut subscription, params);
    Ok(subscriptions::cancel_now(tx, subscription, "cancellation_requested").await?.document())
}

/// `GET /v1/subscriptions`: without a status, those that did not end.
pub async fn list(tx: &mut Tx, call: &Call<'_>) -> Reply {
    customers::check_listed(tx, call).await?;
    let statuses: &[&str] = match call.params.text("status") {
        Some("all") => &[],
        Some(status) => &[status],
        None => &["active", "trialing", "past_due", "incomplete", "unpaid"],
    };
    Listing::of("subscription")
        .by(&["customer", "test_clock"])
        .one_of("status", statuses.iter().map(|status| (*status).to_owned()).collect())
        .without_test_clocks(call, &["test_clock", "customer"])
        .run(tx, call)
        .await
}
