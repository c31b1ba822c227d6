//! Every setting as an environment variable: its name, type, default and help.
//!
//! clap parses the values. `value_name` is the form that errors and `garimpo config --help` show, and
//! `hide_env_values` marks a secret.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Command, CommandFactory as _, FromArgMatches as _, Parser, ValueEnum};
use garimpo_gateway::PublicUrl;
use garimpo_server::crash::CrashAt;
use garimpo_server::pause::PauseAt;
use garimpo_server::providers::{MAX_CALLS_PER_SECOND, meta};
use garimpo_server::store::engine::{CONNECTIONS, LOCK_TIMEOUT, STATEMENT_TIMEOUT};
use secrecy::SecretString;
use time::OffsetDateTime;

use super::forms::{
    AdsLabels, Networks, PasswordFile, ServerUrls, WebhookSecrets, ads_id, api_version, database_url, digits,
    fleet_secret, http_url, instant, log_filter, origin, postgres_url, project, publishable_key, safe_script,
    safe_url, secret, secret_key, server_urls, switch, webhook_secrets,
};
use super::problem::ConfigError;
use super::source::Source;

const ADDRESS: &str = "an address such as 127.0.0.1:8080, port 0 for any free one";
const URL: &str = "http:// or https:// and a host, without path";
const SAFE_URL: &str = "an https:// address, or http:// on this machine";
const COUNT: &str = "a whole number from 1";
const CALLS_PER_SECOND: &str = "a whole number from 1 to 10000";
const SWITCH: &str = "1 or 0";

/// What one setting is called and looks like.
#[derive(Debug, Clone)]
pub struct Setting {
    /// Name of the variable.
    pub name: String,
    /// Whether its value is never shown.
    pub is_secret: bool,
    /// The form of its value.
    pub allowed: String,
    /// The value without the variable.
    pub default: Option<String>,
    long: String,
}

/// Every setting.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub struct Variables {
    #[command(flatten)]
    pub process: ProcessVariables,
    #[command(flatten)]
    pub database: DatabaseVariables,
    #[command(flatten)]
    pub sandbox: SandboxVariables,
    #[command(flatten)]
    pub identity: IdentityVariables,
    #[command(flatten)]
    pub payments: PaymentVariables,
    #[command(flatten)]
    pub mail: MailVariables,
    #[command(flatten)]
    pub conversions: ConversionVariables,
    #[command(flatten)]
    pub limits: LimitVariables,
}

/// Ports, folder, database, fleet and log.
#[derive(Debug, Args)]
pub struct ProcessVariables {
    /// Public port: site, REST, gRPC-Web and gRPC
    #[arg(long, env = "GARIMPO_LISTEN", default_value = "127.0.0.1:8080", value_name = ADDRESS)]
    pub listen: SocketAddr,
    /// Internal port: all services, reflection, health
    #[arg(long, env = "GARIMPO_GRPC_LISTEN", default_value = "127.0.0.1:50051", value_name = ADDRESS)]
    pub grpc_listen: SocketAddr,
    /// Port of the sandbox
    #[arg(long, env = "GARIMPO_SANDBOX_LISTEN", default_value = "127.0.0.1:12111", value_name = ADDRESS)]
    pub sandbox_listen: SocketAddr,
    /// Port of /metrics, /healthz and /readyz
    #[arg(long, env = "GARIMPO_METRICS_LISTEN", default_value = "127.0.0.1:9464", value_name = ADDRESS)]
    pub metrics_listen: SocketAddr,
    /// Scheme and host of every link; by default the public port on loopback
    #[arg(long, env = "GARIMPO_PUBLIC_URL", value_parser = PublicUrl::parse, value_name = URL)]
    pub public_url: Option<PublicUrl>,
    /// Folder of the embedded database and local files
    #[arg(long, env = "GARIMPO_DATA_DIR", default_value = "./data", value_name = "a folder")]
    pub data_dir: PathBuf,
    /// Database; by default SQLite in the data folder
    #[arg(
        long,
        env = "GARIMPO_DATABASE_URL",
        value_parser = database_url,
        hide_env_values = true,
        value_name = "sqlite://<path> or postgres://<user>:<password>@<host>/<database>"
    )]
    pub database_url: Option<SecretString>,
    /// Make passive checkpoints alone, because a replication side-car copies the embedded database
    #[arg(long, env = "GARIMPO_REPLICATED", default_value = "0", value_parser = switch, value_name = SWITCH)]
    pub replicated: Switch,
    /// When an older schema is migrated: at the start, or by `garimpo migrate` alone
    #[arg(long, env = "GARIMPO_MIGRATE", default_value = "start", value_name = "start or never")]
    pub migrate: Migrate,
    /// Servers of `garimpo gateway`
    #[arg(
        long,
        env = "GARIMPO_SERVER_URL",
        value_parser = server_urls,
        value_name = "one or more addresses such as http://10.0.0.1:50051, comma-separated"
    )]
    pub server_url: Option<ServerUrls>,
    /// Secret that gateways and servers share
    #[arg(
        long,
        env = "GARIMPO_FLEET_SECRET",
        value_parser = fleet_secret,
        hide_env_values = true,
        value_name = "the same secret on every server and gateway, at least 16 visible ASCII characters"
    )]
    pub fleet_secret: Option<SecretString>,
    /// Seconds that a stopping process still serves, not ready; 2 in a fleet, 0 in one process
    #[arg(
        long,
        env = "GARIMPO_DRAIN_SECONDS",
        value_parser = clap::value_parser!(u64).range(..=300),
        value_name = "0 to 300"
    )]
    pub drain_seconds: Option<u64>,
    /// Proxies whose X-Forwarded-For is believed
    #[arg(
        long,
        env = "GARIMPO_TRUSTED_PROXIES",
        value_name = "addresses or ranges such as 10.0.0.0/8, public ones up to /12 and IPv6 /28, none larger, comma-separated"
    )]
    pub trusted_proxies: Option<Networks>,
    /// Allow plain HTTP beyond loopback
    #[arg(long, env = "GARIMPO_ALLOW_HTTP", default_value = "0", value_parser = switch, value_name = SWITCH)]
    pub allow_http: Switch,
    /// Point at which a test ends the process; with the sandbox only
    #[arg(
        long,
        env = "GARIMPO_CRASH_AT",
        value_name = "intent.stored, provider.answered, event.stored, projection.committed, job.delivered, \
                      session.stored, identity.changed, code.stored, password.stored, account.deleted, \
                      rows.purged, migration.applied, catalog.pushed, backup.copied or refund.paid, with an \
                      optional :n"
    )]
    pub crash_at: Option<CrashAt>,
    /// Point at which a test holds calls until several have arrived; with the sandbox only
    #[arg(
        long,
        env = "GARIMPO_PAUSE_AT",
        value_name = "account.decide or provider.call with :n, the calls that meet there, n from 2"
    )]
    pub pause_at: Option<PauseAt>,
    /// Filter of the log
    #[arg(
        long,
        env = "GARIMPO_LOG",
        default_value = "info",
        value_parser = log_filter,
        value_name = "a filter such as info or garimpo_server=debug,info"
    )]
    pub log: String,
    /// Refuse unknown GARIMPO_ names, or only warn
    #[arg(long, env = "GARIMPO_UNKNOWN", default_value = "refuse", value_name = "refuse or warn")]
    pub unknown: Unknown,
}

/// How PostgreSQL is used.
#[derive(Debug, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "a field names the argument, which has no other place for its group"
)]
pub struct DatabaseVariables {
    /// Connections to PostgreSQL of one process
    #[arg(
        long,
        env = "GARIMPO_DATABASE_POOL_SIZE",
        default_value_t = CONNECTIONS,
        value_parser = clap::value_parser!(u32).range(2..=1000),
        value_name = "2 to 1000"
    )]
    pub database_pool_size: u32,
    /// Seconds after which PostgreSQL ends a statement of a server
    #[arg(
        long,
        env = "GARIMPO_DATABASE_STATEMENT_SECONDS",
        default_value_t = STATEMENT_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=600),
        value_name = "1 to 600"
    )]
    pub database_statement_seconds: u64,
    /// Seconds after which PostgreSQL ends a statement that waits for a lock
    #[arg(
        long,
        env = "GARIMPO_DATABASE_LOCK_SECONDS",
        default_value_t = LOCK_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=600),
        value_name = "1 to 600"
    )]
    pub database_lock_seconds: u64,
    /// What stands in front of PostgreSQL: nothing, or a pooler in transaction mode such as PgBouncer
    #[arg(long, env = "GARIMPO_DATABASE_POOLER", default_value = "none", value_name = "none or transaction")]
    pub database_pooler: Pooler,
    /// PostgreSQL past the pooler, for migrations; by default the database
    #[arg(
        long,
        env = "GARIMPO_DATABASE_MIGRATION_URL",
        value_parser = postgres_url,
        hide_env_values = true,
        value_name = "postgres://<user>:<password>@<host>/<database>"
    )]
    pub database_migration_url: Option<SecretString>,
}

/// The sandbox.
#[derive(Debug, Args)]
pub struct SandboxVariables {
    /// Address at which servers, gateway and browsers reach the sandbox; by default its port
    #[arg(long, env = "GARIMPO_SANDBOX_URL", value_parser = origin, value_name = URL)]
    pub sandbox_url: Option<String>,
    /// Where the sandbox delivers webhooks; by default the public port on loopback
    #[arg(
        long,
        env = "GARIMPO_SANDBOX_WEBHOOK",
        value_parser = http_url,
        value_name = "an http:// or https:// URL"
    )]
    pub sandbox_webhook: Option<String>,
    /// Start of a fresh sandbox's clock; by default now
    #[arg(
        long,
        env = "GARIMPO_SANDBOX_CLOCK",
        value_parser = instant,
        value_name = "an instant such as 2026-03-10T12:00:00-03:00"
    )]
    pub sandbox_clock: Option<OffsetDateTime>,
    /// Allow the sandbox, or the payment provider's test mode, beyond loopback
    #[arg(long, env = "GARIMPO_ALLOW_SANDBOX", default_value = "0", value_parser = switch, value_name = SWITCH)]
    pub allow_sandbox: Switch,
}

/// The identity provider.
#[derive(Debug, Args)]
pub struct IdentityVariables {
    /// Where passwords are kept
    #[arg(long, env = "GARIMPO_IDENTITY", default_value = "local", value_name = "local, identity-toolkit")]
    pub identity: Identity,
    /// Accept the unsigned ID tokens of the vendor's emulator
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_EMULATOR",
        default_value = "0",
        value_parser = switch,
        value_name = SWITCH
    )]
    pub identity_emulator: Switch,
    /// REST API of the identity provider
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_URL",
        default_value = "https://identitytoolkit.googleapis.com",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_url: String,
    /// Where the service account's assertion is exchanged
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_TOKEN_URL",
        default_value = "https://oauth2.googleapis.com/token",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_token_url: String,
    /// Where the keys of ID tokens are published
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_KEYS_URL",
        default_value = "https://www.googleapis.com/service_accounts/v1/jwk/securetoken@system.gserviceaccount.com",
        value_parser = http_url,
        value_name = SAFE_URL
    )]
    pub identity_keys_url: String,
    /// API key of the project
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_API_KEY",
        value_parser = secret,
        hide_env_values = true,
        value_name = "an API key of the project"
    )]
    pub identity_api_key: Option<SecretString>,
    /// Project of the identity provider
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_PROJECT",
        value_parser = project,
        value_name = "the id of a project, such as garimpo-prod"
    )]
    pub identity_project: Option<String>,
    /// Key file of the service account
    #[arg(
        long,
        env = "GARIMPO_IDENTITY_CREDENTIALS",
        value_name = "the path of a service account's key file (JSON)"
    )]
    pub identity_credentials: Option<PathBuf>,
}

/// The payment provider and the rules that the operator decides.
#[derive(Debug, Args)]
pub struct PaymentVariables {
    /// Payment provider
    #[arg(long, env = "GARIMPO_PAYMENTS", default_value = "sandbox", value_name = "sandbox, stripe")]
    pub payments: PaymentProvider,
    /// Origin of the payment provider's API
    #[arg(
        long,
        env = "GARIMPO_STRIPE_URL",
        default_value = "https://api.stripe.com",
        value_parser = safe_url,
        value_name = SAFE_URL
    )]
    pub stripe_url: String,
    /// Secret or restricted key
    #[arg(
        long,
        env = "GARIMPO_STRIPE_SECRET_KEY",
        value_parser = secret_key,
        hide_env_values = true,
        value_name = "sk_live_…, sk_test_…, rk_live_… or rk_test_…"
    )]
    pub stripe_secret_key: Option<SecretString>,
    /// Publishable key, for the page
    #[arg(
        long,
        env = "GARIMPO_STRIPE_PUBLISHABLE_KEY",
        value_parser = publishable_key,
        hide_env_values = true,
        value_name = "pk_live_… or pk_test_…"
    )]
    pub stripe_publishable_key: Option<String>,
    /// Secrets of the webhook endpoint
    #[arg(
        long,
        env = "GARIMPO_STRIPE_WEBHOOK_SECRET",
        value_parser = webhook_secrets,
        hide_env_values = true,
        value_name = "one to 4 secrets whsec_…, comma-separated"
    )]
    pub stripe_webhook_secret: Option<WebhookSecrets>,
    /// Script of the embedded checkout
    #[arg(
        long,
        env = "GARIMPO_STRIPE_SCRIPT_URL",
        default_value = "https://js.stripe.com/endive/stripe.js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub stripe_script_url: String,
    /// Calls per second of the whole fleet to the payment provider
    #[arg(
        long,
        env = "GARIMPO_PROVIDER_CALLS_PER_SECOND",
        value_parser = calls_per_second(),
        value_name = CALLS_PER_SECOND
    )]
    pub provider_calls_per_second: Option<u32>,
    /// Whether the Black November campaign runs
    #[arg(long, env = "GARIMPO_BLACK_NOVEMBER", default_value = "auto", value_name = "auto, on, off")]
    pub black_november: Campaign,
    /// Hours that access waits for the first result of a renewal
    #[arg(
        long,
        env = "GARIMPO_RENEWAL_HOURS",
        default_value = "24",
        value_parser = clap::value_parser!(u32).range(..=720),
        value_name = "0 to 720"
    )]
    pub renewal_hours: u32,
    /// Days between a failed card and the suspension
    #[arg(
        long,
        env = "GARIMPO_GRACE_DAYS",
        default_value = "0",
        value_parser = clap::value_parser!(u32).range(..=60),
        value_name = "0 to 60"
    )]
    pub grace_days: u32,
    /// Days of access after a voucher's due date
    #[arg(
        long,
        env = "GARIMPO_BOLETO_GRACE_DAYS",
        default_value = "3",
        value_parser = clap::value_parser!(u32).range(..=60),
        value_name = "0 to 60"
    )]
    pub boleto_grace_days: u32,
    /// When a purchase in the trial is charged
    #[arg(long, env = "GARIMPO_TRIAL_PURCHASE", default_value = "now", value_name = "now, at_trial_end")]
    pub trial_purchase: TrialCharge,
}

/// Mail.
#[derive(Debug, Args)]
pub struct MailVariables {
    /// How mails are sent
    #[arg(long, env = "GARIMPO_MAIL", default_value = "sandbox", value_name = "sandbox, smtp")]
    pub mail: MailTransport,
    /// Mail server
    #[arg(
        long,
        env = "GARIMPO_SMTP_URL",
        value_parser = secret,
        hide_env_values = true,
        value_name = "smtps://user:password@host, smtp://user:password@host?tls=required, or smtp:// on loopback"
    )]
    pub smtp_url: Option<SecretString>,
    /// Sender of mails
    #[arg(long, env = "GARIMPO_MAIL_FROM", value_name = "an address such as Garimpo <ola@example.com>")]
    pub mail_from: Option<String>,
}

/// Conversions and advertising platforms.
#[derive(Debug, Args)]
pub struct ConversionVariables {
    /// Where conversions are sent
    #[arg(long, env = "GARIMPO_CONVERSIONS", default_value = "sandbox", value_name = "sandbox, meta, off")]
    pub conversions: ConversionPlatform,
    /// Meta's API
    #[arg(
        long,
        env = "GARIMPO_META_URL",
        default_value = "https://graph.facebook.com",
        value_parser = safe_url,
        value_name = SAFE_URL
    )]
    pub meta_url: String,
    /// Version of Meta's API
    #[arg(
        long,
        env = "GARIMPO_META_API_VERSION",
        default_value = meta::API_VERSION,
        value_parser = api_version,
        value_name = "a version such as v26.0"
    )]
    pub meta_api_version: String,
    /// Pixel
    #[arg(long, env = "GARIMPO_META_PIXEL_ID", value_parser = digits, value_name = "the digits of a pixel's id")]
    pub meta_pixel_id: Option<String>,
    /// Access token of Meta's API
    #[arg(
        long,
        env = "GARIMPO_META_ACCESS_TOKEN",
        value_parser = secret,
        hide_env_values = true,
        value_name = "an access token of the pixel"
    )]
    pub meta_access_token: Option<SecretString>,
    /// Script of the pixel
    #[arg(
        long,
        env = "GARIMPO_META_SCRIPT_URL",
        default_value = "https://connect.facebook.net/en_US/fbevents.js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub meta_script_url: String,
    /// Account of Google's ads
    #[arg(long, env = "GARIMPO_ADS_ID", value_parser = ads_id, value_name = "AW- and digits")]
    pub ads_id: Option<String>,
    /// Labels of Google's ads
    #[arg(
        long,
        env = "GARIMPO_ADS_LABELS",
        value_name = "event=label, comma-separated; events: cadastro, checkout_iniciado, checkout_finalizado"
    )]
    pub ads_labels: Option<AdsLabels>,
    /// Script of Google's ads
    #[arg(
        long,
        env = "GARIMPO_ADS_SCRIPT_URL",
        default_value = "https://www.googletagmanager.com/gtag/js",
        value_parser = safe_script,
        value_name = SAFE_URL
    )]
    pub ads_script_url: String,
}

/// How often one may try, and what a new password must be.
#[derive(Debug, Args)]
pub struct LimitVariables {
    /// Failed sign-ins per account and address in 15 minutes
    #[arg(long, env = "GARIMPO_LIMIT_SIGN_IN", value_parser = count(), value_name = COUNT)]
    pub limit_sign_in: Option<u32>,
    /// Failed sign-ins per account in 15 minutes
    #[arg(long, env = "GARIMPO_LIMIT_SIGN_IN_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_sign_in_account: Option<u32>,
    /// Failed sign-ins per address in 15 minutes
    #[arg(long, env = "GARIMPO_LIMIT_SIGN_IN_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_sign_in_address: Option<u32>,
    /// Sign-ups per address in an hour
    #[arg(long, env = "GARIMPO_LIMIT_SIGN_UP_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_sign_up_address: Option<u32>,
    /// Conversion events per address in a minute
    #[arg(long, env = "GARIMPO_LIMIT_EVENTS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_events_address: Option<u32>,
    /// Recovery mails per typed email in an hour
    #[arg(long, env = "GARIMPO_LIMIT_RECOVERY_EMAIL", value_parser = count(), value_name = COUNT)]
    pub limit_recovery_email: Option<u32>,
    /// Recovery requests per address in an hour
    #[arg(long, env = "GARIMPO_LIMIT_RECOVERY_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_recovery_address: Option<u32>,
    /// Wrong recovery codes per address in an hour
    #[arg(long, env = "GARIMPO_LIMIT_CODES_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_codes_address: Option<u32>,
    /// Confirmation mails per account in an hour
    #[arg(long, env = "GARIMPO_LIMIT_VERIFICATION_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_verification_account: Option<u32>,
    /// Exports per account in an hour
    #[arg(long, env = "GARIMPO_LIMIT_EXPORT_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_export_account: Option<u32>,
    /// Checkouts, portals and plan changes per account in an hour
    #[arg(long, env = "GARIMPO_LIMIT_CHECKOUT_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_checkout_account: Option<u32>,
    /// Readings of checkouts per address in a minute
    #[arg(long, env = "GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_checkout_reads_address: Option<u32>,
    /// Calls per service token in a second
    #[arg(long, env = "GARIMPO_LIMIT_CALLS_TOKEN", value_parser = count(), value_name = COUNT)]
    pub limit_calls_token: Option<u32>,
    /// Open watches per service token
    #[arg(long, env = "GARIMPO_LIMIT_WATCHES_TOKEN", value_parser = count(), value_name = COUNT)]
    pub limit_watches_token: Option<u32>,
    /// Mails in an hour to an address that nobody has confirmed
    #[arg(long, env = "GARIMPO_LIMIT_MAILS_HOUR", default_value = "5", value_parser = count(), value_name = COUNT)]
    pub limit_mails_hour: u32,
    /// Mails in a day to an address that nobody has confirmed
    #[arg(long, env = "GARIMPO_LIMIT_MAILS_DAY", default_value = "20", value_parser = count(), value_name = COUNT)]
    pub limit_mails_day: u32,
    /// Open connections of the public port
    #[arg(long, env = "GARIMPO_LIMIT_CONNECTIONS", value_parser = count(), value_name = COUNT)]
    pub limit_connections: Option<u32>,
    /// Open connections of the public port per address
    #[arg(long, env = "GARIMPO_LIMIT_CONNECTIONS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_connections_address: Option<u32>,
    /// Requests under way on the public port
    #[arg(long, env = "GARIMPO_LIMIT_REQUESTS", value_parser = count(), value_name = COUNT)]
    pub limit_requests: Option<u32>,
    /// Requests under way on the public port per address
    #[arg(long, env = "GARIMPO_LIMIT_REQUESTS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_requests_address: Option<u32>,
    /// Request bodies that have not arrived whole
    #[arg(long, env = "GARIMPO_LIMIT_BODIES", value_parser = count(), value_name = COUNT)]
    pub limit_bodies: Option<u32>,
    /// Request bodies that have not arrived whole per address
    #[arg(long, env = "GARIMPO_LIMIT_BODIES_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_bodies_address: Option<u32>,
    /// Request bodies in memory, in MiB
    #[arg(long, env = "GARIMPO_LIMIT_BODY_MIB", value_parser = count(), value_name = COUNT)]
    pub limit_body_mib: Option<u32>,
    /// Request bodies in memory per address, in MiB
    #[arg(long, env = "GARIMPO_LIMIT_BODY_MIB_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_body_mib_address: Option<u32>,
    /// Payment events in memory, in MiB
    #[arg(long, env = "GARIMPO_LIMIT_EVENT_MIB", value_parser = count(), value_name = COUNT)]
    pub limit_event_mib: Option<u32>,
    /// Payment events in memory per address, in MiB
    #[arg(long, env = "GARIMPO_LIMIT_EVENT_MIB_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_event_mib_address: Option<u32>,
    /// Payment events with a wrong signature per address in a minute
    #[arg(long, env = "GARIMPO_LIMIT_REFUSED_EVENTS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_refused_events_address: Option<u32>,
    /// Open streams of health and reflection on the public port
    #[arg(long, env = "GARIMPO_LIMIT_STREAMS", value_parser = count(), value_name = COUNT)]
    pub limit_streams: Option<u32>,
    /// Open streams of health and reflection on the public port per address
    #[arg(long, env = "GARIMPO_LIMIT_STREAMS_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_streams_address: Option<u32>,
    /// Seconds after which such a stream ends
    #[arg(long, env = "GARIMPO_LIMIT_STREAM_SECONDS", value_parser = count(), value_name = COUNT)]
    pub limit_stream_seconds: Option<u32>,
    /// Password checks that may wait
    #[arg(long, env = "GARIMPO_LIMIT_HASHES_WAITING", value_parser = count(), value_name = COUNT)]
    pub limit_hashes_waiting: Option<u32>,
    /// Password checks that may wait per address
    #[arg(long, env = "GARIMPO_LIMIT_HASHES_WAITING_ADDRESS", value_parser = count(), value_name = COUNT)]
    pub limit_hashes_waiting_address: Option<u32>,
    /// Sessions opened per account in an hour
    #[arg(long, env = "GARIMPO_LIMIT_SESSIONS_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_sessions_account: Option<u32>,
    /// Live sessions per account; the oldest ends
    #[arg(long, env = "GARIMPO_LIMIT_LIVE_SESSIONS_ACCOUNT", value_parser = count(), value_name = COUNT)]
    pub limit_live_sessions_account: Option<u32>,
    /// Shortest new password
    #[arg(
        long,
        env = "GARIMPO_PASSWORD_MINIMUM",
        default_value = "6",
        value_parser = clap::value_parser!(u16).range(6..=128),
        value_name = "a whole number from 6 to 128"
    )]
    pub password_minimum: u16,
    /// Passwords that are refused
    #[arg(
        long,
        env = "GARIMPO_PASSWORD_REFUSED",
        value_name = "a file with a password a line, in UTF-8, at most 64 MiB"
    )]
    pub password_refused: Option<PasswordFile>,
}

/// 1 or 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switch {
    /// 1.
    On,
    /// 0.
    Off,
}

impl Switch {
    /// Whether it is 1.
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

/// GARIMPO_UNKNOWN.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Unknown {
    /// Unknown names stop the start.
    Refuse,
    /// Unknown names are logged.
    Warn,
}

/// GARIMPO_DATABASE_POOLER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Pooler {
    /// Nothing.
    None,
    /// A pooler in transaction mode.
    Transaction,
}

/// GARIMPO_MIGRATE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Migrate {
    /// A server migrates when it starts.
    Start,
    /// A server with an older schema refuses to start.
    Never,
}

/// GARIMPO_IDENTITY.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Identity {
    /// Our own database.
    Local,
    /// Google's Identity Toolkit.
    IdentityToolkit,
}

/// GARIMPO_PAYMENTS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum PaymentProvider {
    /// The sandbox.
    Sandbox,
    /// Stripe.
    Stripe,
}

/// GARIMPO_BLACK_NOVEMBER.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Campaign {
    /// The catalogue's dates.
    Auto,
    /// The campaign runs.
    On,
    /// The campaign does not run.
    Off,
}

/// GARIMPO_TRIAL_PURCHASE.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TrialCharge {
    /// At once.
    Now,
    /// At the end of the trial.
    #[value(name = "at_trial_end")]
    AtTrialEnd,
}

/// GARIMPO_MAIL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum MailTransport {
    /// The sandbox's mailbox.
    Sandbox,
    /// A mail server.
    Smtp,
}

/// GARIMPO_CONVERSIONS.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ConversionPlatform {
    /// The sandbox.
    Sandbox,
    /// Meta.
    Meta,
    /// No platform.
    Off,
}

fn calls_per_second() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..=i64::from(MAX_CALLS_PER_SECOND))
}

fn count() -> clap::builder::RangedI64ValueParser<u32> {
    clap::value_parser!(u32).range(1..)
}

impl Variables {
    /// Every setting in the order of its group.
    pub fn settings() -> Vec<Setting> {
        let command = Self::command();
        let settings = command.get_arguments().filter_map(|argument| {
            let default: Vec<_> =
                argument.get_default_values().iter().map(|value| value.to_string_lossy()).collect();
            Some(Setting {
                name: argument.get_env()?.to_str()?.to_owned(),
                long: argument.get_long()?.to_owned(),
                is_secret: argument.is_hide_env_values_set(),
                allowed: argument.get_value_names().map(<[_]>::concat).unwrap_or_default(),
                default: default.first().map(|value| value.clone().into_owned()),
            })
        });
        settings.collect()
    }

    /// Parses each value on its own, so that every wrong one is named; it takes its default then.
    pub fn parse(source: &Source, settings: &[Setting]) -> (Self, Vec<ConfigError>) {
        let command = Self::command().mut_args(|argument| argument.env(None::<&str>));
        let given = settings.iter().filter_map(|setting| Some((setting, source.values.get(&setting.name)?)));
        let (mut errors, mut arguments) = (vec![], vec![]);
        for (setting, value) in given {
            let argument = format!("--{}={value}", setting.long);
            if is_allowed(&command, setting, &argument) {
                arguments.push(argument);
            } else {
                let found = if setting.is_secret { "***" } else { value };
                errors.push(ConfigError::refused(&setting.name, found, &setting.allowed));
            }
        }
        let parsed =
            command.try_get_matches_from(arguments).and_then(|matches| Self::from_arg_matches(&matches));
        (parsed.expect("each value is allowed by itself, and none excludes another here"), errors)
    }
}

/// Whether one setting's value alone is allowed.
fn is_allowed(command: &Command, setting: &Setting, argument: &str) -> bool {
    let own = command.get_arguments().find(|known| known.get_long() == Some(&setting.long));
    let alone = own.map(|own| Command::new("setting").no_binary_name(true).arg(own.clone()));
    alone.is_some_and(|alone| alone.try_get_matches_from([argument]).is_ok())
}
