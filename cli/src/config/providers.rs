//! Which outside providers are used, and how they are reached. A word is allowed here once it is served.

use std::net::IpAddr;
use std::sync::Arc;

use super::reader::{ConfigError, Reader};
use garimpo_server::app::IdentitySettings;
use garimpo_server::providers::identity_toolkit::{Credentials, ServiceAccount, ToolkitSettings};
use garimpo_server::providers::mail::{Smtp, SmtpError};
use garimpo_server::providers::meta::{self, MetaSettings};
use secrecy::{ExposeSecret, SecretString};

const SMTP_URL: &str =
    "smtps://user:password@host, smtp://user:password@host?tls=required, or smtp:// on loopback";
pub(super) const SAFE_URL: &str = "an https:// address, or http:// on this machine";

/// GARIMPO_PAYMENTS.
#[derive(Debug, Clone)]
pub enum Payments {
    /// The sandbox fills the same settings.
    Sandbox,
    /// Stripe itself.
    Stripe(StripeConfig),
}

/// How Stripe is reached.
#[derive(Debug, Clone)]
pub struct StripeConfig {
    /// GARIMPO_STRIPE_URL: origin of the API.
    pub url: String,
    /// GARIMPO_STRIPE_SECRET_KEY.
    pub secret_key: SecretString,
    /// GARIMPO_STRIPE_PUBLISHABLE_KEY.
    pub publishable_key: String,
    /// GARIMPO_STRIPE_WEBHOOK_SECRET: several are valid at once while one is rolled.
    pub webhook_secrets: Vec<SecretString>,
    /// GARIMPO_STRIPE_SCRIPT_URL: script of the embedded checkout.
    pub script_url: String,
}

impl StripeConfig {
    /// The sandbox at this origin, with its fixed keys.
    pub fn sandbox(origin: &str) -> Self {
        Self {
            url: origin.to_owned(),
            secret_key: SecretString::from("sk_test_garimpo"),
            publishable_key: "pk_test_garimpo".to_owned(),
            webhook_secrets: vec![SecretString::from("whsec_garimpo")],
            script_url: format!("{origin}/v3/"),
        }
    }
}

/// GARIMPO_MAIL.
#[derive(Debug, Clone)]
pub enum Mail {
    /// The sandbox's mailbox.
    Sandbox,
    /// GARIMPO_SMTP_URL and GARIMPO_MAIL_FROM: a mail server, and who writes.
    Smtp(Box<Smtp>),
}

/// GARIMPO_CONVERSIONS.
#[derive(Debug, Clone)]
pub enum Conversions {
    /// The sandbox's conversions API fills the same settings.
    Sandbox,
    /// Meta's Conversions API.
    Meta(MetaSettings),
    /// Nothing is sent.
    Off,
}

/// The sandbox's conversions API at this origin, with its fixed pixel and token.
pub fn sandbox_conversions(origin: &str) -> MetaSettings {
    MetaSettings {
        url: format!("{origin}/graph"),
        version: meta::API_VERSION.to_owned(),
        pixel_id: "1234567890123456".to_owned(),
        access_token: SecretString::from("meta_test_garimpo"),
    }
}

pub(super) fn identity(from: &mut Reader<'_>) -> Result<IdentitySettings, ConfigError> {
    const KEYS: &str =
        "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com";
    const PROJECT: &str = "the id of a project, such as garimpo-prod";
    if !from.choice("GARIMPO_IDENTITY", "local", &[("local", false), ("identity-toolkit", true)])? {
        return Ok(IdentitySettings::Local);
    }
    let is_emulator = from.switch("GARIMPO_IDENTITY_EMULATOR")?;
    let safe = |text: &str| if is_emulator { url(text) } else { safe_url(text) };
    let at = |from: &mut Reader<'_>, name, default: &str| from.value(name, default, SAFE_URL, safe);
    let token_url = at(from, "GARIMPO_IDENTITY_TOKEN_URL", "https://oauth2.googleapis.com/token")?;
    Ok(IdentitySettings::Toolkit(ToolkitSettings {
        url: at(from, "GARIMPO_IDENTITY_URL", "https://identitytoolkit.googleapis.com")?,
        keys_url: at(from, "GARIMPO_IDENTITY_KEYS_URL", KEYS)?,
        api_key: from.required_secret("GARIMPO_IDENTITY_API_KEY")?,
        project: from.required("GARIMPO_IDENTITY_PROJECT", PROJECT, project)?,
        credentials: if is_emulator { Credentials::Emulator } else { service_account(from, &token_url)? },
    }))
}

/// What the emulator takes from everybody the provider takes from a service account of the project.
fn service_account(from: &mut Reader<'_>, token_url: &str) -> Result<Credentials, ConfigError> {
    const ALLOWED: &str = "the path of a service account's key file (JSON)";
    let read = |path: &str| ServiceAccount::read(&std::fs::read_to_string(path).ok()?, token_url).ok();
    let account = from.required("GARIMPO_IDENTITY_CREDENTIALS", ALLOWED, read)?;
    Ok(Credentials::ServiceAccount(Arc::new(account)))
}

pub(super) fn payments(from: &mut Reader<'_>) -> Result<Payments, ConfigError> {
    if !from.choice("GARIMPO_PAYMENTS", "sandbox", &[("sandbox", false), ("stripe", true)])? {
        return Ok(Payments::Sandbox);
    }
    let secrets = from.required_secret("GARIMPO_STRIPE_WEBHOOK_SECRET")?;
    let secrets = secrets.expose_secret().split(',').map(str::trim).filter(|s| !s.is_empty());
    let webhook_secrets: Vec<_> = secrets.map(SecretString::from).collect();
    if webhook_secrets.is_empty() {
        return Err(ConfigError::missing(
            "GARIMPO_STRIPE_WEBHOOK_SECRET",
            "one or more secrets, comma-separated",
        ));
    }
    Ok(Payments::Stripe(StripeConfig {
        url: from.value("GARIMPO_STRIPE_URL", "https://api.stripe.com", SAFE_URL, safe_url)?,
        secret_key: from.required_secret("GARIMPO_STRIPE_SECRET_KEY")?,
        publishable_key: from.required("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_…", word)?,
        webhook_secrets,
        script_url: from.value(
            "GARIMPO_STRIPE_SCRIPT_URL",
            "https://js.stripe.com/endive/stripe.js",
            SAFE_URL,
            |t| safe_url(t).map(|_| t.to_owned()),
        )?,
    }))
}

pub(super) fn mail(from: &mut Reader<'_>) -> Result<Mail, ConfigError> {
    if !from.choice("GARIMPO_MAIL", "sandbox", &[("sandbox", false), ("smtp", true)])? {
        return Ok(Mail::Sandbox);
    }
    let url = from.required_secret("GARIMPO_SMTP_URL")?;
    let sender =
        from.required("GARIMPO_MAIL_FROM", "an address such as Garimpo <ola@example.com>", |text| {
            Some(text.to_owned())
        })?;
    // The address may hold a password, so a refused one is not repeated.
    Smtp::new(url.expose_secret(), &sender).map(|smtp| Mail::Smtp(Box::new(smtp))).map_err(|why| match why {
        SmtpError::From => {
            ConfigError::new("GARIMPO_MAIL_FROM", &sender, "an address such as Garimpo <ola@example.com>")
        }
        SmtpError::Url | SmtpError::InTheClear => {
            ConfigError::new("GARIMPO_SMTP_URL", &why.to_string(), SMTP_URL)
        }
    })
}

pub(super) fn conversions(from: &mut Reader<'_>) -> Result<Conversions, ConfigError> {
    const PIXEL: &str = "the digits of a pixel's id";
    #[derive(Clone, Copy)]
    enum To {
        Sandbox,
        Meta,
        Nobody,
    }
    let words = [("sandbox", To::Sandbox), ("meta", To::Meta), ("off", To::Nobody)];
    match from.choice("GARIMPO_CONVERSIONS", "sandbox", &words)? {
        To::Sandbox => return Ok(Conversions::Sandbox),
        To::Nobody => return Ok(Conversions::Off),
        To::Meta => {}
    }
    Ok(Conversions::Meta(MetaSettings {
        url: from.value("GARIMPO_META_URL", "https://graph.facebook.com", SAFE_URL, safe_url)?,
        version: from.value(
            "GARIMPO_META_API_VERSION",
            meta::API_VERSION,
            "a version such as v26.0",
            api_version,
        )?,
        pixel_id: from.required("GARIMPO_META_PIXEL_ID", PIXEL, digits)?,
        access_token: from.required_secret("GARIMPO_META_ACCESS_TOKEN")?,
    }))
}

/// It stands in addresses.
fn api_version(text: &str) -> Option<String> {
    let (major, minor) = text.strip_prefix('v')?.split_once('.')?;
    digits(major).and(digits(minor)).map(|_| text.to_owned())
}

/// It stands in addresses.
fn digits(text: &str) -> Option<String> {
    let are = (1..=32).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit());
    are.then(|| text.to_owned())
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or(text.strip_prefix("https://"));
    rest.is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
}

/// An address for passwords, keys and payments, which do not travel in the open.
pub(super) fn safe_url(text: &str) -> Option<String> {
    url(text).filter(|url| url.starts_with("https://") || is_loopback(url))
}

/// An address without a trailing slash.
fn url(text: &str) -> Option<String> {
    is_url(text).then(|| text.trim_end_matches('/').to_owned())
}

fn word(text: &str) -> Option<String> {
    (!text.contains(char::is_whitespace)).then(|| text.to_owned())
}

/// Whether an address without TLS stays on this machine.
fn is_loopback(url: &str) -> bool {
    let host = url.strip_prefix("http://").unwrap_or_default().split('/').next().unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    // What stands before an `@` is no host.
    !host.contains('@')
        && (name == "localhost"
            || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}

/// It stands in addresses.
fn project(text: &str) -> Option<String> {
    let stands = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-:.".contains(&byte);
    (text.len() <= 100 && text.bytes().all(stands)).then(|| text.to_owned())
}
