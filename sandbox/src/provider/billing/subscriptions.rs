//! Subscriptions: created from an order, stored with their events and timers, and canceled.

use serde_json::{Value, json};

use crate::objects::{
    Discount, Invoice, InvoiceStatus, Metadata, PrivateSubscription, Subscription, SubscriptionItem,
    SubscriptionStatus, plan_of, template,
};
use crate::provider::amounts::period_end;
use crate::provider::billing::invoices;
use crate::provider::{ApiError, events};
use crate::state::{DAY, Moment, Timer, Tx, ids};

/// Days before a renewal on which `invoice.upcoming` is sent: an account setting.
const UPCOMING_DAYS: i64 = 3;
/// Days before the end of a trial on which `customer.subscription.trial_will_end` is sent.
const TRIAL_END_DAYS: i64 = 3;

/// What a checkout session or a call asks for.
pub struct Order {
    pub customer: String,
    pub currency: String,
    /// Recurring prices, each with its quantity.
    pub items: Vec<(Value, i64)>,
    pub payment_method: String,
    pub payment_method_types: Vec<String>,
    pub discount: Option<Discount>,
    pub trial_end: Option<i64>,
    pub metadata: Metadata,
    pub boleto_days: i64,
    pub return_url: Option<String>,
}

/// The subscription of an order, `incomplete` and not stored.
pub fn of_order(tx: &Tx, order: Order) -> Subscription {
    let now = tx.now.seconds();
    let id = ids::new("sub");
    let item = |(price, quantity): (Value, i64)| SubscriptionItem {
        id: ids::new("si"),
        current_period_end: order.trial_end.unwrap_or_else(|| period_end(now, &price["recurring"])),
        current_period_start: now,
        plan: plan_of(&price),
        price,
        quantity,
        ..template("subscription_item", json!({"created": now, "subscription": id}))
    };
    let items: Vec<_> = order.items.into_iter().map(item).collect();
    let given = json!({
        "created": now,
        "items": {"data": items, "url": format!("/v1/subscription_items?subscription={id}")},
        "payment_settings": {"payment_method_types": order.payment_method_types},
        "start_date": now,
    });
    Subscription {
        id,
        billing_cycle_anchor: order.trial_end.unwrap_or(now),
        currency: order.currency,
        customer: order.customer,
        default_payment_method: Some(order.payment_method),
        discounts: order.discount.into_iter().map(|discount| discount.id).collect(),
        metadata: order.metadata,
        test_clock: tx.test_clock.clone(),
        trial_end: order.trial_end,
        trial_start: order.trial_end.map(|_| now),
        private: PrivateSubscription {
            boleto_days: order.boleto_days,
            return_url: order.return_url,
            ..PrivateSubscription::default()
        },
        ..template("subscription", given)
    }
}

/// Begins the period that follows the current one.
pub fn next_period(subscription: &mut Subscription) {
    for item in &mut subscription.items.data {
        item.current_period_start = item.current_period_end;
        item.current_period_end = period_end(item.current_period_start, &item.price["recurring"]);
    }
}

/// Sets the timers of the current period.
pub async fn watch_period(tx: &mut Tx, subscription: &Subscription) -> Result<(), ApiError> {
    let end = Moment::from_seconds(subscription.period().1);
    tx.set_timer(&subscription.id, Timer::PeriodEnds, end).await?;
    let (timer, days) = if subscription.trial_end == Some(end.seconds()) {
        (Timer::TrialNearsEnd, TRIAL_END_DAYS)
    } else {
        (Timer::RenewalNears, UPCOMING_DAYS)
    };
    let at = Moment(end.plus(-days * DAY).0.max(tx.now.0));
    Ok(tx.set_timer(&subscription.id, timer, at).await?)
}

/// Stores a changed subscription with its event.
pub async fn save(tx: &mut Tx, before: &Subscription, after: &Subscription) -> Result<(), ApiError> {
    if before != after {
        events::update(tx, "customer.subscription.updated", before, after).await?;
    }
    Ok(())
}

/// Moves a subscription to a state, unless it is over.
pub async fn set_status(tx: &mut Tx, id: &str, status: SubscriptionStatus) -> Result<(), ApiError> {
    let Some(before) = tx.load::<Subscription>(id).await?.filter(|found| !found.is_over()) else {
        return Ok(());
    };
    let mut after = before.clone();
    after.status = status;
    if status == SubscriptionStatus::IncompleteExpired {
        after.ended_at = Some(tx.now.seconds());
        tx.clear_timers(id).await?;
    }
    save(tx, &before, &after).await
}

/// Makes a subscription active whose newest finalized invoice, void ones left out, is paid.
pub async fn follow_latest_invoice(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    use SubscriptionStatus::{Active, Incomplete, PastDue, Unpaid};
    let found = tx.load::<Subscription>(id).await?;
    if !found.is_some_and(|found| matches!(found.status, PastDue | Unpaid | Incomplete)) {
        return Ok(());
    }
    let invoices: Vec<Invoice> = tx.load_by(Invoice::SUBSCRIPTION, id).await?;
    let is_final = |invoice: &&Invoice| !matches!(invoice.status, InvoiceStatus::Draft | InvoiceStatus::Void);
    if invoices.iter().find(is_final).is_some_and(|newest| newest.status == InvoiceStatus::Paid) {
        set_status(tx, id, Active).await?;
    }
    Ok(())
}

/// Cancels a subscription whose `cancel_at` has come and was not changed.
pub async fn ends_at(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    let now = tx.now.seconds();
    let is_due = |found: &Subscription| !found.is_over() && found.cancel_at.is_some_and(|at| at <= now);
    if let Some(subscription) = tx.load(id).await?.filter(is_due) {
        cancel_now(tx, subscription, "cancellation_requested").await?;
    }
    Ok(())
}

/// Ends a subscription now, for a reason of the provider's list.
pub async fn cancel_now(
    tx: &mut Tx,
    mut subscription: Subscription,
    reason: &str,
) -> Result<Subscription, ApiError> {
    let now = tx.now.seconds();
    subscription.status = SubscriptionStatus::Canceled;
    subscription.canceled_at = subscription.canceled_at.or(Some(now));
    subscription.ended_at = Some(now);
    subscription.cancellation_details.reason = Some(reason.to_owned());
    tx.update(&subscription).await?;
    tx.clear_timers(&subscription.id).await?;
    events::emit(tx, "customer.subscription.deleted", &subscription).await?;
    invoices::stop_after_cancellation(tx, &subscription).await?;
    Ok(subscription)
}
