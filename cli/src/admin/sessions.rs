//! `garimpo admin sessions …`

use super::database::{product_now, with_store};
use crate::config::Config;
use anyhow::{Result, bail};
use clap::Subcommand;
use garimpo_domain::Uid;
use garimpo_server::auth::devices::end_account_sessions;
use garimpo_server::ids::Ids;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// End every session and token of an account within 5 s. Its owner may sign in again.
    End {
        /// uid of the account
        uid: String,
    },
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let Command::End { uid } = command;
    let uid = Uid::new(uid);
    let ended = with_store(config, false, async |store| {
        let now = product_now(config).await?;
        Ok(end_account_sessions(store, &Ids::system(), &uid, now).await?)
    });
    let Some(ended) = ended.await? else { bail!("there is no account {uid}") };
    writeln!(std::io::stdout().lock(), "{ended} sessions of {uid} ended")?;
    Ok(ExitCode::SUCCESS)
}
