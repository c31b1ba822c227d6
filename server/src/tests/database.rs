//! Fresh databases, one per test and kind.

use std::io::Write as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};

use crate::store::{Store, StoreSettings};

/// A fresh database; it goes away with the value.
pub struct Database {
    /// Address of the database.
    pub url: String,
    folder: Option<tempfile::TempDir>,
}

impl Database {
    /// A fresh embedded database.
    pub fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let url = format!("sqlite://{}", folder.path().join("garimpo.db").display());
        Self { url, folder: Some(folder) }
    }

    /// A fresh database in the PostgreSQL server of this run, if there is one.
    pub async fn postgres() -> Option<Self> {
        // The variable names the server, with or without one of its databases.
        let server = setting("GARIMPO_TEST_POSTGRES_URL")?;
        let (scheme, rest) = server.split_once("://").expect("the address has a scheme");
        let host = rest.split('/').next().unwrap_or(rest);
        Some(Self::create(&format!("{scheme}://{host}"), "").await)
    }

    async fn create(server: &str, how: &str) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name =
            format!("t{}_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed), started_us());
        let mut connection = PgConnection::connect(&format!("{server}/postgres"))
            .await
            .expect("the PostgreSQL of the tests answers");
        sqlx::query(AssertSqlSafe(format!("CREATE DATABASE {name} {how}")))
            .execute(&mut connection)
            .await
            .expect("a database can be created");
        Self { url: format!("{server}/{name}"), folder: None }
    }

    /// A copy of a database without connections.
    pub async fn copy(&self) -> Self {
        let Some(folder) = &self.folder else {
            let (server, name) = self.url.rsplit_once('/').expect("the address ends with the database");
            // Reading each page through the server's memory takes more processor time.
            return Self::create(server, &format!("TEMPLATE {name} STRATEGY FILE_COPY")).await;
        };
        let copy = Self::sqlite();
        let to = copy.folder.as_ref().expect("an embedded database has a folder");
        copy_databases(folder.path(), to.path());
        copy
    }

    /// A fresh database: on PostgreSQL where the run names a server, else on SQLite.
    /// `tests/steps.sh` lists what `make test` runs on both.
    pub async fn new() -> Self {
        Self::postgres().await.unwrap_or_else(Self::sqlite)
    }

    /// Opens it.
    pub async fn open(&self) -> Store {
        Store::open(&self.settings()).await.expect("a fresh database opens")
    }

    /// The settings that open it with few connections, since many tests run at once.
    pub fn settings(&self) -> StoreSettings {
        StoreSettings { connections: 8, ..StoreSettings::new(&self.url) }
    }

    /// Whether it is PostgreSQL.
    pub fn is_postgres(&self) -> bool {
        self.url.starts_with("postgres")
    }
}

impl Drop for Database {
    /// Drops a PostgreSQL database. All databases of a run together would be 15 GB.
    fn drop(&mut self) {
        if self.folder.is_some() {
            return;
        }
        let url = self.url.clone();
        // A thread of its own, because a runtime waits for no future in a destructor.
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            runtime.expect("a runtime starts").block_on(drop_database(&url));
        });
    }
}

async fn drop_database(url: &str) {
    let Some((server, name)) = url.rsplit_once('/') else { return };
    let Ok(mut connection) = PgConnection::connect(&format!("{server}/postgres")).await else { return };
    let statement = AssertSqlSafe(format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"));
    let dropped = sqlx::query(statement).execute(&mut connection).await;
    if let Err(error) = dropped {
        eprintln!("{name} was not dropped: {error}");
    }
}

/// Copies the files of idle databases from one folder to another.
pub fn copy_databases(from: &Path, to: &Path) {
    for file in std::fs::read_dir(from).expect("the folder is there") {
        let file = file.expect("the folder can be read");
        let name = file.file_name();
        if [".db", ".db-wal"].iter().any(|end| name.to_string_lossy().ends_with(end)) {
            std::fs::copy(file.path(), to.join(name)).expect("a database can be copied");
        }
    }
}

/// A variable of the test run.
#[expect(clippy::disallowed_methods, reason = "tests have no settings of the binary")]
pub fn setting(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// Records that the test that calls this does nothing, because the run has no `what`: `make test`
/// counts these.
pub fn skips(what: &str) {
    eprintln!("skipped: this run has no {what}");
    let Some(file) = setting("GARIMPO_TEST_SKIPS") else { return };
    let test = std::thread::current().name().unwrap_or("a test").to_owned();
    let mut file = std::fs::File::options().create(true).append(true).open(file).expect("the list opens");
    writeln!(file, "{what}: {test}").expect("the list is written");
}

/// Keeps names apart between runs against one server.
#[expect(clippy::disallowed_methods, reason = "a name, not a moment of the product")]
fn started_us() -> u128 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .expect("the system's clock is past 1970")
        .as_micros()
}
