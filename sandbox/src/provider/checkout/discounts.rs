//! Discounts: a coupon that was redeemed for a customer.

use serde_json::Value;

use crate::objects::discount::{Discount, Source};
use crate::provider::error::ApiError;
use crate::state::ids;
use crate::state::store::{Tx, number};

/// The objects that a discount belongs to; `Null` where it has none of that kind.
pub struct DiscountOwner {
    /// Customer.
    pub customer: Value,
    /// Checkout session.
    pub checkout_session: Value,
    /// Subscription.
    pub subscription: Value,
}

/// Redeems a coupon and stores its discount.
pub async fn redeem(
    tx: &mut Tx,
    coupon_id: &str,
    promotion_code: Value,
    owner: DiscountOwner,
) -> Result<Value, ApiError> {
    let coupon = tx.find_kind("coupon", coupon_id).await?;
    if let Some(mut coupon) = coupon.clone() {
        let redeemed = number(&coupon, "times_redeemed") + 1;
        coupon["times_redeemed"] = redeemed.into();
        if coupon["max_redemptions"].as_i64().is_some_and(|most| redeemed >= most) {
            coupon["valid"] = false.into();
        }
        tx.update(&coupon).await?;
    }
    let discount = Discount {
        id: ids::new("di"),
        object: "discount",
        checkout_session: owner.checkout_session,
        customer: owner.customer,
        end: None,
        invoice: None,
        invoice_item: None,
        promotion_code,
        source: Source { kind: "coupon", coupon: coupon_id.to_owned() },
        start: tx.now.seconds(),
        subscription: owner.subscription,
        subscription_item: None,
        redeemed_coupon: coupon,
    };
    let doc = serde_json::to_value(discount).expect("a discount is JSON");
    tx.insert(&doc).await?;
    Ok(doc)
}
