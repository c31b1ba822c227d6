//! Every setting but the limits: the field `listen` is the variable GARIMPO_LISTEN, and so on.
//!
//! clap parses the values. `value_name` is the form that errors show, and `hide_env_values` marks a
//! secret.

mod providers;
mod tls;

pub use providers::{
    CaptchaChoice, CaptchaVariables, ConversionPlatform, ConversionVariables, Identity, IdentityVariables,
    MailTransport, MailVariables, PaymentProvider, PaymentVariables, SandboxVariables,
};
pub use tls::TlsVariables;

use std::error::Error;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Arg, ArgAction, Args, Command, CommandFactory as _, FromArgMatches as _, Parser, ValueHint};
use garimpo_gateway::PublicUrl;
use garimpo_server::crash::CrashAt;
use garimpo_server::pause::PauseAt;
use garimpo_server::store::engine::{CONNECTIONS, LOCK_TIMEOUT, Pooler, STATEMENT_TIMEOUT};
use ipnet::IpNet;
use secrecy::SecretString;

use super::forms::{
    ADDRESS, List, PasswordFileError, SWITCH, SandboxPort, URL, database_url, log_filter, networks, one_of,
    origin, password_file, postgres_url, ratio, sandbox_port, switch,
};
use super::problem::ConfigError;
use super::setting::{PREFIX, Setting};
use super::source::Source;

/// Every setting.
#[derive(Debug, Parser)]
#[command(no_binary_name = true, disable_help_flag = true)]
pub struct Variables {
    #[command(flatten)]
    pub process: ProcessVariables,
    #[command(flatten)]
    pub tls: TlsVariables,
    #[command(flatten)]
    pub traces: TraceVariables,
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
    pub captcha: CaptchaVariables,
    #[command(flatten)]
    pub password: PasswordVariables,
}

/// Ports, folder, database and log.
#[derive(Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a setting of its own")]
pub struct ProcessVariables {
    /// Public port: site, REST, gRPC-Web and gRPC
    #[arg(default_value = "127.0.0.1:8080", value_name = ADDRESS)]
    pub listen: SocketAddr,
    /// Internal port: all services, reflection, health
    #[arg(default_value = "127.0.0.1:50051", value_name = ADDRESS)]
    pub grpc_listen: SocketAddr,
    /// Port of the sandbox, or off if the sandbox runs elsewhere
    #[arg(
        default_value = "127.0.0.1:12111",
        value_parser = sandbox_port,
        value_name = "an address such as 127.0.0.1:12111, port 0 for any free one, or off"
    )]
    pub sandbox_listen: SandboxPort,
    /// Port of /metrics, /healthz and /readyz
    #[arg(default_value = "127.0.0.1:9464", value_name = ADDRESS)]
    pub metrics_listen: SocketAddr,
    /// Scheme and host of every link; by default the public port on loopback
    #[arg(value_parser = PublicUrl::parse, value_name = URL)]
    pub public_url: Option<PublicUrl>,
    /// Folder of the embedded database and local files
    #[arg(default_value = "./data", value_name = "a folder")]
    pub data_dir: PathBuf,
    /// Database; by default SQLite in the data folder
    #[arg(
        value_parser = database_url,
        hide_env_values = true,
        value_name = "sqlite://<path> or postgres://<user>:<password>@<host>/<database>"
    )]
    pub database_url: Option<SecretString>,
    /// Make passive checkpoints alone, because a replication side-car copies the embedded database
    #[arg(default_value = "0", value_parser = switch, action = ArgAction::Set, value_name = SWITCH)]
    pub replicated: bool,
    /// Folder in which backups of the embedded database are expected
    #[arg(value_name = "a folder")]
    pub backup_dir: Option<PathBuf>,
    /// When an older schema is migrated: at the start, or by `garimpo migrate` alone
    #[arg(
        default_value = "start",
        value_parser = one_of(&[("start", true), ("never", false)]),
        action = ArgAction::Set,
        value_name = "start or never"
    )]
    pub migrate: bool,
    /// Seconds that a stopping process still serves, not ready; 2 with PostgreSQL, 0 with SQLite
    #[arg(value_parser = clap::value_parser!(u64).range(..=300), value_name = "0 to 300")]
    pub drain_seconds: Option<u64>,
    /// Proxies whose X-Forwarded-For is believed
    #[arg(
        value_parser = networks,
        value_name = "addresses or ranges such as 10.0.0.0/8, public ones up to /12 and IPv6 /28, none larger, comma-separated"
    )]
    pub trusted_proxies: Option<List<IpNet>>,
    /// Allow plain HTTP beyond loopback
    #[arg(default_value = "0", value_parser = switch, action = ArgAction::Set, value_name = SWITCH)]
    pub allow_http: bool,
    /// Allow PostgreSQL and traces without TLS beyond loopback while the site has a public address
    #[arg(default_value = "0", value_parser = switch, action = ArgAction::Set, value_name = SWITCH)]
    pub allow_plaintext: bool,
    /// Point at which a test ends the process; with the sandbox only
    #[arg(
        value_name = "intent.stored, provider.answered, event.stored, projection.committed, job.delivered, \
                      session.stored, identity.changed, code.stored, password.stored, account.deleted, \
                      rows.purged, migration.applied, catalog.pushed, backup.copied, restore.prepared, \
                      restore.kept, restore.replaced, adoption.decided, adoption.named or refund.paid, \
                      with an optional :n"
    )]
    pub crash_at: Option<CrashAt>,
    /// Point at which a test holds calls until several have arrived; with the sandbox only
    #[arg(value_name = "account.decide or provider.call with :n, the calls that meet there, n from 2")]
    pub pause_at: Option<PauseAt>,
    /// Filter of the log
    #[arg(
        default_value = "info",
        value_parser = log_filter,
        value_name = "a filter such as info or garimpo_server=debug,info"
    )]
    pub log: String,
    /// Refuse unknown GARIMPO_ names, or only warn
    #[arg(
        default_value = "refuse",
        value_parser = one_of(&[("refuse", false), ("warn", true)]),
        action = ArgAction::Set,
        value_name = "refuse or warn"
    )]
    pub unknown: bool,
}

/// Where traces go.
#[derive(Debug, Args)]
pub struct TraceVariables {
    /// Collector of traces, over OTLP by gRPC; without it nothing is recorded
    #[arg(value_parser = origin, value_name = "http:// or https:// and a host such as http://127.0.0.1:4317, without path")]
    pub traces_url: Option<String>,
    /// Share of the traces that are recorded
    #[arg(default_value = "0.1", value_parser = ratio, value_name = "a number from 0 to 1")]
    pub traces_ratio: f64,
}

/// How PostgreSQL is used.
#[derive(Debug, Clone, Args)]
#[expect(
    clippy::struct_field_names,
    reason = "a field names the argument, which has no other place for its group"
)]
pub struct DatabaseVariables {
    /// Connections to PostgreSQL of one process
    #[arg(
        default_value_t = CONNECTIONS,
        value_parser = clap::value_parser!(u32).range(2..=1000),
        value_name = "2 to 1000"
    )]
    pub database_pool_size: u32,
    /// Seconds after which PostgreSQL ends a statement of a server
    #[arg(
        default_value_t = STATEMENT_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=600),
        value_name = "1 to 600"
    )]
    pub database_statement_seconds: u64,
    /// Seconds after which PostgreSQL ends a statement that waits for a lock
    #[arg(
        default_value_t = LOCK_TIMEOUT.as_secs(),
        value_parser = clap::value_parser!(u64).range(1..=600),
        value_name = "1 to 600"
    )]
    pub database_lock_seconds: u64,
    /// Pooler in front of PostgreSQL: none, or one in transaction mode such as PgBouncer
    #[arg(
        default_value = "none",
        value_parser = one_of(&[("none", Pooler::None), ("transaction", Pooler::Transaction)]),
        value_name = "none or transaction"
    )]
    pub database_pooler: Pooler,
    /// PostgreSQL past the pooler, for migrations; by default the database
    #[arg(
        value_parser = postgres_url,
        hide_env_values = true,
        value_name = "postgres://<user>:<password>@<host>/<database>"
    )]
    pub database_migration_url: Option<SecretString>,
}

/// What a new password must be.
#[derive(Debug, Args)]
pub struct PasswordVariables {
    /// Shortest new password
    #[arg(
        default_value = "6",
        value_parser = clap::value_parser!(u16).range(6..=128),
        value_name = "a whole number from 6 to 128"
    )]
    pub password_minimum: u16,
    /// Passwords that are refused
    #[arg(value_parser = password_file, value_name = "a file with a password a line, in UTF-8, at most 64 MiB")]
    pub password_refused: Option<List<String>>,
}

impl Variables {
    /// Every setting in the order of its group.
    pub fn settings() -> Vec<Setting> {
        let command = Self::command();
        let setting = |argument: &Arg| Setting {
            name: format!("{PREFIX}{}", argument.get_id().as_str().to_uppercase()),
            is_secret: argument.is_hide_env_values_set(),
            is_file: argument.get_value_hint() == ValueHint::FilePath,
            allowed: argument.get_value_names().map(<[_]>::concat).unwrap_or_default(),
            default: argument.get_default_values().first().map(|value| value.to_string_lossy().into_owned()),
        };
        command.get_arguments().map(setting).collect()
    }

    /// Parses each value on its own, so that every wrong one is named; it takes its default then.
    pub fn parse(source: &Source, settings: &[Setting]) -> (Self, Vec<ConfigError>) {
        let command = Self::command().mut_args(|argument| {
            let name = argument.get_id().to_string();
            argument.long(name)
        });
        let (mut errors, mut arguments) = (vec![], vec![]);
        for (argument, setting) in command.get_arguments().zip(settings) {
            let Some(value) = source.values.get(&setting.name) else { continue };
            let given = format!("--{}={value}", argument.get_long().unwrap_or_default());
            let alone = Command::new("setting").no_binary_name(true).arg(argument.clone());
            if let Err(error) = alone.try_get_matches_from([&given]) {
                let found = if setting.is_secret { "***" } else { value };
                let refused = ConfigError::refused(&setting.name, found, &setting.allowed);
                let cause = error.source().and_then(<dyn Error>::downcast_ref::<PasswordFileError>);
                errors.push(if let Some(cause) = cause { refused.because(cause) } else { refused });
            } else {
                arguments.push(given);
            }
        }
        let parsed =
            command.try_get_matches_from(arguments).and_then(|matches| Self::from_arg_matches(&matches));
        (parsed.expect("each value is allowed by itself, and none excludes another here"), errors)
    }
}
