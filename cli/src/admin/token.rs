//! `garimpo admin token …`

use super::database::{product_now, with_store};
use super::output::{Output, instant, instant_or_dash, one_of};
use super::table::Table;
use crate::config::Config;
use anyhow::{Result, bail, ensure};
use clap::Subcommand;
use garimpo_domain::Timestamp;
use garimpo_server::auth::{create_service_token, revoke_service_token, rotate_service_token};
use garimpo_server::caller::Scope;
use garimpo_server::clock::{Clock, SystemClock};
use garimpo_server::ids::Ids;
use garimpo_server::store::Store;
use garimpo_server::store::identity::service_tokens;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Create a token, and print its text once, alone on the last line.
    Create {
        /// User of the token: 1 to 64 visible characters
        #[arg(value_parser = name)]
        name: String,
        /// Permission: billing.read, users.read or tracking.write. Repeat it for several
        #[arg(long = "scope", required = true, value_parser = scope)]
        scopes: Vec<Scope>,
    },
    /// List tokens with their scopes and last use, newest first.
    List {
        #[command(flatten)]
        output: Output,
    },
    /// Create a second token with the name and scopes of this one. Both are valid until you revoke
    /// the older one.
    Rotate {
        /// Id of the older token, as `list` shows it.
        id: String,
    },
    /// Revoke a token within 5 s. Its open watches end within 6 s.
    Revoke {
        /// Id of the token, as `list` shows it.
        id: String,
    },
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let only_reads = matches!(command, Command::List { .. });
    with_store(config, only_reads, async |store| match command {
        Command::Create { name, scopes } => create(store, &name, &scopes, now(config).await).await,
        Command::List { output } => list(store, output).await,
        Command::Rotate { id } => rotate(store, &id, now(config).await).await,
        Command::Revoke { id } => revoke(store, &id, now(config).await).await,
    })
    .await?;
    Ok(ExitCode::SUCCESS)
}

/// The product's time, or this machine's without it, because revoking a token must not wait for the
/// clock.
async fn now(config: &Config) -> Timestamp {
    product_now(config).await.unwrap_or_else(|_| SystemClock.now())
}

async fn create(store: &Store, name: &str, scopes: &[Scope], now: Timestamp) -> Result<()> {
    let made = create_service_token(store, &Ids::system(), name, scopes, now).await?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} {name}: {}", made.id, made.scopes)?;
    writeln!(out, "{}", made.token)?;
    Ok(())
}

async fn list(store: &Store, output: Output) -> Result<()> {
    let tokens = service_tokens::list(store).await?;
    output.print(&tokens, |out| {
        let table = Table::of(&tokens)
            .column("ID", |token| &token.id)
            .column("NAME", |token| &token.name)
            .column("SCOPES", |token| token.scopes.to_string())
            .column("MADE", |token| instant(token.created_at))
            .column("LAST USE", |token| instant_or_dash(token.used_at))
            .column("REVOKED", |token| instant_or_dash(token.revoked_at));
        Ok(table.print(out)?)
    })
}

async fn rotate(store: &Store, id: &str, now: Timestamp) -> Result<()> {
    let made = rotate_service_token(store, &Ids::system(), id, now).await?;
    let Some(made) = made else { bail!("there is no live token {id}") };
    let mut out = std::io::stdout().lock();
    writeln!(out, "{} beside {id}, which stays valid until: garimpo admin token revoke {id}", made.id)?;
    writeln!(out, "{}", made.token)?;
    Ok(())
}

async fn revoke(store: &Store, id: &str, now: Timestamp) -> Result<()> {
    ensure!(revoke_service_token(store, id, now).await?, "there is no live token {id}");
    writeln!(std::io::stdout().lock(), "{id} revoked")?;
    Ok(())
}

/// A name is printed on the operator's terminal, so it holds no control characters.
fn name(text: &str) -> Result<String, String> {
    let length = text.chars().count();
    let is_fit = (1..=64).contains(&length) && !text.trim().is_empty() && !text.chars().any(char::is_control);
    if is_fit { Ok(text.to_owned()) } else { Err("allowed: 1 to 64 characters that can be seen".to_owned()) }
}

fn scope(text: &str) -> Result<Scope, String> {
    one_of(text, &Scope::ALL, Scope::name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_name_has_1_to_64_visible_characters() {
        assert_eq!(name("robô da fila"), Ok("robô da fila".to_owned()));
        for bad in ["", "  ", "a\u{1b}[2J", "a\nb", &"x".repeat(65)] {
            assert!(name(bad).is_err(), "{bad:?}");
        }
    }
}
