//! Discounts: a coupon that is redeemed for a customer.

use serde_json::json;

use crate::objects::{Discount, PrivateDiscount, template};
use crate::provider::ApiError;
use crate::state::{Tx, ids, number};

/// The objects that a discount belongs to.
#[derive(Default)]
pub struct DiscountOwner {
    pub customer: Option<String>,
    pub checkout_session: Option<String>,
    pub subscription: Option<String>,
}

/// A discount of an invoice, with what it takes off in centavos.
pub type AppliedDiscount = (Discount, i64);

/// Redeems a coupon and stores its discount.
pub async fn redeem(
    tx: &mut Tx,
    coupon_id: &str,
    promotion_code: Option<String>,
    owner: DiscountOwner,
) -> Result<Discount, ApiError> {
    let coupon = tx.find_kind("coupon", coupon_id).await?;
    if let Some(mut coupon) = coupon.clone() {
        let redeemed = number(&coupon, "times_redeemed") + 1;
        coupon["times_redeemed"] = redeemed.into();
        if coupon["max_redemptions"].as_i64().is_some_and(|most| redeemed >= most) {
            coupon["valid"] = false.into();
        }
        tx.update(&coupon).await?;
    }
    let given = json!({
        "id": ids::new("di"), "checkout_session": owner.checkout_session, "customer": owner.customer,
        "promotion_code": promotion_code, "source": {"coupon": coupon_id}, "start": tx.now.seconds(),
        "subscription": owner.subscription,
    });
    let discount = Discount { private: PrivateDiscount { coupon }, ..template("discount", given) };
    tx.insert(&discount).await?;
    Ok(discount)
}
