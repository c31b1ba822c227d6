//! Subscriptions without a checkout: created by a call on a saved payment method.

use serde_json::{Value, json};

use crate::objects::{
    BillingReason, Invoice, Metadata, MethodKind, PaymentIntent, PaymentMethod, Subscription,
    SubscriptionStatus,
};
use crate::provider::amounts::discount;
use crate::provider::billing::collection::Attempt;
use crate::provider::billing::subscriptions::Order;
use crate::provider::billing::{collection, drafts, invoices, subscriptions};
use crate::provider::discounts::AppliedDiscount;
use crate::provider::money::cards::{self, Verdict};
use crate::provider::money::vouchers;
use crate::provider::{ApiError, Params, Reply, customers, discounts, events, get_param};
use crate::state::{Document, Tx, number, text};

/// Days until the due date of a boleto.
const BOLETO_DAYS: i64 = 3;

/// `POST /v1/subscriptions`: one item, charged at once by card, by a boleto that waits, or after a
/// trial.
///
/// # Errors
/// 402 when the card is declined: then nothing was created.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let customer = customers::live(tx, params.required("customer")?, "customer").await?;
    let price = get_param(tx, "price", params.required("items.0.price")?, "items[0][price]").await?;
    let customer = text(&customer, "id").to_owned();
    let name = "default_payment_method";
    let method = customers::own_method(tx, &customer, params.required(name)?, name).await?;
    let is_boleto = method.kind == MethodKind::Boleto;
    check_behavior(params, is_boleto)?;
    let collection = params.text("collection_method").unwrap_or("charge_automatically");
    let message = "The sandbox plays collection_method=charge_automatically alone.";
    let is_played = collection == "charge_automatically";
    ensure!(is_played, ApiError::value_not_played("collection_method", message));
    let trial_end =
        if params.text("trial_end") == Some("now") { None } else { params.integer("trial_end")? };
    let message = "Invalid timestamp: trial_end must be in the future.";
    let is_future = trial_end.is_none_or(|at| at > tx.now.seconds());
    ensure!(is_future, ApiError::param("trial_end", message));
    let by = Attempt::Manual { method: None, off_session: params.boolean("off_session")?.unwrap_or(false) };
    let currency = text(&price, "currency").to_owned();
    let coupon = discounts::coupon(tx, params, &currency).await?;
    if trial_end.is_none() && !is_boleto {
        match collection::verdict(&method, &by) {
            Verdict::Paid => {}
            Verdict::Declined(why) => return Err(why),
            // Nobody is asked, because the subscription must not stay incomplete.
            Verdict::Challenge => {
                return Err(cards::declined("authentication_required", Some("authentication_required")));
            }
        }
    }
    let discount = match &coupon {
        Some(coupon) => Some(redeem(tx, coupon, &price, &customer).await?),
        None => None,
    };
    let order = Order {
        customer,
        currency,
        items: vec![(price, params.integer("items.0.quantity")?.unwrap_or(1))],
        payment_method: method.id.clone(),
        payment_method_types: method_types(params, if is_boleto { "boleto" } else { "card" })?,
        discount: discount.as_ref().map(|(discount, _)| discount.clone()),
        trial_end,
        metadata: params.metadata(&Metadata::new()),
        boleto_days: BOLETO_DAYS,
        return_url: None,
    };
    let subscription = subscriptions::of_order(tx, order);
    Ok(start(tx, subscription, &method, discount).await?.document())
}

/// Stores the subscription with its first invoice, and collects that.
async fn start(
    tx: &mut Tx,
    mut subscription: Subscription,
    method: &PaymentMethod,
    discount: Option<AppliedDiscount>,
) -> Result<Subscription, ApiError> {
    let is_trial = subscription.trial_end.is_some();
    // The first invoice uses the coupon; whether that of a trial does is a switch.
    if !is_trial || tx.behavior.trial_uses_once_coupon {
        subscription.discounts = Vec::new();
    }
    let first = discount.filter(|_| !is_trial);
    let (mut invoice, intent) = begin(tx, &mut subscription, first, None, None).await?;
    if let Some(intent) = &intent
        && method.kind == MethodKind::Boleto
    {
        vouchers::issue(tx, intent.clone(), method, &subscription, None).await?;
        return Ok(subscription);
    }
    let before = subscription.clone();
    activate(tx, &before, &mut subscription, method, &mut invoice, intent).await?;
    Ok(subscription)
}

/// Stores a new subscription with its first invoice, which is finalized. Returns the invoice, and
/// its PaymentIntent unless nothing is due. `new_method` was attached by this purchase, and
/// `attempted` is the PaymentIntent of attempts that were declined in a checkout session.
pub async fn begin(
    tx: &mut Tx,
    subscription: &mut Subscription,
    discount: Option<AppliedDiscount>,
    new_method: Option<&PaymentMethod>,
    attempted: Option<PaymentIntent>,
) -> Result<(Invoice, Option<PaymentIntent>), ApiError> {
    let reason = BillingReason::SubscriptionCreate;
    let mut invoice = drafts::draft(tx, subscription, reason, discount).await?;
    subscription.latest_invoice = Some(invoice.id.clone());
    if let Some(method) = new_method {
        events::emit(tx, "payment_method.attached", method).await?;
    }
    events::insert(tx, "customer.subscription.created", subscription).await?;
    let intent = invoices::finalize(tx, &mut invoice, attempted).await?;
    subscriptions::watch_period(tx, subscription).await?;
    Ok((invoice, intent))
}

/// Makes a new subscription active or trialing, and its first invoice paid by card.
pub async fn activate(
    tx: &mut Tx,
    before: &Subscription,
    after: &mut Subscription,
    method: &PaymentMethod,
    invoice: &mut Invoice,
    intent: Option<PaymentIntent>,
) -> Result<(), ApiError> {
    let is_trial = after.trial_end.is_some();
    after.status = if is_trial { SubscriptionStatus::Trialing } else { SubscriptionStatus::Active };
    subscriptions::save(tx, before, after).await?;
    match intent {
        Some(mut intent) => collection::pay(tx, &mut intent, invoice, method).await,
        None => invoices::mark_paid(tx, invoice, false).await,
    }
}

fn check_behavior(params: &Params, is_boleto: bool) -> Result<(), ApiError> {
    let played = if is_boleto { "default_incomplete" } else { "error_if_incomplete" };
    if params.text("payment_behavior") == Some(played) {
        return Ok(());
    }
    let message = format!("The sandbox plays payment_behavior={played} alone for this payment method.");
    Err(ApiError::value_not_played("payment_behavior", message))
}

/// The methods that may pay the invoices, with the kind of the first one's method among them.
fn method_types(params: &Params, own: &str) -> Result<Vec<String>, ApiError> {
    let name = "payment_settings.payment_method_types";
    let given = params.texts(name);
    if given.is_empty() {
        return Ok(vec![own.to_owned()]);
    }
    let message = format!("The payment method's type, {own}, must be one of payment_method_types.");
    let has_own = given.iter().any(|kind| kind == own);
    ensure!(has_own, ApiError::param("payment_settings[payment_method_types]", message));
    let message = "The sandbox plays card and boleto alone.";
    let is_played = given.iter().all(|kind| ["card", "boleto"].contains(&kind.as_str()));
    ensure!(is_played, ApiError::value_not_played("payment_settings[payment_method_types]", message));
    Ok(given)
}

/// Redeems a coupon for the first invoice.
async fn redeem(
    tx: &mut Tx,
    coupon: &Value,
    price: &Value,
    customer: &str,
) -> Result<AppliedDiscount, ApiError> {
    let off = discount(coupon, number(price, "unit_amount"), tx.behavior.coupon_rounding);
    let owner = json!({"customer": customer});
    Ok((discounts::redeem(tx, text(coupon, "id"), owner).await?, off))
}
