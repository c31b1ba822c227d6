//! Checkout sessions: what is bought, by whom, until when.

use serde_json::{Value, json};

use crate::provider::catalog::{get, get_param, price_inline};
use crate::provider::checkout::amounts::{BOLETO_BOUNDS, check_coupon, discount};
use crate::provider::error::ApiError;
use crate::provider::listing::list_loosely;
use crate::provider::params::Params;
use crate::provider::{Call, DAHLIA, ENDIVE, Reply, customers, events};
use crate::state::ids;
use crate::state::moment::Moment;
use crate::state::store::{Tx, number, text};
use crate::state::timers::SESSION_EXPIRES;

const KNOWN: [&str; 48] = [
    "mode",
    "ui_mode",
    "return_url",
    "success_url",
    "cancel_url",
    "line_items.price",
    "line_items.price_data.currency",
    "line_items.price_data.unit_amount",
    "line_items.price_data.product",
    "line_items.price_data.product_data.name",
    "line_items.price_data.product_data.metadata",
    "line_items.price_data.recurring.interval",
    "line_items.price_data.recurring.interval_count",
    "line_items.quantity",
    "discounts.coupon",
    "discounts.promotion_code",
    "customer",
    "customer_email",
    "client_reference_id",
    "metadata",
    "locale",
    "payment_method_types",
    "allowed_payment_method_types",
    "payment_method_options.boleto.expires_after_days",
    "payment_method_options.boleto.setup_future_usage",
    "payment_method_options.card.request_three_d_secure",
    "payment_method_options.card.installments",
    "subscription_data.metadata",
    "subscription_data.trial_end",
    "subscription_data.trial_period_days",
    "subscription_data.trial_settings.end_behavior.missing_payment_method",
    "subscription_data.description",
    "subscription_data.billing_mode.type",
    "expires_at",
    "redirect_on_completion",
    "allow_promotion_codes",
    "billing_address_collection",
    "payment_method_collection",
    "phone_number_collection",
    "tax_id_collection",
    "custom_text",
    "custom_fields",
    "consent_collection",
    "customer_update",
    "currency",
    "automatic_tax",
    "saved_payment_method_options",
    "submit_type",
];
const LOCALES: [&str; 5] = ["auto", "pt", "pt-BR", "en", "es"];
const HALF_HOUR: i64 = 1_800;
const DAY: i64 = 86_400;

/// `POST /v1/checkout/sessions`.
pub async fn create(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let params = &call.params;
    params.only(&KNOWN)?;
    let methods_name = methods_name(call)?;
    let page = check_mode(call)?;
    let (line_items, currency) = line_items(tx, params).await?;
    let subtotal: i64 = line_items.iter().map(|item| number(item, "amount_subtotal")).sum();
    let coupon = coupon(tx, params, &currency).await?;
    let trial_end = trial_end(tx, params)?;
    let off = coupon.as_ref().map_or(0, |coupon| discount(coupon, subtotal, tx.behavior.coupon_rounding));
    let due_now = if trial_end.is_some() { 0 } else { subtotal - off };
    let methods = payment_methods(params, methods_name, due_now)?;
    let customer = match params.text("customer") {
        Some(id) => Some(customers::live(tx, id, "customer").await?),
        None => None,
    };
    let expires_at = expires_at(tx, params)?;
    let id = ids::session();
    let secret = format!("{id}_secret_{}", ids::random(40));
    let is_hosted = page.ui_mode == "hosted_page";
    let url = is_hosted.then(|| format!("{}/v3/embedded/{secret}", tx.url));
    let mut doc = json!({
        "id": id, "object": "checkout.session", "adaptive_pricing": {"enabled": false}, "after_expiration": null,
        "allow_promotion_codes": params.boolean("allow_promotion_codes")?,
        "amount_subtotal": subtotal, "amount_total": due_now, "automatic_tax": {"enabled": false, "status": null},
        "billing_address_collection": params.text("billing_address_collection"), "cancel_url": null,
        "client_reference_id": params.text("client_reference_id"),
        "client_secret": (!is_hosted).then_some(&secret), "collected_information": null,
        "consent": null, "created": tx.now.seconds(), "currency": currency,
        "customer": customer.as_ref().map(|doc| text(doc, "id")), "customer_creation": null,
        "customer_details": customer_details(params, customer.as_ref()),
        "customer_email": params.text("customer_email"),
        "discounts": coupon.as_ref().map_or_else(Vec::new, |coupon| {
            vec![json!({"coupon": coupon["id"], "promotion_code": params.text("discounts.0.promotion_code")})]
        }),
        "expires_at": expires_at, "invoice": null, "livemode": false, "locale": params.text("locale"),
        "metadata": params.metadata("metadata", None), "mode": "subscription", "payment_intent": null,
        "payment_link": null, "payment_method_collection":
            params.text("payment_method_collection").unwrap_or("always"),
        "allowed_payment_method_types": (call.version >= ENDIVE).then_some(params.at(methods_name)),
        "payment_method_options": method_options(params, &methods)?,
        "payment_method_types": methods, "payment_status": "unpaid",
        "recovered_from": null, "redirect_on_completion": page.redirect, "return_url": params.text("return_url"),
        "setup_intent": null, "shipping_cost": null, "status": "open", "submit_type": null, "subscription": null,
        "success_url": params.text("success_url"),
        "total_details": {"amount_discount": if trial_end.is_some() { 0 } else { off }, "amount_shipping": 0,
            "amount_tax": 0},
        "ui_mode": page.ui_mode, "url": url, "_secret": secret,
        "_line_items": line_items, "_coupon": coupon.as_ref().map(|doc| text(doc, "id")),
        "_trial_end": trial_end, "_discount": off,
        "_subscription_metadata": params.metadata("subscription_data.metadata", None),
        "_boleto_days": boleto_days(params)?, "_customer_name": customer.as_ref().map(|doc| &doc["name"]),
    });
    if let Some(fields) = doc.as_object_mut() {
        // A page that has none of them leaves them out.
        let is_left_out = |name: &str| matches!(name, "return_url" | "redirect_on_completion");
        fields.retain(|name, value| !(value.is_null() && is_left_out(name)));
    }
    tx.insert(&doc).await?;
    tx.timer_set(&id, SESSION_EXPIRES, Moment::from_seconds(expires_at)).await?;
    Ok(doc)
}

/// Where a session is shown, and how it ends.
struct Shown {
    ui_mode: &'static str,
    redirect: Option<String>,
}

/// Checks mode, ui_mode, locale and the addresses that go with them.
fn check_mode(call: &Call<'_>) -> Result<Shown, ApiError> {
    let params = &call.params;
    if params.required("mode")? != "subscription" {
        return Err(ApiError::invalid(Some("mode"), None, "The sandbox plays mode=subscription alone."));
    }
    if let Some(locale) = params.text("locale")
        && !LOCALES.contains(&locale)
    {
        return Err(ApiError::invalid(Some("locale"), None, format!("Invalid locale: {locale}")));
    }
    let (embedded, hosted) =
        if call.version < DAHLIA { ("embedded", "hosted") } else { ("embedded_page", "hosted_page") };
    let given = params.text("ui_mode").unwrap_or(hosted);
    if given == hosted {
        check_hosted(params, hosted)?;
        return Ok(Shown { ui_mode: hosted, redirect: None });
    }
    if given != embedded {
        let message =
            format!("Invalid ui_mode: {given}. The sandbox plays {embedded} and {hosted} in this version.");
        return Err(ApiError::invalid(Some("ui_mode"), None, message));
    }
    Ok(Shown { ui_mode: embedded, redirect: Some(check_embedded(params, embedded)?) })
}

/// The provider's own page: it needs an address to go on to.
fn check_hosted(params: &Params, ui_mode: &str) -> Result<(), ApiError> {
    for refused in ["return_url", "redirect_on_completion"] {
        if params.text(refused).is_some() {
            let message = format!("{refused} is not allowed when ui_mode is {ui_mode}. Use success_url.");
            return Err(ApiError::invalid(Some(refused), None, message));
        }
    }
    params.required("success_url").and_then(|url| check_url("success_url", url))
}

/// A frame in the seller's page; returns redirect_on_completion.
fn check_embedded(params: &Params, ui_mode: &str) -> Result<String, ApiError> {
    for refused in ["success_url", "cancel_url"] {
        if params.text(refused).is_some() {
            let message = format!("{refused} is not allowed when ui_mode is {ui_mode}. Use return_url.");
            return Err(ApiError::invalid(Some(refused), None, message));
        }
    }
    let redirect = params.text("redirect_on_completion").unwrap_or("always");
    if !["always", "if_required", "never"].contains(&redirect) {
        let message = "redirect_on_completion must be one of always, if_required, or never";
        return Err(ApiError::invalid(Some("redirect_on_completion"), None, message));
    }
    match params.text("return_url") {
        None if redirect != "never" => return Err(ApiError::missing("return_url")),
        Some(url) => check_url("return_url", url)?,
        None => {}
    }
    Ok(redirect.to_owned())
}

fn check_url(name: &str, url: &str) -> Result<(), ApiError> {
    if url.starts_with("http://") || url.starts_with("https://") {
        return Ok(());
    }
    Err(ApiError::invalid(Some(name), Some("url_invalid"), "Not a valid URL"))
}

async fn line_items(tx: &mut Tx, params: &Params) -> Result<(Vec<Value>, String), ApiError> {
    let wanted = params.list("line_items");
    if wanted.is_empty() || wanted.len() > 20 {
        return Err(ApiError::missing("line_items"));
    }
    let mut items = Vec::new();
    let mut currencies = Vec::new();
    for item in &wanted {
        let price = match item.text("price") {
            Some(id) => get_param(tx, "price", id, "line_items[0][price]").await?,
            None => price_inline(tx, item).await?,
        };
        if price["active"] == false {
            let message = "The price specified is inactive. This field only accepts active prices.";
            return Err(ApiError::invalid(Some("line_items[0][price]"), None, message));
        }
        let quantity = item.integer("quantity")?.unwrap_or(1).max(1);
        let amount = number(&price, "unit_amount") * quantity;
        let product = tx.find(text(&price, "product")).await?.unwrap_or_default();
        currencies.push(text(&price, "currency").to_owned());
        items.push(json!({
            "id": ids::new("li"), "object": "item", "amount_discount": 0, "amount_subtotal": amount,
            "amount_tax": 0, "amount_total": amount, "currency": price["currency"],
            "description": product["name"], "metadata": {}, "price": price, "quantity": quantity,
        }));
    }
    if !items.iter().any(|item| item["price"]["type"] == "recurring") {
        let message = "You must provide at least one recurring price in `subscription` mode.";
        return Err(ApiError::invalid(Some("line_items"), None, message));
    }
    let currency = currencies[0].clone();
    if currencies.iter().any(|other| *other != currency) {
        return Err(ApiError::invalid(Some("line_items"), None, "All items must share one currency."));
    }
    Ok((items, currency))
}

async fn coupon(tx: &mut Tx, params: &Params, currency: &str) -> Result<Option<Value>, ApiError> {
    if params.list("discounts").len() > 1 {
        return Err(ApiError::invalid(Some("discounts"), None, "Only one discount is allowed."));
    }
    let id = match (params.text("discounts.0.coupon"), params.text("discounts.0.promotion_code")) {
        (Some(coupon), None) => coupon.to_owned(),
        (None, Some(code)) => {
            let code = get_param(tx, "promotion_code", code, "discounts[0][promotion_code]").await?;
            text(&code["promotion"], "coupon").to_owned()
        }
        (None, None) => return Ok(None),
        _ => return Err(ApiError::invalid(Some("discounts"), None, "Pass either coupon or promotion_code.")),
    };
    if params.text("allow_promotion_codes").is_some() {
        let message = "You may only specify one of these parameters: allow_promotion_codes, discounts.";
        return Err(ApiError::invalid(Some("discounts"), None, message));
    }
    let coupon = get_param(tx, "coupon", &id, "discounts[0][coupon]").await?;
    check_coupon(tx, &coupon, currency)?;
    Ok(Some(coupon))
}

fn trial_end(tx: &Tx, params: &Params) -> Result<Option<i64>, ApiError> {
    let now = tx.now.seconds();
    let days = params.integer("subscription_data.trial_period_days")?;
    let end = params.integer("subscription_data.trial_end")?;
    match (days, end) {
        (None, None) => Ok(None),
        (Some(days), None) if days >= 1 => Ok(Some(now + days * DAY)),
        (None, Some(end)) if end >= now + 2 * DAY => Ok(Some(end)),
        (None, Some(_)) => Err(ApiError::invalid(
            Some("subscription_data[trial_end]"),
            None,
            "The `trial_end` date has to be at least 2 days in the future.",
        )),
        _ => Err(ApiError::invalid(Some("subscription_data[trial_period_days]"), None, "Invalid trial.")),
    }
}

/// The parameter of the methods: until endive it was another one, which is refused since.
fn methods_name(call: &Call<'_>) -> Result<&'static str, ApiError> {
    let (known, unknown) = if call.version < ENDIVE {
        ("payment_method_types", "allowed_payment_method_types")
    } else {
        ("allowed_payment_method_types", "payment_method_types")
    };
    if call.params.at(unknown).is_none() {
        return Ok(known);
    }
    let message = format!("Received unknown parameter: {unknown}. Did you mean {known}?");
    Err(ApiError::invalid(Some(unknown), Some("parameter_unknown"), message))
}

fn payment_methods(params: &Params, name: &str, due_now: i64) -> Result<Vec<String>, ApiError> {
    let mut methods = params.texts(name);
    if methods.is_empty() {
        methods.push("card".into());
    }
    if let Some(other) = methods.iter().find(|method| !["card", "boleto"].contains(&method.as_str())) {
        let message = format!("The payment method type provided: {other} is invalid.");
        return Err(ApiError::invalid(Some(name), None, message));
    }
    // Nothing is due in a trial: then a boleto has nothing to carry, and the card alone is asked for.
    if due_now == 0 {
        methods.retain(|method| method != "boleto");
        if methods.is_empty() {
            let message = "boleto cannot be used when nothing is due today.";
            return Err(ApiError::invalid(Some(name), None, message));
        }
    }
    if methods.iter().any(|method| method == "boleto") && !BOLETO_BOUNDS.contains(&due_now) {
        let (code, side) = if due_now < 500 {
            ("amount_too_small", "at least R$5.00")
        } else {
            ("amount_too_large", "no more than R$49,999.99")
        };
        let message = format!("The Checkout Session's total amount must be {side} for boleto.");
        return Err(ApiError::invalid(Some(name), Some(code), message));
    }
    Ok(methods)
}

/// What each offered method is told.
fn method_options(params: &Params, methods: &[String]) -> Reply {
    let mut options = json!({});
    for method in methods {
        options[method] = if method == "boleto" {
            json!({"expires_after_days": boleto_days(params)?})
        } else {
            let wanted = params.text("payment_method_options.card.request_three_d_secure");
            json!({"request_three_d_secure": wanted.unwrap_or("automatic")})
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
    Err(ApiError::invalid(Some("payment_method_options[boleto][expires_after_days]"), None, message))
}

fn expires_at(tx: &Tx, params: &Params) -> Result<i64, ApiError> {
    let now = tx.now.seconds();
    let at = params.integer("expires_at")?.unwrap_or(now + DAY);
    // A little slack: the caller's second may have ended before ours began.
    if (now + HALF_HOUR - 60..=now + DAY + 60).contains(&at) {
        return Ok(at);
    }
    let message =
        "The `expires_at` timestamp must be between 30 minutes and 24 hours from Checkout Session creation.";
    Err(ApiError::invalid(Some("expires_at"), None, message))
}

fn customer_details(params: &Params, customer: Option<&Value>) -> Value {
    let email = customer.map_or_else(|| json!(params.text("customer_email")), |doc| doc["email"].clone());
    if email.is_null() {
        return Value::Null;
    }
    json!({"address": null, "business_name": null, "email": email, "individual_name": null, "name": null,
        "phone": null, "tax_exempt": "none", "tax_ids": []})
}

/// `POST /v1/checkout/sessions/{id}`: metadata alone.
pub async fn update(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    params.only(&["metadata"])?;
    let mut doc = get(tx, "checkout.session", id).await?;
    doc["metadata"] = params.metadata("metadata", Some(&doc["metadata"]));
    tx.update(&doc).await?;
    Ok(doc)
}

/// `POST /v1/checkout/sessions/{id}/expire`.
pub async fn expire(tx: &mut Tx, id: &str) -> Reply {
    let doc = get(tx, "checkout.session", id).await?;
    if doc["status"] != "open" {
        let message = format!(
            "Only Checkout Sessions with a status in [\"open\"] can be expired. This Checkout \
            Session has a status of {}.",
            text(&doc, "status")
        );
        return Err(ApiError::state(None, message));
    }
    close(tx, doc).await
}

/// Its time is over.
pub async fn expire_by_time(tx: &mut Tx, id: &str) -> Result<(), ApiError> {
    if let Some(doc) = tx.find(id).await?.filter(|doc| doc["status"] == "open") {
        close(tx, doc).await?;
    }
    Ok(())
}

async fn close(tx: &mut Tx, mut doc: Value) -> Reply {
    doc["status"] = json!("expired");
    doc["client_secret"] = Value::Null;
    tx.update(&doc).await?;
    tx.timers_clear(text(&doc, "id")).await?;
    events::emit(tx, "checkout.session.expired", &doc, None).await?;
    Ok(doc)
}

/// `GET /v1/checkout/sessions`.
pub async fn all(tx: &mut Tx, call: &Call<'_>) -> Reply {
    call.params.only(&[
        "limit",
        "starting_after",
        "ending_before",
        "created",
        "customer",
        "subscription",
        "status",
        "payment_intent",
        "payment_link",
        "customer_details",
    ])?;
    let more = match call.params.text("customer_details.email") {
        Some(email) => vec![("customer_details.email", vec![email.to_owned()])],
        None => vec![],
    };
    list_loosely(tx, call, "checkout.session", &["customer", "subscription", "status"], &more).await
}

/// `GET /v1/checkout/sessions/{id}/line_items`.
pub async fn line_items_of(tx: &mut Tx, id: &str) -> Reply {
    let doc = get(tx, "checkout.session", id).await?;
    Ok(json!({"object": "list", "url": format!("/v1/checkout/sessions/{id}/line_items"), "has_more": false,
        "data": doc["_line_items"]}))
}
