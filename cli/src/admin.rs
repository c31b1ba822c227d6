//! The operator's commands. Exit 0: clean; 1: findings; 2: error.
//!
//! They work on the database of the settings, beside a product that serves or without one.

mod audit;
mod backup;
mod jobs;
mod reconcile;
mod refunds;
mod sessions;
mod table;
mod token;

use crate::config::Config;
use anyhow::{Context, Result, bail};
use clap::Subcommand;
use garimpo_server::store::{Store, StoreSettings};
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
    /// Jobs of the durable queue: mails, events of the payment provider, scheduled work.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Compare every account with the payment provider, and mend what differs.
    Reconcile(reconcile::Options),
    /// Money to give back: a boleto's by Pix, which you pay and note here.
    #[command(subcommand)]
    Refunds(refunds::Command),
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

/// Runs one command with the settings.
///
/// # Errors
/// Whatever kept it from being done.
pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    match command {
        Command::Jobs(command) => jobs::run(command, &config).await,
        Command::Reconcile(options) => reconcile::run(options, &config).await,
        Command::Refunds(command) => refunds::run(command, &config).await,
        Command::Backup(options) => backup::run(options, &config).await,
        Command::Audit(options) => audit::run(options, &config).await,
        Command::Sessions(command) => sessions::run(command, &config).await,
        Command::Token(command) => token::run(command, &config).await,
    }
}

/// The database of the settings.
async fn open_store(config: &Config) -> Result<Store> {
    demand_database(config)?;
    let settings = StoreSettings::new(config.database_url.expose_secret());
    Store::open(&settings).await.context("GARIMPO_DATABASE_URL")
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
