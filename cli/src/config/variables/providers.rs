//! Settings of the providers: the sandbox, identity, payments, mail, conversions, challenges.

use std::collections::BTreeMap;
use std::path::PathBuf;

use clap::{ArgAction, Args, ValueEnum};
use garimpo_domain::{CampaignSwitch, TrialPurchase};
use garimpo_server::providers::{MAX_CALLS_PER_SECOND, meta};
use secrecy::SecretString;
use time::OffsetDateTime;

use crate::config::forms::{
    List, SWITCH, URL, ads_id, ads_labels, api_version, campaign, digits, http_url, instant, one_of, origin,
    project, publishable_key, safe_script, safe_url, secret, secret_key, site_key, switch, webhook_secrets,
};

const SAFE_URL: &str = "an https:// address, or http:// on this machine";
const CALLS_PER_SECOND: &str = "a whole number from 1 to 10000";

/// The sandbox.
#[derive(Debug, Clone, Args)]
pub struct SandboxVariables {
    /// Address at which servers, gateway and browsers reach the sandbox; by default its port
    #[arg(value_parser = origin, value_name = URL)]
    pub sandbox_url: Option<String>,
    /// Where the sandbox delivers webhooks; by default the public port on loopback
    #[arg(value_parser = http_url, value_name = "an http:// or https:// URL")]
    pub sandbox_webhook: Option<String>,
    /// Start of a fresh sandbox's clock; by default now
    #[arg(value_parser = instant, value_name = "an instant such as 2026-03-10T12:00:00-03:00")]
    pub sandbox_clock: Option<OffsetDateTime>,
    /// Allow the sandbox, or the payment provider's test mode, beyond loopback
    #[arg(default_value = "0", value_parser = switch, action = ArgAction::Set, value_name = SWITCH)]
    pub allow_sandbox: bool,
}

/// The identity provider.
#[derive(Debug, Args)]
pub struct IdentityVariables {
    /// Where passwords are kept
    #[arg(default_value = "local", value_name = "local, identity-toolkit")]
    pub identity: Identity,
    /// Accept the unsigned ID tokens of the vendor's emulator
    #[arg(default_value = "0", value_parser = switch, action = ArgAction::Set, value_name = SWITCH)]
    pub identity_emulator: bool,
    /// REST API of the identity provider
    #[arg(
        default_value = "https://identitytoolkit.googleapis.com",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_url: String,
    /// Where the service account's assertion is exchanged
    #[arg(
        default_value = "https://oauth2.googleapis.com/token",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_token_url: String,
    /// Where the keys of ID tokens are published
    #[arg(
        default_value = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_keys_url: String,
    /// API key of the project
    #[arg(value_parser = secret, hide_env_values = true, value_name = "an API key of the project")]
    pub identity_api_key: Option<SecretString>,
    /// Project of the identity provider
    #[arg(value_parser = project, value_name = "the id of a project, such as garimpo-prod")]
    pub identity_project: Option<String>,
    /// Key file of the service account
    #[arg(value_name = "the path of a service account's key file (JSON)")]
    pub identity_credentials: Option<PathBuf>,
}

/// The payment provider and the rules that the operator decides.
#[derive(Debug, Args)]
pub struct PaymentVariables {
    /// Payment provider
    #[arg(default_value = "sandbox", value_name = "sandbox, stripe")]
    pub payments: PaymentProvider,
    /// Origin of the payment provider's API
    #[arg(default_value = "https://api.stripe.com", value_parser = safe_url, value_name = SAFE_URL)]
    pub stripe_url: String,
    /// Secret or restricted key
    #[arg(
        value_parser = secret_key,
        hide_env_values = true,
        value_name = "sk_live_…, sk_test_…, rk_live_… or rk_test_…"
    )]
    pub stripe_secret_key: Option<SecretString>,
    /// Publishable key, for the page
    #[arg(value_parser = publishable_key, hide_env_values = true, value_name = "pk_live_… or pk_test_…")]
    pub stripe_publishable_key: Option<String>,
    /// Secrets of the webhook endpoint
    #[arg(
        value_parser = webhook_secrets,
        hide_env_values = true,
        value_name = "one to 4 secrets whsec_…, comma-separated"
    )]
    pub stripe_webhook_secret: Option<List<SecretString>>,
    /// Script of the embedded checkout
    #[arg(
        default_value = "https://js.stripe.com/endive/stripe.js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub stripe_script_url: String,
    /// Calls per second of the whole fleet to the payment provider
    #[arg(value_parser = calls_per_second(), value_name = CALLS_PER_SECOND)]
    pub provider_calls_per_second: Option<u32>,
    /// Whether the Black November campaign runs
    #[arg(default_value = "auto", value_parser = campaign, value_name = "auto, on, off")]
    pub black_november: CampaignSwitch,
    /// Hours that access waits for the first result of a renewal
    #[arg(
        default_value = "24",
        value_parser = clap::value_parser!(u32).range(..=720),
        value_name = "0 to 720"
    )]
    pub renewal_hours: u32,
    /// Days between a failed card and the suspension
    #[arg(default_value = "0", value_parser = clap::value_parser!(u32).range(..=60), value_name = "0 to 60")]
    pub grace_days: u32,
    /// Days of access after a voucher's due date
    #[arg(default_value = "3", value_parser = clap::value_parser!(u32).range(..=60), value_name = "0 to 60")]
    pub boleto_grace_days: u32,
    /// When a purchase in the trial is charged
    #[arg(
        default_value = "now",
        value_parser = one_of(&[("now", TrialPurchase::AtOnce), ("at_trial_end", TrialPurchase::AtTrialEnd)]),
        value_name = "now, at_trial_end"
    )]
    pub trial_purchase: TrialPurchase,
}

/// Mail.
#[derive(Debug, Args)]
pub struct MailVariables {
    /// How mails are sent
    #[arg(default_value = "sandbox", value_name = "sandbox, smtp")]
    pub mail: MailTransport,
    /// Mail server
    #[arg(
        value_parser = secret,
        hide_env_values = true,
        value_name = "smtps://user:password@host, smtp://user:password@host?tls=required, or smtp:// on loopback"
    )]
    pub smtp_url: Option<SecretString>,
    /// Sender of mails
    #[arg(value_name = "an address such as Garimpo <ola@example.com>")]
    pub mail_from: Option<String>,
}

/// Conversions and advertising platforms.
#[derive(Debug, Args)]
pub struct ConversionVariables {
    /// Where conversions are sent
    #[arg(default_value = "sandbox", value_name = "sandbox, meta, off")]
    pub conversions: ConversionPlatform,
    /// Meta's API
    #[arg(default_value = "https://graph.facebook.com", value_parser = safe_url, value_name = SAFE_URL)]
    pub meta_url: String,
    /// Version of Meta's API
    #[arg(
        default_value = meta::API_VERSION,
        value_parser = api_version,
        value_name = "a version such as v26.0"
    )]
    pub meta_api_version: String,
    /// Pixel
    #[arg(value_parser = digits, value_name = "the digits of a pixel's id")]
    pub meta_pixel_id: Option<String>,
    /// Access token of Meta's API
    #[arg(value_parser = secret, hide_env_values = true, value_name = "an access token of the pixel")]
    pub meta_access_token: Option<SecretString>,
    /// Script of the pixel
    #[arg(
        default_value = "https://connect.facebook.net/en_US/fbevents.js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub meta_script_url: String,
    /// Account of Google's ads
    #[arg(value_parser = ads_id, value_name = "AW- and digits")]
    pub ads_id: Option<String>,
    /// Labels of Google's ads
    #[arg(
        value_parser = ads_labels,
        value_name = "event=label, comma-separated; events: cadastro, checkout_iniciado, checkout_finalizado"
    )]
    pub ads_labels: Option<BTreeMap<String, String>>,
    /// Script of Google's ads
    #[arg(
        default_value = "https://www.googletagmanager.com/gtag/js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub ads_script_url: String,
}

/// The challenge of sign-ups.
#[derive(Debug, Args)]
pub struct CaptchaVariables {
    /// Provider of the challenge that sign-ups of an address beyond 20 an hour solve
    #[arg(default_value = "off", value_name = "off, sandbox, turnstile, hcaptcha")]
    pub captcha: CaptchaChoice,
    /// Where responses of challenges are verified; by default the provider's address
    #[arg(value_parser = safe_url, value_name = SAFE_URL)]
    pub captcha_url: Option<String>,
    /// Site key, for the page
    #[arg(value_parser = site_key, value_name = "a site key of the provider")]
    pub captcha_site_key: Option<String>,
    /// Secret of the site key
    #[arg(value_parser = secret, hide_env_values = true, value_name = "the secret of the site key")]
    pub captcha_secret: Option<SecretString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Identity {
    Local,
    IdentityToolkit,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PaymentProvider {
    Sandbox,
    Stripe,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MailTransport {
    Sandbox,
    Smtp,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConversionPlatform {
    Sandbox,
    Meta,
    Off,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CaptchaChoice {
    Off,
    Sandbox,
    Turnstile,
    Hcaptcha,
}

fn calls_per_second() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_CALLS_PER_SECOND))
}
