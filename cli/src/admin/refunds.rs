//! `garimpo admin refunds …`

use super::table::Table;
use super::{FINDINGS, instant_or_dash, open_store, print_json};
use crate::config::Config;
use anyhow::{Result, bail};
use clap::Subcommand;
use garimpo_domain::Centavos;
use garimpo_server::clock::{Clock, SystemClock};
use garimpo_server::store::Store;
use std::io::Write;
use std::process::ExitCode;

/// What can be done with refunds.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Money to give back, what waits first. Exits with 1 when something waits.
    List {
        /// At most so many.
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..=100_000))]
        limit: i64,
        /// For programs.
        #[arg(long)]
        json: bool,
    },
    /// Note that a Pix request was paid; a card's refund is the provider's.
    Paid {
        /// Id of the refund, as `list` shows it.
        id: String,
    },
}

/// Runs the command.
///
/// # Errors
/// The database cannot be used, or there is no such request.
pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let store = open_store(config).await?;
    let done = match command {
        Command::List { limit, json } => list(&store, limit, json).await,
        Command::Paid { id } => paid(&store, &id).await,
    };
    store.close().await;
    done
}

async fn list(store: &Store, limit: i64, json: bool) -> Result<ExitCode> {
    let refunds = store.refunds_list(limit).await?;
    let some_wait = refunds.iter().any(|refund| refund.state == "requested");
    let found = if some_wait { ExitCode::from(FINDINGS) } else { ExitCode::SUCCESS };
    if json {
        print_json(&refunds)?;
        return Ok(found);
    }
    let mut table = Table::new(&["ID", "ACCOUNT", "AMOUNT", "METHOD", "REASON", "STATE", "DUE", "PIX KEY"]);
    for refund in refunds {
        let (amount, due) = (Centavos::new(refund.amount_centavos), instant_or_dash(refund.due_at_us));
        table.row([
            refund.id,
            refund.uid,
            amount.to_string(),
            refund.method,
            refund.reason,
            refund.state,
            due,
            refund.pix_key.unwrap_or_else(|| "-".to_owned()),
        ]);
    }
    table.print(&mut std::io::stdout().lock())?;
    Ok(found)
}

async fn paid(store: &Store, id: &str) -> Result<ExitCode> {
    if !store.refund_pix_paid(id, SystemClock.now()).await? {
        bail!("there is no Pix request {id} that waits");
    }
    writeln!(std::io::stdout().lock(), "{id} paid")?;
    Ok(ExitCode::SUCCESS)
}
