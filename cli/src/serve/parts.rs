//! Converts the settings of the binary to those of each component.

use crate::config::{
    AdvertisingConfig, Captcha, Config, Conversions, Mail, Payments, Role, StripeConfig, sandbox_captcha,
    sandbox_conversions,
};
use crate::data_dir::{self, Addresses, Lock};
use anyhow::Result;
use garimpo_gateway::{Advertising, Checkout, Files, PublicUrl};
use garimpo_server::app::StartError;
use garimpo_server::billing::BillingSettings;
use garimpo_server::ids::Ids;
use garimpo_server::providers::captcha::CaptchaSettings;
use garimpo_server::providers::mail::MailSettings;
use garimpo_server::providers::stripe::StripeSettings;
use garimpo_server::{ClockSettings, Settings};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// The addresses at which components reach each other.
pub struct Endpoints {
    /// The site's own address.
    pub public: PublicUrl,
    /// The sandbox's origin.
    pub sandbox: String,
    /// Where the sandbox delivers webhooks.
    pub webhook: String,
}

impl Endpoints {
    /// Worked out from settings and bound ports.
    pub fn of(config: &Config, bound: &Addresses) -> Self {
        let unbound = || reachable(public_scheme(config), config.listen.public);
        let public_port = bound.public.clone().unwrap_or_else(unbound);
        let unbound_sandbox = || config.listen.sandbox.map(|address| reachable("http", address));
        let sandbox_port = bound.sandbox.clone().or_else(unbound_sandbox);
        let bound_url = PublicUrl::parse(&public_port).expect("a bound port makes an address");
        let public = config.public_url.clone().unwrap_or(bound_url);
        // A certificate is for the site's name and not for loopback.
        let webhook_origin = if config.tls.is_some() { public.origin() } else { public_port };
        let webhook = || format!("{webhook_origin}/webhooks/stripe");
        Self {
            public,
            sandbox: config.sandbox.sandbox_url.clone().or(sandbox_port).unwrap_or_default(),
            webhook: config.sandbox.sandbox_webhook.clone().unwrap_or_else(webhook),
        }
    }
}

/// The scheme of the public port.
pub fn public_scheme(config: &Config) -> &'static str {
    if config.tls.is_some() { "https" } else { "http" }
}

/// The origin by which this machine reaches a bound port; an unspecified address is reached on
/// loopback.
pub fn reachable(scheme: &str, bound: SocketAddr) -> String {
    let ip = match bound.ip() {
        IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
        IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
        ip => ip,
    };
    format!("{scheme}://{}", SocketAddr::new(ip, bound.port()))
}

/// The locks of a process in its data folder: one for the product, one for the sandbox.
pub fn locks(config: &Config) -> Result<Vec<Lock>> {
    data_dir::make(&config.data_dir)?;
    let names = [("garimpo.lock", config.role == Role::Serve), ("sandbox.lock", config.runs_sandbox())];
    let held = names.into_iter().filter(|(_, is_held)| *is_held);
    held.map(|(name, _)| Lock::take(&config.data_dir, name)).collect()
}

/// Settings of the gateway.
pub fn gateway_settings(config: &Config, endpoints: &Endpoints) -> garimpo_gateway::Settings {
    let stripe = stripe(config, endpoints);
    garimpo_gateway::Settings {
        public_url: endpoints.public.clone(),
        trusted_proxies: config.trusted_proxies.clone(),
        checkout: Checkout { script_url: stripe.script_url, publishable_key: stripe.publishable_key },
        advertising: advertising(config, endpoints),
        captcha: captcha(config, endpoints)
            .map(|CaptchaSettings { script_url, .. }| garimpo_gateway::Captcha { script_url }),
        site: Files::Embedded,
        limits: config.limits.gateway,
    }
}

/// Platforms to which pages may send events with consent: the pixel of the server, and Google Ads.
/// The sandbox imitates both.
fn advertising(config: &Config, endpoints: &Endpoints) -> Advertising {
    match &config.conversions {
        Conversions::Sandbox => {
            let meta = sandbox_conversions(&endpoints.sandbox);
            AdvertisingConfig::sandbox(&endpoints.sandbox).with_pixel(&meta.pixel_id)
        }
        Conversions::Meta(meta) => config.advertising.with_pixel(&meta.pixel_id),
        Conversions::Off => Advertising { pixel: None, ads: config.advertising.ads.clone() },
    }
}

/// The challenge of sign-ups; the sandbox only fills the same settings.
fn captcha(config: &Config, endpoints: &Endpoints) -> Option<CaptchaSettings> {
    match &config.captcha {
        Captcha::Off => None,
        Captcha::Sandbox => Some(sandbox_captcha(&endpoints.sandbox)),
        Captcha::Provider(captcha) => Some(captcha.clone()),
    }
}

/// Settings of the server.
pub fn server_settings(config: &Config, endpoints: &Endpoints) -> Settings {
    let mut settings = Settings::new(config.store_settings());
    settings.crash_at = config.crash_at;
    settings.pause_at = config.pause_at;
    settings.identity = config.identity.clone();
    if config.follows_sandbox_clock() {
        settings.clock =
            ClockSettings::Sandbox { url: endpoints.sandbox.clone(), follower: Ids::system().id("serve-") };
    }
    let stripe = stripe(config, endpoints);
    settings.payments = StripeSettings {
        url: stripe.url,
        secret_key: stripe.secret_key,
        webhook_secrets: stripe.webhook_secrets,
        calls_per_second: config.provider_calls_per_second,
    };
    settings.billing = billing(config, endpoints);
    settings.mail = match &config.mail {
        Mail::Sandbox => MailSettings::Sandbox { url: endpoints.sandbox.clone() },
        Mail::Smtp(smtp) => MailSettings::Smtp(smtp.clone()),
    };
    settings.conversions = match &config.conversions {
        Conversions::Sandbox => Some(sandbox_conversions(&endpoints.sandbox)),
        Conversions::Meta(meta) => Some(meta.clone()),
        Conversions::Off => None,
    };
    settings.captcha = captcha(config, endpoints);
    settings.limits = config.limits.attempts;
    settings.mail_limits = config.limits.mails;
    settings.hashing = config.limits.hashing();
    settings.password_policy = config.password_policy.clone();
    settings
}

/// The operator's rules of billing. The catalogue is pushed automatically to the sandbox alone.
fn billing(config: &Config, endpoints: &Endpoints) -> BillingSettings {
    BillingSettings {
        public_url: endpoints.public.origin(),
        campaign: config.campaign,
        policy: config.policy,
        trial_purchase: config.trial_purchase,
        pushes_catalog: matches!(config.payments, Payments::Sandbox),
    }
}

/// Settings of the sandbox.
pub fn sandbox_settings(config: &Config, endpoints: &Endpoints) -> garimpo_sandbox::Settings {
    garimpo_sandbox::Settings {
        data_dir: config.data_dir.clone(),
        url: endpoints.sandbox.clone(),
        webhook_url: endpoints.webhook.clone(),
        clock_start: config.sandbox.sandbox_clock,
    }
}

/// The payment provider's settings; the sandbox only fills the same ones.
fn stripe(config: &Config, endpoints: &Endpoints) -> StripeConfig {
    match &config.payments {
        Payments::Sandbox => StripeConfig::sandbox(&endpoints.sandbox),
        Payments::Stripe(stripe) => stripe.clone(),
    }
}

/// A failed start of the server, with the setting that it concerns.
pub fn start_error(error: StartError) -> anyhow::Error {
    let concerns_database = matches!(error, StartError::Store(_));
    let error = anyhow::Error::new(error);
    if concerns_database {
        error.context("GARIMPO_DATABASE_URL")
    } else {
        error.context("starting the server")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn config(settings: &[(&str, &str)]) -> Config {
        let environment = settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Config::read(Role::Serve, &environment.collect(), Vec::new()).unwrap()
    }

    #[test]
    fn port_zero_is_replaced_by_the_bound_port() {
        let open = [("GARIMPO_ALLOW_HTTP", "1"), ("GARIMPO_ALLOW_SANDBOX", "1")];
        let config = config(&[("GARIMPO_LISTEN", "0.0.0.0:0"), open[0], open[1]]);
        let bound = Addresses {
            public: Some(reachable("http", "0.0.0.0:4321".parse().unwrap())),
            sandbox: Some("http://127.0.0.1:5678".into()),
            ..Addresses::default()
        };

        let endpoints = Endpoints::of(&config, &bound);

        assert_eq!(endpoints.public.origin(), "http://127.0.0.1:4321");
        assert_eq!(endpoints.webhook, "http://127.0.0.1:4321/webhooks/stripe");
        assert_eq!(endpoints.sandbox, "http://127.0.0.1:5678");
        let checkout = gateway_settings(&config, &endpoints).checkout;
        assert_eq!(checkout.script_url, "http://127.0.0.1:5678/v3/");
    }

    #[test]
    fn a_configured_url_takes_precedence_over_the_bound_port() {
        let config = config(&[
            ("GARIMPO_PUBLIC_URL", "http://localhost:9000"),
            ("GARIMPO_SANDBOX_URL", "http://localhost:9001"),
            ("GARIMPO_SANDBOX_WEBHOOK", "http://127.0.0.1:9002/webhooks/stripe"),
        ]);

        let endpoints = Endpoints::of(&config, &Addresses::default());

        assert_eq!(endpoints.public.origin(), "http://localhost:9000");
        assert_eq!(endpoints.sandbox, "http://localhost:9001");
        assert_eq!(endpoints.webhook, "http://127.0.0.1:9002/webhooks/stripe");
    }
}
