//! `garimpo admin provider adopt`

use crate::admin::database::open_operator;
use crate::admin::output::Output;
use crate::config::Config;
use anyhow::{Context, Result};
use clap::Args;
use garimpo_server::billing::AdoptedAccount;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Adopt {
    #[command(flatten)]
    output: Output,
}

pub async fn run(options: Adopt, config: &Config) -> Result<ExitCode> {
    let operator = open_operator(config, false).await?;
    let adopted = operator.billing().provider_account.adopt().await.context("the payment provider's account");
    operator.close().await;
    let adopted = adopted?;
    options.output.print(&adopted, |out| {
        let AdoptedAccount { before, after } = &adopted;
        let before = before.as_deref().unwrap_or("none");
        Ok(writeln!(out, "the database belongs to {after}; before: {before}")?)
    })?;
    Ok(ExitCode::SUCCESS)
}
