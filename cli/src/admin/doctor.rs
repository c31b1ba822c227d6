//! `garimpo admin doctor`

use super::database::{demand_database, settings};
use super::output::{NOT_CHECKED, Output, exit_code};
use super::table::printable;
use crate::config::Config;
use crate::disk;
use crate::serve::parts;
use anyhow::Result;
use clap::Args;
use garimpo_server::app::StartError;
use garimpo_server::doctor::{Checked, Finding};
use garimpo_server::store::StoreError;
use garimpo_server::{ClockSettings, Operator};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// With less the embedded database soon cannot write, and no backup fits beside it.
const ROOM_BYTES: u64 = 1024 * 1024 * 1024;

#[derive(Debug, Args)]
pub struct Options {
    /// Also check that the payment provider replies and accepts our key, and list payers without an
    /// account
    #[arg(long)]
    pub provider: bool,
    #[command(flatten)]
    output: Output,
}

/// Runs the command: 0 when everything holds, 1 with findings, 2 when something could not be asked.
pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    demand_database(config)?;
    let began = Instant::now();
    let checked = checked(&options, config).await?;
    options
        .output
        .print(&checked, |out| print(&checked, options.provider, began.elapsed().as_secs_f64(), out))?;
    Ok(if checked.iter().any(|one| one.error.is_some()) {
        ExitCode::from(NOT_CHECKED)
    } else if checked.iter().all(Checked::holds) {
        ExitCode::SUCCESS
    } else {
        exit_code(true)
    })
}

async fn checked(options: &Options, config: &Config) -> Result<Vec<Checked>> {
    let mut checked = vec![Checked::of("disk_space", disk_space(&config.data_dir))];
    let mut settings = settings(config);
    let opened = match Operator::open_to_read(settings.clone()).await {
        // The sandbox keeps the time and does not reply: the system's clock is near enough for
        // these checks.
        Err(StartError::Clock(error)) => {
            let what = format!("{error}: judged by this machine's clock");
            let found = Finding::new("clock", what, "start garimpo: the sandbox keeps the time here");
            checked.push(Checked::of("clock_told", vec![found]));
            settings.clock = ClockSettings::System;
            Operator::open_to_read(settings).await
        }
        opened => opened,
    };
    let operator = match opened {
        Err(StartError::Store(error @ (StoreError::SchemaOlder { .. } | StoreError::SchemaNewer { .. }))) => {
            let found = Finding::new(
                "schema",
                error.to_string(),
                "garimpo migrate, or install the garimpo that serves",
            );
            checked.push(Checked::of("schema_current", vec![found]));
            return Ok(checked);
        }
        opened => opened.map_err(parts::start_error)?,
    };
    checked.push(Checked::of("schema_current", Vec::new()));
    checked.extend(if options.provider {
        operator.doctor_with_provider().await
    } else {
        operator.doctor().await
    });
    operator.close().await;
    Ok(checked)
}

/// Free space for the embedded database and backups; a folder that does not exist needs none.
fn disk_space(folder: &Path) -> Vec<Finding> {
    disk::room(folder).and_then(|room| no_room(folder, room.available_bytes)).into_iter().collect()
}

fn no_room(folder: &Path, free_bytes: u64) -> Option<Finding> {
    let (folder, mib) = (folder.display(), free_bytes / 1024 / 1024);
    (free_bytes < ROOM_BYTES).then(|| {
        let what = format!("{mib} MiB are left on the disk of the data folder");
        Finding::new(folder.to_string(), what, format!("df -h {folder}; move old backups away"))
    })
}

fn print(checked: &[Checked], is_provider_asked: bool, seconds: f64, out: &mut impl Write) -> Result<()> {
    for one in checked.iter().filter(|one| !one.holds()) {
        writeln!(out, "{}", one.invariant)?;
        if let Some(why) = &one.error {
            writeln!(out, "  could not be asked: {}", printable(why))?;
        }
        for found in &one.findings {
            writeln!(out, "  {}: {}", printable(&found.subject), printable(&found.what))?;
            writeln!(out, "      {}", printable(&found.repair))?;
        }
        if one.more {
            writeln!(out, "  (the first {})", one.findings.len())?;
        }
        writeln!(out)?;
    }
    let findings: usize = checked.iter().map(|one| one.findings.len()).sum();
    let failed = checked.iter().filter(|one| one.error.is_some()).count();
    let (asked, failed) =
        (checked.len() - failed, if failed == 0 { String::new() } else { format!(", {failed} not") });
    writeln!(out, "{asked} invariants asked{failed}, {findings} findings, {seconds:.1} s")?;
    if !is_provider_asked {
        writeln!(out, "the payment provider was not asked: garimpo admin doctor --provider")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_names_what_was_not_asked() {
        let failed = Checked { error: Some("time".to_owned()), ..Checked::of("b", Vec::new()) };
        let checked = [Checked::of("a", Vec::new()), failed];
        let summary = |is_provider_asked| {
            let mut out = Vec::new();
            print(&checked, is_provider_asked, 0.25, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        };
        let hint = "the payment provider was not asked: garimpo admin doctor --provider\n";
        assert!(
            summary(true).ends_with("1 invariants asked, 1 not, 0 findings, 0.2 s\n"),
            "{}",
            summary(true)
        );
        assert!(summary(false).ends_with(&format!("0 findings, 0.2 s\n{hint}")), "{}", summary(false));
    }

    #[test]
    fn an_almost_full_disk_is_a_finding() {
        let folder = Path::new("/var/lib/garimpo");
        assert_eq!(no_room(folder, ROOM_BYTES), None);
        let found = no_room(folder, 512 * 1024 * 1024).unwrap();
        assert_eq!(found.what, "512 MiB are left on the disk of the data folder");
        assert!(found.repair.starts_with("df -h /var/lib/garimpo"), "{found:?}");
        assert!(disk_space(Path::new("/nao/existe")).is_empty());
    }
}
