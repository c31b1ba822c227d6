//! Combinations of settings that are refused.

use std::net::{IpAddr, SocketAddr};

use garimpo_gateway::PublicUrl;
use garimpo_server::app::IdentitySettings;
use garimpo_server::providers::identity_toolkit::Credentials;
use garimpo_server::store::engine::{Pooler, is_plain_postgres};
use secrecy::ExposeSecret;

use super::effective::Config;
use super::forms::{has_unknown_tls_parameter, is_loopback};
use super::problem::ConfigError;
use super::providers::{Payments, StripeConfig};
use super::role::Role;
use super::sockets;
use super::tls;

/// Keys of the sandbox, which are public.
const SANDBOX_KEYS: [&str; 3] = ["sk_test_garimpo", "pk_test_garimpo", "whsec_garimpo"];

/// The payment provider's API.
const STRIPE_URL: &str = "https://api.stripe.com";
/// Start of the addresses of the payment provider's scripts.
const STRIPE_SCRIPTS: &str = "https://js.stripe.com/";

/// Refuses combinations that would serve the sandbox, plain HTTP or known keys to the world.
pub fn combination(config: &Config, errors: &mut Vec<ConfigError>) {
    public_url(config, errors);
    let opened = opened(config);
    listeners(config, &opened, errors);
    sockets::check(&config.passed, &opened.iter().map(|(name, _)| *name).collect::<Vec<_>>(), errors);
    keys(config, errors);
    tls_parameters(config, errors);
    plaintext(config, errors);
    pooler(config, errors);
    tls::check(config.tls.as_ref(), errors);
    redirect(config, errors);
    config.limits.check_shares(errors);
    if config.replicated && !config.database_url.expose_secret().starts_with("sqlite:") {
        let choice = "while GARIMPO_DATABASE_URL is not SQLite";
        errors.push(ConfigError::conflict("GARIMPO_REPLICATED", choice));
    }
    if let Some(folder) = config.backup_dir.as_ref().filter(|folder| folder.starts_with(&config.data_dir)) {
        let allowed = "a folder outside GARIMPO_DATA_DIR, with which it would be lost";
        errors.push(ConfigError::refused("GARIMPO_BACKUP_DIR", &folder.display().to_string(), allowed));
    }
    let for_tests =
        [("GARIMPO_CRASH_AT", config.crash_at.is_some()), ("GARIMPO_PAUSE_AT", config.pause_at.is_some())];
    for (name, is_set) in for_tests {
        if is_set && !matches!(config.payments, Payments::Sandbox) {
            errors.push(ConfigError::conflict(name, "while GARIMPO_PAYMENTS is not sandbox"));
        }
    }
}

fn public_url(config: &Config, errors: &mut Vec<ConfigError>) {
    const NAME: &str = "GARIMPO_PUBLIC_URL";
    let Some(url) = config.public_url.as_ref().filter(|url| !url.is_loopback()) else { return };
    let mut refuse = |allowed| errors.push(ConfigError::refused(NAME, &url.origin(), allowed));
    if uses_identity_emulator(config) {
        refuse("a loopback address while GARIMPO_IDENTITY_EMULATOR is 1");
    }
    if config.uses_sandbox && !config.sandbox.allow_sandbox {
        refuse(
            "a loopback address while payments, mail, conversions or challenges are the sandbox's \
             (GARIMPO_ALLOW_SANDBOX=1 allows another)",
        );
    }
    if !url.is_https() && !config.allow_http {
        refuse("https:// unless it is loopback (GARIMPO_ALLOW_HTTP=1 allows http)");
    }
}

/// Ports that a role opens.
fn opened(config: &Config) -> Vec<(&'static str, SocketAddr)> {
    let public = ("GARIMPO_LISTEN", config.listen.public);
    let grpc = ("GARIMPO_GRPC_LISTEN", config.listen.grpc);
    let metrics = ("GARIMPO_METRICS_LISTEN", config.listen.metrics);
    let sandbox = config.listen.sandbox.map(|address| ("GARIMPO_SANDBOX_LISTEN", address));
    let redirect = config.listen.redirect.map(|address| ("GARIMPO_REDIRECT_LISTEN", address));
    let mut opened = match config.role {
        Role::Serve => vec![public, grpc, metrics],
        Role::Sandbox | Role::Admin | Role::Report | Role::Rehearsal => vec![],
    };
    if config.runs_sandbox() {
        opened.extend(sandbox);
    }
    if config.role == Role::Serve {
        opened.extend(redirect);
    }
    opened
}

fn listeners(config: &Config, opened: &[(&'static str, SocketAddr)], errors: &mut Vec<ConfigError>) {
    let is_https = config.has_public_url && config.public_url.as_ref().is_some_and(PublicUrl::is_https);
    let is_allowed = is_https || config.allow_http;
    for (name, address) in opened.iter().filter(|(_, address)| !is_local(address.ip())) {
        let name = sockets::named(&config.passed, name);
        let mut refuse = |allowed| errors.push(ConfigError::refused(&name, &address.to_string(), allowed));
        if !is_allowed && config.role != Role::Sandbox {
            refuse(
                "a loopback address, unless GARIMPO_PUBLIC_URL is https:// (GARIMPO_ALLOW_HTTP=1 allows http)",
            );
        }
        if (config.uses_sandbox || config.role == Role::Sandbox) && !config.sandbox.allow_sandbox {
            refuse("a loopback address while the sandbox is used (GARIMPO_ALLOW_SANDBOX=1 allows another)");
        }
        if uses_identity_emulator(config) {
            refuse("a loopback address while GARIMPO_IDENTITY_EMULATOR is 1");
        }
    }
}

fn is_local(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Whether unsigned ID tokens are accepted.
fn uses_identity_emulator(config: &Config) -> bool {
    matches!(&config.identity, IdentitySettings::Toolkit(toolkit) if matches!(toolkit.credentials, Credentials::Emulator))
}

/// The addresses of PostgreSQL, by their settings.
fn databases(config: &Config) -> impl Iterator<Item = (&'static str, &str)> {
    let migration = config.postgres.database_migration_url.as_ref();
    let given =
        [("GARIMPO_DATABASE_URL", Some(&config.database_url)), ("GARIMPO_DATABASE_MIGRATION_URL", migration)];
    given.into_iter().filter_map(|(name, url)| Some((name, url?.expose_secret())))
}

/// Refuses misspelt parameters of TLS, because the connection would be made without them.
fn tls_parameters(config: &Config, errors: &mut Vec<ConfigError>) {
    const ALLOWED: &str = "sslmode, sslrootcert, sslcert and sslkey, written so, as parameters of TLS";
    for (name, url) in databases(config) {
        if !url.starts_with("sqlite:") && has_unknown_tls_parameter(url) {
            errors.push(ConfigError::refused(name, "***", ALLOWED));
        }
    }
}

/// Refuses connections without TLS to other machines, while the site has a public address.
fn plaintext(config: &Config, errors: &mut Vec<ConfigError>) {
    const POSTGRES: &str = "sslmode=require or better beyond loopback (GARIMPO_ALLOW_PLAINTEXT=1 allows it)";
    const TRACES: &str = "https:// beyond loopback (GARIMPO_ALLOW_PLAINTEXT=1 allows http)";
    let is_public = config.public_url.as_ref().is_some_and(|url| !url.is_loopback());
    if config.role != Role::Serve || !is_public || config.allow_plaintext {
        return;
    }
    for (name, url) in databases(config) {
        if is_plain_postgres(url) {
            errors.push(ConfigError::refused(name, "***", POSTGRES));
        }
    }
    if let Some((url, _)) = config.traces.as_ref().filter(|(url, _)| url.starts_with("http:"))
        && !is_loopback(url)
    {
        errors.push(ConfigError::refused("GARIMPO_TRACES_URL", url, TRACES));
    }
}

/// Known keys are refused at a real provider, real keys beside the sandbox, and live keys beside
/// test keys.
fn keys(config: &Config, errors: &mut Vec<ConfigError>) {
    let Payments::Stripe(stripe) = &config.payments else { return };
    let secret = stripe.secret_key.expose_secret();
    let is_real = stripe.url == STRIPE_URL;
    for (name, known) in known_keys(stripe) {
        if is_real && known {
            errors.push(ConfigError::refused(name, "***", "a key of your own, not the sandbox's"));
        }
    }
    if !is_real && secret.contains("_live_") {
        let allowed = "a test key, because GARIMPO_STRIPE_URL is not the payment provider's";
        errors.push(ConfigError::refused("GARIMPO_STRIPE_SECRET_KEY", "***", allowed));
    }
    let is_live = config.payments.has_live_key();
    let is_public = config.public_url.as_ref().is_some_and(|url| !url.is_loopback());
    let serves = config.role == Role::Serve;
    let is_allowed = config.sandbox.allow_sandbox && !is_live;
    if serves && !stripe.script_url.starts_with(STRIPE_SCRIPTS) && (is_live || is_public) && !is_allowed {
        let allowed =
            "an address at https://js.stripe.com/ (GARIMPO_ALLOW_SANDBOX=1 allows another with test keys)";
        errors.push(ConfigError::refused("GARIMPO_STRIPE_SCRIPT_URL", &stripe.script_url, allowed));
    }
    if serves && is_public && !is_real && !config.sandbox.allow_sandbox {
        let allowed = "the payment provider's address (GARIMPO_ALLOW_SANDBOX=1 allows another)";
        errors.push(ConfigError::refused("GARIMPO_STRIPE_URL", &stripe.url, allowed));
    }
    if serves && is_public && is_real && !config.sandbox.allow_sandbox && secret.contains("_test_") {
        let allowed = "a live key, because a test card buys everything in test mode (GARIMPO_ALLOW_SANDBOX=1 allows it)";
        errors.push(ConfigError::refused("GARIMPO_STRIPE_SECRET_KEY", "***", allowed));
    }
    // The keys are empty for a report.
    let both = !secret.is_empty() && !stripe.publishable_key.is_empty();
    if both && secret.contains("_live_") != stripe.publishable_key.contains("_live_") {
        let allowed = "a key of the same mode as GARIMPO_STRIPE_SECRET_KEY";
        errors.push(ConfigError::refused("GARIMPO_STRIPE_PUBLISHABLE_KEY", "***", allowed));
    }
}

fn known_keys(stripe: &StripeConfig) -> [(&'static str, bool); 3] {
    let is_known = |key: &str| SANDBOX_KEYS.contains(&key);
    [
        ("GARIMPO_STRIPE_SECRET_KEY", is_known(stripe.secret_key.expose_secret())),
        ("GARIMPO_STRIPE_PUBLISHABLE_KEY", is_known(&stripe.publishable_key)),
        (
            "GARIMPO_STRIPE_WEBHOOK_SECRET",
            stripe.webhook_secrets.iter().any(|secret| is_known(secret.expose_secret())),
        ),
    ]
}

/// Refuses a port that would redirect to an address which nobody serves.
fn redirect(config: &Config, errors: &mut Vec<ConfigError>) {
    if config.role == Role::Serve && config.listen.redirect.is_some() && config.tls.is_none() {
        let name = sockets::named(&config.passed, "GARIMPO_REDIRECT_LISTEN");
        errors.push(ConfigError::conflict(&name, "while neither GARIMPO_TLS_CERT nor GARIMPO_ACME is set"));
    }
}

/// Refuses a pooler without a way past it, because the lock of a migration belongs to its
/// connection, and settings of PostgreSQL beside the embedded database.
fn pooler(config: &Config, errors: &mut Vec<ConfigError>) {
    const MIGRATION_URL: &str = "GARIMPO_DATABASE_MIGRATION_URL";
    let (postgres, has_direct) = (&config.postgres, config.postgres.database_migration_url.is_some());
    let is_pooled = postgres.database_pooler == Pooler::Transaction;
    if config.database_url.expose_secret().starts_with("sqlite:") {
        let is_user = config.role != Role::Sandbox;
        let given = [("GARIMPO_DATABASE_POOLER", is_pooled), (MIGRATION_URL, has_direct)];
        for (name, _) in given.into_iter().filter(|(_, is_given)| is_user && *is_given) {
            errors.push(ConfigError::conflict(name, "while GARIMPO_DATABASE_URL is SQLite"));
        }
    } else if is_pooled && !has_direct && config.store_settings().migrates {
        let allowed = "the address of PostgreSQL past the pooler, or GARIMPO_MIGRATE=never";
        errors.push(ConfigError::missing(MIGRATION_URL, allowed));
    }
}
