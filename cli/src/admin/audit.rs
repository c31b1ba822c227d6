//! `garimpo admin audit`

use super::database::{product_now, with_store};
use super::output::{ListOutput, instant, one_of, or_dash};
use super::span::minutes;
use super::table::Table;
use crate::config::Config;
use anyhow::Result;
use clap::Args;
use garimpo_domain::{Email, Uid};
use garimpo_server::EmailHash;
use garimpo_server::audit::AuditKind;
use garimpo_server::store::Store;
use garimpo_server::store::identity::accounts;
use garimpo_server::store::identity::audit_events::{self, AuditFilter, AuditRow};
use std::process::ExitCode;

/// Letters of an email's hash that are shown: enough to distinguish two.
const HASH_SHOWN: usize = 12;

#[derive(Debug, Args)]
pub struct Options {
    /// List the events of this account alone
    #[arg(long, conflicts_with = "email")]
    uid: Option<String>,
    /// List the events of the account with this email, and attempts with it without an account
    #[arg(long)]
    email: Option<String>,
    /// List the events from this address alone, as the column ADDRESS shows it
    #[arg(long)]
    address: Option<String>,
    /// List this kind alone
    #[arg(long, value_parser = kind)]
    kind: Option<AuditKind>,
    /// List events of the last minutes, hours or days, such as 30m, 12h, 7d
    #[arg(long, value_parser = minutes)]
    since: Option<i64>,
    #[command(flatten)]
    list: ListOutput,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    with_store(config, true, async |store| show(store, config, &options).await).await?;
    Ok(ExitCode::SUCCESS)
}

async fn show(store: &Store, config: &Config, options: &Options) -> Result<()> {
    let mut filter = AuditFilter {
        uid: options.uid.as_deref().map(Uid::new),
        kind: options.kind,
        client_address: options.address.clone(),
        ..Default::default()
    };
    if let Some(minutes) = options.since {
        filter.since = Some(product_now(config).await?.plus_minutes(-minutes));
    }
    if let Some(email) = &options.email {
        let email = Email::parse(email)?;
        let hash = EmailHash::open_to_read(store).await?;
        // Without a key no email was hashed, and an empty hash matches none.
        filter.email_hash = Some(hash.map(|hash| hash.of(email.as_str())).unwrap_or_default());
        filter.uid = accounts::by_email(store, &email).await?.map(|account| account.uid);
    }
    let events = audit_events::list(store, &filter, options.list.limit).await?;
    options.list.output.print(&events, |out| {
        let table = Table::of(&events)
            .column("AT", |event| instant(event.at))
            .column("KIND", |event| &event.kind)
            .column("ACCOUNT", who)
            .column("ADDRESS", |event| or_dash(event.client_address.as_deref()))
            .column("DEVICE", |event| &event.device)
            .column("REQUEST", |event| &event.request_id);
        table.print(out)?;
        options.list.note_limit("newest", events.len(), out)
    })
}

/// The account, or the hash of an email without an account.
fn who(event: &AuditRow) -> String {
    let hash =
        || event.email_hash.as_deref().and_then(|hash| hash.get(..HASH_SHOWN)).map(|hash| format!("#{hash}"));
    event.uid.as_ref().map(ToString::to_string).or_else(hash).unwrap_or_else(|| "-".to_owned())
}

fn kind(text: &str) -> Result<AuditKind, String> {
    one_of(text, &AuditKind::ALL, AuditKind::name)
}
