//! Scripts of others that pages load: the payment provider's, those of advertising platforms, and
//! the one of the sign-up's challenge.

use std::collections::BTreeMap;

/// The embedded checkout of the payment provider.
#[derive(Debug, Clone)]
pub struct Checkout {
    /// Absolute address of the provider's script; its origin widens the policy of /checkout.
    pub script_url: String,
    /// Publishable key for the script.
    pub publishable_key: String,
}

/// The challenge that a sign-up may require.
#[derive(Debug, Clone)]
pub struct Captcha {
    /// Absolute address of the provider's script; its origin widens the policy of /cadastro.
    pub script_url: String,
}

/// Advertising platforms whose scripts pages load with consent. Their origins widen the pages'
/// policies.
#[derive(Debug, Clone, Default)]
pub struct Advertising {
    pub pixel: Option<Pixel>,
    pub ads: Option<Ads>,
}

/// Meta's pixel, which receives conversions.
#[derive(Debug, Clone)]
pub struct Pixel {
    pub id: String,
    /// Absolute address of the script.
    pub script_url: String,
}

/// An account of Google Ads, which receives conversions.
#[derive(Debug, Clone)]
pub struct Ads {
    /// `AW-…`.
    pub id: String,
    /// Label of each event's conversion action, by the event's name. Events without a label are not
    /// sent.
    pub labels: BTreeMap<String, String>,
    /// Absolute address of the script.
    pub script_url: String,
}
