//! The Discount object: a coupon that was redeemed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object;

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Discount {
    pub id: String,
    pub checkout_session: Option<String>,
    pub customer: Option<String>,
    pub promotion_code: Option<String>,
    pub source: Source,
    pub start: i64,
    pub subscription: Option<String>,
    #[serde(skip)]
    pub private: PrivateDiscount,
}

object!(Discount, "discount", {
    "customer_account": null, "end": null, "invoice": null, "invoice_item": null, "subscription_item": null,
}, PrivateDiscount);

#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct PrivateDiscount {
    /// The coupon as it was redeemed, for the case that it is deleted later.
    pub coupon: Option<Value>,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Source {
    #[serde(rename = "type")]
    pub kind: String,
    /// Id of the coupon.
    pub coupon: String,
}
