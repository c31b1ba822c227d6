//! Subscriptions without a checkout: made by API on a saved payment method.

use serde_json::{Value, json};

use crate::provider::billing::{collection, drafts, invoices, subscriptions};
use crate::provider::catalog::get_param;
use crate::provider::checkout::amounts::{check_coupon, discount};
use crate::provider::error::ApiError;
use crate::provider::money::cards::{Verdict, later_charge};
use crate::provider::money::vouchers;
use crate::provider::params::Params;
use crate::provider::{Reply, customers, events};
use crate::state::ids;
use crate::state::store::{Tx, number, text};

/// Days until a boleto's last day where nothing else is said.
const BOLETO_DAYS: i64 = 3;

/// `POST /v1/subscriptions`: one item, charged at once by card, by a boleto that waits, or after a trial.
///
/// # Errors
/// 402 when the card is declined: then nothing was created.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&[
        "customer",
        "items.price",
        "items.quantity",
        "default_payment_method",
        "collection_method",
        "payment_behavior",
        "off_session",
        "payment_settings.payment_method_types",
        "discounts.coupon",
        "trial_end",
        "metadata",
    ])?;
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let price = get_param(tx, "price", params.required("items.0.price")?, "items[0][price]").await?;
    let method = method(tx, params, &customer).await?;
    check_behavior(params, &method)?;
    let trial_end = params.integer("trial_end")?;
    let coupon = coupon(tx, params, text(&price, "currency")).await?;
    if trial_end.is_none()
        && let Verdict::Declined(why) = verdict(&method)
    {
        return Err(why);
    }
    let order = json!({
        "id": null, "currency": price["currency"], "customer": customer["id"], "return_url": null,
        "payment_method_types": [method["type"]], "_boleto_days": BOLETO_DAYS, "_trial_end": trial_end,
        "_subscription_metadata": params.metadata("metadata", None),
        "_line_items": [{"price": price, "quantity": params.integer("items.0.quantity")?.unwrap_or(1)}],
    });
    let amount = number(&price, "unit_amount");
    let off = coupon.as_ref().map_or(0, |coupon| discount(coupon, amount, tx.behavior.coupon_rounding));
    let taken = match &coupon {
        Some(coupon) => Some(redeem(tx, coupon, &customer).await?),
        None => None,
    };
    let subscription = subscriptions::of_session(tx, &order, &method, taken.as_ref());
    start(tx, subscription, &method, taken.map(|doc| (doc, off))).await
}

/// Stores the subscription with its first invoice, and collects that.
async fn start(
    tx: &mut Tx,
    mut subscription: Value,
    method: &Value,
    discount: Option<(Value, i64)>,
) -> Reply {
    let is_trial = subscription["trial_end"].is_i64();
    // The first invoice uses the coupon; whether that of a trial does is a switch.
    if !is_trial || tx.behavior.trial_uses_once_coupon {
        subscription["discounts"] = json!([]);
    }
    let first = discount.filter(|_| !is_trial);
    let mut invoice = drafts::draft(tx, &subscription, "subscription_create", first).await?;
    subscription["latest_invoice"] = invoice["id"].clone();
    tx.insert(&subscription).await?;
    events::emit(tx, "customer.subscription.created", &subscription, None).await?;
    let intent = invoices::finalize(tx, &mut invoice).await?;
    subscriptions::watch_period(tx, &subscription).await?;
    if let Some(intent) = &intent
        && method["type"] == "boleto"
    {
        vouchers::issue(tx, intent.clone(), method, &subscription, None).await?;
        return Ok(subscription);
    }
    let before = subscription.clone();
    subscription["status"] = json!(if is_trial { "trialing" } else { "active" });
    subscriptions::save(tx, &before, &subscription).await?;
    match intent {
        Some(mut intent) => collection::pay(tx, &mut intent, &mut invoice, method).await?,
        None => invoices::mark_paid(tx, &mut invoice, false).await?,
    }
    Ok(subscription)
}

/// What comes of charging it while nobody is there; a boleto waits.
fn verdict(method: &Value) -> Verdict {
    if method["type"] == "boleto" { Verdict::Paid } else { later_charge(text(method, "_number")) }
}

/// The named payment method, or the customer's default.
async fn method(tx: &mut Tx, params: &Params, customer: &Value) -> Reply {
    let own = customer["invoice_settings"]["default_payment_method"].as_str();
    let Some(id) = params.text("default_payment_method").or(own) else {
        let message = "This customer has no attached payment source or default payment method.";
        return Err(ApiError::state(Some("resource_missing"), message));
    };
    let method = get_param(tx, "payment_method", id, "default_payment_method").await?;
    if method["customer"] != customer["id"] {
        let message = "The customer does not have a payment method with this id.";
        return Err(ApiError::invalid(Some("default_payment_method"), None, message));
    }
    Ok(method)
}

fn check_behavior(params: &Params, method: &Value) -> Result<(), ApiError> {
    let played = if method["type"] == "boleto" { "default_incomplete" } else { "error_if_incomplete" };
    if params.text("payment_behavior") == Some(played) {
        return Ok(());
    }
    let message = format!("The sandbox plays payment_behavior={played} alone for this payment method.");
    Err(ApiError::invalid(Some("payment_behavior"), None, message))
}

async fn coupon(tx: &mut Tx, params: &Params, currency: &str) -> Result<Option<Value>, ApiError> {
    let Some(id) = params.text("discounts.0.coupon") else { return Ok(None) };
    let coupon = get_param(tx, "coupon", id, "discounts[0][coupon]").await?;
    check_coupon(tx, &coupon, currency)?;
    Ok(Some(coupon))
}

/// Counts the redemption and stores the discount.
async fn redeem(tx: &mut Tx, coupon: &Value, customer: &Value) -> Reply {
    let mut counted = coupon.clone();
    counted["times_redeemed"] = json!(number(coupon, "times_redeemed") + 1);
    tx.update(&counted).await?;
    let doc = json!({
        "id": ids::new("di"), "object": "discount", "checkout_session": null, "customer": customer["id"],
        "end": null, "invoice": null, "invoice_item": null, "promotion_code": null,
        "source": {"type": "coupon", "coupon": coupon["id"]}, "start": tx.now.seconds(), "subscription": null,
        "subscription_item": null,
    });
    tx.insert(&doc).await?;
    Ok(doc)
}
