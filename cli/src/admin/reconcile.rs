//! `garimpo admin reconcile`

use super::database::open_operator;
use super::output::{Output, exit_code};
use super::table::Table;
use crate::config::Config;
use crate::progress::Progress;
use anyhow::{Context, Result, bail};
use clap::Args;
use futures::{StreamExt, stream};
use garimpo_domain::{Centavos, Uid};
use garimpo_server::billing::{
    Absence, Billing, Difference, OrphanStatus, OrphanedSubscription, is_mass_loss,
};
use garimpo_server::providers::CallClass;
use garimpo_server::users::payer_adoption::{PayerAdoption, TriedAdoption};
use serde::Serialize;
use std::io::Write;
use std::process::ExitCode;

/// Accounts read in parallel: far below the provider's rate limits.
const AT_ONCE: usize = 4;
/// With more accounts, the provider's lists decide which accounts are read one by one.
const MOST_READ_ALONE: usize = 1_000;

#[derive(Debug, Args)]
pub struct Options {
    /// Print the differences without changing anything. Exit with 1 on differences.
    #[arg(long)]
    dry_run: bool,
    /// Compare this account alone
    #[arg(long)]
    uid: Option<String>,
    #[command(flatten)]
    output: Output,
}

impl Options {
    /// Compares and repairs every account.
    pub(super) fn of_all(output: Output) -> Self {
        Self { dry_run: false, uid: None, output }
    }
}

/// Result of the comparison.
#[derive(Debug, Default, Serialize)]
pub(super) struct Report {
    /// Accounts that were compared.
    accounts: usize,
    /// Columns that differ.
    differences: Vec<Difference>,
    /// Subscriptions at the provider without an account, or created there by hand. The JSON name
    /// stays, because scripts read it.
    #[serde(rename = "strangers")]
    orphaned: Vec<OrphanedSubscription>,
    /// Payers without an account who were adopted or refused.
    adoptions: Vec<TriedAdoption>,
    /// Accounts that paid and that the provider does not have.
    lost: Vec<Lost>,
    /// Accounts whose customer is deleted at the provider, which is how a deletion of the account
    /// ends there.
    pub(super) deleted_customers: Vec<Uid>,
    /// Accounts that could not be compared.
    failed: Vec<Failed>,
    /// Whether the comparison stopped, because too many customers are missing at the provider.
    stopped: bool,
    /// Whether all differences were repaired. The JSON name stays, because scripts read it.
    #[serde(rename = "mended")]
    is_repaired: bool,
}

/// An account that paid and that the provider does not have.
#[derive(Debug, Serialize)]
struct Lost {
    /// Account.
    uid: Uid,
    kind: Absence,
}

/// An account that could not be compared.
#[derive(Debug, Serialize)]
struct Failed {
    /// Account.
    uid: Uid,
    /// Why.
    error: String,
}

/// Runs the command. Exit code 0 if nothing differs or all was repaired, otherwise 1.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let report = reconcile(&options, config).await?;
    options.output.print(&report, |out| print(&report, &options, out))?;
    Ok(exit_code(report.has_findings()))
}

/// Compares, and repairs unless it is a dry run.
pub(super) async fn reconcile(options: &Options, config: &Config) -> Result<Report> {
    let operator = open_operator(config, options.dry_run).await?;
    // Comparing every account has a lower priority than calls of visitors and payments.
    let class = if options.uid.is_some() { CallClass::Renewal } else { CallClass::Housekeeping };
    let report = look(&operator.billing().of_class(class), &operator.adoption(class), options).await;
    operator.close().await;
    report
}

impl Report {
    /// Whether something is left for the operator.
    pub(super) fn has_findings(&self) -> bool {
        let is_whole = self.failed.is_empty() && !self.stopped && self.lost.iter().all(Lost::is_handled);
        let is_clean = self.differences.is_empty() && self.orphaned.is_empty() && self.adoptions.is_empty();
        !is_whole || !(is_clean || self.is_repaired)
    }
}

async fn look(billing: &Billing, adoption: &PayerAdoption, options: &Options) -> Result<Report> {
    let mut report = Report::default();
    let named = options.uid.as_deref().map(Uid::new);
    let (uids, orphaned) = match &named {
        Some(uid) if !billing.reconciliation.has_account(uid).await? => bail!("there is no account {uid}"),
        Some(uid) => (vec![uid.clone()], Vec::new()),
        None => (
            all_accounts(billing).await?,
            billing.orphans.find().await.context("the provider's subscriptions")?,
        ),
    };
    report.orphaned = orphaned;
    let all = uids.len();
    if all > MOST_READ_ALONE {
        // An account that agrees with the provider's lists is compared by them, at a hundredth of
        // the calls.
        let differing =
            billing.reconciliation.list_differing_accounts().await.context("the provider's lists")?;
        let agreeing = all - uids.iter().filter(|uid| differing.contains(*uid)).count();
        let uids = uids.into_iter().filter(|uid| differing.contains(uid)).collect();
        compare(billing, uids, all, &mut report).await?;
        report.accounts += agreeing;
    } else {
        compare(billing, uids, all, &mut report).await?;
    }
    if !options.dry_run {
        if named.is_none() {
            report.adoptions = adopt(billing, adoption, &report.orphaned).await?;
        }
        // A named account is synced even without differences, because a sync also schedules its
        // next rights change.
        report.is_repaired = repair(billing, &report, named).await?;
    }
    Ok(report)
}

async fn all_accounts(billing: &Billing) -> Result<Vec<Uid>> {
    let mut uids: Vec<Uid> = Vec::new();
    loop {
        let after = uids.last().map(ToString::to_string).unwrap_or_default();
        let page = billing.reconciliation.list_accounts(&after).await?;
        if page.is_empty() {
            return Ok(uids);
        }
        uids.extend(page);
    }
}

/// Compares accounts. One that cannot be compared is reported and ends nothing; a provider that
/// does not answer or refuses the key ends all, and so do too many customers that it does not know.
async fn compare(billing: &Billing, uids: Vec<Uid>, all: usize, report: &mut Report) -> Result<()> {
    let progress = Progress::bar("comparing", all);
    let each = uids.into_iter().map(|uid| async move {
        let compared = billing.reconciliation.compare(&uid).await;
        (uid, compared)
    });
    let mut compared = stream::iter(each.collect::<Vec<_>>()).buffered(AT_ONCE);
    while let Some((uid, found)) = compared.next().await {
        report.accounts += 1;
        progress.step();
        match found {
            Ok(found) => {
                report.differences.extend(found.differences);
                report.lost.extend(found.lost.map(|kind| Lost { uid: uid.clone(), kind }));
                report.deleted_customers.extend(found.is_customer_deleted.then_some(uid));
            }
            Err(error) if error.is_provider_down() => {
                return Err(error).with_context(|| format!("comparing the account {uid}"));
            }
            Err(error) => {
                report.failed.push(Failed { uid, error: format!("{:#}", anyhow::Error::new(error)) });
            }
        }
        if is_mass_loss(report.lost.len(), all) {
            report.stopped = true;
            return Ok(());
        }
    }
    Ok(())
}

/// Adopts the payers without an account, those that earlier runs found too.
async fn adopt(
    billing: &Billing,
    adoption: &PayerAdoption,
    orphaned: &[OrphanedSubscription],
) -> Result<Vec<TriedAdoption>> {
    for found in orphaned.iter().filter(|found| found.status == OrphanStatus::NoAccount) {
        billing.orphans.record(found).await?;
    }
    adoption.adopt_all().await.context("adopting payers without an account")
}

/// Syncs what differs; returns whether nothing is left for the operator.
async fn repair(billing: &Billing, report: &Report, named: Option<Uid>) -> Result<bool> {
    let mut uids: Vec<Uid> = report.differences.iter().map(|found| found.uid.clone()).collect();
    // Accounts stored as lost are read again: a customer that is back at the provider ends the stop
    // of reconciliation.
    uids.extend(report.lost.iter().map(|lost| lost.uid.clone()));
    uids.extend(billing.reconciliation.list_lost_accounts().await?);
    uids.extend(named);
    for found in report.orphaned.iter().filter(|found| found.status == OrphanStatus::Adoptable) {
        billing.orphans.adopt(&found.uid, &found.customer_id).await?;
        uids.push(found.uid.clone());
    }
    uids.sort_unstable();
    uids.dedup();
    let progress = Progress::bar("repairing", uids.len());
    for uid in &uids {
        progress.step();
        match billing.reconciliation.repair_account(uid).await {
            Err(error) if error.is_provider_down() => {
                return Err(error).with_context(|| format!("repairing the account {uid}"));
            }
            // It still differs, and is reported with what is left.
            Ok(()) | Err(_) => {}
        }
    }
    drop(progress);
    let mut left = Report::default();
    let all = uids.len();
    compare(billing, uids, all, &mut left).await?;
    let is_left = !left.differences.is_empty() || !left.failed.is_empty();
    let is_settled = |found: &OrphanedSubscription| {
        matches!(found.status, OrphanStatus::Adoptable | OrphanStatus::NoAccount)
    };
    let is_adopted = report.adoptions.iter().all(|tried| tried.uid.is_some());
    Ok(!is_left && is_adopted && report.orphaned.iter().all(is_settled))
}

impl Lost {
    /// Whether nothing is left for the operator: a deleted customer's paid time ends by itself.
    fn is_handled(&self) -> bool {
        self.kind == Absence::Deleted
    }
}

pub(super) fn print(report: &Report, options: &Options, out: &mut impl Write) -> Result<()> {
    if !report.lost.is_empty() {
        let table = Table::of(&report.lost)
            .column("ACCOUNT", |lost| &lost.uid)
            .column("AT THE PROVIDER", |lost| <&str>::from(lost.kind));
        table.print(out)?;
        writeln!(
            out,
            "\nTheir paid time holds; see \"The provider does not know our customers\" in docs/operation.md\n"
        )?;
    }
    for failed in &report.failed {
        writeln!(out, "{}: not compared: {}", failed.uid, failed.error)?;
    }
    if !report.differences.is_empty() {
        let table = Table::of(&report.differences)
            .column("ACCOUNT", |found| &found.uid)
            .column("OBJECT", |found| &found.object)
            .column("FIELD", |found| &found.field)
            .column("OURS", |found| &found.ours)
            .column("PROVIDER'S", |found| &found.provider);
        table.print(out)?;
        writeln!(out)?;
    }
    if !report.orphaned.is_empty() {
        print_orphaned(&report.orphaned, out)?;
    }
    for tried in &report.adoptions {
        writeln!(out, "{}", result_of(tried))?;
    }
    let (differences, orphaned) = (report.differences.len(), report.orphaned.len());
    let end = match (options.dry_run, report.is_repaired, differences + orphaned) {
        (_, _, 0) => "",
        (true, ..) => "; nothing was changed",
        (false, true, _) => "; all repaired",
        (false, false, _) => "; something is left",
    };
    writeln!(
        out,
        "{} accounts compared, {differences} differences, {orphaned} unknown subscriptions{end}",
        report.accounts
    )?;
    if report.stopped {
        writeln!(out, "stopped: {} customers are unknown to the payment provider", report.lost.len())?;
    }
    Ok(())
}

/// Who got a payer, or why nobody did and what to do.
fn result_of(tried: &TriedAdoption) -> String {
    let TriedAdoption { subscription_id, email, uid, refused } = tried;
    let email = email.as_deref().unwrap_or("a customer without email");
    match (uid, refused) {
        (Some(uid), _) => format!("{subscription_id} of {email}: adopted by the account {uid}"),
        (None, Some(why)) => {
            let action = why.action().replace("SUBSCRIPTION", subscription_id);
            format!("{subscription_id} of {email}: not adopted: {}: {action}", why.reason())
        }
        (None, None) => format!("{subscription_id} of {email}: not adopted: it failed, run it again"),
    }
}

/// Prints each with its payments, then the action for each status.
fn print_orphaned(orphaned: &[OrphanedSubscription], out: &mut impl Write) -> Result<()> {
    let table = Table::of(orphaned)
        .column("ACCOUNT", |found| &found.uid)
        .column("SUBSCRIPTION", |found| &found.subscription_id)
        .column("CUSTOMER", |found| &found.customer_id)
        .column("EMAIL", |found| found.email.as_deref().unwrap_or_default())
        .column("INVOICES", |found| found.invoice_ids.iter().map(|id| &**id).collect::<Vec<_>>().join(" "))
        .column("PAID", |found| Centavos::new(found.paid_centavos))
        .column("STANDING", |found| found.status.name());
    table.print(out)?;
    writeln!(out)?;
    for status in
        [OrphanStatus::Adoptable, OrphanStatus::NoAccount, OrphanStatus::OtherCustomer, OrphanStatus::ByHand]
    {
        if orphaned.iter().any(|found| found.status == status) {
            writeln!(out, "{}: {}", status.name(), status.action())?;
        }
    }
    writeln!(out)?;
    Ok(())
}
