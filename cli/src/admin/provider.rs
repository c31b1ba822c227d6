//! `garimpo admin provider …`

mod adopt;
mod rehearse;

use crate::config::Config;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

/// What can be done with the payment provider.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check what we assume about the provider, with a test mode key. Exit with 1 when something differs.
    ///
    /// It makes customers, prices, coupons and subscriptions in test mode, advances test clocks, and removes what it
    /// made. It needs no running server and no database. Run one rehearsal at a time on an account.
    Rehearse(rehearse::Rehearse),
    /// Make the account of the key the one that the database belongs to. Servers start only with a key of that account.
    Adopt(adopt::Adopt),
}

/// Runs the command.
pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    match command {
        Command::Rehearse(options) => rehearse::run(options, config).await,
        Command::Adopt(options) => adopt::run(options, config).await,
    }
}
