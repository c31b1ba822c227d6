//! `garimpo migrate`

use crate::config::Config;
use crate::data_dir;
use crate::progress::Progress;
use anyhow::{Context, Result, ensure};
use garimpo_server::store::engine::{Pooler, is_plain_postgres, newest_migration};
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
    let url = config.postgres.database_migration_url.as_ref().unwrap_or(&config.database_url);
    if is_plain_postgres(url.expose_secret()) {
        tracing::warn!("the password and the data go to another machine in clear: sslmode=require or better");
    }
    let progress = Progress::spinner("migrating");
    let store = Store::open(&settings).await.context("GARIMPO_DATABASE_URL")?;
    store.close().await;
    drop(progress);
    writeln!(std::io::stdout().lock(), "the database is at migration {}", newest_migration())?;
    Ok(ExitCode::SUCCESS)
}
