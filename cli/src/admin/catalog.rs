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

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Push products, prices and coupons to the payment provider. Idempotent.
    Push(Push),
}

#[derive(Debug, Args)]
pub struct Push {
    /// Print the differences without changing anything. Exit with 1 on differences.
    #[arg(long)]
    dry_run: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

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

/// Returns the differences before the push.
async fn push(operator: &Operator, options: &Push) -> Result<Vec<CatalogDifference>> {
    let billing = operator.billing();
    let found = billing.catalog_push.catalog_differences().await.context("the provider's catalogue")?;
    // Push even without differences: the push is recorded, which opens checkouts.
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
