//! Migrations: the same schema on both databases, concurrent starts, older programs refused, and
//! databases of unreleased versions refused.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::Command;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _, SqliteConnection};

use super::*;
use crate::crash::{self, CrashAt, CrashPoint};
use crate::operator::restore::{RestoreError, restore};
use crate::operator::tests::execute_sql;
use crate::store::operator::heartbeats;
use crate::tests::database::setting;

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_starts_migrate_once() {
    let database = Database::new().await;
    let openings = (0..8).map(|_| {
        let settings = database.settings();
        tokio::spawn(async move { Store::open(&settings).await })
    });

    for opened in futures::future::join_all(openings).await {
        let store = opened.expect("no starter panics").expect("every starter opens");
        heartbeats::write(&store).await.expect("every starter can write");
        store.close().await;
    }
}

const FUTURE: &str = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
     VALUES (9999, 'future', true, 'x', 0)";

#[tokio::test(flavor = "multi_thread")]
async fn a_program_without_a_migration_that_the_schema_requires_does_not_start() {
    let database = Database::new().await;
    let store = database.open().await;
    execute(&store, FUTURE).await;
    store.close().await;
    let store = Store::open(&database.settings()).await.expect("a migration that only adds lets it run");
    execute(&store, "INSERT INTO schema_requirements (migration, oldest_migration) VALUES (9999, 9998)")
        .await;
    store.close().await;

    let refused = Store::open(&database.settings()).await.err().expect("it refuses");

    assert!(matches!(refused, StoreError::SchemaNewer { version: 9999 }), "{refused:?}");
    assert!(refused.to_string().contains("newer than this program"));
}

#[tokio::test(flavor = "multi_thread")]
async fn without_permission_to_migrate_an_empty_or_older_database_is_rejected_unchanged() {
    let database = Database::new().await;
    let never = StoreSettings { migrates: false, ..database.settings() };
    let empty = Store::open(&never).await.err().expect("an empty database is refused");
    assert!(matches!(empty, StoreError::SchemaOlder { version: migration::FIRST }), "{empty:?}");

    database.open().await.close().await;
    let store = Store::open(&never).await.expect("a current one opens");
    execute(&store, "DELETE FROM _sqlx_migrations").await;
    store.close().await;
    for opened in [Store::open(&never).await, Store::open_to_read(&never).await] {
        let older = opened.err().expect("an older one is refused");
        assert!(matches!(older, StoreError::SchemaOlder { version: migration::FIRST }), "{older:?}");
        assert!(older.to_string().contains("garimpo migrate"), "{older}");
    }
}

/// The databases of this run: SQLite, and PostgreSQL where the run names a server.
async fn databases() -> Vec<Database> {
    [Some(Database::sqlite()), Database::postgres().await].into_iter().flatten().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_of_an_unreleased_version_is_refused_before_anything_else() {
    for database in databases().await {
        execute_sql(&database, &as_unreleased(&database)).await;
        let settings = database.settings();
        let never = StoreSettings { migrates: false, ..database.settings() };

        for opened in [
            Store::open(&settings).await,
            Store::open(&never).await,
            Store::open_to_read(&settings).await,
            Store::open_to_read(&never).await,
        ] {
            let refused = opened.err().expect("it is refused");
            assert!(matches!(refused, StoreError::SchemaUnreleased { version: 55, .. }), "{refused:?}");
            let said = refused.to_string();
            let name = if database.is_postgres() { "PostgreSQL at " } else { "/garimpo.db has the schema" };
            assert!(said.contains(name) && said.contains("start with an empty database"), "{said}");
        }
        // No opening created a table, so this one can be.
        execute_sql(&database, "CREATE TABLE jobs (id BIGINT)").await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_backup_of_an_unreleased_version_is_refused_before_it_is_copied() {
    let database = Database::sqlite();
    execute_sql(&database, &as_unreleased(&database)).await;
    let backup = Path::new(database.url.trim_start_matches("sqlite://")).parent().expect("a folder");
    // A copy would fail, because its folder is missing.
    let in_place = backup.join("absent/garimpo.db");

    let refused = restore(backup, &in_place, false).await.expect_err("it is refused");

    let is_unreleased =
        matches!(refused, RestoreError::Store(StoreError::SchemaUnreleased { version: 55, .. }));
    assert!(is_unreleased, "{refused:?}");
}

/// Statements that make an empty database one that versions before 0.3.0 migrated.
fn as_unreleased(database: &Database) -> String {
    let (bytes, empty) = if database.is_postgres() { ("BYTEA", "''") } else { ("BLOB", "x''") };
    format!(
        "CREATE TABLE _sqlx_migrations (version BIGINT PRIMARY KEY, description TEXT NOT NULL,
           installed_on TIMESTAMP NOT NULL DEFAULT CURRENT_TIMESTAMP, success BOOLEAN NOT NULL,
           checksum {bytes} NOT NULL, execution_time BIGINT NOT NULL);
         INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time)
         VALUES (1, 'jobs', TRUE, {empty}, 0), (55, 'claims of strangers', TRUE, {empty}, 0)"
    )
}

/// Number of a migration that only tests have.
const SECOND: i64 = 9000;

/// The migrations of this program and a second one that only tests have. The second one fails on a
/// database without the first one.
fn migrator_with_second(own: &Migrator) -> Migrator {
    let second = Migration::new(
        SECOND,
        "second".into(),
        MigrationType::Simple,
        "ALTER TABLE jobs ADD COLUMN remark TEXT".into_sql_str(),
        false,
    );
    let mut migrator = Migrator::with_migrations(own.iter().cloned().chain([second]).collect());
    migrator.set_ignore_missing(true);
    migrator
}

/// Migrates the database at an address to the second migration.
async fn migrate_to_second(url: &str) -> Result<(), StoreError> {
    if url.starts_with("postgres") {
        let mut connection = PgConnection::connect(url).await?;
        return migration::postgres_by(&mut connection, &migrator_with_second(&migration::POSTGRES)).await;
    }
    let mut connection = SqliteConnection::connect(&format!("{url}?mode=rwc")).await?;
    migration::sqlite_by(&mut connection, &migrator_with_second(&migration::SQLITE)).await?;
    connection.close().await?;
    Ok(())
}

/// The applied migrations, in the order of their numbers.
async fn applied(store: &Store) -> Vec<i64> {
    ro!(store, values "SELECT version FROM _sqlx_migrations ORDER BY version").expect("readable")
}

#[tokio::test(flavor = "multi_thread")]
async fn migrations_run_in_order_and_each_once() {
    for database in databases().await {
        for _ in 0..2 {
            migrate_to_second(&database.url).await.expect("both run");
        }
        let store = database.open().await;
        assert_eq!(applied(&store).await, [migration::FIRST, SECOND]);
        execute(&store, "UPDATE jobs SET remark = ''").await;
        store.close().await;
    }
    for database in databases().await {
        database.open().await.close().await;
        migrate_to_second(&database.url).await.expect("the second one runs alone");
        let store = database.open().await;
        assert_eq!(applied(&store).await, [migration::FIRST, SECOND]);
        store.close().await;
    }
}

const CHILD: &str = "GARIMPO_TEST_MIGRATION_CHILD";

/// Aborts after the first of two migrations. Only the test below starts it, as a separate process.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "the body of a process that the test below starts"]
async fn aborts_after_the_first_migration() {
    let url = setting(CHILD).expect("the database of the test that starts it");
    crash::arm(CrashAt { point: CrashPoint::MigrationApplied, pass: 1 });
    migrate_to_second(&url).await.expect("it aborts before");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_process_that_dies_between_two_migrations_leaves_the_rest_to_the_next() {
    for database in databases().await {
        let ended = Command::new(std::env::current_exe().expect("the test binary"))
            .args([
                "store::tests::migrations::aborts_after_the_first_migration",
                "--exact",
                "--ignored",
                "--nocapture",
            ])
            .env(CHILD, &database.url)
            .output()
            .expect("the child starts");
        assert_eq!(ended.status.signal(), Some(SIGABRT), "{ended:?}");

        migrate_to_second(&database.url).await.expect("the rest runs");

        let store = database.open().await;
        assert_eq!(applied(&store).await, [migration::FIRST, SECOND]);
        store.close().await;
    }
}

/// Signal of [`std::process::abort`].
const SIGABRT: i32 = 6;

#[tokio::test(flavor = "multi_thread")]
async fn each_database_has_its_own_permanent_id() {
    let database = Database::new().await;
    let store = database.open().await;
    let id = store.database_id().await.expect("a migration drew it");
    store.close().await;
    let again = database.open().await;
    assert_eq!(again.database_id().await.expect("readable"), id);
    assert!(id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit()), "{id}");
    let databases = [Database::sqlite(), Database::sqlite()];
    let (one, other) = (databases[0].open().await, databases[1].open().await);
    assert_ne!(one.database_id().await.expect("readable"), other.database_id().await.expect("readable"));
}

/// The rule of `docs/decisions.md` that a migration breaks. Versions N and N+1 run together:
/// columns of N do not change, and inserts of N still work.
fn addition_fault(sql: &str) -> Option<String> {
    let statements = statements_of(sql);
    let makes_table = |table: &str| {
        let table = format!("CREATE TABLE {table} (");
        statements.iter().any(|statement| statement.to_uppercase().starts_with(&table))
    };
    statements.iter().find_map(|statement| {
        let upper = statement.to_uppercase();
        let adds = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "INSERT INTO "]
            .iter()
            .any(|start| upper.starts_with(start));
        let adds_column = upper.starts_with("ALTER TABLE ") && upper.contains(" ADD COLUMN ");
        if !adds && !adds_column && !fills_own_column(&statements, &upper) {
            return Some(format!("it does more than add: {statement}"));
        }
        if adds_column && upper.contains("NOT NULL") && !upper.contains(" DEFAULT ") {
            return Some(format!("rows of version N have no value for it: {statement}"));
        }
        let is_of_new_table = indexed_table(&upper).is_some_and(makes_table);
        (upper.starts_with("CREATE UNIQUE INDEX ") && !is_of_new_table)
            .then(|| format!("version N may write rows that this refuses: {statement}"))
    })
}

/// Whether a statement fills one column that its own migration adds.
fn fills_own_column(statements: &[String], upper: &str) -> bool {
    let Some((table, set)) = upper.strip_prefix("UPDATE ").and_then(|rest| rest.split_once(" SET ")) else {
        return false;
    };
    let column = set.split(' ').next().unwrap_or_default();
    let added = format!("ALTER TABLE {table} ADD COLUMN {column} ");
    statements.iter().any(|statement| statement.to_uppercase().starts_with(&added))
}

/// The table of a CREATE INDEX statement.
fn indexed_table(statement: &str) -> Option<&str> {
    statement.split(" ON ").nth(1).and_then(|rest| rest.split([' ', '(']).next())
}

/// The statements of a migration, each on one line and without comments.
fn statements_of(sql: &str) -> Vec<String> {
    let lines = sql.lines().map(|line| line.split("--").next().unwrap_or_default());
    let text: Vec<_> = lines.flat_map(str::split_whitespace).collect();
    let statements = text.join(" ");
    statements.split(';').map(|one| one.trim().to_owned()).filter(|one| !one.is_empty()).collect()
}

#[test]
fn migrations_only_add() {
    for file in migration::SQLITE.iter().chain(migration::POSTGRES.iter()) {
        assert_eq!(addition_fault(file.sql.as_str()), None, "{}", file.version);
    }

    for sql in [
        "CREATE TABLE t (id BIGINT); CREATE UNIQUE INDEX t_by_id ON t (id);",
        "CREATE INDEX jobs_by_uid ON jobs (uid);",
        "ALTER TABLE jobs ADD COLUMN a TEXT; UPDATE jobs SET a = 'b';",
        "ALTER TABLE jobs ADD COLUMN a TEXT NOT NULL DEFAULT ''; -- DROP TABLE jobs",
        "INSERT INTO schema_requirements (migration, oldest_migration) VALUES (101, 101);",
    ] {
        assert_eq!(addition_fault(sql), None, "{sql}");
    }
    for sql in [
        "DROP TABLE jobs;",
        "ALTER TABLE jobs DROP COLUMN uid;",
        "ALTER TABLE jobs ADD COLUMN a TEXT NOT NULL;",
        "UPDATE jobs SET uid = '';",
        "DELETE FROM jobs;",
        "CREATE UNIQUE INDEX jobs_by_uid ON jobs (uid);",
    ] {
        assert!(addition_fault(sql).is_some(), "{sql}");
    }
}

/// SQLite checks the type of a value only in a STRICT table; PostgreSQL always does.
#[test]
fn every_table_of_the_embedded_database_checks_the_types_of_its_values() {
    for file in migration::SQLITE.iter() {
        let statements = statements_of(file.sql.as_str());
        let tables = statements.iter().filter(|statement| statement.starts_with("CREATE TABLE "));
        let loose: Vec<_> = tables.filter(|table| !table.ends_with(") STRICT")).collect();
        assert_eq!(loose, [""; 0], "{}", file.version);
    }
}

#[test]
fn the_first_migration_creates_the_schema_under_a_number_that_no_unreleased_version_used() {
    let [sqlite, postgres] = [&*migration::SQLITE, &*migration::POSTGRES]
        .map(|migrator| migrator.iter().map(|file| file.version).collect::<Vec<_>>());
    assert_eq!(sqlite.first(), Some(&migration::FIRST));
    assert_eq!(sqlite, postgres);
}

/// The rule of `docs/decisions.md` that a PostgreSQL migration breaks.
fn index_fault(sql: &str, is_without_transaction: bool) -> Option<String> {
    let statements = statements_of(sql);
    let is_index = |statement: &&String| {
        let upper = statement.to_uppercase();
        upper.starts_with("CREATE INDEX ") || upper.starts_with("CREATE UNIQUE INDEX ")
    };
    let makes_table = |table: &str| {
        let table = format!("CREATE TABLE {table} (").to_uppercase();
        statements.iter().any(|statement| statement.to_uppercase().starts_with(&table))
    };
    let of_old_tables = statements
        .iter()
        .filter(is_index)
        .find(|statement| !makes_table(indexed_table(statement).unwrap_or_default()));
    let Some(statement) = of_old_tables else {
        return is_without_transaction.then(|| "it needs a transaction".to_owned());
    };
    if !statement.starts_with(migration::INDEX_CONCURRENTLY) {
        return Some(format!("writes wait for it: {statement}"));
    }
    if !is_without_transaction {
        return Some("its first line is not -- no-transaction".to_owned());
    }
    (statements.len() > 1).then(|| "several statements are a transaction".to_owned())
}

#[test]
fn a_new_index_on_an_existing_table_does_not_block_writers() {
    for file in migration::POSTGRES.iter() {
        assert_eq!(index_fault(file.sql.as_str(), file.no_tx), None, "{}", file.version);
    }

    let index = "CREATE INDEX CONCURRENTLY IF NOT EXISTS jobs_by_uid ON jobs (uid);";
    assert_eq!(index_fault(index, true), None);
    assert_eq!(index_fault("CREATE TABLE t (id BIGINT); CREATE INDEX t_by_id ON t (id);", false), None);
    for (sql, is_without_transaction) in [
        ("CREATE INDEX jobs_by_uid ON jobs (uid);", false),
        ("-- no-transaction\nCREATE INDEX jobs_by_uid ON jobs (uid);", true),
        ("CREATE INDEX CONCURRENTLY jobs_by_uid ON jobs (uid);", true),
        (index, false),
        (&format!("{index} ALTER TABLE jobs ADD COLUMN a TEXT;"), true),
        ("CREATE TABLE t (id BIGINT);", true),
    ] {
        assert!(index_fault(sql, is_without_transaction).is_some(), "{sql}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_starts_rebuild_an_index_left_invalid_by_another() {
    let Some(database) = Database::postgres().await else { return };
    let store = notes(&database).await;
    for id in [1, 2] {
        store.write((), insert(id, "same")).await.expect("stored");
    }
    store.close().await;
    let mut beside = PgConnection::connect(&database.url).await.expect("it answers");
    let half = sqlx::raw_sql("CREATE UNIQUE INDEX CONCURRENTLY notes_by_body ON notes (body)");
    half.execute(&mut beside).await.expect_err("two notes are the same, so it stays invalid");
    let sql = format!("{} notes_by_body ON notes (body)", migration::INDEX_CONCURRENTLY.trim());

    let starters = (0..8).map(|_| {
        let (url, sql) = (database.url.clone(), sql.clone());
        tokio::spawn(async move {
            let index = Migration::new(
                9000,
                "index".into(),
                MigrationType::Simple,
                AssertSqlSafe(sql).into_sql_str(),
                true,
            );
            let mut migrator = Migrator::with_migrations(vec![index]);
            migrator.set_ignore_missing(true);
            let mut connection = PgConnection::connect(&url).await.expect("it answers");
            migration::postgres_by(&mut connection, &migrator).await
        })
    });
    for started in futures::future::join_all(starters).await {
        started.expect("no panic").expect("every starter migrates");
    }

    let valid: Vec<bool> =
        sqlx::query_scalar("SELECT indisvalid FROM pg_index WHERE indexrelid = 'notes_by_body'::regclass")
            .fetch_all(&mut beside)
            .await
            .expect("readable");
    assert_eq!(valid, [true]);
}

/// Columns by table, each with nullability and a common type of both databases.
type Schema = BTreeMap<String, BTreeMap<String, String>>;

#[tokio::test(flavor = "multi_thread")]
async fn both_migrated_schemas_are_equal() {
    let Some(postgres) = Database::postgres().await else {
        return crate::tests::database::skips("PostgreSQL");
    };
    let sqlite = Database::sqlite();

    let (sqlite, postgres) = (
        schema(&sqlite.open().await, SQLITE_COLUMNS).await,
        schema(&postgres.open().await, PG_COLUMNS).await,
    );

    assert!(sqlite.contains_key("jobs"));
    assert_eq!(sqlite, postgres);
}

const SQLITE_COLUMNS: &str = "SELECT t.name, c.name, c.type, CASE WHEN c.\"notnull\" = 1 OR c.pk > 0
    THEN 'NO' ELSE 'YES' END FROM sqlite_master t JOIN pragma_table_info(t.name) c
    WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' AND t.name <> '_sqlx_migrations'";
const PG_COLUMNS: &str = "SELECT table_name::text, column_name::text, data_type::text, is_nullable::text
    FROM information_schema.columns WHERE table_schema = 'public' AND table_name <> '_sqlx_migrations'";

async fn schema(store: &Store, columns: &'static str) -> Schema {
    let rows: Vec<(String, String, String, String)> =
        ro!(store, rows built columns).expect("the schema can be read");
    let mut tables = Schema::new();
    for (table, column, kind, nullable) in rows {
        let kind = match kind.as_str() {
            // SQLite stores booleans as integers. A test of each store function distinguishes them.
            "INTEGER" | "bigint" | "boolean" => "integer",
            "TEXT" | "text" => "text",
            "BLOB" | "bytea" => "bytes",
            other => other,
        };
        tables.entry(table).or_default().insert(column, format!("{kind} null:{nullable}"));
    }
    tables
}
