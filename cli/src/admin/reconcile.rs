//! `garimpo admin reconcile`

use super::table::Table;
use super::{FINDINGS, demand_database, print_json, settings};
use crate::config::Config;
use anyhow::{Context, Result, bail};
use clap::Args;
use futures::{StreamExt, TryStreamExt, stream};
use garimpo_domain::Centavos;
use garimpo_server::Operator;
use garimpo_server::billing::{Billing, Difference, Standing, Stranger};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// Accounts that are read at once: far below the provider's limits.
const AT_ONCE: usize = 4;

/// How to compare.
#[derive(Debug, Args)]
pub struct Options {
    /// Only tell what differs. Exits with 1 when something does.
    #[arg(long)]
    dry_run: bool,
    /// This account alone.
    #[arg(long)]
    uid: Option<String>,
    /// For programs.
    #[arg(long)]
    json: bool,
}

/// What was found.
#[derive(Debug, Default, Serialize)]
struct Report {
    /// Accounts that were compared.
    accounts: usize,
    /// What differed.
    differences: Vec<Difference>,
    /// Subscriptions at the provider whose customer no account of ours has, or that somebody made there by hand.
    strangers: Vec<Stranger>,
    /// Whether everything that differed was mended.
    mended: bool,
}

/// Runs the command: 0 when nothing differs or all was mended, 1 otherwise.
///
/// # Errors
/// The database or the provider cannot be used.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    demand_database(config)?;
    let operator = Operator::open(settings(config))
        .await
        .context("reaching the database, the clock and the provider")?;
    let report = look(operator.billing(), &options).await;
    operator.close().await;
    let report = report?;
    let is_clean = report.differences.is_empty() && report.strangers.is_empty();
    if options.json {
        print_json(&report)?;
    } else {
        print(&report, &options)?;
    }
    Ok(if is_clean || report.mended { ExitCode::SUCCESS } else { ExitCode::from(FINDINGS) })
}

async fn look(billing: &Billing, options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let (uids, strangers) = match &options.uid {
        Some(uid) if !billing.account_exists(uid).await? => bail!("there is no account {uid}"),
        Some(uid) => (vec![uid.clone()], Vec::new()),
        None => {
            (all_accounts(billing).await?, billing.strangers().await.context("the provider's subscriptions")?)
        }
    };
    report.strangers = strangers;
    report.accounts = uids.len();
    report.differences = compare(billing, uids).await?;
    if !options.dry_run {
        // Named, it is read and written anew also where nothing differs: what wakes it is written by the same apply.
        report.mended = mend(billing, &report, options.uid.as_deref()).await?;
    }
    Ok(report)
}

async fn all_accounts(billing: &Billing) -> Result<Vec<String>> {
    let mut uids: Vec<String> = Vec::new();
    loop {
        let after = uids.last().cloned().unwrap_or_default();
        let page = billing.accounts_page(&after).await?;
        if page.is_empty() {
            return Ok(uids);
        }
        uids.extend(page);
    }
}

async fn compare(billing: &Billing, uids: Vec<String>) -> Result<Vec<Difference>> {
    let each = uids.into_iter().map(|uid| async move {
        billing.differences(&uid).await.with_context(|| format!("comparing the account {uid}"))
    });
    let found: Vec<_> = stream::iter(each.collect::<Vec<_>>()).buffered(AT_ONCE).try_collect().await?;
    Ok(found.into_iter().flatten().collect())
}

/// Runs the one apply over what differs; answers whether nothing is left for the operator.
async fn mend(billing: &Billing, report: &Report, named: Option<&str>) -> Result<bool> {
    let mut uids: Vec<String> = report.differences.iter().map(|found| found.uid.clone()).collect();
    uids.extend(named.map(str::to_owned));
    for stranger in report.strangers.iter().filter(|stranger| stranger.standing == Standing::Adoptable) {
        billing.adopt(&stranger.uid, &stranger.customer_id).await?;
        uids.push(stranger.uid.clone());
    }
    uids.sort_unstable();
    uids.dedup();
    for uid in &uids {
        billing.account_mend(uid).await.with_context(|| format!("mending the account {uid}"))?;
    }
    let left = compare(billing, uids).await?;
    Ok(left.is_empty() && report.strangers.iter().all(|stranger| stranger.standing == Standing::Adoptable))
}

fn print(report: &Report, options: &Options) -> Result<()> {
    let mut out = std::io::stdout().lock();
    if !report.differences.is_empty() {
        let mut table = Table::new(&["ACCOUNT", "OBJECT", "FIELD", "OURS", "PROVIDER'S"]);
        for found in &report.differences {
            let (ours, theirs) = (found.ours.to_string(), found.provider.to_string());
            table.row([found.uid.clone(), found.object.clone(), found.field.clone(), ours, theirs]);
        }
        table.print(&mut out)?;
        writeln!(out)?;
    }
    if !report.strangers.is_empty() {
        print_strangers(&report.strangers, &mut out)?;
    }
    let (differences, strangers) = (report.differences.len(), report.strangers.len());
    let end = match (options.dry_run, report.mended, differences + strangers) {
        (_, _, 0) => "",
        (true, ..) => "; nothing was changed",
        (false, true, _) => "; all mended",
        (false, false, _) => "; something is left",
    };
    writeln!(
        out,
        "{} accounts compared, {differences} differences, {strangers} unknown subscriptions{end}",
        report.accounts
    )?;
    Ok(())
}

/// Each with what was paid, then what to do about those of its kind.
fn print_strangers(strangers: &[Stranger], out: &mut impl Write) -> Result<()> {
    let mut table = Table::new(&["ACCOUNT", "SUBSCRIPTION", "CUSTOMER", "INVOICES", "PAID", "STANDING"]);
    for found in strangers {
        table.row([
            found.uid.clone(),
            found.subscription_id.clone(),
            found.customer_id.clone(),
            found.invoice_ids.join(" "),
            Centavos::new(found.paid_centavos).to_string(),
            found.standing.name().to_owned(),
        ]);
    }
    table.print(out)?;
    writeln!(out)?;
    for standing in [Standing::Adoptable, Standing::NoAccount, Standing::OtherCustomer, Standing::ByHand] {
        if strangers.iter().any(|found| found.standing == standing) {
            writeln!(out, "{}: {}", standing.name(), standing.action())?;
        }
    }
    writeln!(out)?;
    Ok(())
}
