//! Plan changes: another price for a subscription's item, previewed and applied by one arithmetic.
//!
//! The unused part of the last debit is credited by the second. The new price is charged for the
//! rest of the period, or for a whole period from now if its interval is another one.
//! `always_invoice` bills at once, `create_prorations` with the next invoice. A new period is
//! always billed at once.

use serde_json::Value;

use crate::objects::{
    BillingReason, Discount, Invoice, InvoiceLine, InvoiceStatus, MethodKind, PaymentMethod, Subscription,
    SubscriptionItem, SubscriptionStatus,
};
use crate::provider::amounts::{period_end, settle};
use crate::provider::billing::collection::{Attempt, Collected};
use crate::provider::billing::proration::{Change, Debit, Share, shares};
use crate::provider::billing::{collection, drafts, invoices, pending_updates, subscriptions, upcoming};
use crate::provider::money::cards::{Verdict, declined, later_charge};
use crate::provider::{ApiError, Params, Reply, get, get_param};
use crate::state::{Document, Tx, number, text};

/// Holds a change until its invoice is paid.
pub const PENDING: &str = "pending_if_incomplete";

/// The change that a call asks for.
struct ChangeRequest {
    price: Value,
    at: i64,
    restarts: bool,
    prorates: bool,
    bills_now: bool,
}

/// How a change divides the period in which it is made.
pub struct Prorations {
    /// Whether unused and remaining time are credited and charged.
    pub are_made: bool,
    /// Whether they are billed at once.
    are_billed_now: bool,
    /// From when, in Unix seconds.
    pub at: i64,
}

impl Prorations {
    /// # Errors
    /// 400 naming the parameter.
    pub fn read(
        tx: &Tx,
        subscription: &Subscription,
        params: &Params,
        prefix: &str,
    ) -> Result<Self, ApiError> {
        let named = |name: &str| format!("{prefix}{name}");
        let behavior = params.text(&named("proration_behavior")).unwrap_or("create_prorations");
        one_of("proration_behavior", behavior, &["create_prorations", "always_invoice", "none"])?;
        let (start, end) = subscription.period();
        let at = params.integer(&named("proration_date"))?.unwrap_or_else(|| tx.now.seconds());
        let message =
            format!("Invalid proration_date: must be within the current period ({start} to {end}).");
        ensure!((start..=end).contains(&at), ApiError::param("proration_date", message));
        Ok(Self { are_made: behavior != "none", are_billed_now: behavior == "always_invoice", at })
    }
}

/// A change that is computed and not applied.
pub struct Plan {
    /// The subscription as it would be.
    pub after: Subscription,
    pub lines: Vec<InvoiceLine>,
    pub discount: Option<(Discount, i64)>,
    /// Whether an invoice is made at once.
    pub bills_now: bool,
    /// Whether a new period begins or the current one gets another end.
    pub restarts: bool,
}

/// Computes the change that parameters under a prefix ask for; `None` where they ask for none.
///
/// # Errors
/// 400 naming the parameter.
pub async fn plan(
    tx: &mut Tx,
    before: &Subscription,
    params: &Params,
    prefix: &str,
) -> Result<Option<Plan>, ApiError> {
    let Some(request) = read(tx, before, params, prefix).await? else { return Ok(None) };
    if before.is_over() || before.status == SubscriptionStatus::Incomplete {
        let status = serde_json::to_value(before.status)?;
        let status = status.as_str().unwrap_or_default();
        let message = format!("A subscription that is {status} cannot change its items.");
        return Err(ApiError::state(None, message));
    }
    let mut after = before.clone();
    let is_trial = before.status == SubscriptionStatus::Trialing;
    let now = tx.now.seconds();
    let new_period = (now, period_end(now, &request.price["recurring"]));
    let restarts = request.restarts && !is_trial;
    let item = &mut after.items.data[0];
    item.set_price(&request.price);
    if restarts {
        (item.current_period_start, item.current_period_end) = new_period;
        after.billing_cycle_anchor = now;
    }
    let mut lines = Vec::new();
    let mut discount = None;
    if !is_trial {
        lines = change_lines(tx, before, &after, &request, restarts.then_some(new_period)).await?;
        if restarts {
            discount = upcoming::take_discount(tx, &mut after).await?;
        }
    }
    let bills_now = !lines.is_empty() && (request.bills_now || restarts);
    Ok(Some(Plan { after, lines, discount, bills_now, restarts }))
}

async fn change_lines(
    tx: &mut Tx,
    before: &Subscription,
    after: &Subscription,
    request: &ChangeRequest,
    restart: Option<(i64, i64)>,
) -> Result<Vec<InvoiceLine>, ApiError> {
    let own = before.item();
    let change = Change {
        debited: debited(tx, before, own).await?,
        price: number(&request.price, "unit_amount") * own.quantity.max(1),
        period: before.period(),
        at: request.at,
        restart,
    };
    let line = |share: &Share| {
        let price = if share.is_new { &request.price } else { &own.price };
        if share.is_part {
            drafts::part_line(before, own, price, share)
        } else {
            drafts::period_line(after, after.item(), false)
        }
    };
    // Without prorations only the new period is charged, if one begins.
    let is_billed = |share: &&Share| request.prorates || !share.is_part;
    Ok(shares(&change).iter().filter(is_billed).map(line).collect())
}

/// The last debit for an item's present period. Every change credits it completely and makes a new
/// one.
pub async fn debited(
    tx: &mut Tx,
    subscription: &Subscription,
    item: &SubscriptionItem,
) -> Result<Option<Debit>, ApiError> {
    let is_debit = |line: &&InvoiceLine| {
        line.amount > 0
            && line.period.end == item.current_period_end
            && line.pricing.price_details.price == text(&item.price, "id")
    };
    let debit =
        |line: &InvoiceLine| Debit { amount: line.net(), start: line.period.start, end: line.period.end };
    if let Some(line) = subscription.private.pending.iter().rfind(is_debit) {
        return Ok(Some(debit(line)));
    }
    let invoices: Vec<Invoice> = tx.load_by(Invoice::SUBSCRIPTION, &subscription.id).await?;
    let counts =
        |invoice: &&Invoice| !matches!(invoice.status, InvoiceStatus::Void | InvoiceStatus::Uncollectible);
    let line = invoices.iter().filter(counts).find_map(|invoice| invoice.lines.data.iter().rfind(is_debit));
    Ok(line.map(debit))
}

async fn read(
    tx: &mut Tx,
    subscription: &Subscription,
    params: &Params,
    prefix: &str,
) -> Result<Option<ChangeRequest>, ApiError> {
    let named = |name: &str| format!("{prefix}{name}");
    let entries = params.list(&named("items"));
    let Some(entry) = entries.first() else { return Ok(None) };
    let prorations = Prorations::read(tx, subscription, params, prefix)?;
    ensure!(
        entries.len() == 1,
        ApiError::value_not_played("items", "The sandbox changes one item at a time.")
    );
    let own = subscription.item();
    let price = new_price(tx, own, entry).await?;
    let interval = |price: &Value| {
        let recurring = &price["recurring"];
        (text(recurring, "interval").to_owned(), number(recurring, "interval_count").max(1))
    };
    Ok((price["id"] != own.price["id"]).then(|| ChangeRequest {
        restarts: interval(&price) != interval(&own.price),
        price,
        at: prorations.at,
        prorates: prorations.are_made,
        bills_now: prorations.are_billed_now,
    }))
}

/// The price that an entry of `items` names for the subscription's item.
async fn new_price(tx: &mut Tx, own: &SubscriptionItem, entry: &Params) -> Result<Value, ApiError> {
    let message = "The sandbox changes the price of the subscription's own item: name it by id.";
    ensure!(entry.text("id") == Some(&own.id), ApiError::value_not_played("items[0][id]", message));
    let price = get_param(tx, "price", entry.required("price")?, "items[0][price]").await?;
    let is_recurring = price["active"] != false && price["type"] == "recurring";
    let is_right = is_recurring && price["currency"] == own.price["currency"];
    let message = "The price specified must be active, recurring and in the subscription's currency.";
    ensure!(is_right, ApiError::param("items[0][price]", message));
    Ok(price)
}

fn one_of(name: &str, given: &str, known: &[&str]) -> Result<(), ApiError> {
    let message = || format!("Invalid {name}: must be one of {}", known.join(", "));
    known.contains(&given).then_some(()).ok_or_else(|| ApiError::param(name, message()))
}

/// Applies a change that leads to `after`, whose other fields are set already. Returns the
/// subscription.
///
/// # Errors
/// 402 if `payment_behavior` is `error_if_incomplete` and the payment would fail: then nothing has
/// changed. 400 for behaviors that are not played.
pub async fn apply(
    tx: &mut Tx,
    before: &Subscription,
    mut after: Subscription,
    plan: Plan,
    behavior: &str,
) -> Reply {
    one_of("payment_behavior", behavior, &["allow_incomplete", "error_if_incomplete", PENDING])?;
    let Plan { lines, discount, bills_now, restarts, .. } = plan;
    if bills_now && behavior == "error_if_incomplete" {
        let off = discount.as_ref().map_or(0, |(_, off)| *off);
        let total: i64 = lines.iter().map(InvoiceLine::net).sum::<i64>() - off;
        check_payment(tx, &after, total).await?;
    }
    after.private.pending.extend(lines);
    if !bills_now {
        subscriptions::save(tx, before, &after).await?;
        if restarts {
            subscriptions::watch_period(tx, &after).await?;
        }
        return Ok(after.document());
    }
    let lines = std::mem::take(&mut after.private.pending);
    let reason = BillingReason::SubscriptionUpdate;
    let mut invoice = drafts::store(tx, &after, reason, lines, discount).await?;
    after.latest_invoice = Some(invoice.id.clone());
    if behavior == PENDING {
        pending_updates::hold(tx, before, &after, &invoice, restarts).await?;
    } else {
        subscriptions::save(tx, before, &after).await?;
        if restarts {
            subscriptions::watch_period(tx, &after).await?;
        }
    }
    if invoices::finalize(tx, &mut invoice, None).await?.is_none() {
        invoices::mark_paid(tx, &mut invoice, false).await?;
        pending_updates::apply_paid(tx, &invoice).await?;
    } else {
        let by = Attempt::Manual { method: None, off_session: true };
        if !matches!(collection::attempt(tx, invoice, &by).await?, Collected::Paid) {
            pending_updates::show(tx, &after.id).await?;
        }
    }
    get(tx, "subscription", &after.id).await
}

/// Checks that an invoice of a total would be paid at once by the subscription's method.
async fn check_payment(tx: &mut Tx, subscription: &Subscription, total: i64) -> Result<(), ApiError> {
    let customer = get(tx, "customer", &subscription.customer).await?;
    let pending: i64 = subscription.private.pending.iter().map(InvoiceLine::net).sum();
    if settle(total + pending, number(&customer, "balance")).0 == 0 {
        return Ok(());
    }
    let id = subscription.default_payment_method.as_deref().unwrap_or_default();
    let method: Option<PaymentMethod> = tx.load(id).await?;
    let message = "The payment needs an action of the customer before it can be made.";
    let needs_action = || ApiError::declined("subscription_payment_intent_requires_action", None, message);
    let method = method.filter(|method| method.kind == MethodKind::Card).ok_or_else(needs_action)?;
    match later_charge(&method.private.number) {
        Verdict::Declined(error) => Err(error),
        // The holder is absent and cannot authenticate it.
        Verdict::Challenge => Err(declined("authentication_required", Some("authentication_required"))),
        Verdict::Paid => Ok(()),
    }
}

/// `POST /v1/invoices/create_preview`: the invoice of a change or of the next period, not stored.
pub async fn preview(tx: &mut Tx, params: &Params) -> Reply {
    let before = upcoming::subscription(tx, params).await?;
    let change = plan(tx, &before, params, "subscription_details.").await?;
    let mut lines = before.private.pending.clone();
    let Some(change) = change else {
        return Ok(upcoming::next_invoice(tx, before, lines).await?.document());
    };
    lines.extend(change.lines);
    if !change.bills_now {
        return Ok(upcoming::next_invoice(tx, change.after, lines).await?.document());
    }
    let customer = get(tx, "customer", &before.customer).await?;
    let invoice = drafts::compose(tx.now.seconds(), &change.after, &customer, lines, change.discount);
    Ok(upcoming::preview(invoice).document())
}
