//! The database, the clock and the providers of the settings, as commands use them.

use crate::config::Config;
use crate::data_dir::Addresses;
use crate::serve::parts::{self, Endpoints};
use anyhow::{Context, Result, bail};
use garimpo_domain::Timestamp;
use garimpo_server::operator::product_clock;
use garimpo_server::store::Store;
use garimpo_server::store::engine::sqlite_file;
use garimpo_server::{Operator, Settings};
use secrecy::ExposeSecret;

/// The database of the settings for a command that changes rows.
async fn open_store(config: &Config) -> Result<Store> {
    demand_database(config)?;
    Store::open(&config.store_settings()).await.context("GARIMPO_DATABASE_URL")
}

/// The database of the settings for a command that only reads: a role with SELECT alone is enough.
pub(super) async fn open_store_to_read(config: &Config) -> Result<Store> {
    demand_database(config)?;
    Store::open_to_read(&config.store_settings()).await.context("GARIMPO_DATABASE_URL")
}

/// Does `work` with the database, which is closed afterwards. A command that only reads needs a
/// role with SELECT alone.
pub(super) async fn with_store<T>(
    config: &Config,
    only_reads: bool,
    work: impl AsyncFnOnce(&Store) -> Result<T>,
) -> Result<T> {
    let store = if only_reads { open_store_to_read(config).await } else { open_store(config).await }?;
    let done = work(&store).await;
    store.close().await;
    done
}

/// Does `work` with the parts of a server that only reads, which are closed afterwards.
pub(super) async fn with_reader<T>(
    config: &Config,
    work: impl AsyncFnOnce(&Operator) -> Result<T>,
) -> Result<T> {
    let operator = open_to_read(config).await?;
    let done = work(&operator).await;
    operator.close().await;
    done
}

/// The parts of a server for a command; a dry run opens them to read.
pub(super) async fn open_operator(config: &Config, is_dry_run: bool) -> Result<Operator> {
    demand_database(config)?;
    let settings = settings(config);
    let opened =
        if is_dry_run { Operator::open_to_read(settings).await } else { Operator::open(settings).await };
    opened.context("reaching the database, the clock and the provider")
}

/// The settings of a server, with the addresses at which the running product listens.
pub(super) fn settings(config: &Config) -> Settings {
    let endpoints = Endpoints::of(config, &Addresses::read(&config.data_dir));
    parts::server_settings(config, &endpoints)
}

/// The database of the settings for reading alone, with the product's time.
async fn open_to_read(config: &Config) -> Result<Operator> {
    demand_database(config)?;
    Operator::open_to_read(settings(config)).await.map_err(parts::start_error)
}

/// The product's time.
pub(super) async fn product_now(config: &Config) -> Result<Timestamp> {
    Ok(product_clock(settings(config).clock).await?.now())
}

/// Refuses a file that does not exist: here it is a wrong setting, not a database to create.
pub(super) fn demand_database(config: &Config) -> Result<()> {
    match sqlite_file(config.database_url.expose_secret()) {
        Some(file) if !file.exists() => {
            bail!("GARIMPO_DATABASE_URL: there is no database at {}", file.display())
        }
        _ => Ok(()),
    }
}
