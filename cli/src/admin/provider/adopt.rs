//! `garimpo admin provider adopt`

use crate::admin::database::open_operator;
use crate::admin::output::print_json;
use crate::config::Config;
use anyhow::{Context, Result};
use clap::Args;
use garimpo_server::billing::AdoptedAccount;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Adopt {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub async fn run(options: Adopt, config: &Config) -> Result<ExitCode> {
    let operator = open_operator(config, false).await?;
    let adopted = operator
        .billing()
        .provider_account
        .provider_account_adopt()
        .await
        .context("the payment provider's account");
    operator.close().await;
    let adopted = adopted?;
    if options.json {
        print_json(&adopted)?;
    } else {
        let AdoptedAccount { before, after } = &adopted;
        let before = before.as_deref().unwrap_or("none");
        writeln!(std::io::stdout().lock(), "the database belongs to {after}; before: {before}")?;
    }
    Ok(ExitCode::SUCCESS)
}
