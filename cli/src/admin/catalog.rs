//! `garimpo admin catalog …`

use super::database::open_operator;
use super::output::{Output, exit_code, or_dash};
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
    #[command(flatten)]
    output: Output,
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let Command::Push(options) = command;
    let operator = open_operator(config, options.dry_run).await?;
    let progress = Progress::spinner("catalogue");
    let done = push(&operator, &options).await;
    operator.close().await;
    drop(progress);
    let found = done?;
    options.output.print(&found, |out| print(&found, options.dry_run, out))?;
    Ok(exit_code(options.dry_run && !found.is_empty()))
}

/// Returns the differences before the push.
async fn push(operator: &Operator, options: &Push) -> Result<Vec<CatalogDifference>> {
    let billing = operator.billing();
    let found = billing.catalog_push.find_differences().await.context("the provider's catalogue")?;
    // Push even without differences: the push is recorded, which opens checkouts.
    if !options.dry_run {
        billing.catalog_push.push_whole().await.context("pushing the catalogue")?;
    }
    Ok(found)
}

fn print(found: &[CatalogDifference], is_dry_run: bool, out: &mut impl Write) -> Result<()> {
    if !found.is_empty() {
        let table = Table::of(found)
            .column("OBJECT", |one| one.object)
            .column("ID", |one| &one.id)
            .column("OURS", |one| &one.ours)
            .column("PROVIDER'S", |one| or_dash(one.theirs.as_deref()));
        table.print(out)?;
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
