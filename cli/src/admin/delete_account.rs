//! `garimpo admin delete-account`

use super::database::open_operator;
use crate::config::Config;
use anyhow::{Result, bail};
use clap::Args;
use garimpo_domain::Uid;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Args)]
pub struct Options {
    /// uid of the account
    uid: String,
    /// Its email, so that a wrong uid deletes nobody
    email: String,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let operator = open_operator(config, false).await?;
    let deleted = operator.delete_account(&Uid::new(options.uid.as_str()), &options.email).await;
    operator.close().await;
    let Some(protocol) = deleted? else {
        bail!("no account has the uid {} and the email {}", options.uid, options.email);
    };
    writeln!(std::io::stdout().lock(), "{} is deleted: protocol {protocol}", options.uid)?;
    Ok(ExitCode::SUCCESS)
}
