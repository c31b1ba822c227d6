//! Creation of checkout sessions: what is bought, by whom, until when.

use serde_json::{Value, json};

use crate::objects::{CheckoutSession, Metadata, PrivateSession, SessionDiscount, SessionLine, template};
use crate::provider::amounts::{BOLETO_BOUNDS, discount};
use crate::provider::catalog::create_price;
use crate::provider::checkout::sessions::customer_details;
use crate::provider::{ApiError, Params, Reply, customers, discounts, get_param};
use crate::state::{Document, Moment, SECOND, Timer, Tx, ids, number, text};

const LOCALES: [&str; 5] = ["auto", "pt", "pt-BR", "en", "es"];
/// The parameter of the offered methods.
const METHODS: &str = "allowed_payment_method_types";
const DAY: i64 = 86_400;
/// How long a session can be paid, in microseconds.
const LIFE: i64 = DAY * SECOND;

/// `POST /v1/checkout/sessions`.
pub async fn create(tx: &mut Tx, params: &Params) -> Reply {
    let redirect_on_completion = check_mode(params)?;
    let (line_items, currency) = line_items(tx, params).await?;
    let subtotal: i64 = line_items.iter().map(|item| item.amount_subtotal).sum();
    let coupon = discounts::coupon(tx, params, &currency).await?;
    let trial_end = trial_end(tx, params)?;
    let off = coupon.as_ref().map_or(0, |coupon| discount(coupon, subtotal, tx.behavior.coupon_rounding));
    let due_now = if trial_end.is_some() { 0 } else { subtotal - off };
    let methods = payment_methods(params, due_now)?;
    let customer = match params.text("customer") {
        Some(id) => Some(customers::live(tx, id, "customer").await?),
        None => None,
    };
    let of_customer = |name: &str| customer.as_ref().and_then(|doc| doc[name].as_str()).map(str::to_owned);
    let given = |name: &str| params.text(name).map(str::to_owned);
    let email = if customer.is_some() { of_customer("email") } else { given("customer_email") };
    let id = ids::session();
    let secret = format!("{id}_secret_{}", ids::random(40));
    let is_hosted = redirect_on_completion.is_none();
    let rest = json!({
        "allowed_payment_method_types": params.at(METHODS),
        "client_reference_id": params.text("client_reference_id"), "created": tx.now.seconds(),
        "locale": params.text("locale"),
        "payment_method_options": method_options(params, &methods)?,
        "total_details": {"amount_discount": if trial_end.is_some() { 0 } else { off }},
        "ui_mode": if is_hosted { "hosted_page" } else { "embedded_page" }, "url": is_hosted.then(|| format!("{}/v3/embedded/{secret}", tx.url)),
    });
    let session = CheckoutSession {
        id,
        amount_subtotal: subtotal,
        amount_total: due_now,
        client_secret: (!is_hosted).then(|| secret.clone()),
        currency,
        customer: of_customer("id"),
        customer_details: email.map_or(Value::Null, |email| customer_details(Some(&email), None, None)),
        customer_email: given("customer_email"),
        discounts: coupon
            .iter()
            .map(|coupon| SessionDiscount { coupon: text(coupon, "id").to_owned(), promotion_code: None })
            .collect(),
        expires_at: tx.now.plus(LIFE).seconds(),
        metadata: params.metadata(&Metadata::new()),
        payment_method_types: methods,
        redirect_on_completion,
        return_url: given("return_url"),
        success_url: given("success_url"),
        private: PrivateSession {
            secret,
            line_items,
            trial_end,
            discount: off,
            coupon_name: coupon.as_ref().and_then(|coupon| coupon["name"].as_str()).map(str::to_owned),
            subscription_metadata: params.inside("subscription_data").metadata(&Metadata::new()),
            boleto_days: boleto_days(params)?,
            customer_name: of_customer("name"),
            intent: None,
        },
        ..template("checkout.session", rest)
    };
    tx.insert(&session).await?;
    tx.set_timer(&session.id, Timer::SessionExpires, Moment::from_seconds(session.expires_at)).await?;
    Ok(session.document())
}

/// Checks mode, ui_mode, locale and the URLs that belong to them. Returns `redirect_on_completion`
/// of a frame; `None` for a page of its own.
fn check_mode(params: &Params) -> Result<Option<String>, ApiError> {
    let message = "The sandbox plays mode=subscription alone.";
    ensure!(params.required("mode")? == "subscription", ApiError::value_not_played("mode", message));
    let locale = params.text("locale").unwrap_or("auto");
    ensure!(LOCALES.contains(&locale), ApiError::param("locale", format!("Invalid locale: {locale}")));
    match params.text("ui_mode").unwrap_or("hosted_page") {
        "hosted_page" => {
            refuse(params, &["return_url", "redirect_on_completion"], "hosted_page", "success_url")?;
            params.url("success_url")?;
            Ok(None)
        }
        "embedded_page" => {
            refuse(params, &["success_url"], "embedded_page", "return_url")?;
            redirect(params).map(Some)
        }
        other => {
            let message = format!(
                "Invalid ui_mode: {other}. The sandbox plays embedded_page and hosted_page in this version."
            );
            Err(ApiError::param("ui_mode", message))
        }
    }
}

fn refuse(params: &Params, names: &[&str], ui_mode: &str, instead: &str) -> Result<(), ApiError> {
    match names.iter().find(|name| params.text(name).is_some()) {
        Some(name) => {
            let message = format!("{name} is not allowed when ui_mode is {ui_mode}. Use {instead}.");
            Err(ApiError::param(name, message))
        }
        None => Ok(()),
    }
}

/// `redirect_on_completion` of a frame, with the `return_url` that it needs.
fn redirect(params: &Params) -> Result<String, ApiError> {
    let redirect = params.text("redirect_on_completion").unwrap_or("always");
    let message = "redirect_on_completion must be one of always, if_required, or never";
    let is_known = ["always", "if_required", "never"].contains(&redirect);
    ensure!(is_known, ApiError::param("redirect_on_completion", message));
    if redirect != "never" || params.text("return_url").is_some() {
        params.url("return_url")?;
    }
    Ok(redirect.to_owned())
}

async fn line_items(tx: &mut Tx, params: &Params) -> Result<(Vec<SessionLine>, String), ApiError> {
    let wanted = params.list("line_items");
    ensure!(!wanted.is_empty() && wanted.len() <= 20, ApiError::missing("line_items"));
    let mut items = Vec::new();
    for item in &wanted {
        let price = match item.text("price") {
            Some(id) => get_param(tx, "price", id, "line_items[0][price]").await?,
            None => create_price(tx, &item.inside("price_data")).await?,
        };
        let message = "The price specified is inactive. This field only accepts active prices.";
        ensure!(price["active"] != false, ApiError::param("line_items[0][price]", message));
        let quantity = item.integer("quantity")?.unwrap_or(1).max(1);
        let amount = number(&price, "unit_amount") * quantity;
        let product = tx.find(text(&price, "product")).await?.unwrap_or_default();
        items.push(SessionLine {
            amount_subtotal: amount,
            currency: text(&price, "currency").to_owned(),
            description: product["name"].as_str().map(str::to_owned),
            price,
            quantity,
            ..template("item", json!({"id": ids::new("li"), "amount_total": amount}))
        });
    }
    let recurs = items.iter().any(|item| item.price["type"] == "recurring");
    let message = "You must provide at least one recurring price in `subscription` mode.";
    ensure!(recurs, ApiError::param("line_items", message));
    let currency = items[0].currency.clone();
    let is_one = items.iter().all(|item| item.currency == currency);
    ensure!(is_one, ApiError::param("line_items", "All items must share one currency."));
    Ok((items, currency))
}

fn trial_end(tx: &Tx, params: &Params) -> Result<Option<i64>, ApiError> {
    let now = tx.now.seconds();
    let days = params.integer("subscription_data.trial_period_days")?;
    let end = params.integer("subscription_data.trial_end")?;
    match (days, end) {
        (None, None) => Ok(None),
        (Some(days), None) if days >= 1 => Ok(Some(now + days * DAY)),
        (None, Some(end)) if end >= now + 2 * DAY => Ok(Some(end)),
        (None, Some(_)) => Err(ApiError::param(
            "subscription_data[trial_end]",
            "The `trial_end` date has to be at least 2 days in the future.",
        )),
        _ => Err(ApiError::param("subscription_data[trial_period_days]", "Invalid trial.")),
    }
}

fn payment_methods(params: &Params, due_now: i64) -> Result<Vec<String>, ApiError> {
    let mut methods = params.texts(METHODS);
    if methods.is_empty() {
        methods.push("card".into());
    }
    if let Some(other) = methods.iter().find(|method| !["card", "boleto"].contains(&method.as_str())) {
        let message = format!("The payment method type provided: {other} is invalid.");
        return Err(ApiError::param(METHODS, message));
    }
    // In a trial nothing is due, so there is nothing to pay by boleto.
    if due_now == 0 {
        methods.retain(|method| method != "boleto");
        let message = "boleto cannot be used when nothing is due today.";
        ensure!(!methods.is_empty(), ApiError::param(METHODS, message));
    }
    if methods.iter().any(|method| method == "boleto") && !BOLETO_BOUNDS.contains(&due_now) {
        let (code, side) = if due_now < 500 {
            ("amount_too_small", "at least R$5.00")
        } else {
            ("amount_too_large", "no more than R$49,999.99")
        };
        let message = format!("The Checkout Session's total amount must be {side} for boleto.");
        return Err(ApiError::invalid(METHODS, code, message));
    }
    Ok(methods)
}

/// Options of each offered method.
fn method_options(params: &Params, methods: &[String]) -> Reply {
    let mut options = json!({});
    for method in methods {
        options[method] = if method == "boleto" {
            json!({"expires_after_days": boleto_days(params)?})
        } else {
            json!({"request_three_d_secure": "automatic"})
        };
    }
    Ok(options)
}

fn boleto_days(params: &Params) -> Result<i64, ApiError> {
    let name = "payment_method_options.boleto.expires_after_days";
    let days = params.integer(name)?.unwrap_or(3);
    if (0..=60).contains(&days) {
        return Ok(days);
    }
    let message = "expires_after_days must be between 0 and 60.";
    Err(ApiError::param("payment_method_options[boleto][expires_after_days]", message))
}
