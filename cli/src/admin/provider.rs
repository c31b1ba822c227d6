//! `garimpo admin provider …`

mod accept_empty;
mod adopt;
mod rehearse;

use crate::config::Config;
use anyhow::Result;
use clap::Subcommand;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check our assumptions about the provider with a test mode key. Exit with 1 when one differs.
    ///
    /// Creates customers, prices, coupons and subscriptions in test mode, advances test clocks, and
    /// deletes what it created. Needs no running server and no database. Run one rehearsal at a
    /// time on an account.
    Rehearse(rehearse::Rehearse),
    /// Bind the database to the provider account of the key. Servers start only with a key of that
    /// account.
    Adopt(adopt::Adopt),
    /// Sell although the provider has payers whom this database without accounts does not know.
    AcceptEmpty(accept_empty::AcceptEmpty),
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    match command {
        Command::Rehearse(options) => rehearse::run(options, config).await,
        Command::Adopt(options) => adopt::run(options, config).await,
        Command::AcceptEmpty(options) => accept_empty::run(options, config).await,
    }
}
