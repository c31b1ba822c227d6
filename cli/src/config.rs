//! Every setting of the binary: read once, from the environment, from files and from systemd
//! credentials. Nothing else in the product reads the environment.
//!
//! Wrong values stop the start, all of them at once, one line each.

mod advertising;
mod brand;
mod checks;
mod effective;
mod forms;
mod limits;
mod problem;
mod providers;
mod required;
mod role;
mod setting;
mod sockets;
mod source;
#[cfg(test)]
mod tests;
mod tls;
mod variables;

pub use advertising::AdvertisingConfig;
pub use effective::{Config, Shown};
pub use problem::ConfigErrors;
pub use providers::{
    Captcha, Conversions, Mail, Payments, StripeConfig, sandbox_captcha, sandbox_conversions,
};
pub use role::Role;
pub use sockets::PassedSocket;
pub use source::Environment;

use std::collections::{BTreeMap, BTreeSet};
use std::net::SocketAddr;
use std::time::Duration;

use garimpo_domain::brand::Brand;
use garimpo_domain::{PasswordPolicy, Policy, catalog};
use garimpo_gateway::PublicUrl;
use garimpo_server::providers::stripe::CALLS_PER_SECOND;
use limits::Limits;
use required::Required;
use secrecy::ExposeSecret;
use setting::Setting;
use sockets::Listen;
use source::Source;
use variables::{CaptchaChoice, ConversionPlatform, MailTransport, PaymentProvider, Variables};

/// Seconds that a stopping process still serves, not ready, if others may serve beside it.
const DRAIN_SECONDS: u64 = 2;
/// The sandbox has no rate limit, and a walk of its clock over months makes thousands of calls.
const CALLS_PER_SECOND_OF_SANDBOX: u32 = 1_000;

/// Settings that choose a provider.
const CHOICES: [&str; 5] =
    ["GARIMPO_PAYMENTS", "GARIMPO_IDENTITY", "GARIMPO_MAIL", "GARIMPO_CONVERSIONS", "GARIMPO_CAPTCHA"];

impl Config {
    /// Reads the settings of a role.
    pub fn read(
        role: Role,
        environment: &Environment,
        passed: Vec<PassedSocket>,
    ) -> Result<Self, ConfigErrors> {
        Self::read_beside(&catalog().brand, role, environment, passed)
    }

    /// The same, beside a brand: no setting replaces the one of the build, and tests of live keys
    /// have their own.
    fn read_beside(
        brand: &Brand,
        role: Role,
        environment: &Environment,
        passed: Vec<PassedSocket>,
    ) -> Result<Self, ConfigErrors> {
        let mut settings = Variables::settings();
        settings.extend(Limits::settings());
        let source = Source::read(environment, &settings);
        let mut errors = source.errors.clone();
        let (variables, refused) = Variables::parse(&source, &settings);
        errors.extend(refused);
        let limits = Limits::read(&source, &mut errors);
        let wrong: BTreeSet<String> = errors.iter().map(|error| error.name().to_owned()).collect();
        // Without a valid choice of the provider its settings cannot be checked.
        if CHOICES.iter().any(|choice| wrong.contains(*choice)) {
            return Err(ConfigErrors(errors));
        }
        // The rest is checked with the defaults of wrong settings, whose further errors are
        // dropped.
        let mut further = Vec::new();
        let mut config = Self::of(
            variables,
            &limits,
            passed,
            Required { role, source: &source, settings: &settings, errors: &mut further },
        );
        checks::combination(&config, &mut further);
        brand::check(brand, &config, &mut further);
        errors.extend(further.into_iter().filter(|error| !wrong.contains(error.name())));
        config.warnings = source.warnings;
        if errors.is_empty() { Ok(config) } else { Err(ConfigErrors(errors)) }
    }

    /// A wrong part adds its error and takes a placeholder, which is dropped with the errors.
    fn of(
        variables: Variables,
        limits: &Limits,
        passed: Vec<PassedSocket>,
        mut required: Required<'_>,
    ) -> Self {
        let (role, source) = (required.role, required.source);
        let process = variables.process;
        let redirect = variables.tls.redirect_listen;
        let mut listen = Listen {
            public: process.listen,
            redirect,
            grpc: process.grpc_listen,
            sandbox: process.sandbox_listen.0,
            metrics: process.metrics_listen,
        };
        sockets::replace(&mut listen, &passed, source, required.errors);
        let given_url = process.public_url;
        let public_url = given_url.clone().or_else(|| {
            let speaks_tls = variables.tls.tls_cert.is_some() || variables.tls.acme.is_some();
            url_of_named_address(if speaks_tls { "https" } else { "http" }, listen.public)
        });
        let payments = variables.payments;
        let is_beyond_payments = variables.mail.mail == MailTransport::Sandbox
            || variables.conversions.conversions == ConversionPlatform::Sandbox
            || variables.captcha.captcha == CaptchaChoice::Sandbox;
        let uses_sandbox =
            payments.payments == PaymentProvider::Sandbox || (is_beyond_payments && role != Role::Rehearsal);
        let (campaign, trial_purchase) = (payments.black_november, payments.trial_purchase);
        let policy = Policy {
            renewal_hours: payments.renewal_hours,
            grace_days: payments.grace_days,
            boleto_grace_days: payments.boleto_grace_days,
        };
        let refused_passwords = variables.password.password_refused.unwrap_or_default();
        let provider_calls_per_second = payments.provider_calls_per_second.unwrap_or_else(|| {
            let is_sandbox = payments.payments == PaymentProvider::Sandbox;
            if is_sandbox { CALLS_PER_SECOND_OF_SANDBOX } else { CALLS_PER_SECOND }
        });
        let embedded = format!("sqlite://{}", process.data_dir.join("garimpo.db").display());
        let database_url = process.database_url.unwrap_or_else(|| embedded.into());
        let tls = tls::tls(variables.tls, given_url.as_ref(), &mut required);
        // Connections to a socket of systemd wait for the next process, so no drain is needed.
        let is_kept = sockets::address_of("public", &passed).is_some();
        let is_alone = database_url.expose_secret().starts_with("sqlite:");
        let drain = process.drain_seconds.unwrap_or(if is_alone || is_kept { 0 } else { DRAIN_SECONDS });
        if process.sandbox_listen.0.is_none() {
            if role == Role::Sandbox {
                required.refuse("GARIMPO_SANDBOX_LISTEN", "an address for `garimpo sandbox`");
            }
            required.when(uses_sandbox, "GARIMPO_SANDBOX_URL", variables.sandbox.sandbox_url.as_ref());
        }
        let payments = providers::payments(payments, &mut required);
        let mut config = Self {
            role,
            listen,
            passed,
            has_public_url: given_url.is_some(),
            uses_sandbox,
            public_url,
            tls,
            database_url,
            postgres: variables.database,
            replicated: process.replicated,
            backup_dir: process.backup_dir,
            migrates: process.migrate,
            data_dir: process.data_dir,
            drain: Duration::from_secs(drain),
            identity: providers::identity(variables.identity, &payments, &mut required),
            provider_calls_per_second,
            mail: providers::mail(variables.mail, &mut required),
            advertising: advertising::advertising(&variables.conversions, &mut required),
            conversions: providers::conversions(variables.conversions, &payments, &mut required),
            captcha: providers::captcha(variables.captcha, &payments, &mut required),
            payments,
            campaign,
            policy,
            trial_purchase,
            trusted_proxies: process.trusted_proxies.unwrap_or_default(),
            limits: *limits,
            password_policy: PasswordPolicy::new(
                variables.password.password_minimum.into(),
                refused_passwords,
            ),
            crash_at: process.crash_at,
            pause_at: process.pause_at,
            log: process.log,
            traces: variables.traces.traces_url.map(|url| (url, variables.traces.traces_ratio)),
            allow_http: process.allow_http,
            allow_plaintext: process.allow_plaintext,
            sandbox: variables.sandbox,
            warnings: Vec::new(),
            shown: Vec::new(),
        };
        config.shown = shown(&config, source, required.settings);
        config
    }
}

/// The effective values in the order of the groups: given, default, or derived from others.
fn shown(config: &Config, source: &Source, settings: &[Setting]) -> Vec<Shown> {
    let limits: BTreeMap<_, _> = config.limits.numbers().into_iter().collect();
    let value = |setting: &Setting| {
        let given = source.values.get(&setting.name);
        match setting.name.as_str() {
            "GARIMPO_DATABASE_URL" => without_password(config.database_url.expose_secret()),
            "GARIMPO_DATABASE_MIGRATION_URL" => {
                let url = config.postgres.database_migration_url.as_ref().unwrap_or(&config.database_url);
                without_password(url.expose_secret())
            }
            "GARIMPO_PROVIDER_CALLS_PER_SECOND" => config.provider_calls_per_second.to_string(),
            "GARIMPO_DRAIN_SECONDS" => config.drain.as_secs().to_string(),
            "GARIMPO_SANDBOX_URL" if given.is_none() => "(the sandbox's port)".to_owned(),
            "GARIMPO_CAPTCHA_URL" if given.is_none() => "(the provider's)".to_owned(),
            "GARIMPO_PUBLIC_URL" | "GARIMPO_SANDBOX_WEBHOOK" if given.is_none() => {
                "(the public port)".to_owned()
            }
            _ if given.is_some() && setting.is_secret => "***".to_owned(),
            name => match limits.get(name) {
                Some(number) => number.to_string(),
                None => given.or(setting.default.as_ref()).map_or("(none)", String::as_str).to_owned(),
            },
        }
    };
    settings.iter().map(|setting| Shown { name: setting.name.clone(), value: value(setting) }).collect()
}

/// The site's address without GARIMPO_PUBLIC_URL: the listening address, unless it is loopback or
/// unspecified, where the site is reached on loopback at the bound port.
fn url_of_named_address(scheme: &str, public: SocketAddr) -> Option<PublicUrl> {
    let is_named = !public.ip().is_loopback() && !public.ip().is_unspecified();
    is_named.then(|| PublicUrl::parse(&format!("{scheme}://{public}")).ok()).flatten()
}

/// The address with both places of a password masked: between the user's name and the host, and the
/// whole query.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
    let (place, query) =
        rest.split_once(['?', '#']).map_or((rest, None), |(place, query)| (place, Some(query)));
    let user_and_host = place.rsplit_once('@');
    // A password with a bare question mark cannot be distinguished from a query.
    if user_and_host.is_none() && query.is_some_and(|query| query.contains('@')) {
        return format!("{scheme}://***");
    }
    let named = user_and_host.and_then(|(user, host)| Some((user.split_once(':')?.0, host)));
    let place = named.map_or_else(|| place.to_owned(), |(name, host)| format!("{name}:***@{host}"));
    format!("{scheme}://{place}{}", if query.is_some() { "?***" } else { "" })
}
