//! Settings of the gateway.

use crate::budget::GatewayLimits;
use crate::public_url::PublicUrl;
use crate::site::files::Files;
use crate::site::third_party::{Advertising, Captcha, Checkout};
use ipnet::IpNet;

#[derive(Debug, Clone)]
pub struct Settings {
    /// The site's own address: the only source of scheme, host and links.
    pub public_url: PublicUrl,
    /// Proxies whose X-Forwarded-For is trusted.
    pub trusted_proxies: Vec<IpNet>,
    pub checkout: Checkout,
    pub advertising: Advertising,
    /// `None` if no sign-up requires a challenge.
    pub captcha: Option<Captcha>,
    pub site: Files,
    pub limits: GatewayLimits,
}
