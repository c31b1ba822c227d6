//! What the gateway is told at start.

use crate::budget::GatewayLimits;
use crate::public_url::PublicUrl;
use crate::site::files::Files;
use crate::site::third_party::{Advertising, Checkout};
use ipnet::IpNet;

/// Settings of one gateway; the binary fills them.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The site's own address: scheme, host and links come from here alone.
    pub public_url: PublicUrl,
    /// Proxies whose X-Forwarded-For is believed.
    pub trusted_proxies: Vec<IpNet>,
    /// The payment provider's script in the page.
    pub checkout: Checkout,
    /// Advertising platforms that the page may tell with consent.
    pub advertising: Advertising,
    /// Where the built site is.
    pub site: Files,
    /// What one client may hold and try.
    pub limits: GatewayLimits,
}
