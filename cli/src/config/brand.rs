//! The company's data beside live keys.

use garimpo_domain::brand::Brand;
use secrecy::ExposeSecret;

use super::effective::Config;
use super::problem::ConfigError;
use super::providers::Payments;
use super::role::Role;

/// Refuses to sell with live keys under the example company. Commands still work, because an
/// operator must be able to refund what was sold.
pub fn check(brand: &Brand, config: &Config, errors: &mut Vec<ConfigError>) {
    let Payments::Stripe(stripe) = &config.payments else { return };
    if config.role == Role::Serve {
        errors.extend(placeholders(brand, stripe.secret_key.expose_secret()));
    }
}

/// Each placeholder of the brand; none beside a key of the test mode.
fn placeholders(brand: &Brand, key: &str) -> Vec<ConfigError> {
    if !["sk_live_", "rk_live_"].iter().any(|prefix| key.starts_with(prefix)) {
        return Vec::new();
    }
    let refused = |field: &str, found: &str, allowed: &str| {
        let allowed = format!("{allowed}, because the keys of the payment provider are live");
        ConfigError::refused(&format!("brand.toml {field}"), found, &allowed)
    };
    let found = brand.placeholders().into_iter();
    found.map(|placeholder| refused(&placeholder.field, &placeholder.found, placeholder.allowed)).collect()
}
