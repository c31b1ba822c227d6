//! Opens the two databases, for reading and writing or read-only.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions as _, PgPool, SqliteConnection};
use tokio::sync::mpsc;

use super::commit_hooks::CommitHooks;
use super::database::Db;
use super::error::StoreError;
use super::migration;
use super::postgres::{AccessMode, PgServer, limits};
use super::settings::{Pooler, StoreSettings, sqlite_file};
use super::writer::{self, BUSY, Writer, WriterCommand};

/// Writes that may wait for the embedded database. Further callers wait for a slot.
const WAITING_WRITES: usize = 4096;
/// The write-ahead log is truncated to this many bytes (64 MiB) when it restarts after a
/// checkpoint. Without a limit the file keeps the size of the largest transaction.
const LOG_LIMIT: &str = "67108864";
/// The code of "database is locked".
const SQLITE_BUSY: &str = "5";
const LOCK_PAUSE: Duration = Duration::from_millis(10);
/// PgBouncer's error text for an unsupported session parameter.
const POOLER_REFUSES: &str = "unsupported startup parameter";

/// Opens an embedded file, with the task that writes.
pub(super) async fn sqlite(
    settings: &StoreSettings,
    access: AccessMode,
    hooks: Arc<CommitHooks>,
) -> Result<Db, StoreError> {
    let options = settings
        .url
        .parse::<SqliteConnectOptions>()?
        .busy_timeout(BUSY)
        .foreign_keys(true)
        .pragma("cache_size", "-20000")
        .pragma("temp_store", "memory")
        .pragma("mmap_size", "268435456")
        .disable_statement_logging();
    // Without a task that receives writes, every write is refused.
    let (writer, commands) = mpsc::channel(WAITING_WRITES);
    if access == AccessMode::Write {
        start_writer(settings, options.clone(), commands, hooks).await?;
    }
    // A connection to a file is not lost, so a test before each read would only cost time.
    let readers = SqlitePoolOptions::new()
        .max_connections(readers_at_once())
        .acquire_timeout(BUSY)
        .test_before_acquire(false);
    Ok(Db::Sqlite { ro: readers.connect_with(options.read_only(true)).await?, writer })
}

/// One connection per core, because a read is work of the processor: the file is mapped into
/// memory. Each connection parses the schema and keeps a quarter of a megabyte.
fn readers_at_once() -> u32 {
    std::thread::available_parallelism().map_or(2, |cores| cores.get().clamp(2, 4) as u32)
}

/// Creates and migrates the file if the settings allow it, and starts its writer.
async fn start_writer(
    settings: &StoreSettings,
    options: SqliteConnectOptions,
    commands: mpsc::Receiver<WriterCommand>,
    hooks: Arc<CommitHooks>,
) -> Result<(), StoreError> {
    if !settings.migrates && !options.get_filename().exists() {
        return Err(migration::absent());
    }
    let options = options
        .create_if_missing(settings.migrates)
        .journal_mode(SqliteJournalMode::Wal)
        .pragma("journal_size_limit", LOG_LIMIT)
        // Deleted rows are overwritten with zeros, because a deletion would otherwise leave
        // personal data in free pages for months. FAST would skip whole free pages.
        .pragma("secure_delete", "ON")
        .synchronous(SqliteSynchronous::Full);
    let mut connection = connect(&options).await?;
    if settings.migrates {
        migration::sqlite(&mut connection, &database_name(settings)).await?;
    }
    let checkpoint = if settings.replicated { writer::PASSIVE } else { writer::TRUNCATE };
    let (connection, batch) = (Some(Box::new(connection)), settings.batch);
    tokio::spawn(Writer { options, connection, commands, batch, checkpoint, hooks }.run());
    Ok(())
}

/// Connects to an embedded file. SQLite refuses at once, whatever its time limit, while another
/// connection turns the new file into one with a write-ahead log.
async fn connect(options: &SqliteConnectOptions) -> Result<SqliteConnection, sqlx::Error> {
    let end = Instant::now() + BUSY;
    loop {
        match options.connect().await {
            Err(sqlx::Error::Database(error))
                if error.code().as_deref() == Some(SQLITE_BUSY) && Instant::now() < end =>
            {
                tokio::time::sleep(LOCK_PAUSE).await;
            }
            opened => return opened,
        }
    }
}

/// Connects to a PostgreSQL server.
pub(super) async fn postgres(settings: &StoreSettings, access: AccessMode) -> Result<Db, StoreError> {
    let options = settings.url.parse::<PgConnectOptions>()?;
    let options = match settings.pooler {
        Pooler::None => options.options(limits(settings)),
        // PgBouncer refuses session parameters that it does not track. This one formats floats,
        // which we do not store.
        Pooler::Transaction => options.extra_float_digits(None),
    };
    // A pooler that the settings do not name refuses this connection, before a migration uses it.
    let pool = postgres_pool(options, settings.connections).await?;
    if access == AccessMode::Write && settings.migrates {
        let url = settings.migration_url.as_ref().unwrap_or(&settings.url);
        // This connection has only the role's own limits, because indexing a large table may take
        // hours.
        let direct = postgres_pool(url.parse::<PgConnectOptions>()?, 1).await?;
        let migrated = migration::postgres(&direct, &database_name(settings)).await;
        direct.close().await;
        migrated?;
    }
    Ok(Db::Pg(PgServer::new(pool, settings, access)))
}

/// Whether an address is of a PostgreSQL on another machine, with which no encryption is
/// negotiated.
pub fn is_plain_postgres(url: &str) -> bool {
    let is_plain = |options: PgConnectOptions| {
        let host = options.get_host();
        let is_here = host == "localhost"
            || options.get_socket().is_some()
            || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        !is_here && matches!(options.get_ssl_mode(), PgSslMode::Disable | PgSslMode::Allow)
    };
    !url.starts_with("sqlite:") && url.parse().is_ok_and(is_plain)
}

async fn postgres_pool(options: PgConnectOptions, connections: u32) -> Result<PgPool, StoreError> {
    let options = options.disable_statement_logging();
    let pool =
        PgPoolOptions::new().max_connections(connections).acquire_timeout(BUSY).connect_with(options.clone());
    match pool.await {
        Ok(pool) => Ok(pool),
        // The pool reports only a timeout after its retries. Connect once more for the cause.
        Err(sqlx::Error::PoolTimedOut) => match tokio::time::timeout(BUSY, options.connect()).await {
            Ok(Err(error)) => Err(unreachable(&options, &error)),
            _ => Err(unreachable(&options, &sqlx::Error::PoolTimedOut)),
        },
        Err(error) => Err(unreachable(&options, &error)),
    }
}

/// The error of a failed connection: the address and the cause.
fn unreachable(options: &PgConnectOptions, error: &sqlx::Error) -> StoreError {
    let cause = match error {
        sqlx::Error::Io(cause) => cause.to_string(),
        sqlx::Error::Database(cause) if cause.message().starts_with(POOLER_REFUSES) => {
            let needs = "a pooler needs GARIMPO_DATABASE_POOLER=transaction and GARIMPO_DATABASE_MIGRATION_URL past it";
            format!("{} ({needs})", cause.message())
        }
        sqlx::Error::Database(cause) => cause.message().to_owned(),
        sqlx::Error::PoolTimedOut => format!("no answer in {} s", BUSY.as_secs()),
        other => other.to_string(),
    };
    StoreError::Unreachable { place: server_name(options), cause }
}

/// The name of the database in a message: its file, or the address of PostgreSQL without the
/// password.
pub(super) fn database_name(settings: &StoreSettings) -> String {
    if let Some(file) = sqlite_file(&settings.url) {
        return file.display().to_string();
    }
    let options = settings.url.parse::<PgConnectOptions>();
    options.map_or_else(|_| "PostgreSQL".to_owned(), |options| server_name(&options))
}

fn server_name(options: &PgConnectOptions) -> String {
    let (host, port, user) = (options.get_host(), options.get_port(), options.get_username());
    let database = options.get_database().unwrap_or(user);
    format!("PostgreSQL at {host}:{port} (database {database}, user {user})")
}
