//! The effective settings.

use std::path::PathBuf;
use std::time::Duration;

use garimpo_domain::{CampaignSwitch, PasswordPolicy, Policy, TrialPurchase};
use garimpo_gateway::PublicUrl;
use garimpo_server::app::IdentitySettings;
use garimpo_server::crash::CrashAt;
use garimpo_server::pause::PauseAt;
use garimpo_server::store::StoreSettings;
use ipnet::IpNet;
use secrecy::{ExposeSecret, SecretString};

use super::advertising::AdvertisingConfig;
use super::limits::Limits;
use super::providers::{Captcha, Conversions, Mail, Payments};
use super::role::Role;
use super::sockets::{Listen, PassedSocket};
use super::variables::{DatabaseVariables, SandboxVariables};
use garimpo_listener::tls::TlsSettings;

/// The effective settings.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct Config {
    /// The role of this process.
    pub role: Role,
    /// GARIMPO_LISTEN, _GRPC_LISTEN, _SANDBOX_LISTEN, _METRICS_LISTEN.
    pub listen: Listen,
    /// Sockets of systemd, each in the place of a port.
    pub(super) passed: Vec<PassedSocket>,
    /// GARIMPO_PUBLIC_URL; without it the bound public port on loopback.
    pub public_url: Option<PublicUrl>,
    /// GARIMPO_TLS_…, GARIMPO_ACME…: https on the public port; `None` for http.
    pub tls: Option<TlsSettings>,
    /// GARIMPO_DATA_DIR: embedded databases, `addresses.json`, lock.
    pub data_dir: PathBuf,
    /// GARIMPO_DATABASE_URL; holds a password where it is PostgreSQL's.
    pub database_url: SecretString,
    /// GARIMPO_DATABASE_…: how PostgreSQL is used.
    pub postgres: DatabaseVariables,
    /// GARIMPO_REPLICATED: a replication side-car owns the checkpoints of the embedded database.
    pub replicated: bool,
    /// GARIMPO_BACKUP_DIR: where backups of the embedded database are expected.
    pub backup_dir: Option<PathBuf>,
    /// GARIMPO_MIGRATE: whether a server migrates an older schema when it starts.
    pub migrates: bool,
    /// GARIMPO_DRAIN_SECONDS: how long a stopping process still serves, not ready, so that load
    /// balancers notice.
    pub drain: Duration,
    /// GARIMPO_SANDBOX_URL, _WEBHOOK and _CLOCK, and GARIMPO_ALLOW_SANDBOX.
    pub sandbox: SandboxVariables,
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
    /// GARIMPO_META_SCRIPT_URL and GARIMPO_ADS_…: advertising platforms of the pages.
    pub advertising: AdvertisingConfig,
    /// GARIMPO_CAPTCHA and what belongs to it.
    pub captcha: Captcha,
    /// GARIMPO_BLACK_NOVEMBER.
    pub campaign: CampaignSwitch,
    /// How long access continues after the paid period.
    pub policy: Policy,
    /// GARIMPO_TRIAL_PURCHASE: when a purchase in the trial is charged.
    pub trial_purchase: TrialPurchase,
    /// GARIMPO_TRUSTED_PROXIES.
    pub trusted_proxies: Vec<IpNet>,
    /// GARIMPO_LIMIT_….
    pub limits: Limits,
    /// GARIMPO_PASSWORD_MINIMUM and _REFUSED.
    pub password_policy: PasswordPolicy,
    /// GARIMPO_CRASH_AT.
    pub crash_at: Option<CrashAt>,
    /// GARIMPO_PAUSE_AT.
    pub pause_at: Option<PauseAt>,
    /// GARIMPO_LOG: filter of the log.
    pub log: String,
    /// GARIMPO_TRACES_URL and _RATIO: the collector of traces, and the share that is recorded.
    pub traces: Option<(String, f64)>,
    /// GARIMPO_ALLOW_HTTP.
    pub allow_http: bool,
    /// GARIMPO_ALLOW_PLAINTEXT.
    pub allow_plaintext: bool,
    /// Whether GARIMPO_PUBLIC_URL was given.
    pub(super) has_public_url: bool,
    /// Whether payments, mail, conversions or challenges use the sandbox.
    pub uses_sandbox: bool,
    /// Warnings about the settings, to be logged.
    pub warnings: Vec<String>,
    /// Every effective setting, secrets masked.
    pub shown: Vec<Shown>,
}

/// One effective setting as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Name of the variable.
    pub name: String,
    /// Its effective value; secrets are masked.
    pub value: String,
}

impl Config {
    /// How the database is opened. An operator's command never migrates: it may be newer than the
    /// servers. We set no time-out for its statements, because a report may read years, but they
    /// wait no longer for a lock than others.
    pub fn store_settings(&self) -> StoreSettings {
        let serves = self.role == Role::Serve;
        let postgres = &self.postgres;
        let migration_url = postgres.database_migration_url.as_ref();
        StoreSettings {
            replicated: self.replicated,
            backup_dir: self.backup_dir.clone(),
            migrates: self.migrates && serves,
            connections: postgres.database_pool_size,
            statement_timeout: serves.then_some(Duration::from_secs(postgres.database_statement_seconds)),
            lock_timeout: Some(Duration::from_secs(postgres.database_lock_seconds)),
            pooler: postgres.database_pooler,
            migration_url: migration_url.map(|url| url.expose_secret().to_owned()),
            ..StoreSettings::new(self.database_url.expose_secret())
        }
    }

    /// Whether this process is the sandbox, by itself or beside the product.
    pub fn runs_sandbox(&self) -> bool {
        let is_beside = self.role == Role::Serve && self.uses_sandbox;
        (is_beside || self.role == Role::Sandbox) && self.listen.sandbox.is_some()
    }

    /// Whether the sandbox's clock is used. A report on a machine without a sandbox uses the
    /// system's clock.
    pub fn follows_sandbox_clock(&self) -> bool {
        let has_sandbox = || self.sandbox.sandbox_url.is_some() || self.data_dir.join("sandbox.db").exists();
        self.uses_sandbox && (self.role != Role::Report || has_sandbox())
    }
}
