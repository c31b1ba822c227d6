//! `garimpo admin restore`

use super::output::{Output, exit_code, instant};
use super::reconcile::{self, Report};
use crate::config::Config;
use crate::data_dir::Lock;
use crate::progress::Progress;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use garimpo_domain::Uid;
use garimpo_server::operator::restore::{Carried, NotKnown, Restored, TakenOver, restore};
use garimpo_server::store::engine::sqlite_file;
use secrecy::ExposeSecret;
use serde::Serialize;
use std::io::Write;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

const SANDBOX: &str = "sandbox.db";
/// Exists while systemd is the machine's manager.
const SYSTEMD: &str = "/run/systemd/system";
/// Units that use the data folder, and sockets that would start one at the next connection.
const UNITS: [&str; 4] =
    ["garimpo.service", "garimpo.socket", "garimpo-redirect.socket", "garimpo-litestream.service"];

#[derive(Debug, Args)]
pub struct Options {
    /// Folder that `garimpo admin backup` wrote. It stays as it is
    folder: PathBuf,
    /// Also replace a database that has accounts and is another one than the backup's
    #[arg(long)]
    replace_other: bool,
    /// You stopped the service and its sockets. Needed if systemctl cannot report it
    #[arg(long)]
    units_stopped: bool,
    #[command(flatten)]
    output: Output,
}

/// Runs the command. Exit code 0 if nothing is left for the operator, otherwise 1.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let Some(file) = sqlite_file(config.database_url.expose_secret()) else {
        bail!("the database is PostgreSQL, which has its own tool: pg_restore into an empty database");
    };
    if !options.units_stopped {
        refuse_active(&active_units()?)?;
    }
    refuse_other_owner(&config.data_dir)?;
    let _lock = Lock::take(&config.data_dir, "garimpo.lock")?;
    let progress = Progress::spinner("restoring");
    let restored = restore(&options.folder, &file, options.replace_other).await;
    drop(progress);
    let restored = restored.context("not restored")?;
    options.output.print_part(|out| print(&restored, &options.folder, out))?;
    restore_sandbox(&options.folder, config)?;
    // The restored database is in place, whatever the provider responds.
    let compare = reconcile::Options::of_all(options.output);
    let compared = reconcile::reconcile(&compare, config).await;
    let done = Done { restored, compared: compared.as_ref().ok() };
    options.output.print(&done, |out| match done.compared {
        Some(report) => {
            reconcile::print(report, &compare, out)?;
            // Deletions that are known were repeated.
            let is_unknown = done.restored.not_known.is_some();
            if is_unknown { print_deleted(&report.deleted_customers, out) } else { Ok(()) }
        }
        None => Ok(()),
    })?;
    if let Err(error) = &compared {
        let mut out = std::io::stderr().lock();
        writeln!(out, "garimpo: restored, and not compared with the payment provider: {error:#}")?;
        writeln!(out, "garimpo: start the product; then: garimpo admin reconcile")?;
    }
    let is_clean = compared.as_ref().is_ok_and(|report| !report.has_findings());
    Ok(exit_code(!is_whole(&done.restored) || !is_clean))
}

/// Result of the command; without a comparison if the provider was not reached.
#[derive(Serialize)]
struct Done<'c> {
    #[serde(flatten)]
    restored: Restored,
    compared: Option<&'c Report>,
}

/// Names the accounts whose owner may have deleted them.
fn print_deleted(uids: &[Uid], out: &mut impl Write) -> Result<()> {
    for uid in uids {
        writeln!(
            out,
            "{uid}: the customer is deleted at the provider, as a deletion of the account does it"
        )?;
    }
    if !uids.is_empty() {
        writeln!(out, "These people may have deleted their account after the backup, and have it again.")?;
        writeln!(out, "garimpo admin delete-account UID EMAIL deletes an account again.")?;
    }
    Ok(())
}

/// Whether nothing of the replaced database is left for the operator.
fn is_whole(restored: &Restored) -> bool {
    restored.not_known.is_none() && restored.carried.doubtful_refunds.is_empty()
}

/// Those of our units that are not stopped; none where systemd does not run.
fn active_units() -> Result<Vec<&'static str>> {
    if !Path::new(SYSTEMD).exists() {
        return Ok(Vec::new());
    }
    let states = Command::new("systemctl").arg("is-active").args(UNITS).output();
    active(&String::from_utf8_lossy(&states.map(|states| states.stdout).unwrap_or_default()))
}

/// The units that `systemctl is-active` reports as running, starting or stopping: one line each.
fn active(states: &str) -> Result<Vec<&'static str>> {
    ensure!(
        states.lines().count() == UNITS.len(),
        "systemctl cannot report whether the product is active: stop it and its sockets, and add --units-stopped"
    );
    let is_stopped = |state: &str| matches!(state, "inactive" | "failed" | "unknown");
    let active = UNITS.into_iter().zip(states.lines()).filter(|(_, state)| !is_stopped(state));
    Ok(active.map(|(unit, _)| unit).collect())
}

fn refuse_active(units: &[&str]) -> Result<()> {
    ensure!(units.is_empty(), "the product is active: systemctl stop {}", units.join(" "));
    Ok(())
}

/// The service could not open the files of another user.
fn refuse_other_owner(folder: &Path) -> Result<()> {
    let Ok(metadata) = folder.metadata() else { return Ok(()) };
    ensure!(
        metadata.uid() == rustix::process::geteuid().as_raw(),
        "GARIMPO_DATA_DIR: {} belongs to another user: run the command as that user (garimpo-admin restore)",
        folder.display()
    );
    Ok(())
}

/// Copies the sandbox's database if the data folder has none. One that is there stays, as a payment
/// provider goes on while our database is restored.
fn restore_sandbox(backup: &Path, config: &Config) -> Result<()> {
    let (from, to) = (backup.join(SANDBOX), config.data_dir.join(SANDBOX));
    if !config.uses_sandbox || !from.exists() || to.exists() {
        return Ok(());
    }
    let _lock = Lock::take(&config.data_dir, "sandbox.lock")?;
    let copy = tempfile::NamedTempFile::new_in(&config.data_dir)?;
    std::fs::copy(&from, copy.path()).with_context(|| format!("copying {}", from.display()))?;
    copy.as_file().sync_all()?;
    copy.persist(&to)?;
    Ok(())
}

fn print(restored: &Restored, folder: &Path, out: &mut impl Write) -> Result<()> {
    writeln!(out, "restored {}", folder.display())?;
    if let Some(replaced) = &restored.replaced {
        writeln!(out, "the replaced database is in {}: delete it when all is well", replaced.display())?;
    }
    let Carried { deleted, taken_over, doubtful_refunds } = &restored.carried;
    for uid in deleted {
        writeln!(out, "{uid} was deleted after the backup, and is deleted again")?;
    }
    for TakenOver { what, rows } in taken_over {
        writeln!(out, "taken over from the replaced database: {what}: {rows}")?;
    }
    for id in doubtful_refunds {
        writeln!(out, "{id}: the backup has it as paid, and the replaced database as requested.")?;
        writeln!(out, "Look at the bank's statement. If it was not paid: garimpo admin refunds unpaid {id}")?;
    }
    if let Some(NotKnown { why, since }) = &restored.not_known {
        writeln!(out, "{why}")?;
        writeln!(
            out,
            "refund requests, Pix payments of refunds and deletions of accounts between {} and now are not known:",
            instant(*since)
        )?;
        writeln!(
            out,
            "people who deleted their account since then have it again, and a Pix may be paid twice."
        )?;
        writeln!(out, "See \"What a restore does not know\" in docs/operation.md")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_unit_that_runs_starts_or_stops_refuses_the_restore() {
        for (states, found) in [
            ("inactive\ninactive\nunknown\nfailed\n", &[][..]),
            ("inactive\nactive\ninactive\ninactive\n", &["garimpo.socket"]),
            (
                "deactivating\nactive\nactive\ninactive\n",
                &["garimpo.service", "garimpo.socket", "garimpo-redirect.socket"],
            ),
            (
                "activating\ninactive\ninactive\nreloading\n",
                &["garimpo.service", "garimpo-litestream.service"],
            ),
        ] {
            assert_eq!(active(states).expect("a state of each"), found, "{states}");
        }
        let refused = refuse_active(&["garimpo.socket"]).unwrap_err().to_string();
        assert_eq!(refused, "the product is active: systemctl stop garimpo.socket");
    }

    #[test]
    fn a_systemctl_without_states_refuses_the_restore() {
        for states in ["", "inactive\n"] {
            let refused = active(states).unwrap_err().to_string();
            assert!(refused.starts_with("systemctl cannot report"), "{states:?}: {refused}");
        }
    }
}
