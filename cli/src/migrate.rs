//! `garimpo migrate`

use crate::config::Config;
use crate::data_dir;
use crate::progress::Progress;
use anyhow::{Context, Result, ensure};
use garimpo_server::store::engine::{Pooler, newest_migration};
use garimpo_server::store::{Store, StoreSettings};
use secrecy::ExposeSecret;
use std::io::Write;
use std::process::ExitCode;

/// Migrates the database to this version, so that servers with `GARIMPO_MIGRATE=never` start.
pub async fn run(config: &Config) -> Result<ExitCode> {
    if config.database_url.expose_secret().starts_with("sqlite:") {
        data_dir::make(&config.data_dir)?;
    }
    let settings = StoreSettings { migrates: true, ..config.store_settings() };
    ensure!(
        settings.pooler != Pooler::Transaction || settings.migration_url.is_some(),
        "GARIMPO_DATABASE_MIGRATION_URL: found nothing; allowed: the address of PostgreSQL past the pooler"
    );
    let progress = Progress::spinner("migrating");
    let store = Store::open(&settings).await.context("GARIMPO_DATABASE_URL")?;
    store.close().await;
    drop(progress);
    writeln!(std::io::stdout().lock(), "the database is at migration {}", newest_migration())?;
    Ok(ExitCode::SUCCESS)
}
