//! The discount object.

use serde::Serialize;
use serde_json::Value;

/// A coupon that was redeemed.
#[derive(Debug, Serialize)]
pub struct Discount {
    /// Id, `di_…`.
    pub id: String,
    /// `discount`.
    pub object: &'static str,
    /// Session that it was redeemed in, or `Null`.
    pub checkout_session: Value,
    /// Customer.
    pub customer: Value,
    /// End in Unix seconds; a coupon of duration `once` has none.
    pub end: Option<i64>,
    /// Invoice that it belongs to alone.
    pub invoice: Option<String>,
    /// Invoice item that it belongs to alone.
    pub invoice_item: Option<String>,
    /// Promotion code that was redeemed, or `Null`.
    pub promotion_code: Value,
    /// The coupon.
    pub source: Source,
    /// Start in Unix seconds.
    pub start: i64,
    /// Subscription that it was set on, or `Null`.
    pub subscription: Value,
    /// Subscription item that it belongs to alone.
    pub subscription_item: Option<String>,
    /// The coupon as it was redeemed, for the case that it is deleted later. Not in the API.
    #[serde(rename = "_coupon")]
    pub redeemed_coupon: Option<Value>,
}

/// Source of a discount.
#[derive(Debug, Serialize)]
pub struct Source {
    /// `coupon`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// Id of the coupon.
    pub coupon: String,
}
