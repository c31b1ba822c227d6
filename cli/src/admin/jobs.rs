//! `garimpo admin jobs …`

use super::database::{product_now, with_store};
use super::output::{ListOutput, Output, exit_code, instant, instant_or_dash, named, one_of, or_dash};
use super::span::minutes;
use super::table::Table;
use crate::config::Config;
use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::{Args, Subcommand};
use garimpo_domain::Timestamp;
use garimpo_server::queue::JobKind;
use garimpo_server::store::Store;
use garimpo_server::store::jobs::JobState;
use garimpo_server::store::operator::job_queries::{self, JobFilter, JobRow};
use garimpo_server::tracking::too_old_to_send;
use std::io::Write;
use std::process::ExitCode;

/// Kinds whose jobs are mails that somebody waits for.
const MAILS: [JobKind; 3] = [JobKind::Mail, JobKind::PasswordReset, JobKind::EmailConfirmation];

#[derive(Debug, Subcommand)]
pub enum Command {
    /// List jobs that are not done, parked ones first. Exit with 1 when one is parked.
    List(List),
    /// Show a job with its payload and last failure. Exit with 1 when it is parked.
    Show {
        /// Kind of the job, as `list` shows it.
        #[arg(value_parser = kind)]
        kind: JobKind,
        /// Key of the job.
        key: String,
        #[command(flatten)]
        output: Output,
    },
    /// Run parked jobs again: one, or all of a kind. Mails that wait for their next try are sent
    /// now too.
    Replay {
        /// Kind of the jobs.
        #[arg(value_parser = kind)]
        kind: JobKind,
        /// Key of one job
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        key: Option<String>,
        /// Replay every parked job of the kind, and of mails every one that failed and waits
        #[arg(long)]
        all: bool,
    },
    /// Close parked jobs without running them: conversions, or one mail. Other kinds must run.
    Discard {
        /// Kind of the jobs: conversion, mail, password_reset or email_confirmation.
        #[arg(value_parser = discardable)]
        kind: JobKind,
        /// Key of one job
        #[arg(required_unless_present = "all", conflicts_with = "all")]
        key: Option<String>,
        /// Discard every parked conversion
        #[arg(long)]
        all: bool,
    },
}

#[derive(Debug, Args)]
pub struct List {
    /// List this kind alone
    #[arg(long, value_parser = kind)]
    kind: Option<JobKind>,
    /// List this state alone; by default all jobs that are not done
    #[arg(long, value_parser = named::<JobState>(&["waiting", "done", "parked"]))]
    state: Option<JobState>,
    /// List jobs due for at least this long: minutes, hours or days, such as 30m, 12h, 7d
    #[arg(long, value_parser = minutes)]
    older_than: Option<i64>,
    #[command(flatten)]
    output: ListOutput,
}

pub async fn run(command: Command, config: &Config) -> Result<ExitCode> {
    let only_reads = matches!(command, Command::List(_) | Command::Show { .. });
    with_store(config, only_reads, async |store| match command {
        Command::List(list) => show_list(store, config, &list).await,
        Command::Show { kind, key, output } => show_one(store, kind, &key, output).await,
        Command::Replay { kind: JobKind::Conversion, key, .. } => {
            replay_conversions(store, key.as_deref(), product_now(config).await?).await
        }
        Command::Replay { kind, key, .. } if MAILS.contains(&kind) => {
            replay_mails(store, kind, key.as_deref(), product_now(config).await?).await
        }
        Command::Replay { kind, key, .. } => replay(store, kind, key.as_deref()).await,
        Command::Discard { kind, all: true, .. } if kind != JobKind::Conversion => {
            Err(anyhow!("mails have to leave: replay them, or close one by its key"))
        }
        Command::Discard { kind, key, .. } => {
            discard(store, kind, key.as_deref(), product_now(config).await?).await
        }
    })
    .await
}

async fn show_list(store: &Store, config: &Config, list: &List) -> Result<ExitCode> {
    let due_before = match list.older_than {
        Some(minutes) => Some(product_now(config).await?.plus_minutes(-minutes)),
        None => None,
    };
    let filter = JobFilter { kind: list.kind, state: list.state, due_before };
    let jobs = job_queries::list(store, &filter, list.output.limit).await?;
    list.output.output.print(&jobs, |out| {
        let table = Table::of(&jobs)
            .column("KIND", |job| &job.kind)
            .column("KEY", |job| &job.key)
            .column("STATE", |job| <&str>::from(job.state))
            .column("RUNS", |job| job.attempts)
            .column("DUE", due)
            .column("LAST FAILURE", |job| job.last_error.as_deref().unwrap_or_default());
        table.print(out)?;
        list.output.note_limit("first", jobs.len(), out)
    })?;
    Ok(found(&jobs))
}

async fn show_one(store: &Store, kind: JobKind, key: &str, output: Output) -> Result<ExitCode> {
    let job = job_queries::by_key(store, kind, key).await?;
    let job = job.with_context(|| format!("there is no {} job {key}", kind.name()))?;
    let facts = [
        ("kind", job.kind.clone()),
        ("key", job.key.clone()),
        ("state", <&str>::from(job.state).to_owned()),
        ("runs", job.attempts.to_string()),
        ("due", due(&job)),
        ("held until", instant_or_dash(job.leased_until)),
        ("ended", instant_or_dash(job.ended_at)),
        ("request", or_dash(job.request_id.clone())),
        ("last failure", or_dash(job.last_error.clone())),
        ("payload", job.payload.clone()),
    ];
    output.print(&job, |out| {
        for (name, value) in facts {
            writeln!(out, "{name:<13} {value}")?;
        }
        Ok(())
    })?;
    Ok(found(std::slice::from_ref(&job)))
}

async fn replay(store: &Store, kind: JobKind, key: Option<&str>) -> Result<ExitCode> {
    let replayed = job_queries::replay(store, kind, key).await?;
    demand_parked(replayed, kind, key)?;
    writeln!(std::io::stdout().lock(), "{replayed} {} run again", kind.name())?;
    Ok(ExitCode::SUCCESS)
}

async fn replay_mails(store: &Store, kind: JobKind, key: Option<&str>, now: Timestamp) -> Result<ExitCode> {
    let sent = job_queries::replay_mails(store, kind, key, now).await?;
    let (name, wanted) = (kind.name(), key.unwrap_or_default());
    ensure!(
        sent > 0 || key.is_none(),
        "there is no {name} job {wanted} that is parked or waits for another try"
    );
    writeln!(std::io::stdout().lock(), "{sent} {name} run again")?;
    Ok(ExitCode::SUCCESS)
}

/// Replays the conversions that the platform still accepts: older ones would be parked again.
async fn replay_conversions(store: &Store, key: Option<&str>, now: Timestamp) -> Result<ExitCode> {
    const KIND: JobKind = JobKind::Conversion;
    let parked = match key {
        Some(key) => job_queries::by_key(store, KIND, key).await?.into_iter().collect(),
        None => job_queries::list(store, &parked_conversions(), i64::MAX).await?,
    };
    let (mut replayed, mut stay) = (0, 0);
    for job in parked {
        match too_old_to_send(&job, now) {
            Some(why) if key.is_some() => bail!("conversion {} cannot be sent: {why}", job.key),
            Some(_) => stay += 1,
            None => replayed += job_queries::replay(store, KIND, Some(&job.key)).await?,
        }
    }
    demand_parked(replayed, KIND, key)?;
    let mut out = std::io::stdout().lock();
    writeln!(out, "{replayed} conversion run again")?;
    if stay > 0 {
        let end = "jobs discard conversion --all closes them";
        writeln!(out, "{stay} are too old to be sent and stay parked: {end}")?;
    }
    Ok(exit_code(stay > 0))
}

/// Refuses the key of a job that is not parked.
fn demand_parked(changed: u64, kind: JobKind, key: Option<&str>) -> Result<()> {
    let name = key.unwrap_or_default();
    ensure!(changed > 0 || key.is_none(), "there is no parked {} job {name}", kind.name());
    Ok(())
}

fn parked_conversions() -> JobFilter {
    JobFilter { kind: Some(JobKind::Conversion), state: Some(JobState::Parked), due_before: None }
}

async fn discard(store: &Store, kind: JobKind, key: Option<&str>, now: Timestamp) -> Result<ExitCode> {
    let closed = job_queries::discard(store, kind, key, now).await?;
    demand_parked(closed, kind, key)?;
    writeln!(std::io::stdout().lock(), "{closed} {} closed, not sent", kind.name())?;
    Ok(ExitCode::SUCCESS)
}

/// Jobs that a start enqueues before it knows the product's time have the zero instant.
fn due(job: &JobRow) -> String {
    if job.due_at == Timestamp::from_micros(0) { "at start".to_owned() } else { instant(job.due_at) }
}

fn found(jobs: &[JobRow]) -> ExitCode {
    let parked = jobs.iter().any(|job| job.state == JobState::Parked);
    exit_code(parked)
}

fn discardable(text: &str) -> Result<JobKind, String> {
    const ALLOWED: [JobKind; 4] =
        [JobKind::Conversion, JobKind::Mail, JobKind::PasswordReset, JobKind::EmailConfirmation];
    one_of(text, &ALLOWED, JobKind::name)
}

fn kind(text: &str) -> Result<JobKind, String> {
    one_of(text, &JobKind::ALL, JobKind::name)
}
