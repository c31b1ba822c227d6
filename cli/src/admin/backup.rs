//! `garimpo admin backup`

mod rotation;

use super::database::demand_database;
use super::output::Output;
use crate::config::Config;
use crate::progress::Progress;
use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use garimpo_server::clock::{Clock as _, SystemClock};
use garimpo_server::store::engine::backup::{sqlite_copy, sqlite_copy_reconciles_at_start};
use garimpo_server::store::engine::copies::{BACKUP_DATABASE, backup_name};
use garimpo_server::store::engine::restore::refuse_unreleased;
use garimpo_server::store::engine::sqlite_file;
use garimpo_server::store::operator::backup_contents;
use secrecy::ExposeSecret;
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

const SANDBOX: &str = "sandbox.db";
/// Begins the name of a backup that is being made.
const UNFINISHED: &str = ".garimpo-backup-";

#[derive(Debug, Args)]
pub struct Options {
    /// Folder to create. It becomes a data folder: to restore, start on a copy of it
    folder: PathBuf,
    /// Create a folder named by the time inside FOLDER, then delete old ones of this database
    /// there: one of each hour stays for 48 hours, one of each day for 30 days
    #[arg(long)]
    keep: bool,
    /// With --keep: most MiB of all backups of this database. The oldest are deleted first, and the
    /// newest stays
    #[arg(long, default_value_t = 20_480, requires = "keep", value_name = "MIB")]
    max_mib: u64,
    #[command(flatten)]
    output: Output,
}

/// One copied file.
#[derive(Debug, Serialize)]
struct Copied {
    file: PathBuf,
    bytes: u64,
}

pub async fn run(options: Options, config: &Config) -> Result<ExitCode> {
    let Some(database) = sqlite_file(config.database_url.expose_secret()) else {
        bail!(
            "the database is PostgreSQL, which has its own tool: \
             pg_dump --format=custom --file={} '{}' (restored by pg_restore into an empty database)",
            options.folder.display(),
            shown(config, "GARIMPO_DATABASE_URL"),
        );
    };
    demand_database(config)?;
    refuse_unreleased(&database, &database).await.context("GARIMPO_DATABASE_URL")?;
    let now = SystemClock.now();
    let folder = if options.keep { &options.folder.join(backup_name(now)) } else { &options.folder };
    ensure!(!folder.exists(), "{} is there already: a backup overwrites nothing", folder.display());
    let progress = Progress::spinner("copying");
    let copied = copy(&database, config, folder).await?;
    drop(progress);
    let max_bytes = options.max_mib.saturating_mul(1 << 20);
    let made = backup_contents::read(&folder.join(BACKUP_DATABASE)).await;
    // The database may be an empty one in the place of the right one.
    let is_stopped = made.as_ref().is_some_and(|made| made.is_selling_stopped);
    let deleted = match made.filter(|made| options.keep && !made.is_selling_stopped) {
        Some(made) => rotation::rotate(&options.folder, &made.database_id, now, max_bytes).await?,
        None => Vec::new(),
    };
    options.output.print(&copied, |out| {
        let line = |file: &Copied| writeln!(out, "{}  {} bytes", file.file.display(), file.bytes);
        copied.iter().try_for_each(line)?;
        if options.keep && is_stopped {
            writeln!(out, "no old backup is deleted while selling is stopped: see garimpo admin doctor")?;
        }
        Ok(deleted.iter().try_for_each(|folder| writeln!(out, "{}  deleted", folder.display()))?)
    })?;
    Ok(ExitCode::SUCCESS)
}

/// Writes everything beside its place, checks it, and then renames it in one step.
async fn copy(database: &Path, config: &Config, folder: &Path) -> Result<Vec<Copied>> {
    let parent = folder.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::create_dir_all(parent).with_context(|| format!("{} cannot be made", parent.display()))?;
    remove_unfinished(parent).with_context(|| format!("{} cannot be read", parent.display()))?;
    let unfinished = tempfile::Builder::new()
        .prefix(UNFINISHED)
        .permissions(std::fs::Permissions::from_mode(0o700))
        .tempdir_in(parent)
        .with_context(|| format!("{} cannot be written", parent.display()))?;
    let lock = File::open(unfinished.path())?;
    lock.lock()?;

    let product = unfinished.path().join(BACKUP_DATABASE);
    sqlite_copy(database, &product).await.with_context(|| format!("copying {}", database.display()))?;
    sqlite_copy_reconciles_at_start(&product).await?;
    let mut names = vec![BACKUP_DATABASE];
    // Copied after the product's database, so that the sandbox is never older than what we know of
    // it.
    let sandbox = config.data_dir.join(SANDBOX);
    if config.uses_sandbox && sandbox.exists() {
        let copied = sqlite_copy(&sandbox, &unfinished.path().join(SANDBOX)).await;
        copied.with_context(|| format!("copying {}", sandbox.display()))?;
        names.push(SANDBOX);
    }

    let mut copied = Vec::new();
    for name in names {
        let file = File::open(unfinished.path().join(name))?;
        file.sync_all()?;
        copied.push(Copied { file: folder.join(name), bytes: file.metadata()?.len() });
    }
    File::open(unfinished.path())?.sync_all()?;
    // A folder is never renamed onto one that holds something.
    let unfinished = unfinished.keep();
    std::fs::rename(&unfinished, folder).with_context(|| {
        let _ = std::fs::remove_dir_all(&unfinished);
        format!("{} cannot be put in its place", folder.display())
    })?;
    File::open(parent)?.sync_all()?;
    drop(lock);
    Ok(copied)
}

/// Removes backups of commands that were killed. A running command holds the lock of its folder.
fn remove_unfinished(parent: &Path) -> Result<()> {
    for entry in std::fs::read_dir(parent)? {
        let entry = entry?;
        let is_unfinished = entry.file_name().to_string_lossy().starts_with(UNFINISHED);
        let is_free = || File::open(entry.path()).is_ok_and(|folder| folder.try_lock().is_ok());
        if is_unfinished && is_free() {
            std::fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

/// A setting as it may be shown.
fn shown<'c>(config: &'c Config, name: &str) -> &'c str {
    config.shown.iter().find(|setting| setting.name == name).map_or("", |setting| &setting.value)
}
