//! The operator's commands. Exit 0: clean; 1: findings; 2: error.
//!
//! They work on the database of the settings, beside a product that serves or without one.

mod attribution;
mod audit;
mod backup;
mod catalog;
mod database;
mod doctor;
mod events;
mod funnel;
mod jobs;
mod output;
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
use anyhow::Result;
use clap::Subcommand;
use garimpo_server::crash;
use std::process::ExitCode;

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
