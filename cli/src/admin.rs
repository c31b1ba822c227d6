//! The operator's commands. Exit 0: clean; 1: findings; 2: error.
//!
//! They work on the database of the settings, beside a product that serves or without one.

mod attribution;
mod audit;
mod backup;
mod catalog;
mod doctor;
mod events;
mod funnel;
mod jobs;
mod provider;
mod reconcile;
mod refunds;
mod revenue;
mod sessions;
mod span;
mod subscriber;
mod table;
mod token;

use crate::config::Config;
use crate::data_dir::Addresses;
use crate::serve::parts::{self, Doors};
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use garimpo_domain::Timestamp;
use garimpo_server::crash;
use garimpo_server::operator::product_clock;
use garimpo_server::store::Store;
use garimpo_server::{Operator, Settings};
use secrecy::ExposeSecret;
use serde::Serialize;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Exit code of a command that found what the operator should look at.
const FINDINGS: u8 = 1;

/// What the operator may do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Whether all data is as it must be; each finding with the command that mends it. Exits with 1 when there is one.
    Doctor(doctor::Options),
    /// One subscriber whole: account, rights, subscriptions, invoices, checkouts, events, jobs, mails, trail.
    Subscriber(subscriber::Options),
    /// Events of the payment provider, and what became of each.
    #[command(subcommand)]
    Events(events::Command),
    /// Jobs of the durable queue: mails, events of the payment provider, scheduled work.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Compare every account with the payment provider, and mend what differs.
    Reconcile(reconcile::Options),
    /// Money to give back: a boleto's by Pix, which you pay and note here.
    #[command(subcommand)]
    Refunds(refunds::Command),
    /// What the months brought: MRR, new and lost subscribers, sign-ups that paid, by plan.
    Revenue(revenue::Options),
    /// Where visits, sign-ups and payments came from: by source, campaign, promotion code and month.
    Attribution(attribution::Options),
    /// How many came to each step of the way to a purchase, day by day.
    Funnel(funnel::Options),
    /// Products, prices and coupons at the payment provider.
    #[command(subcommand)]
    Catalog(catalog::Command),
    /// The payment provider itself.
    #[command(subcommand)]
    Provider(provider::Command),
    /// Copy the embedded database into a new folder, while the product serves.
    Backup(backup::Options),
    /// What happened to accounts that bears on their safety, newest first: sign-ins, failures, changes, ends.
    Audit(audit::Options),
    /// Sessions of an account.
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// Service tokens of internal callers.
    #[command(subcommand)]
    Token(token::Command),
}

impl Command {
    /// Whether the command rehearses: it needs the payment provider's key and nothing else.
    pub fn is_rehearsal(&self) -> bool {
        matches!(self, Self::Provider(provider::Command::Rehearse(_)))
    }

    /// Whether the command calls a provider, so that the provider's settings are required.
    pub fn calls_providers(&self) -> bool {
        match self {
            Self::Doctor(options) => options.provider,
            Self::Reconcile(_) | Self::Catalog(_) | Self::Provider(_) => true,
            Self::Subscriber(_)
            | Self::Events(_)
            | Self::Jobs(_)
            | Self::Refunds(_)
            | Self::Revenue(_)
            | Self::Attribution(_)
            | Self::Funnel(_)
            | Self::Backup(_)
            | Self::Audit(_)
            | Self::Sessions(_)
            | Self::Token(_) => false,
        }
    }
}

/// Runs one command with the settings.
///
/// # Errors
/// Whatever kept it from being done.
pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    if let Some(at) = config.crash_at {
        crash::arm(at);
    }
    match command {
        Command::Doctor(options) => doctor::run(options, &config).await,
        Command::Subscriber(options) => subscriber::run(options, &config).await,
        Command::Events(command) => events::run(command, &config).await,
        Command::Jobs(command) => jobs::run(command, &config).await,
        Command::Reconcile(options) => reconcile::run(options, &config).await,
        Command::Refunds(command) => refunds::run(command, &config).await,
        Command::Revenue(options) => revenue::run(options, &config).await,
        Command::Attribution(options) => attribution::run(options, &config).await,
        Command::Funnel(options) => funnel::run(options, &config).await,
        Command::Catalog(command) => catalog::run(command, &config).await,
        Command::Provider(command) => provider::run(command, &config).await,
        Command::Backup(options) => backup::run(options, &config).await,
        Command::Audit(options) => audit::run(options, &config).await,
        Command::Sessions(command) => sessions::run(command, &config).await,
        Command::Token(command) => token::run(command, &config).await,
    }
}

/// The database of the settings for a command that changes rows.
async fn open_store(config: &Config) -> Result<Store> {
    demand_database(config)?;
    Store::open(&config.store_settings()).await.context("GARIMPO_DATABASE_URL")
}

/// The database of the settings for a command that only reads: a role with SELECT alone is enough.
async fn open_store_to_read(config: &Config) -> Result<Store> {
    demand_database(config)?;
    Store::open_to_read(&config.store_settings()).await.context("GARIMPO_DATABASE_URL")
}

/// The parts of a server for a command, which only reads on a dry run.
async fn open_operator(config: &Config, is_dry_run: bool) -> Result<Operator> {
    demand_database(config)?;
    let settings = settings(config);
    let opened =
        if is_dry_run { Operator::open_to_read(settings).await } else { Operator::open(settings).await };
    opened.context("reaching the database, the clock and the provider")
}

/// What a server of these settings is made of, beside the product that serves.
fn settings(config: &Config) -> Settings {
    let doors = Doors::of(config, &Addresses::read(&config.data_dir));
    parts::server_settings(config, &doors)
}

/// The database of the settings for reading alone, with the product's time.
async fn open_to_read(config: &Config) -> Result<Operator> {
    demand_database(config)?;
    Operator::open_to_read(settings(config)).await.map_err(parts::start_error)
}

/// The product's time.
async fn product_now(config: &Config) -> Result<Timestamp> {
    Ok(product_clock(settings(config).clock).await?.now())
}

/// A file that does not exist is a wrong setting here, not a database to be made.
fn demand_database(config: &Config) -> Result<()> {
    match sqlite_file(config.database_url.expose_secret()) {
        Some(file) if !file.exists() => {
            bail!("GARIMPO_DATABASE_URL: there is no database at {}", file.display())
        }
        _ => Ok(()),
    }
}

/// The file of an embedded database's address.
fn sqlite_file(url: &str) -> Option<PathBuf> {
    let place = url.strip_prefix("sqlite:")?;
    let place = place.strip_prefix("//").unwrap_or(place);
    Some(PathBuf::from(place.split('?').next().unwrap_or(place)))
}

/// Writes a value as JSON, for programs.
fn print_json(value: &impl Serialize) -> Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// An instant in microseconds as the operator reads it.
fn instant(micros: i64) -> String {
    let at = OffsetDateTime::from_unix_timestamp(micros.div_euclid(1_000_000));
    at.ok().and_then(|at| at.format(&Rfc3339).ok()).unwrap_or_else(|| micros.to_string())
}

/// The same where there may be none.
fn instant_or_dash(micros: Option<i64>) -> String {
    micros.map_or_else(|| "-".to_owned(), instant)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arquivo_do_banco_embutido_sai_do_endereco() {
        for (url, file) in [
            ("sqlite:///var/lib/garimpo.db", Some("/var/lib/garimpo.db")),
            ("sqlite://./data/garimpo.db?mode=rwc", Some("./data/garimpo.db")),
            ("postgres://u@h/d", None),
        ] {
            assert_eq!(sqlite_file(url), file.map(PathBuf::from), "{url}");
        }
    }
}
