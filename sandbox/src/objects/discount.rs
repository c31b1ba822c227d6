//! The Discount object: a coupon that was redeemed.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::object::{Rest, object};

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Discount {
    pub id: String,
    pub source: Source,
    #[serde(skip)]
    pub private: PrivateDiscount,
    #[serde(flatten)]
    pub rest: Rest,
}

object!(Discount, "discount", PrivateDiscount);

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
