//! `garimpo admin catalog …`

use super::database::open_operator;
use super::output::{exit_code, print_json};
use super::table::Table;
use crate::config::Config;
use crate::progress::Progress;
use anyhow::{Context, Result};
use clap::{Args, Subcommand};
use garimpo_server::Operator;
use garimpo_server::billing::CatalogDifference;
use std::io::Write;
use std::process::ExitCode;

/// What can be done with the provider's catalogue.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make or change products, prices and coupons there so that they are as ours. Twice is as good as once.
    Push(Push),
}

/// How to push.
#[derive(Debug, Args)]
pub struct Push {
    /// Only tell what differs. Exits with 1 when something does.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the command.
///
/// # Errors
/// The database or the provider cannot be used.
pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let Command::Push(options) = command;
    let operator = open_operator(config, options.dry_run).await?;
    let progress = Progress::spinner("catalogue");
    let done = push(&operator, &options).await;
    operator.close().await;
    drop(progress);
    let found = done?;
    if options.json {
        print_json(&found)?;
    } else {
        print(&found, options.dry_run)?;
    }
    let left = options.dry_run && !found.is_empty();
    Ok(exit_code(left))
}

/// Answers what differed before.
async fn push(operator: &Operator, options: &Push) -> Result<Vec<CatalogDifference>> {
    let billing = operator.billing();
    let found = billing.catalog_push.catalog_differences().await.context("the provider's catalogue")?;
    // Also where nothing differs: that the whole was pushed is noted, and checkouts open.
    if !options.dry_run {
        billing.catalog_push.catalog_push_whole().await.context("pushing the catalogue")?;
    }
    Ok(found)
}

fn print(found: &[CatalogDifference], is_dry_run: bool) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if !found.is_empty() {
        let mut table = Table::new(&["OBJECT", "ID", "OURS", "PROVIDER'S"]);
        for one in found {
            let theirs = one.theirs.clone().unwrap_or_else(|| "-".to_owned());
            table.row([one.object.to_owned(), one.id.clone(), one.ours.clone(), theirs]);
        }
        table.print(&mut out)?;
        writeln!(out)?;
    }
    let end = match (found.len(), is_dry_run) {
        (0, _) => "",
        (_, true) => "; nothing was changed: garimpo admin catalog push",
        (_, false) => "; all pushed",
    };
    writeln!(out, "{} differences{end}", found.len())?;
    Ok(())
}
