//! Discounts: a coupon that is redeemed for a customer.

use serde_json::{Value, json};

use crate::objects::{Discount, PrivateDiscount, template};
use crate::provider::{ApiError, Params, get_param};
use crate::state::{Tx, ids, number};

/// The parameter that names a coupon.
const COUPON: &str = "discounts[0][coupon]";

/// A discount of an invoice, with what it takes off in centavos.
pub type AppliedDiscount = (Discount, i64);

/// The coupon that a call names, which must be one for that currency.
pub async fn coupon(tx: &mut Tx, params: &Params, currency: &str) -> Result<Option<Value>, ApiError> {
    let Some(id) = params.text("discounts.0.coupon") else { return Ok(None) };
    let coupon = get_param(tx, "coupon", id, COUPON).await?;
    let message = format!("Coupon {id} is in another currency.");
    let is_usable = coupon["currency"].as_str().is_none_or(|own| own == currency);
    ensure!(is_usable, ApiError::invalid(COUPON, "parameter_invalid", message));
    Ok(Some(coupon))
}

/// Redeems a coupon and stores its discount. `owner` has the ids of the objects that it belongs to.
pub async fn redeem(tx: &mut Tx, coupon_id: &str, mut owner: Value) -> Result<Discount, ApiError> {
    let coupon = tx.find_kind("coupon", coupon_id).await?;
    if let Some(mut coupon) = coupon.clone() {
        coupon["times_redeemed"] = (number(&coupon, "times_redeemed") + 1).into();
        tx.update(&coupon).await?;
    }
    owner["id"] = ids::new("di").into();
    owner["source"] = json!({"coupon": coupon_id});
    owner["start"] = tx.now.seconds().into();
    let discount = Discount { private: PrivateDiscount { coupon }, ..template("discount", owner) };
    tx.insert(&discount).await?;
    Ok(discount)
}
