//! The operator's commands. Exit 0: clean; 1: findings; 2: error.
//!
//! They work on the database of the settings, beside a product that serves or without one.

mod adopt;
mod attribution;
mod audit;
mod backup;
mod catalog;
mod database;
mod delete_account;
mod doctor;
mod events;
mod funnel;
mod jobs;
mod mail;
mod output;
mod provider;
mod reconcile;
mod refunds;
mod restore;
mod revenue;
mod sessions;
mod span;
mod subscriber;
mod table;
mod token;

use crate::config::{Config, Role};
use anyhow::Result;
use clap::Subcommand;
use garimpo_server::crash;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Check the data, and print each finding with the command that repairs it. Exit with 1 on
    /// findings.
    Doctor(doctor::Options),
    /// Show a subscriber: account, rights, subscriptions, invoices, checkouts, events, jobs, mails,
    /// audit events.
    Subscriber(subscriber::Options),
    /// List, show and replay events of the payment provider.
    #[command(subcommand)]
    Events(events::Command),
    /// List, show, replay and discard jobs: mails, events of the payment provider, scheduled work.
    #[command(subcommand)]
    Jobs(jobs::Command),
    /// Test the mail server.
    #[command(subcommand)]
    Mail(mail::Command),
    /// Compare every account with the payment provider, and repair what differs.
    Reconcile(reconcile::Options),
    /// Give a payer without an account an account, although the rules of reconciliation refused it.
    Adopt(adopt::Options),
    /// Delete an account as its owner does, for instance again after a restore.
    DeleteAccount(delete_account::Options),
    /// List refunds, and record the Pix payments that refund boletos.
    #[command(subcommand)]
    Refunds(refunds::Command),
    /// Report MRR, new and lost subscribers and paying sign-ups, by month and plan.
    Revenue(revenue::Options),
    /// Report visits, sign-ups and payments by source, campaign, promotion code and month.
    Attribution(attribution::Options),
    /// Report how many visitors reached each step to a purchase, by day.
    Funnel(funnel::Options),
    /// Push products, prices and coupons to the payment provider.
    #[command(subcommand)]
    Catalog(catalog::Command),
    /// Rehearse with the payment provider, or adopt its account.
    #[command(subcommand)]
    Provider(provider::Command),
    /// Copy the embedded database into a new folder; the product may serve meanwhile.
    Backup(backup::Options),
    /// Put a backup in the place of the embedded database, while the product is stopped.
    Restore(restore::Options),
    /// List the audit events of accounts, newest first: sign-ins, failures, changes, deletions.
    Audit(audit::Options),
    /// End the sessions of an account.
    #[command(subcommand)]
    Sessions(sessions::Command),
    /// Create, list, rotate and revoke the tokens of internal callers.
    #[command(subcommand)]
    Token(token::Command),
}

impl Command {
    /// The role of the process, which decides the settings that are required.
    pub fn role(&self) -> Role {
        match self {
            Self::Provider(provider::Command::Rehearse(_)) => Role::Rehearsal,
            Self::Reconcile(_)
            | Self::Adopt(_)
            | Self::DeleteAccount(_)
            | Self::Restore(_)
            | Self::Catalog(_)
            | Self::Provider(_)
            | Self::Mail(_) => Role::Admin,
            Self::Doctor(options) if options.provider => Role::Admin,
            _ => Role::Report,
        }
    }
}

/// Runs one command with the settings.
pub async fn run(command: Command, config: Config) -> Result<ExitCode> {
    if let Some(at) = config.crash_at {
        crash::arm(at);
    }
    match command {
        Command::Doctor(options) => doctor::run(options, &config).await,
        Command::Subscriber(options) => subscriber::run(options, &config).await,
        Command::Events(command) => events::run(command, &config).await,
        Command::Jobs(command) => jobs::run(command, &config).await,
        Command::Mail(command) => mail::run(command, &config).await,
        Command::Reconcile(options) => reconcile::run(options, &config).await,
        Command::Adopt(options) => adopt::run(options, &config).await,
        Command::DeleteAccount(options) => delete_account::run(options, &config).await,
        Command::Refunds(command) => refunds::run(command, &config).await,
        Command::Revenue(options) => revenue::run(options, &config).await,
        Command::Attribution(options) => attribution::run(options, &config).await,
        Command::Funnel(options) => funnel::run(options, &config).await,
        Command::Catalog(command) => catalog::run(command, &config).await,
        Command::Provider(command) => provider::run(command, &config).await,
        Command::Backup(options) => backup::run(options, &config).await,
        Command::Restore(options) => restore::run(options, &config).await,
        Command::Audit(options) => audit::run(options, &config).await,
        Command::Sessions(command) => sessions::run(command, &config).await,
        Command::Token(command) => token::run(command, &config).await,
    }
}
