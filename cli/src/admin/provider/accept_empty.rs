//! `garimpo admin provider accept-empty`

use crate::admin::database::open_operator;
use crate::admin::output::Output;
use crate::config::Config;
use anyhow::{Result, bail};
use clap::Args;
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct AcceptEmpty {
    #[command(flatten)]
    output: Output,
}

#[derive(Debug, Serialize)]
struct Accepted {
    /// Subscriptions at the provider that were seen and have no account here.
    subscriptions: i64,
}

pub async fn run(options: AcceptEmpty, config: &Config) -> Result<ExitCode> {
    let operator = open_operator(config, false).await?;
    let accepted = operator.billing().selling_stop.accept_empty().await;
    operator.close().await;
    let Some(check) = accepted? else {
        bail!("selling is not stopped: there is nothing to accept");
    };
    let accepted = Accepted { subscriptions: check.subscriptions };
    options.output.print(&accepted, |out| {
        let seen = accepted.subscriptions;
        Ok(writeln!(out, "garimpo sells; {seen} or more subscriptions at the provider have no account here")?)
    })?;
    Ok(ExitCode::SUCCESS)
}
