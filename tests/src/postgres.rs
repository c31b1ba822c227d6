//! Databases on the run's PostgreSQL, one for each scenario, and servers that may die.

use std::path::Path;
use std::process::{Command, Stdio};

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use tempfile::TempDir;

use crate::pgbouncer;
use crate::ports::free_address;

/// The server of the run, if it has one.
fn of_the_run() -> Option<String> {
    #[expect(
        clippy::disallowed_methods,
        reason = "the run's PostgreSQL is named by the environment of the test"
    )]
    std::env::var("GARIMPO_TEST_POSTGRES_URL").ok()
}

/// What a product is told of a database: its address, or the way through the run's PgBouncer, where
/// the run has one (`GARIMPO_TEST_PGBOUNCER`), and the way past it.
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

/// An empty database, when the run has a PostgreSQL.
pub async fn fresh() -> Option<String> {
    Some(create(&of_the_run()?, "").await)
}

/// A PostgreSQL of one scenario, which may die; it ends with the value that holds it.
pub struct OwnServer {
    folder: TempDir,
    url: String,
}

impl OwnServer {
    /// Starts one, when the run has a PostgreSQL at all.
    pub async fn start() -> Option<Self> {
        of_the_run()?;
        Some(Self::with(free_address().rsplit_once(':').expect("a port").1).await)
    }

    /// Starts one with fsync on, which that of the run has off.
    pub async fn with_fsync() -> Self {
        Self::with("fsync").await
    }

    async fn with(argument: &str) -> Self {
        // Its user is not the one of the tests, whose own folder it may not enter.
        let memory = Path::new("/dev/shm");
        let place = if memory.is_dir() { memory } else { Path::new("/tmp") };
        let folder = TempDir::with_prefix_in("garimpo-postgres-", place).expect("a folder can be made");
        let url = run_script(folder.path(), argument).await;
        Self { folder, url: url.trim().to_owned() }
    }

    /// Id of its first process.
    pub fn process(&self) -> u32 {
        let note = std::fs::read_to_string(self.folder.path().join("data/postmaster.pid"));
        note.expect("PostgreSQL runs").lines().next().and_then(|id| id.parse().ok()).expect("its id")
    }

    /// An empty database on it.
    pub async fn fresh(&self) -> String {
        create(&self.url, "").await
    }

    /// kill -9 of all of its processes. What they wrote without fsync survives, because the system
    /// keeps its cache.
    pub fn kill(&self) {
        let killed = script(self.folder.path(), "kill").status();
        assert!(killed.is_ok_and(|status| status.success()), "PostgreSQL was not killed");
    }

    /// Starts again on the data and the port of before, and recovers.
    pub async fn rise(&self) {
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

/// Runs `tests/setup/postgres.sh` while others go on; answers what it printed.
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
    create(server, &format!("TEMPLATE {template}")).await
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
