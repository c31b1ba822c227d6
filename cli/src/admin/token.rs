//! `garimpo admin token …`

use crate::config::Config;
use anyhow::{Context, Result};
use clap::Subcommand;
use garimpo_server::auth::service_token_create;
use garimpo_server::caller::Scope;
use garimpo_server::clock::{Clock, SystemClock};
use garimpo_server::ids::Ids;
use garimpo_server::store::{Store, StoreSettings};
use secrecy::ExposeSecret;
use std::io::Write;
use std::process::ExitCode;

/// What can be done with service tokens.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a token. Its text is printed once, alone on the last line.
    Create {
        /// Who will use it.
        name: String,
        /// What it may do: billing.read, users.read, tracking.write. Give it several times for several.
        #[arg(long = "scope", required = true, value_parser = scope)]
        scopes: Vec<Scope>,
    },
}

/// Runs the command.
///
/// # Errors
/// The database cannot be used.
pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    let Command::Create { name, scopes } = command;
    let url = config.database_url.expose_secret();
    let store = Store::open(&StoreSettings::new(url)).await.context("GARIMPO_DATABASE_URL")?;
    let token = service_token_create(&store, &Ids::system(), &name, &scopes, SystemClock.now()).await?;
    store.close().await;
    let granted: Vec<_> = scopes.iter().map(|scope| scope.name()).collect();
    let mut out = std::io::stdout().lock();
    writeln!(out, "{name}: {}", granted.join(" "))?;
    writeln!(out, "{token}")?;
    Ok(ExitCode::SUCCESS)
}

fn scope(text: &str) -> Result<Scope, String> {
    let names = || Scope::ALL.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(", ");
    Scope::ALL.into_iter().find(|scope| scope.name() == text).ok_or_else(|| format!("allowed: {}", names()))
}
