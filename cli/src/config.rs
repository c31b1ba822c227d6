//! Every setting of the binary (design section 1): read once, from the environment alone.
//!
//! A wrong value stops the start with one line. Nothing else in the product reads the environment.

mod advertising;
mod limits;
mod providers;
mod reader;
#[cfg(test)]
mod tests;

pub use advertising::AdvertisingConfig;
pub use providers::{Conversions, Mail, Payments, StripeConfig, sandbox_conversions};
pub use reader::{ConfigError, Shown};

use garimpo_domain::person::PasswordPolicy;
use garimpo_gateway::PublicUrl;
use garimpo_server::app::IdentitySettings;
use garimpo_server::auth::LimitSettings;
use garimpo_server::billing::TrialPurchase;
use garimpo_server::crash::CrashAt;
use garimpo_server::providers::identity_toolkit::Credentials;
use ipnet::IpNet;
use reader::{Get, Reader};
use secrecy::{ExposeSecret, SecretString};
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::time::Duration;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

const ADDRESS: &str = "an address such as 127.0.0.1:8080, port 0 for any free one";
const URL: &str = "http:// or https:// and a host, without path";
/// Shorter fleet secrets can be guessed.
const FLEET_SECRET_MIN: usize = 16;

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
    /// An operator's command on the database.
    Admin,
}

/// The effective settings.
#[derive(Debug, Clone)]
pub struct Config {
    /// What this process is.
    pub role: Role,
    /// GARIMPO_LISTEN, _GRPC_LISTEN, _SANDBOX_LISTEN, _METRICS_LISTEN.
    pub listen: Listen,
    /// GARIMPO_PUBLIC_URL; without it the bound public port on loopback.
    pub public_url: Option<PublicUrl>,
    /// GARIMPO_DATA_DIR: embedded databases, `addresses.json`, lock.
    pub data_dir: PathBuf,
    /// GARIMPO_DATABASE_URL; holds a password where it is PostgreSQL's.
    pub database_url: SecretString,
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
    /// GARIMPO_MAIL.
    pub mail: Mail,
    /// GARIMPO_CONVERSIONS and what belongs to it.
    pub conversions: Conversions,
    /// GARIMPO_META_SCRIPT_URL and GARIMPO_ADS_…: what pages may tell.
    pub advertising: AdvertisingConfig,
    /// GARIMPO_BLACK_NOVEMBER.
    pub black_november: BlackNovember,
    /// How long access outlives what was paid.
    pub access: Access,
    /// GARIMPO_TRUSTED_PROXIES.
    pub trusted_proxies: Vec<IpNet>,
    /// GARIMPO_LIMIT_…: how often one may try.
    pub limits: LimitSettings,
    /// GARIMPO_PASSWORD_MINIMUM and _REFUSED.
    pub password_policy: PasswordPolicy,
    /// GARIMPO_CRASH_AT.
    pub crash_at: Option<CrashAt>,
    /// GARIMPO_LOG: filter of the log.
    pub log: String,
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

/// How long access outlives what was paid (design section 7).
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

impl Config {
    /// Reads the settings of a role.
    ///
    /// # Errors
    /// The first setting that is wrong or that refuses to go with another.
    pub fn read(role: Role, get: Get<'_>) -> Result<Self, ConfigError> {
        let mut from = Reader::new(get);
        let listen = listen(&mut from)?;
        let public_url =
            from.optional("GARIMPO_PUBLIC_URL", "the public port", URL, |t| PublicUrl::parse(t).ok())?;
        let public_url = public_url.or_else(|| url_of_named_address(listen.public));
        let is_loopback = public_url.as_ref().is_none_or(PublicUrl::is_loopback);
        let data_dir = from.value("GARIMPO_DATA_DIR", "./data", "a folder", |t| Some(PathBuf::from(t)))?;
        let mut config = Self {
            role,
            listen,
            public_url,
            database_url: database_url(&mut from, &data_dir)?,
            data_dir,
            servers: servers(&mut from, role)?,
            fleet_secret: fleet_secret(&mut from, role)?,
            drain: drain(&mut from, role)?,
            sandbox: sandbox(&mut from)?,
            identity: providers::identity(&mut from)?,
            payments: providers::payments(&mut from)?,
            mail: providers::mail(&mut from)?,
            conversions: providers::conversions(&mut from)?,
            advertising: advertising::advertising(&mut from)?,
            black_november: black_november(&mut from)?,
            access: access(&mut from)?,
            trusted_proxies: trusted_proxies(&mut from)?,
            limits: limits::limits(&mut from, is_loopback)?,
            password_policy: limits::password_policy(&mut from)?,
            crash_at: crash_at(&mut from)?,
            log: from.value(
                "GARIMPO_LOG",
                "info",
                "a filter such as info or garimpo_server=debug,info",
                log,
            )?,
            shown: Vec::new(),
        };
        config.refuse_what_does_not_go_together(&mut from)?;
        config.shown = from.into_shown();
        Ok(config)
    }

    /// Every effective setting, secrets masked.
    pub fn shown(&self) -> &[Shown] {
        &self.shown
    }

    /// Whether some setting names the sandbox.
    pub fn uses_sandbox(&self) -> bool {
        matches!(self.payments, Payments::Sandbox)
            || matches!(self.mail, Mail::Sandbox)
            || matches!(self.conversions, Conversions::Sandbox)
    }

    /// Whether ID tokens are taken that nobody signed.
    fn uses_identity_emulator(&self) -> bool {
        matches!(&self.identity, IdentitySettings::Toolkit(toolkit) if matches!(toolkit.credentials, Credentials::Emulator))
    }

    fn refuse_what_does_not_go_together(&self, from: &mut Reader<'_>) -> Result<(), ConfigError> {
        let allow_sandbox = from.switch("GARIMPO_ALLOW_SANDBOX")?;
        let allow_http = from.switch("GARIMPO_ALLOW_HTTP")?;
        if let Some(url) = self.public_url.as_ref().filter(|url| !url.is_loopback()) {
            let found = url.origin();
            if self.uses_identity_emulator() {
                let allowed = "a loopback address while GARIMPO_IDENTITY_EMULATOR is 1";
                return Err(ConfigError::new("GARIMPO_PUBLIC_URL", &found, allowed));
            }
            if self.uses_sandbox() && !allow_sandbox {
                let allowed = "a loopback address while payments, mail or conversions are the sandbox's \
                               (GARIMPO_ALLOW_SANDBOX=1 lets it pass)";
                return Err(ConfigError::new("GARIMPO_PUBLIC_URL", &found, allowed));
            }
            if !url.is_https() && !allow_http {
                let allowed = "https:// unless it is loopback (GARIMPO_ALLOW_HTTP=1 lets it pass)";
                return Err(ConfigError::new("GARIMPO_PUBLIC_URL", &found, allowed));
            }
        }
        if self.crash_at.is_some() && !matches!(self.payments, Payments::Sandbox) {
            const NAME: &str = "GARIMPO_CRASH_AT";
            let allowed = "nothing unless GARIMPO_PAYMENTS is sandbox";
            return Err(ConfigError::new(NAME, from.shown(NAME), allowed));
        }
        Ok(())
    }
}

/// The site's address where none is set and it listens on an address that others reach; on loopback, or on whatever this
/// machine has, it is loopback with the bound port.
fn url_of_named_address(public: SocketAddr) -> Option<PublicUrl> {
    let is_named = !public.ip().is_loopback() && !public.ip().is_unspecified();
    is_named.then(|| PublicUrl::parse(&format!("http://{public}")).ok()).flatten()
}

fn listen(from: &mut Reader<'_>) -> Result<Listen, ConfigError> {
    let read = |t: &str| t.parse().ok();
    Ok(Listen {
        public: from.value("GARIMPO_LISTEN", "127.0.0.1:8080", ADDRESS, read)?,
        grpc: from.value("GARIMPO_GRPC_LISTEN", "127.0.0.1:50051", ADDRESS, read)?,
        sandbox: from.value("GARIMPO_SANDBOX_LISTEN", "127.0.0.1:12111", ADDRESS, read)?,
        metrics: from.value("GARIMPO_METRICS_LISTEN", "127.0.0.1:9464", ADDRESS, read)?,
    })
}

fn database_url(from: &mut Reader<'_>, data_dir: &std::path::Path) -> Result<SecretString, ConfigError> {
    const NAME: &str = "GARIMPO_DATABASE_URL";
    const ALLOWED: &str = "sqlite://<path> or postgres://<user>:<password>@<host>/<database>";
    let known = |t: &str| {
        let schemes = ["sqlite://", "postgres://", "postgresql://"];
        schemes.iter().any(|scheme| t.starts_with(scheme)).then(|| t.to_owned())
    };
    let embedded = format!("sqlite://{}", data_dir.join("garimpo.db").display());
    let url = from.secret(NAME);
    let text = url.as_ref().map_or(embedded.as_str(), |url| url.expose_secret());
    // The value may hold a password, so a refused one is not repeated.
    let text = known(text).ok_or_else(|| ConfigError::new(NAME, "another kind of address", ALLOWED))?;
    from.show(NAME, without_password(&text));
    Ok(SecretString::from(text))
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

fn servers(from: &mut Reader<'_>, role: Role) -> Result<Vec<String>, ConfigError> {
    const NAME: &str = "GARIMPO_SERVER_URL";
    const ALLOWED: &str = "one or more addresses such as http://10.0.0.1:50051, comma-separated";
    let read = |t: &str| {
        let addresses = t.split(',').map(|a| PublicUrl::parse(a.trim()).ok().filter(|url| !url.is_https()));
        addresses.map(|url| url.map(|url| url.origin())).collect::<Option<Vec<_>>>()
    };
    if role == Role::Gateway {
        return from.required(NAME, ALLOWED, read);
    }
    Ok(from.optional(NAME, "in process", ALLOWED, read)?.unwrap_or_default())
}

fn fleet_secret(from: &mut Reader<'_>, role: Role) -> Result<Option<SecretString>, ConfigError> {
    const NAME: &str = "GARIMPO_FLEET_SECRET";
    const ALLOWED: &str = "the same secret on every server and gateway, at least 16 visible ASCII characters";
    let Some(secret) = from.secret(NAME) else {
        let needed = matches!(role, Role::Server | Role::Gateway);
        return if needed { Err(ConfigError::missing(NAME, ALLOWED)) } else { Ok(None) };
    };
    let text = secret.expose_secret();
    if text.len() < FLEET_SECRET_MIN || !text.bytes().all(|b| b.is_ascii_graphic()) {
        return Err(ConfigError::new(NAME, "another value", ALLOWED));
    }
    Ok(Some(secret))
}

/// In one process there is nowhere else to go.
fn drain(from: &mut Reader<'_>, role: Role) -> Result<Duration, ConfigError> {
    let default = if matches!(role, Role::Server | Role::Gateway) { "2" } else { "0" };
    let seconds = |t: &str| t.parse().ok().filter(|n| *n <= 300).map(Duration::from_secs);
    from.value("GARIMPO_DRAIN_SECONDS", default, "0 to 300", seconds)
}

fn sandbox(from: &mut Reader<'_>) -> Result<SandboxConfig, ConfigError> {
    let origin = |t: &str| PublicUrl::parse(t).ok().map(|url| url.origin());
    let any_url = |t: &str| (t.starts_with("http://") || t.starts_with("https://")).then(|| t.to_owned());
    let instant = |t: &str| OffsetDateTime::parse(t, &Rfc3339).ok();
    Ok(SandboxConfig {
        url: from.optional("GARIMPO_SANDBOX_URL", "the sandbox's port", URL, origin)?,
        webhook: from.optional(
            "GARIMPO_SANDBOX_WEBHOOK",
            "the public port",
            "an http:// or https:// URL",
            any_url,
        )?,
        clock_start: from.optional(
            "GARIMPO_SANDBOX_CLOCK",
            "now",
            "an instant such as 2026-03-10T12:00:00-03:00",
            instant,
        )?,
    })
}

fn black_november(from: &mut Reader<'_>) -> Result<BlackNovember, ConfigError> {
    let words = [("auto", BlackNovember::Auto), ("on", BlackNovember::On), ("off", BlackNovember::Off)];
    from.choice("GARIMPO_BLACK_NOVEMBER", "auto", &words)
}

fn access(from: &mut Reader<'_>) -> Result<Access, ConfigError> {
    let charged = [("now", TrialPurchase::AtOnce), ("at_trial_end", TrialPurchase::AtTrialEnd)];
    let up_to = |most: u32| move |t: &str| t.parse().ok().filter(|n| *n <= most);
    Ok(Access {
        renewal_hours: from.value("GARIMPO_RENEWAL_HOURS", "24", "0 to 720", up_to(720))?,
        grace_days: from.value("GARIMPO_GRACE_DAYS", "0", "0 to 60", up_to(60))?,
        boleto_grace_days: from.value("GARIMPO_BOLETO_GRACE_DAYS", "3", "0 to 60", up_to(60))?,
        trial_purchase: from.choice("GARIMPO_TRIAL_PURCHASE", "now", &charged)?,
    })
}

fn trusted_proxies(from: &mut Reader<'_>) -> Result<Vec<IpNet>, ConfigError> {
    let net = |t: &str| t.parse().ok().or_else(|| t.parse::<IpAddr>().ok().map(IpNet::from));
    let read = |t: &str| t.split(',').map(|part| net(part.trim())).collect::<Option<Vec<_>>>();
    let nets = from.optional(
        "GARIMPO_TRUSTED_PROXIES",
        "none",
        "addresses or ranges such as 10.0.0.0/8, comma-separated",
        read,
    )?;
    Ok(nets.unwrap_or_default())
}

fn crash_at(from: &mut Reader<'_>) -> Result<Option<CrashAt>, ConfigError> {
    const ALLOWED: &str = "intent.stored, provider.answered, event.stored, projection.committed, job.delivered or \
                           session.stored, with an optional :n";
    from.optional("GARIMPO_CRASH_AT", "none", ALLOWED, |t| t.parse().ok())
}

fn log(text: &str) -> Option<String> {
    tracing_subscriber::EnvFilter::try_new(text).ok().map(|_| text.to_owned())
}
