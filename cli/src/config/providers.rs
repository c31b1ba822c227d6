//! Which outside providers are used, and how they are reached.

#![expect(
    dead_code,
    reason = "identity-toolkit, smtp and meta are read, and refused by serve/parts.rs until they are built"
)]

use super::reader::{ConfigError, Reader};
use secrecy::{ExposeSecret, SecretString};

const URL: &str = "an http:// or https:// address";

/// GARIMPO_IDENTITY.
#[derive(Debug, Clone)]
pub enum Identity {
    /// Passwords in our own database.
    Local,
    /// Google's Identity Toolkit.
    Toolkit(Toolkit),
}

/// How the Identity Toolkit is reached.
#[derive(Debug, Clone)]
pub struct Toolkit {
    /// GARIMPO_IDENTITY_URL: origin of the accounts API.
    pub url: String,
    /// GARIMPO_IDENTITY_TOKEN_URL: origin of the token API.
    pub token_url: String,
    /// GARIMPO_IDENTITY_API_KEY.
    pub api_key: SecretString,
    /// GARIMPO_IDENTITY_PROJECT.
    pub project: String,
}

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
    /// A mail server.
    Smtp(Smtp),
}

/// How the mail server is reached.
#[derive(Debug, Clone)]
pub struct Smtp {
    /// GARIMPO_SMTP_URL; may hold a password.
    pub url: SecretString,
    /// GARIMPO_MAIL_FROM.
    pub from: String,
}

/// GARIMPO_CONVERSIONS.
#[derive(Debug, Clone)]
pub enum Conversions {
    /// The sandbox's conversions API.
    Sandbox,
    /// Meta's conversions API.
    Meta(Meta),
    /// Nothing is sent.
    Off,
}

/// How Meta's conversions API is reached.
#[derive(Debug, Clone)]
pub struct Meta {
    /// GARIMPO_META_URL: origin of the API.
    pub url: String,
    /// GARIMPO_META_PIXEL_ID.
    pub pixel_id: String,
    /// GARIMPO_META_ACCESS_TOKEN.
    pub access_token: SecretString,
}

pub(super) fn identity(from: &mut Reader<'_>) -> Result<Identity, ConfigError> {
    if !from.choice("GARIMPO_IDENTITY", "local", &[("local", false), ("identity-toolkit", true)])? {
        return Ok(Identity::Local);
    }
    Ok(Identity::Toolkit(Toolkit {
        url: from.value("GARIMPO_IDENTITY_URL", "https://identitytoolkit.googleapis.com", URL, url)?,
        token_url: from.value(
            "GARIMPO_IDENTITY_TOKEN_URL",
            "https://securetoken.googleapis.com",
            URL,
            url,
        )?,
        api_key: from.required_secret("GARIMPO_IDENTITY_API_KEY")?,
        project: from.required("GARIMPO_IDENTITY_PROJECT", "the project's id", word)?,
    }))
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
        url: from.value("GARIMPO_STRIPE_URL", "https://api.stripe.com", URL, url)?,
        secret_key: from.required_secret("GARIMPO_STRIPE_SECRET_KEY")?,
        publishable_key: from.required("GARIMPO_STRIPE_PUBLISHABLE_KEY", "pk_…", word)?,
        webhook_secrets,
        script_url: from.value(
            "GARIMPO_STRIPE_SCRIPT_URL",
            "https://js.stripe.com/endive/stripe.js",
            URL,
            |t| is_url(t).then(|| t.to_owned()),
        )?,
    }))
}

pub(super) fn mail(from: &mut Reader<'_>) -> Result<Mail, ConfigError> {
    if !from.choice("GARIMPO_MAIL", "sandbox", &[("sandbox", false), ("smtp", true)])? {
        return Ok(Mail::Sandbox);
    }
    Ok(Mail::Smtp(Smtp {
        url: from.required_secret("GARIMPO_SMTP_URL")?,
        from: from.required("GARIMPO_MAIL_FROM", "an address such as Garimpo <oi@garimpo.example>", |t| {
            t.contains('@').then(|| t.to_owned())
        })?,
    }))
}

pub(super) fn conversions(from: &mut Reader<'_>) -> Result<Conversions, ConfigError> {
    #[derive(Clone, Copy)]
    enum Kind {
        Sandbox,
        Meta,
        Off,
    }
    let words = [("sandbox", Kind::Sandbox), ("meta", Kind::Meta), ("off", Kind::Off)];
    match from.choice("GARIMPO_CONVERSIONS", "sandbox", &words)? {
        Kind::Sandbox => Ok(Conversions::Sandbox),
        Kind::Off => Ok(Conversions::Off),
        Kind::Meta => Ok(Conversions::Meta(Meta {
            url: from.value("GARIMPO_META_URL", "https://graph.facebook.com", URL, url)?,
            pixel_id: from.required("GARIMPO_META_PIXEL_ID", "the pixel's digits", |t| {
                t.bytes().all(|b| b.is_ascii_digit()).then(|| t.to_owned())
            })?,
            access_token: from.required_secret("GARIMPO_META_ACCESS_TOKEN")?,
        })),
    }
}

fn is_url(text: &str) -> bool {
    let rest = text.strip_prefix("http://").or(text.strip_prefix("https://"));
    rest.is_some_and(|host| !host.is_empty() && !host.starts_with('/'))
}

/// An address without a trailing slash.
fn url(text: &str) -> Option<String> {
    is_url(text).then(|| text.trim_end_matches('/').to_owned())
}

fn word(text: &str) -> Option<String> {
    (!text.contains(char::is_whitespace)).then(|| text.to_owned())
}
