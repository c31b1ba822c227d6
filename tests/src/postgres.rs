//! Databases on the run's PostgreSQL, one per scenario, and servers that a test can kill.

use std::path::Path;
use std::process::{Command, Stdio};

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use crate::pgbouncer;
use crate::ports::free_address;

/// The server of the run, if it has one.
fn run_server_url() -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the run's PostgreSQL is named by the environment of the test"
    )]
    std::env::var("GARIMPO_TEST_POSTGRES_URL").ok()
}

/// The product's settings for a database: its address, or the address through the run's PgBouncer,
/// if there is one (`GARIMPO_TEST_PGBOUNCER`), and the direct one.
pub fn settings_of(direct: &str) -> Vec<(String, String)> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the run's PgBouncer is named by the environment of the test"
    )]
    let bouncer = std::env::var("GARIMPO_TEST_PGBOUNCER");
    let settings = match bouncer {
        Err(_) => vec![("GARIMPO_DATABASE_URL", direct.to_owned())],
        Ok(address) => vec![
            ("GARIMPO_DATABASE_URL", pgbouncer::through(&address, direct)),
            ("GARIMPO_DATABASE_POOLER", "transaction".to_owned()),
            ("GARIMPO_DATABASE_MIGRATION_URL", direct.to_owned()),
        ],
    };
    settings.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// An empty database; `None` if the run has no PostgreSQL.
pub async fn fresh() -> Option<String> {
    Some(create(&run_server_url()?, "").await)
}

/// A PostgreSQL of one scenario, which a test can kill. Dropping the value ends it.
pub struct OwnServer {
    folder: TempDir,
    url: String,
}

impl OwnServer {
    /// Starts a server, if the run has a PostgreSQL at all.
    pub async fn start() -> Option<Self> {
        run_server_url()?;
        Some(Self::with(free_address().rsplit_once(':').expect("a port").1).await)
    }

    /// Starts a server with fsync on. The run's own server has it off.
    pub async fn with_fsync() -> Self {
        Self::with("fsync").await
    }

    async fn with(argument: &str) -> Self {
        // PostgreSQL runs as another user, who may not enter the folder of the tests.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory } else { Path::new("/tmp") };
        let folder = TempDir::with_prefix_in("garimpo-postgres-", place).expect("a folder can be made");
        let url = run_script(folder.path(), argument).await;
        Self { folder, url: url.trim().to_owned() }
    }

    /// Id of the server's first process.
    pub fn process(&self) -> u32 {
        let note = std::fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        note.expect("PostgreSQL runs").lines().next().and_then(|id| id.parse().ok()).expect("its id")
    }

    /// An empty database on this server.
    pub async fn fresh(&self) -> String {
        create(&self.url, "").await
    }

    /// Ends all processes of the server with SIGKILL. Writes without fsync survive, because the
    /// system keeps its cache.
    pub fn kill(&self) {
        let killed = script(self.folder.path(), "kill").status();
        assert!(killed.is_ok_and(|status| status.success()), "PostgreSQL was not killed");
    }

    /// Restarts the server with the same data and port.
    pub async fn restart(&self) {
        run_script(self.folder.path(), "restart").await;
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        let stopped = script(self.folder.path(), "stop").status();
        if !stopped.is_ok_and(|status| status.success()) {
            eprintln!("a PostgreSQL of {} was not stopped", self.folder.path().display());
        }
    }
}

fn script(folder: &Path, argument: &str) -> Command {
    let mut command = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/setup/postgres.sh"));
    command.arg(folder).arg(argument).stdin(Stdio::null());
    command
}

/// Runs `tests/setup/postgres.sh` without blocking other tasks, and returns its output.
async fn run_script(folder: &Path, argument: &str) -> String {
    let mut command = tokio::process::Command::from(script(folder, argument));
    let ran = command.stderr(Stdio::inherit()).output().await.expect("tests/setup/postgres.sh runs");
    assert!(ran.status.success(), "tests/setup/postgres.sh {argument}: {}", ran.status);
    String::from_utf8(ran.stdout).expect("UTF-8")
}

/// Changes a database from outside the product.
pub async fn executes(url: &str, statement: &str) {
    let mut connection = PgConnection::connect(url).await.expect("PostgreSQL answers");
    sqlx::query(AssertSqlSafe(statement.to_string())).execute(&mut connection).await.expect("it runs");
}

/// A copy of a database to which nobody is connected.
pub async fn copy_of(url: &str) -> String {
    let (server, template) = url.rsplit_once('/').expect("an address ends with the database");
    create(server, &format!("TEMPLATE {template} STRATEGY FILE_COPY")).await
}

async fn create(server: &str, how: &str) -> String {
    let name = format!("e2e_{:016x}", rand::random::<u64>());
    let mut connection =
        PgConnection::connect(&format!("{server}/postgres")).await.expect("PostgreSQL answers");
    sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name} {how}")))
        .execute(&mut connection)
        .await
        .expect("a database can be made");
    format!("{server}/{name}")
}
