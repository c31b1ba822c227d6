//! Products, prices, coupons and promotion codes.

use serde_json::{Value, json};

use crate::objects::template;
use crate::provider::{ApiError, Call, Listing, Params, Reply, events, get, get_param, set_fields};
use crate::state::{Tx, ids, text};

/// `POST /v1/products`.
pub async fn create_product(tx: &mut Tx, params: &Params) -> Reply {
    let id = params.text("id").map_or_else(|| ids::new("prod"), str::to_owned);
    refuse_existing(tx, &id, "Product").await?;
    let given = json!({
        "id": id, "active": params.boolean("active")?.unwrap_or(true), "created": tx.now.seconds(),
        "metadata": params.metadata_of(&Value::Null), "name": params.required("name")?,
        "updated": tx.now.seconds(),
    });
    let doc = template("product", given);
    events::insert(tx, "product.created", &doc).await?;
    Ok(doc)
}

/// `POST /v1/products/{id}`.
pub async fn update_product(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut doc = get(tx, "product", id).await?;
    set_fields(&mut doc, params, &["name"]);
    if let Some(active) = params.boolean("active")? {
        doc["active"] = json!(active);
    }
    doc["updated"] = json!(tx.now.seconds());
    events::replace(tx, "product.updated", &doc).await?;
    Ok(doc)
}

/// `POST /v1/prices`.
pub async fn create_price(tx: &mut Tx, params: &Params) -> Reply {
    let amount = params.integer("unit_amount")?.ok_or_else(|| ApiError::missing("unit_amount"))?;
    ensure!(amount >= 0, ApiError::param("unit_amount", "unit_amount must not be negative."));
    let product = if let Some(id) = params.text("product") {
        get_param(tx, "product", id, "product").await?
    } else {
        params.required("product_data.name")?;
        create_product(tx, &params.inside("product_data")).await?
    };
    let lookup_key = params.text("lookup_key");
    if let Some(key) = lookup_key {
        take_lookup_key(tx, key, params.boolean("transfer_lookup_key")?.unwrap_or(false)).await?;
    }
    let recurring = recurring(params)?;
    let given = json!({
        "id": ids::new("price"), "created": tx.now.seconds(),
        "currency": params.required("currency")?.to_lowercase(), "lookup_key": lookup_key,
        "metadata": params.metadata_of(&Value::Null), "product": product["id"], "recurring": recurring,
        "type": if recurring.is_null() { "one_time" } else { "recurring" }, "unit_amount": amount,
        "unit_amount_decimal": amount.to_string(),
    });
    let doc = template("price", given);
    events::insert(tx, "price.created", &doc).await?;
    Ok(doc)
}

/// How often a price is charged; null for once.
fn recurring(params: &Params) -> Reply {
    if !params.has("recurring") {
        return Ok(Value::Null);
    }
    let interval = params.required("recurring.interval")?;
    let most = match interval {
        "day" => 1095,
        "week" => 156,
        "month" => 36,
        "year" => 3,
        _ => {
            let message = "Invalid recurring[interval]: must be one of day, week, month, or year";
            return Err(ApiError::param("recurring[interval]", message));
        }
    };
    let count = params.integer("recurring.interval_count")?.unwrap_or(1);
    let message = "interval_count must be positive and the interval at most three years.";
    ensure!((1..=most).contains(&count), ApiError::param("recurring[interval_count]", message));
    Ok(json!({"interval": interval, "interval_count": count, "meter": null, "trial_period_days": null,
        "usage_type": "licensed"}))
}

/// Takes a lookup key from another price, which the caller must allow.
async fn take_lookup_key(tx: &mut Tx, key: &str, transfer: bool) -> Result<(), ApiError> {
    for mut other in tx.find_by("price", "lookup_key", key).await? {
        let message = format!("A price (`{}`) already uses that lookup key.", text(&other, "id"));
        ensure!(transfer, ApiError::invalid("lookup_key", "resource_already_exists", message));
        let before = other.clone();
        other["lookup_key"] = Value::Null;
        events::update(tx, "price.updated", &before, &other).await?;
    }
    Ok(())
}

/// `POST /v1/prices/{id}`: amounts never change.
pub async fn update_price(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut doc = get(tx, "price", id).await?;
    set_fields(&mut doc, params, &["lookup_key"]);
    if let Some(active) = params.boolean("active")? {
        doc["active"] = json!(active);
    }
    events::replace(tx, "price.updated", &doc).await?;
    Ok(doc)
}

/// `GET /v1/prices`.
pub async fn list_prices(tx: &mut Tx, call: &Call<'_>) -> Reply {
    let prices = Listing::of("price").by(&["active", "product"]);
    prices.one_of("lookup_key", call.params.texts("lookup_keys")).run(tx, call).await
}

/// `POST /v1/coupons`.
pub async fn create_coupon(tx: &mut Tx, params: &Params) -> Reply {
    let percent: Option<f64> = params.text("percent_off").and_then(|text| text.parse().ok());
    let amount = params.integer("amount_off")?;
    match (percent, amount) {
        (Some(percent), None) if percent > 0.0 && percent <= 100.0 && has_two_decimals(percent) => {}
        (None, Some(amount)) if amount > 0 => {
            params.required("currency")?;
        }
        _ => {
            let message =
                "You must pass either percent_off (up to 100, two decimals) or amount_off, and not both.";
            return Err(ApiError::param("percent_off", message));
        }
    }
    let is_short = params.text("name").is_none_or(|name| name.chars().count() <= 40);
    ensure!(is_short, ApiError::param("name", "name must be at most 40 characters"));
    let duration = params.text("duration").unwrap_or("once");
    let message = "The sandbox plays the durations once and forever alone.";
    ensure!(["once", "forever"].contains(&duration), ApiError::value_not_played("duration", message));
    let id = params.text("id").map_or_else(|| ids::random(8), str::to_owned);
    refuse_existing(tx, &id, "Coupon").await?;
    let applies_to = params.texts("applies_to.products");
    let given = json!({
        "id": id, "amount_off": amount, "created": tx.now.seconds(),
        "currency": amount.and_then(|_| params.text("currency")), "duration": duration,
        "metadata": params.metadata_of(&Value::Null), "name": params.text("name"), "percent_off": percent,
    });
    let doc = template("coupon", given);
    let applies_to = if applies_to.is_empty() { Value::Null } else { json!({"products": applies_to}) };
    tx.insert_with(&doc, Some(json!({"applies_to": applies_to}))).await?;
    events::emit(tx, "coupon.created", &doc).await?;
    Ok(doc)
}

fn has_two_decimals(percent: f64) -> bool {
    let hundredths = percent * 100.0;
    (hundredths - hundredths.round()).abs() < 1e-6
}

/// `POST /v1/coupons/{id}`: name and metadata alone may change.
pub async fn update_coupon(tx: &mut Tx, id: &str, params: &Params) -> Reply {
    let mut doc = get(tx, "coupon", id).await?;
    set_fields(&mut doc, params, &["name"]);
    events::replace(tx, "coupon.updated", &doc).await?;
    Ok(doc)
}

/// `DELETE /v1/{products|coupons}/{id}`.
pub async fn delete(tx: &mut Tx, kind: &str, id: &str) -> Reply {
    let doc = get(tx, kind, id).await?;
    tx.delete(id).await?;
    events::emit(tx, &format!("{kind}.deleted"), &doc).await?;
    Ok(json!({"id": id, "object": kind, "deleted": true}))
}

/// `POST /v1/promotion_codes`.
pub async fn create_promotion_code(tx: &mut Tx, params: &Params) -> Reply {
    let message = "The sandbox plays promotion codes for coupons alone.";
    let is_coupon = params.required("promotion.type")? == "coupon";
    ensure!(is_coupon, ApiError::value_not_played("promotion[type]", message));
    let coupon = params.required("promotion.coupon")?.to_owned();
    get_param(tx, "coupon", &coupon, "promotion[coupon]").await?;
    let code = params.text("code").map_or_else(|| ids::random(8).to_uppercase(), str::to_owned);
    let given = json!({
        "id": ids::new("promo"), "code": code, "created": tx.now.seconds(), "promotion": {"coupon": coupon},
    });
    let doc = template("promotion_code", given);
    events::insert(tx, "promotion_code.created", &doc).await?;
    Ok(doc)
}

async fn refuse_existing(tx: &mut Tx, id: &str, kind: &str) -> Result<(), ApiError> {
    let message = format!("{kind} already exists.");
    ensure!(tx.find(id).await?.is_none(), ApiError::invalid("id", "resource_already_exists", message));
    Ok(())
}
