//! Scripts of others that pages load: the payment provider's and those of advertising platforms.

use std::collections::BTreeMap;

/// Where the page finds the embedded checkout.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// Absolute address of the provider's script; its origin widens the policy of /checkout.
    pub script_url: String,
    /// Publishable key for the script.
    pub publishable_key: String,
}

/// Advertising platforms whose scripts the page may load, with consent alone; their origins widen the pages' policies.
#[derive(Debug, Clone, Default)]
pub struct Advertising {
    /// Meta's pixel.
    pub pixel: Option<Pixel>,
    /// Google's ads.
    pub ads: Option<Ads>,
}

/// A pixel that is told of conversions.
#[derive(Debug, Clone)]
pub struct Pixel {
    /// Its id.
    pub id: String,
    /// Absolute address of its script.
    pub script_url: String,
}

/// An advertiser's account that is told of conversions.
#[derive(Debug, Clone)]
pub struct Ads {
    /// `AW-…`.
    pub id: String,
    /// Label of each event's conversion action, by the event's name; an event without one is not told.
    pub labels: BTreeMap<String, String>,
    /// Absolute address of the script.
    pub script_url: String,
}
