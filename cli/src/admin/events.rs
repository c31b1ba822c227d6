//! `garimpo admin events …`

use super::database::{open_operator, with_reader};
use super::output::{ListOutput, exit_code, instant, named, or_dash, print_json};
use super::span::minutes;
use super::table::Table;
use crate::config::Config;
use anyhow::{Context, Result, ensure};
use clap::{Args, Subcommand};
use garimpo_domain::EventId;
use garimpo_server::Operator;
use garimpo_server::store::operator::event_queries::{self, EventFilter, EventSeen, EventState};
use serde_json::Value;
use std::io::Write;
use std::process::ExitCode;

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List events, newest first, each with the state of its job. Exit with 1 when a job is parked.
    List(List),
    /// Show an event as the provider signed it. It contains personal data.
    Show {
        /// Id of the event, `evt_…`.
        id: String,
    },
    /// Process an event again: read its object from the provider. Idempotent.
    Replay {
        /// Id of the event, `evt_…`.
        id: String,
    },
}

#[derive(Debug, Args)]
pub struct List {
    /// List this type alone, such as invoice.paid
    #[arg(long)]
    kind: Option<String>,
    /// List events whose job is in this state; `none`: no job, or a job deleted after 30 days
    #[arg(long, value_parser = named::<EventState>(&["waiting", "done", "parked", "none"]))]
    state: Option<EventState>,
    /// List events of the last minutes, hours or days, such as 30m, 12h, 7d
    #[arg(long, value_parser = minutes)]
    since: Option<i64>,
    #[command(flatten)]
    output: ListOutput,
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    match command {
        Command::List(options) => with_reader(config, async |reader| list(reader, &options).await).await,
        Command::Show { id } => {
            with_reader(config, async |reader| show(reader, &EventId::new(&id)).await).await
        }
        Command::Replay { id } => {
            let id = EventId::new(id);
            let operator = open_operator(config, false).await?;
            let done = operator.billing().events.replay(&id).await;
            operator.close().await;
            ensure!(done?, "there is no event {id}");
            writeln!(std::io::stdout().lock(), "{id} is worked on again")?;
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn list(operator: &Operator, options: &List) -> Result<ExitCode> {
    let filter = EventFilter {
        kind: options.kind.clone(),
        state: options.state,
        after: options.since.map(|minutes| operator.now().plus_minutes(-minutes)),
    };
    let events = event_queries::list(operator.store(), &filter, options.output.limit).await?;
    let parked = events.iter().any(|event| event.state == EventState::Parked);
    options.output.output.print(&events, |out| {
        table(&events).print(out)?;
        options.output.note_limit("newest", events.len(), out)
    })?;
    Ok(exit_code(parked))
}

/// Events as rows.
pub(super) fn table(events: &[EventSeen]) -> Table<'_, EventSeen> {
    Table::of(events)
        .column("RECEIVED", |event| instant(event.received_at))
        .column("ID", |event| &event.id)
        .column("TYPE", |event| &event.kind)
        .column("ACCOUNT", |event| or_dash(event.uid.as_deref()))
        .column("STATE", |event| <&str>::from(event.state))
        .column("LAST FAILURE", |event| event.last_error.as_deref().unwrap_or_default())
}

async fn show(operator: &Operator, id: &EventId) -> Result<ExitCode> {
    let body = event_queries::body(operator.store(), id).await?;
    let body = body.with_context(|| format!("there is no event {id}"))?;
    ensure!(!body.is_empty(), "the body of {id} was taken out: it is not ours, or its account was deleted");
    match serde_json::from_slice::<Value>(&body) {
        Ok(value) => print_json(&value)?,
        Err(_) => writeln!(std::io::stdout().lock(), "{}", String::from_utf8_lossy(&body))?,
    }
    Ok(ExitCode::SUCCESS)
}
