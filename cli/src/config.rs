//! Every setting of the binary: read once, from the environment, from files and from systemd
//! credentials. Nothing else in the product reads the environment.
//!
//! Wrong values stop the start, all of them at once, one line each.

mod advertising;
mod checks;
mod database;
mod forms;
mod limits;
mod problem;
mod providers;
mod sockets;
mod source;
#[cfg(test)]
mod tests;
mod variables;

pub use advertising::AdvertisingConfig;
pub use database::PostgresConfig;
pub use problem::{ConfigError, ConfigErrors};
pub use providers::{Conversions, Mail, Payments, StripeConfig, sandbox_conversions};
pub use sockets::PassedSocket;
pub use source::Environment;

use garimpo_domain::person::PasswordPolicy;
use garimpo_gateway::PublicUrl;
use garimpo_gateway::budget::{BudgetLimits, GatewayLimits};
use garimpo_server::app::IdentitySettings;
use garimpo_server::auth::{HashSettings, LimitSettings};
use garimpo_server::billing::TrialPurchase;
use garimpo_server::crash::CrashAt;
use garimpo_server::mail::MailLimits;
use garimpo_server::pause::PauseAt;
use garimpo_server::providers::stripe::CALLS_PER_SECOND;
use garimpo_server::store::StoreSettings;
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};
use source::Source;
use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;
use time::OffsetDateTime;
use variables::{
    Campaign, ConversionPlatform, MailTransport, Migrate, PaymentProvider, Setting, TrialCharge, Variables,
};

/// Seconds that a stopping process of a fleet still serves, not ready.
const DRAIN_SECONDS: u64 = 2;
/// The sandbox has no rate limit, and a walk of its clock over months makes thousands of calls.
const CALLS_PER_SECOND_OF_SANDBOX: u32 = 1_000;

/// What one process is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Everything in one process.
    Serve,
    /// The services alone.
    Server,
    /// The public port alone.
    Gateway,
    /// The stand-in for the outside world alone.
    Sandbox,
    /// An operator's command that calls the providers.
    Admin,
    /// An operator's command on the database alone.
    Report,
    /// An operator's command on the payment provider alone.
    Rehearsal,
}

/// The effective settings.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Config {
    /// What this process is.
    pub role: Role,
    /// GARIMPO_LISTEN, _GRPC_LISTEN, _SANDBOX_LISTEN, _METRICS_LISTEN.
    pub listen: Listen,
    /// Sockets of systemd, each in the place of a port.
    passed: Vec<PassedSocket>,
    /// GARIMPO_PUBLIC_URL; without it the bound public port on loopback.
    pub public_url: Option<PublicUrl>,
    /// GARIMPO_DATA_DIR: embedded databases, `addresses.json`, lock.
    pub data_dir: PathBuf,
    /// GARIMPO_DATABASE_URL; holds a password where it is PostgreSQL's.
    pub database_url: SecretString,
    /// GARIMPO_DATABASE_…: how PostgreSQL is used.
    pub postgres: PostgresConfig,
    /// GARIMPO_REPLICATED: a replication side-car owns the checkpoints of the embedded database.
    pub replicated: bool,
    /// GARIMPO_MIGRATE: whether a server migrates an older schema when it starts.
    pub migrates: bool,
    /// GARIMPO_SERVER_URL: where `garimpo gateway` finds servers.
    pub servers: Vec<String>,
    /// GARIMPO_FLEET_SECRET: what a gateway shows to servers on other machines.
    pub fleet_secret: Option<SecretString>,
    /// GARIMPO_DRAIN_SECONDS: how long a process that was told to stop still serves, not ready, so that whoever
    /// balances sees it and goes elsewhere.
    pub drain: Duration,
    /// GARIMPO_SANDBOX_URL, _WEBHOOK and _CLOCK.
    pub sandbox: SandboxConfig,
    /// GARIMPO_IDENTITY and what belongs to it.
    pub identity: IdentitySettings,
    /// GARIMPO_PAYMENTS and what belongs to it.
    pub payments: Payments,
    /// GARIMPO_PROVIDER_CALLS_PER_SECOND: of the whole fleet.
    pub provider_calls_per_second: u32,
    /// GARIMPO_MAIL.
    pub mail: Mail,
    /// GARIMPO_CONVERSIONS and what belongs to it.
    pub conversions: Conversions,
    /// GARIMPO_META_SCRIPT_URL and GARIMPO_ADS_…: what pages may tell.
    pub advertising: AdvertisingConfig,
    /// GARIMPO_BLACK_NOVEMBER.
    pub black_november: BlackNovember,
    /// How long access continues after the paid period.
    pub access: Access,
    /// GARIMPO_TRUSTED_PROXIES.
    pub trusted_proxies: Vec<IpNet>,
    /// GARIMPO_LIMIT_…: how often one may try.
    pub limits: LimitSettings,
    /// GARIMPO_LIMIT_MAILS_…: mails to an address that nobody has confirmed.
    pub mail_limits: MailLimits,
    /// Open connections of the public port.
    pub connections: BudgetLimits,
    /// What one client may hold of the gateway.
    pub gateway_limits: GatewayLimits,
    /// Password checks that run and wait.
    pub hashing: HashSettings,
    /// GARIMPO_PASSWORD_MINIMUM and _REFUSED.
    pub password_policy: PasswordPolicy,
    /// GARIMPO_CRASH_AT.
    pub crash_at: Option<CrashAt>,
    /// GARIMPO_PAUSE_AT.
    pub pause_at: Option<PauseAt>,
    /// GARIMPO_LOG: filter of the log.
    pub log: String,
    /// GARIMPO_ALLOW_HTTP.
    pub allow_http: bool,
    /// GARIMPO_ALLOW_SANDBOX: the sandbox serves peers beyond loopback.
    pub allow_sandbox: bool,
    /// Whether GARIMPO_PUBLIC_URL was given.
    has_public_url: bool,
    uses_sandbox: bool,
    warnings: Vec<String>,
    shown: Vec<Shown>,
}

/// The four ports.
#[derive(Debug, Clone, Copy)]
pub struct Listen {
    /// Site, REST, gRPC-Web and gRPC for anyone.
    pub public: SocketAddr,
    /// All services, for our own.
    pub grpc: SocketAddr,
    /// The sandbox.
    pub sandbox: SocketAddr,
    /// /metrics, /healthz, /readyz.
    pub metrics: SocketAddr,
}

/// The sandbox as it is reached and as it starts.
#[derive(Debug, Clone)]
pub struct SandboxConfig {
    /// The one address for servers, gateway and browsers; without it the bound port on loopback.
    pub url: Option<String>,
    /// Where it delivers webhooks; without it the public port on loopback.
    pub webhook: Option<String>,
    /// Where a fresh clock starts.
    pub clock_start: Option<OffsetDateTime>,
}

/// Who decides about the campaign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlackNovember {
    /// The catalogue's dates.
    Auto,
    /// It runs.
    On,
    /// It does not.
    Off,
}

/// How long access continues after the paid period.
#[derive(Debug, Clone, Copy)]
pub struct Access {
    /// GARIMPO_RENEWAL_HOURS: wait for the first result of a renewal.
    pub renewal_hours: u32,
    /// GARIMPO_GRACE_DAYS: delay of the suspension after a failed card.
    pub grace_days: u32,
    /// GARIMPO_BOLETO_GRACE_DAYS: time after a voucher's due date.
    pub boleto_grace_days: u32,
    /// GARIMPO_TRIAL_PURCHASE: when a purchase in the trial is charged.
    pub trial_purchase: TrialPurchase,
}

/// One effective setting as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Name of the variable.
    pub name: String,
    /// Its effective value; secrets are masked.
    pub value: String,
}

/// Settings that choose a provider.
const CHOICES: [&str; 4] = ["GARIMPO_PAYMENTS", "GARIMPO_IDENTITY", "GARIMPO_MAIL", "GARIMPO_CONVERSIONS"];

impl Config {
    /// Reads the settings of a role.
    ///
    /// # Errors
    /// Every setting that is wrong or that excludes another.
    pub fn read(
        role: Role,
        environment: &Environment,
        passed: Vec<PassedSocket>,
    ) -> Result<Self, ConfigErrors> {
        let settings = Variables::settings();
        let source = Source::read(environment, &settings);
        let mut errors = source.errors.clone();
        let (variables, refused) = Variables::parse(&source, &settings);
        errors.extend(refused);
        let wrong: BTreeSet<String> = errors.iter().map(|error| error.name().to_owned()).collect();
        // Without the choice of a provider nobody knows which settings are right beside it.
        if CHOICES.iter().any(|choice| wrong.contains(*choice)) {
            return Err(ConfigErrors(errors));
        }
        // The rest is checked with the defaults of what is wrong, and says nothing more of it.
        let mut further = Vec::new();
        let mut config = Self::of(role, variables, passed, &source, &settings, &mut further);
        checks::combination(&config, &mut further);
        errors.extend(further.into_iter().filter(|error| !wrong.contains(error.name())));
        config.warnings = source.warnings;
        if errors.is_empty() { Ok(config) } else { Err(ConfigErrors(errors)) }
    }

    /// A part that is wrong adds its error and takes a value that nobody will see.
    fn of(
        role: Role,
        variables: Variables,
        passed: Vec<PassedSocket>,
        source: &Source,
        settings: &[Setting],
        errors: &mut Vec<ConfigError>,
    ) -> Self {
        let process = variables.process;
        let mut listen = Listen {
            public: process.listen,
            grpc: process.grpc_listen,
            sandbox: process.sandbox_listen,
            metrics: process.metrics_listen,
        };
        sockets::replace(&mut listen, &passed, source, errors);
        let given_url = process.public_url;
        let public_url = given_url.clone().or_else(|| url_of_named_address(listen.public));
        let fleet = matches!(role, Role::Server | Role::Gateway);
        // Connections to a socket of systemd wait for the next process, so nobody has to go
        // elsewhere.
        let is_kept = sockets::address_of("public", &passed).is_some();
        let drain = process.drain_seconds.unwrap_or(if fleet && !is_kept { DRAIN_SECONDS } else { 0 });
        let payments = variables.payments;
        let is_beyond_payments = variables.mail.mail == MailTransport::Sandbox
            || variables.conversions.conversions == ConversionPlatform::Sandbox;
        let uses_sandbox =
            payments.payments == PaymentProvider::Sandbox || (is_beyond_payments && role != Role::Rehearsal);
        let access = Access {
            renewal_hours: payments.renewal_hours,
            grace_days: payments.grace_days,
            boleto_grace_days: payments.boleto_grace_days,
            trial_purchase: match payments.trial_purchase {
                TrialCharge::Now => TrialPurchase::AtOnce,
                TrialCharge::AtTrialEnd => TrialPurchase::AtTrialEnd,
            },
        };
        let black_november = match payments.black_november {
            Campaign::Auto => BlackNovember::Auto,
            Campaign::On => BlackNovember::On,
            Campaign::Off => BlackNovember::Off,
        };
        let provider_calls_per_second = payments.provider_calls_per_second.unwrap_or_else(|| {
            let is_sandbox = payments.payments == PaymentProvider::Sandbox;
            if is_sandbox { CALLS_PER_SECOND_OF_SANDBOX } else { CALLS_PER_SECOND }
        });
        let limits = limits::limits(&variables.limits);
        let embedded = format!("sqlite://{}", process.data_dir.join("garimpo.db").display());
        let database_url = process.database_url.unwrap_or_else(|| embedded.into());
        let mut checked = checks::Required { role, source, settings, errors };
        let servers = checked.when(role == Role::Gateway, "GARIMPO_SERVER_URL", process.server_url);
        let mut config = Self {
            role,
            listen,
            passed,
            has_public_url: given_url.is_some(),
            uses_sandbox,
            public_url,
            database_url,
            postgres: variables.database.into(),
            replicated: process.replicated.is_on(),
            migrates: process.migrate == Migrate::Start,
            data_dir: process.data_dir,
            servers: servers.map(|urls| urls.0).unwrap_or_default(),
            fleet_secret: checked.when(fleet, "GARIMPO_FLEET_SECRET", process.fleet_secret),
            drain: Duration::from_secs(drain),
            identity: providers::identity(variables.identity, &mut checked),
            payments: providers::payments(payments, &mut checked),
            provider_calls_per_second,
            mail: providers::mail(variables.mail, &mut checked),
            advertising: advertising::advertising(&variables.conversions, &mut checked),
            conversions: providers::conversions(variables.conversions, &mut checked),
            black_november,
            access,
            trusted_proxies: process.trusted_proxies.map(|networks| networks.0).unwrap_or_default(),
            limits,
            mail_limits: limits::mail_limits(&variables.limits),
            connections: limits::connections(&variables.limits),
            gateway_limits: limits::gateway(&variables.limits),
            hashing: limits::hashing(&variables.limits),
            password_policy: limits::password_policy(&variables.limits),
            crash_at: process.crash_at,
            pause_at: process.pause_at,
            log: process.log,
            allow_http: process.allow_http.is_on(),
            allow_sandbox: variables.sandbox.allow_sandbox.is_on(),
            sandbox: SandboxConfig {
                url: variables.sandbox.sandbox_url,
                webhook: variables.sandbox.sandbox_webhook,
                clock_start: variables.sandbox.sandbox_clock,
            },
            warnings: Vec::new(),
            shown: Vec::new(),
        };
        config.shown = shown(&config, source, settings);
        config
    }

    /// How the database is opened. An operator's command never migrates: it may be newer than the servers. Its statements
    /// have no time-out of ours, because a report may read years, but they wait no longer for a lock than others.
    pub fn store_settings(&self) -> StoreSettings {
        let serves = matches!(self.role, Role::Serve | Role::Server);
        let postgres = &self.postgres;
        StoreSettings {
            replicated: self.replicated,
            migrates: self.migrates && serves,
            connections: postgres.pool_size,
            statement_timeout: serves.then_some(postgres.statement_timeout),
            lock_timeout: Some(postgres.lock_timeout),
            pooler: postgres.pooler,
            migration_url: postgres.migration_url.as_ref().map(|url| url.expose_secret().to_owned()),
            ..StoreSettings::new(self.database_url.expose_secret())
        }
    }

    /// Every effective setting, secrets masked.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// What is to be logged about the settings.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Whether some setting names the sandbox.
    pub fn uses_sandbox(&self) -> bool {
        self.uses_sandbox
    }

    /// Whether time is the sandbox's. A report on a machine without a sandbox takes the machine's.
    pub fn follows_sandbox_clock(&self) -> bool {
        let has_sandbox = || self.sandbox.url.is_some() || self.data_dir.join("sandbox.db").exists();
        self.uses_sandbox && (self.role != Role::Report || has_sandbox())
    }
}

/// The effective values in the order of the groups: given, default, or worked out from others.
fn shown(config: &Config, source: &Source, settings: &[Setting]) -> Vec<Shown> {
    let value = |setting: &Setting| {
        let given = source.values.get(&setting.name);
        match setting.name.as_str() {
            "GARIMPO_DATABASE_URL" => without_password(config.database_url.expose_secret()),
            "GARIMPO_DATABASE_MIGRATION_URL" => {
                let url = config.postgres.migration_url.as_ref().unwrap_or(&config.database_url);
                without_password(url.expose_secret())
            }
            "GARIMPO_PROVIDER_CALLS_PER_SECOND" => config.provider_calls_per_second.to_string(),
            "GARIMPO_DRAIN_SECONDS" => config.drain.as_secs().to_string(),
            "GARIMPO_SANDBOX_URL" if given.is_none() => "(the sandbox's port)".to_owned(),
            "GARIMPO_PUBLIC_URL" | "GARIMPO_SANDBOX_WEBHOOK" if given.is_none() => {
                "(the public port)".to_owned()
            }
            _ if given.is_some() && setting.is_secret => "***".to_owned(),
            name => given
                .or(setting.default.as_ref())
                .cloned()
                .or_else(|| limits::effective(config, name).map(|number| number.to_string()))
                .unwrap_or_else(|| "(none)".to_owned()),
        }
    };
    settings.iter().map(|setting| Shown { name: setting.name.clone(), value: value(setting) }).collect()
}

/// The site's address where none is set and it listens on an address that others reach; on loopback, or on whatever this
/// machine has, it is loopback with the bound port.
fn url_of_named_address(public: SocketAddr) -> Option<PublicUrl> {
    let is_named = !public.ip().is_loopback() && !public.ip().is_unspecified();
    is_named.then(|| PublicUrl::parse(&format!("http://{public}")).ok()).flatten()
}

/// The address with both places of a password masked: between the user's name and the host, and the whole query.
fn without_password(url: &str) -> String {
    let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
    let (place, query) =
        rest.split_once(['?', '#']).map_or((rest, None), |(place, query)| (place, Some(query)));
    let user_and_host = place.rsplit_once('@');
    // A password with a bare question mark cannot be told from a query.
    if user_and_host.is_none() && query.is_some_and(|query| query.contains('@')) {
        return format!("{scheme}://***");
    }
    let named = user_and_host.and_then(|(user, host)| Some((user.split_once(':')?.0, host)));
    let place = named.map_or_else(|| place.to_owned(), |(name, host)| format!("{name}:***@{host}"));
    format!("{scheme}://{place}{}", if query.is_some() { "?***" } else { "" })
}
