//! Which outside providers are used, and how they are reached.

use std::sync::Arc;

use super::forms::safe_url;
use super::required::Required;
use super::role::Role;
use super::variables::{
    CaptchaChoice, CaptchaVariables, ConversionPlatform, ConversionVariables, Identity, IdentityVariables,
    MailTransport, MailVariables, PaymentProvider, PaymentVariables,
};
use garimpo_server::app::IdentitySettings;
use garimpo_server::providers::captcha::{CaptchaProvider, CaptchaSettings};
use garimpo_server::providers::identity_toolkit::{Credentials, ServiceAccount, ToolkitSettings};
use garimpo_server::providers::mail::{Smtp, SmtpError};
use garimpo_server::providers::meta::{self, MetaSettings};
use secrecy::{ExposeSecret, SecretString};

/// Settings that hold with GARIMPO_IDENTITY=identity-toolkit alone.
const IDENTITY: [&str; 3] =
    ["GARIMPO_IDENTITY_API_KEY", "GARIMPO_IDENTITY_PROJECT", "GARIMPO_IDENTITY_CREDENTIALS"];
/// Settings that hold with GARIMPO_PAYMENTS=stripe alone.
const STRIPE: [&str; 3] =
    ["GARIMPO_STRIPE_SECRET_KEY", "GARIMPO_STRIPE_PUBLISHABLE_KEY", "GARIMPO_STRIPE_WEBHOOK_SECRET"];
/// Settings that hold with GARIMPO_MAIL=smtp alone.
const SMTP: [&str; 2] = ["GARIMPO_SMTP_URL", "GARIMPO_MAIL_FROM"];
/// Settings that hold with GARIMPO_CONVERSIONS=meta alone.
const META: [&str; 2] = ["GARIMPO_META_PIXEL_ID", "GARIMPO_META_ACCESS_TOKEN"];

/// Settings that hold with GARIMPO_CAPTCHA=turnstile or hcaptcha alone.
const CAPTCHA: [&str; 3] = ["GARIMPO_CAPTCHA_SITE_KEY", "GARIMPO_CAPTCHA_SECRET", "GARIMPO_CAPTCHA_URL"];

/// The vendors' hosts, which alone get passwords, keys and events of real customers.
const VENDORS: [(&str, &[&str]); 5] = [
    ("GARIMPO_IDENTITY_URL", &["identitytoolkit.googleapis.com"]),
    ("GARIMPO_IDENTITY_TOKEN_URL", &["oauth2.googleapis.com", "accounts.google.com"]),
    ("GARIMPO_IDENTITY_KEYS_URL", &["www.googleapis.com"]),
    ("GARIMPO_META_URL", &["graph.facebook.com"]),
    ("GARIMPO_CAPTCHA_URL", &["challenges.cloudflare.com", "api.hcaptcha.com"]),
];

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

impl Payments {
    /// Whether real customers pay.
    pub fn has_live_key(&self) -> bool {
        let Self::Stripe(stripe) = self else { return false };
        let keys = [stripe.secret_key.expose_secret(), stripe.publishable_key.as_str()];
        keys.iter().any(|key| key.contains("_live_"))
    }
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

/// GARIMPO_CAPTCHA.
#[derive(Debug, Clone)]
pub enum Captcha {
    /// No sign-up requires a challenge.
    Off,
    /// The sandbox fills the same settings.
    Sandbox,
    /// Turnstile or hCaptcha.
    Provider(CaptchaSettings),
}

/// The sandbox's challenges at this origin, with its fixed keys. It imitates Turnstile.
pub fn sandbox_captcha(origin: &str) -> CaptchaSettings {
    CaptchaSettings {
        provider: CaptchaProvider::Turnstile,
        url: format!("{origin}/captcha/siteverify"),
        script_url: format!("{origin}/captcha/api.js"),
        site_key: "captcha_site_garimpo".to_owned(),
        secret: SecretString::from("captcha_test_garimpo"),
    }
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

/// A process that calls no provider needs no secret of one.
fn needs_providers(role: Role) -> bool {
    !matches!(role, Role::Report | Role::Rehearsal)
}

/// Refuses an address at another host than its vendor's, beside live keys of the payment provider.
fn require_vendor_host(name: &str, url: &str, required: &mut Required<'_>) {
    let hosts = VENDORS.iter().find(|(vendor, _)| *vendor == name).map_or(&[][..], |(_, hosts)| *hosts);
    let host = url.strip_prefix("https://").and_then(|rest| rest.split(['/', '?', '#']).next());
    if host.is_none_or(|host| !hosts.contains(&host)) {
        let allowed = format!("https:// at {} beside live keys", hosts.join(" or "));
        required.refuse(name, &allowed);
    }
}

pub(super) fn identity(
    given: IdentityVariables,
    payments: &Payments,
    required: &mut Required<'_>,
) -> IdentitySettings {
    if given.identity == Identity::Local {
        required.unused(&IDENTITY, "GARIMPO_IDENTITY is local");
        return IdentitySettings::Local;
    }
    let is_needed = needs_providers(required.role);
    let is_emulator = given.identity_emulator;
    let urls = [
        ("GARIMPO_IDENTITY_URL", &given.identity_url),
        ("GARIMPO_IDENTITY_TOKEN_URL", &given.identity_token_url),
        ("GARIMPO_IDENTITY_KEYS_URL", &given.identity_keys_url),
    ];
    for (name, url) in urls {
        if !is_emulator && safe_url(url).is_err() {
            required.refuse(name, &required.allowed(name));
        } else if !is_emulator && payments.has_live_key() {
            require_vendor_host(name, url, required);
        }
    }
    let api_key = required.when(is_needed, IDENTITY[0], given.identity_api_key);
    let project = required.when(is_needed, IDENTITY[1], given.identity_project);
    let credentials =
        if is_emulator { None } else { required.when(is_needed, IDENTITY[2], given.identity_credentials) };
    let account = credentials.and_then(|path| {
        let text = std::fs::read_to_string(path).unwrap_or_default();
        let account = ServiceAccount::read(&text, &given.identity_token_url).ok();
        if account.is_none() {
            required.refuse(IDENTITY[2], &required.allowed(IDENTITY[2]));
        }
        account
    });
    // Unsigned tokens are accepted by the explicit switch alone, never because an account is
    // missing.
    let credentials = if is_emulator {
        Some(Credentials::Emulator)
    } else {
        account.map(|account| Credentials::ServiceAccount(Arc::new(account)))
    };
    let (Some(api_key), Some(project), Some(credentials)) = (api_key, project, credentials) else {
        return IdentitySettings::Local;
    };
    IdentitySettings::Toolkit(ToolkitSettings {
        url: given.identity_url,
        keys_url: given.identity_keys_url,
        api_key,
        project,
        credentials,
    })
}

pub(super) fn payments(given: PaymentVariables, required: &mut Required<'_>) -> Payments {
    if given.payments == PaymentProvider::Sandbox {
        required.unused(&STRIPE, "GARIMPO_PAYMENTS is sandbox");
        return Payments::Sandbox;
    }
    let is_needed = needs_providers(required.role);
    let is_called = is_needed || required.role == Role::Rehearsal;
    let secret_key = required.when(is_called, STRIPE[0], given.stripe_secret_key);
    let publishable_key = required.when(is_needed, STRIPE[1], given.stripe_publishable_key);
    let webhook_secrets = required.when(is_needed, STRIPE[2], given.stripe_webhook_secret);
    Payments::Stripe(StripeConfig {
        url: given.stripe_url,
        secret_key: secret_key.unwrap_or_default(),
        publishable_key: publishable_key.unwrap_or_default(),
        webhook_secrets: webhook_secrets.unwrap_or_default(),
        script_url: given.stripe_script_url,
    })
}

pub(super) fn mail(given: MailVariables, required: &mut Required<'_>) -> Mail {
    if given.mail == MailTransport::Sandbox {
        required.unused(&SMTP, "GARIMPO_MAIL is sandbox");
        return Mail::Sandbox;
    }
    let is_needed = needs_providers(required.role);
    let url = required.when(is_needed, SMTP[0], given.smtp_url);
    let sender = required.when(is_needed, SMTP[1], given.mail_from);
    let (Some(url), Some(sender)) = (url, sender) else { return Mail::Sandbox };
    match Smtp::new(url.expose_secret(), &sender) {
        Ok(smtp) => return Mail::Smtp(Box::new(smtp)),
        Err(SmtpError::From) => required.refuse(SMTP[1], &required.allowed(SMTP[1])),
        Err(SmtpError::Url | SmtpError::InTheClear) => required.refuse(SMTP[0], &required.allowed(SMTP[0])),
    }
    Mail::Sandbox
}

pub(super) fn conversions(
    given: ConversionVariables,
    payments: &Payments,
    required: &mut Required<'_>,
) -> Conversions {
    match given.conversions {
        ConversionPlatform::Sandbox => {
            required.unused(&META, "GARIMPO_CONVERSIONS is sandbox");
            return Conversions::Sandbox;
        }
        ConversionPlatform::Off => return Conversions::Off,
        ConversionPlatform::Meta => {}
    }
    if payments.has_live_key() {
        require_vendor_host("GARIMPO_META_URL", &given.meta_url, required);
    }
    let is_needed = needs_providers(required.role);
    let pixel_id = required.when(is_needed, META[0], given.meta_pixel_id);
    let access_token = required.when(is_needed, META[1], given.meta_access_token);
    let (Some(pixel_id), Some(access_token)) = (pixel_id, access_token) else { return Conversions::Off };
    Conversions::Meta(MetaSettings {
        url: given.meta_url,
        version: given.meta_api_version,
        pixel_id,
        access_token,
    })
}

pub(super) fn captcha(given: CaptchaVariables, payments: &Payments, required: &mut Required<'_>) -> Captcha {
    let provider = match given.captcha {
        CaptchaChoice::Off => {
            required.unused(&CAPTCHA, "GARIMPO_CAPTCHA is off");
            return Captcha::Off;
        }
        CaptchaChoice::Sandbox => {
            required.unused(&CAPTCHA, "GARIMPO_CAPTCHA is sandbox");
            return Captcha::Sandbox;
        }
        CaptchaChoice::Turnstile => CaptchaProvider::Turnstile,
        CaptchaChoice::Hcaptcha => CaptchaProvider::Hcaptcha,
    };
    let url = given.captcha_url.unwrap_or_else(|| provider.url().to_owned());
    if payments.has_live_key() {
        require_vendor_host("GARIMPO_CAPTCHA_URL", &url, required);
    }
    let is_needed = needs_providers(required.role);
    let site_key = required.when(is_needed, CAPTCHA[0], given.captcha_site_key);
    let secret = required.when(is_needed, CAPTCHA[1], given.captcha_secret);
    Captcha::Provider(CaptchaSettings {
        provider,
        url,
        script_url: provider.script_url().to_owned(),
        site_key: site_key.unwrap_or_default(),
        secret: secret.unwrap_or_default(),
    })
}
