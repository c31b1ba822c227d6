//! Plan changes: another price for a subscription's item, previewed and done by one arithmetic.
//!
//! What was debited and not used is credited by the second; the new price is charged for what is left of the period,
//! or, where its rhythm is another one or the anchor is set to now, for a whole period that begins now. `always_invoice`
//! bills at once, `create_prorations` with the next invoice, `none` not at all; a new period is always billed at once.

use serde_json::{Value, json};

use crate::provider::Reply;
use crate::provider::billing::proration::{Change, Debit, Share, shares};
use crate::provider::billing::{drafts, invoices, renewals, subscriptions};
use crate::provider::catalog::{get, get_param};
use crate::provider::checkout::amounts::{period_end, settle};
use crate::provider::error::ApiError;
use crate::provider::money::cards::{Verdict, declined, later_charge};
use crate::provider::params::Params;
use crate::state::store::{Tx, number, text};

/// What a call asks for.
struct Wish {
    item: Value,
    price: Value,
    at: i64,
    restarts: bool,
    prorates: bool,
    bills_now: bool,
}

/// A change that is worked out and not done.
pub struct Plan {
    /// The subscription as it would be.
    pub after: Value,
    lines: Vec<Value>,
    discount: Option<(Value, i64)>,
    bills_now: bool,
    restarts: bool,
}

/// Works the change out that `params` ask for under a prefix; `None` where they ask for none.
///
/// # Errors
/// 400 naming the parameter.
pub async fn plan(
    tx: &mut Tx,
    before: &Value,
    params: &Params,
    under: &str,
) -> Result<Option<Plan>, ApiError> {
    let Some(wish) = wish(tx, before, params, under).await? else { return Ok(None) };
    if subscriptions::is_over(before) || before["status"] == "incomplete" {
        let message = format!("A subscription that is {} cannot change its items.", text(before, "status"));
        return Err(ApiError::state(None, message));
    }
    let mut after = before.clone();
    let is_trial = before["status"] == "trialing";
    let now = tx.now.seconds();
    let new_period = (now, period_end(now, &wish.price["recurring"]));
    let restarts = wish.restarts && !is_trial;
    let items = after["items"]["data"].as_array_mut().into_iter().flatten();
    for item in items.filter(|item| item["id"] == wish.item["id"]) {
        item["price"] = wish.price.clone();
        if restarts {
            item["current_period_start"] = json!(new_period.0);
            item["current_period_end"] = json!(new_period.1);
        }
    }
    if restarts {
        after["billing_cycle_anchor"] = json!(now);
    }
    let mut lines = Vec::new();
    let mut discount = None;
    if !is_trial && (wish.prorates || restarts) {
        lines = change_lines(tx, before, &after, &wish, restarts.then_some(new_period)).await?;
        if restarts {
            discount = renewals::standing_discount(tx, &mut after).await?;
        }
    }
    let bills_now = !lines.is_empty() && (wish.bills_now || restarts);
    Ok(Some(Plan { after, lines, discount, bills_now, restarts }))
}

async fn change_lines(
    tx: &mut Tx,
    before: &Value,
    after: &Value,
    wish: &Wish,
    restart: Option<(i64, i64)>,
) -> Result<Vec<Value>, ApiError> {
    let quantity = number(&wish.item, "quantity").max(1);
    let change = Change {
        debited: debited(tx, before, &wish.item).await?.filter(|_| wish.prorates),
        price: number(&wish.price, "unit_amount") * quantity,
        period: subscriptions::period(before),
        at: wish.at,
        restart,
    };
    let item = &after["items"]["data"][0];
    let line = |share: &Share| {
        let price = if share.is_new { &wish.price } else { &wish.item["price"] };
        if share.is_part {
            drafts::part_line(before, &wish.item, price, share)
        } else {
            drafts::period_line(after, item, false)
        }
    };
    Ok(shares(&change).iter().map(line).collect())
}

/// What was last debited for an item's present period: every change credits it as a whole and debits anew.
async fn debited(tx: &mut Tx, subscription: &Value, item: &Value) -> Result<Option<Debit>, ApiError> {
    let is_debit = |line: &&Value| {
        number(line, "amount") > 0
            && line["period"]["end"] == item["current_period_end"]
            && line["pricing"]["price_details"]["price"] == item["price"]["id"]
    };
    let debit = |line: &Value| Debit {
        amount: drafts::net(line),
        start: number(&line["period"], "start"),
        end: number(&line["period"], "end"),
    };
    let mut pending = subscription["_pending"].as_array().into_iter().flatten();
    if let Some(line) = pending.rfind(is_debit) {
        return Ok(Some(debit(line)));
    }
    for invoice in tx.find_by("invoice", "_subscription", text(subscription, "id")).await? {
        let stands = !matches!(text(&invoice, "status"), "void" | "uncollectible");
        let lines = invoice["lines"]["data"].as_array().into_iter().flatten();
        if let Some(line) = lines.filter(|_| stands).rfind(is_debit) {
            return Ok(Some(debit(line)));
        }
    }
    Ok(None)
}

async fn wish(
    tx: &mut Tx,
    subscription: &Value,
    params: &Params,
    under: &str,
) -> Result<Option<Wish>, ApiError> {
    let named = |name: &str| format!("{under}{name}");
    let wanted = params.list(&named("items"));
    let anchor = params.text(&named("billing_cycle_anchor")).unwrap_or("unchanged");
    one_of("billing_cycle_anchor", anchor, &["unchanged", "now"])?;
    let behavior = params.text(&named("proration_behavior")).unwrap_or("create_prorations");
    one_of("proration_behavior", behavior, &["create_prorations", "always_invoice", "none"])?;
    if wanted.is_empty() && anchor == "unchanged" {
        return Ok(None);
    }
    if wanted.len() > 1 {
        return Err(ApiError::invalid(Some("items"), None, "The sandbox changes one item at a time."));
    }
    let own = &subscription["items"]["data"][0];
    let price = match wanted.first() {
        Some(item) => new_price(tx, own, item).await?,
        None => own["price"].clone(),
    };
    let (start, end) = subscriptions::period(subscription);
    let at = params.integer(&named("proration_date"))?.unwrap_or_else(|| tx.now.seconds());
    if !(start..=end).contains(&at) {
        let message =
            format!("Invalid proration_date: must be within the current period ({start} to {end}).");
        return Err(ApiError::invalid(Some("proration_date"), None, message));
    }
    let rhythm = |price: &Value| {
        let recurring = &price["recurring"];
        (text(recurring, "interval").to_owned(), number(recurring, "interval_count").max(1))
    };
    let is_same = price["id"] == own["price"]["id"] && anchor == "unchanged";
    Ok((!is_same).then(|| Wish {
        restarts: anchor == "now" || rhythm(&price) != rhythm(&own["price"]),
        item: own.clone(),
        price,
        at,
        prorates: behavior != "none",
        bills_now: behavior == "always_invoice",
    }))
}

/// The price that an entry of `items` names for the subscription's item.
async fn new_price(tx: &mut Tx, own: &Value, entry: &Params) -> Result<Value, ApiError> {
    entry.only(&["id", "price", "quantity"])?;
    if entry.text("id") != own["id"].as_str() {
        let message = "The sandbox changes the price of the subscription's own item: name it by id.";
        return Err(ApiError::invalid(Some("items[0][id]"), None, message));
    }
    let price = get_param(tx, "price", entry.required("price")?, "items[0][price]").await?;
    if price["active"] == false
        || price["type"] != "recurring"
        || price["currency"] != own["price"]["currency"]
    {
        let message = "The price specified must be active, recurring and in the subscription's currency.";
        return Err(ApiError::invalid(Some("items[0][price]"), None, message));
    }
    Ok(price)
}

fn one_of(name: &str, given: &str, known: &[&str]) -> Result<(), ApiError> {
    let message = || format!("Invalid {name}: must be one of {}", known.join(", "));
    known.contains(&given).then_some(()).ok_or_else(|| ApiError::invalid(Some(name), None, message()))
}

/// Does a change that leads to `after`, whose other fields are set already; answers the subscription.
///
/// # Errors
/// 402 where `payment_behavior` is `error_if_incomplete` and the payment would not come through: nothing has changed
/// then. 400 for behaviours that are not played.
pub async fn carry_out(tx: &mut Tx, before: &Value, mut after: Value, plan: Plan, behavior: &str) -> Reply {
    one_of("payment_behavior", behavior, &["allow_incomplete", "error_if_incomplete"])?;
    let Plan { lines, discount, bills_now, restarts, .. } = plan;
    if bills_now && behavior == "error_if_incomplete" {
        let off = discount.as_ref().map_or(0, |(_, off)| *off);
        let total: i64 = lines.iter().map(drafts::net).sum::<i64>() - off;
        would_pay(tx, &after, total).await?;
    }
    if !bills_now {
        let mut pending = after["_pending"].as_array().cloned().unwrap_or_default();
        pending.extend(lines);
        after["_pending"] = json!(pending);
        subscriptions::save(tx, before, &after).await?;
        return Ok(after);
    }
    let mut all = after["_pending"].as_array().cloned().unwrap_or_default();
    all.extend(lines);
    after["_pending"] = json!([]);
    let mut invoice = drafts::store(tx, &after, "subscription_update", all, discount).await?;
    after["latest_invoice"] = invoice["id"].clone();
    subscriptions::save(tx, before, &after).await?;
    if restarts {
        subscriptions::watch_period(tx, &after).await?;
    }
    if invoices::finalize(tx, &mut invoice).await?.is_none() {
        invoices::mark_paid(tx, &mut invoice, false).await?;
    } else {
        renewals::attempt(tx, invoice).await?;
    }
    get(tx, "subscription", text(&after, "id")).await
}

/// Whether an invoice of that total would be paid at once by what the subscription is paid by.
async fn would_pay(tx: &mut Tx, subscription: &Value, total: i64) -> Result<(), ApiError> {
    let customer = get(tx, "customer", text(subscription, "customer")).await?;
    let pending = subscription["_pending"].as_array().into_iter().flatten().map(drafts::net).sum::<i64>();
    if settle(total + pending, number(&customer, "balance")).0 == 0 {
        return Ok(());
    }
    let method = tx.find(text(subscription, "default_payment_method")).await?.unwrap_or_default();
    if method["type"] != "card" {
        let message = "The payment needs an action of the customer before it can be made.";
        return Err(ApiError::declined("subscription_payment_intent_requires_action", None, message));
    }
    match later_charge(text(&method, "_number")) {
        Verdict::Declined(error) => Err(error),
        // Nobody is there to authenticate it, so nothing changes.
        Verdict::Challenge => Err(declined("authentication_required", Some("authentication_required"))),
        Verdict::Paid => Ok(()),
    }
}

/// `POST /v1/invoices/create_preview`: what would be invoiced; nothing is stored.
pub async fn preview(tx: &mut Tx, params: &Params) -> Reply {
    params.only(&["customer", "subscription", "subscription_details", "preview_mode"])?;
    if let Some(details) = params.at("subscription_details") {
        Params(details.clone()).only(&[
            "items",
            "proration_behavior",
            "proration_date",
            "billing_cycle_anchor",
            "cancel_at_period_end",
        ])?;
    }
    one_of("preview_mode", params.text("preview_mode").unwrap_or("next"), &["next"])?;
    let before = get_param(tx, "subscription", params.required("subscription")?, "subscription").await?;
    let customer = get(tx, "customer", text(&before, "customer")).await?;
    let change = plan(tx, &before, params, "subscription_details.").await?;
    let mut lines = before["_pending"].as_array().cloned().unwrap_or_default();
    if let Some(change) = change {
        lines.extend(change.lines);
        if change.bills_now {
            return Ok(upcoming(drafts::written(
                tx.now.seconds(),
                &change.after,
                &customer,
                lines,
                change.discount,
            )));
        }
        return next(tx, change.after, &customer, lines).await;
    }
    next(tx, before, &customer, lines).await
}

/// The invoice of the period that follows, as a preview without a change shows it.
pub async fn upcoming_of(tx: &mut Tx, subscription: Value) -> Reply {
    let customer = get(tx, "customer", text(&subscription, "customer")).await?;
    let lines = subscription["_pending"].as_array().cloned().unwrap_or_default();
    next(tx, subscription, &customer, lines).await
}

/// The invoice of the period that follows.
async fn next(tx: &mut Tx, mut subscription: Value, customer: &Value, mut lines: Vec<Value>) -> Reply {
    subscriptions::next_period(&mut subscription);
    let discount = renewals::standing_discount(tx, &mut subscription).await?;
    let items = subscription["items"]["data"].as_array().into_iter().flatten();
    lines.extend(items.map(|item| drafts::period_line(&subscription, item, false)));
    Ok(upcoming(drafts::written(tx.now.seconds(), &subscription, customer, lines, discount)))
}

fn upcoming(mut invoice: Value) -> Value {
    invoice["id"] = json!(format!("upcoming_{}", text(&invoice, "id")));
    invoice
}
