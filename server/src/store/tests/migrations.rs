//! Migrations: the same schema on both databases, concurrent starts, and older programs refused.

use crate::store::engine::transaction;
use crate::store::operator::heartbeats;
use std::collections::BTreeMap;

use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, PgConnection, SqlSafeStr as _};

use super::*;

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
    assert!(matches!(empty, StoreError::SchemaOlder { version: 1 }), "{empty:?}");

    database.open().await.close().await;
    let store = Store::open(&never).await.expect("a current one opens");
    execute(&store, "DELETE FROM _sqlx_migrations WHERE version = 36").await;
    store.close().await;
    for opened in [Store::open(&never).await, Store::open_to_read(&never).await] {
        let older = opened.err().expect("an older one is refused");
        assert!(matches!(older, StoreError::SchemaOlder { version: 36 }), "{older:?}");
        assert!(older.to_string().contains("garimpo migrate"), "{older}");
    }
}

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

/// Versions N and N+1 run together: columns of N do not change, and inserts of N still work.
#[test]
fn migrations_only_add() {
    for (number, statement) in migration_statements() {
        let upper = statement.to_uppercase();
        let adds = ["CREATE TABLE ", "CREATE INDEX ", "CREATE UNIQUE INDEX ", "INSERT INTO "]
            .iter()
            .any(|start| upper.starts_with(start));
        let adds_column = upper.starts_with("ALTER TABLE ") && upper.contains(" ADD COLUMN ");
        assert!(
            adds || adds_column || fills_own_column(number, &upper),
            "{number} does more than add: {statement}"
        );
        if adds_column {
            let fits = !upper.contains("NOT NULL") || upper.contains(" DEFAULT ");
            assert!(fits, "{number}: rows of version N have no value for it: {statement}");
        }
        if upper.starts_with("CREATE UNIQUE INDEX ") {
            let table = upper.split(" ON ").nth(1).and_then(|rest| rest.split([' ', '(']).next());
            let made_here = format!("CREATE TABLE {} (", table.expect("a table"));
            let own = migration_statements()
                .any(|(other, text)| other == number && text.to_uppercase().starts_with(&made_here));
            assert!(own, "{number}: version N may write rows that this refuses: {statement}");
        }
    }
    assert!(migration_statements().count() > 20);
}

/// The last PostgreSQL migration that may index a table with rows while its writers wait.
const LAST_BEFORE_CONCURRENT_INDEXES: i64 = 38;

/// The rule of `docs/decisions.md` that a PostgreSQL migration breaks.
fn index_fault(sql: &str, is_without_transaction: bool) -> Option<String> {
    let text: Vec<_> = sql
        .lines()
        .map(|line| line.split("--").next().unwrap_or_default())
        .flat_map(str::split_whitespace)
        .collect();
    let text = text.join(" ");
    let statements: Vec<_> =
        text.split(';').map(str::trim).filter(|statement| !statement.is_empty()).collect();
    let is_index = |statement: &&str| {
        let upper = statement.to_uppercase();
        upper.starts_with("CREATE INDEX ") || upper.starts_with("CREATE UNIQUE INDEX ")
    };
    let makes_table = |table: &str| {
        let table = format!("CREATE TABLE {table} (").to_uppercase();
        statements.iter().any(|statement| statement.to_uppercase().starts_with(&table))
    };
    let of_old_tables = statements.iter().filter(|statement| is_index(statement)).find(|statement| {
        let table = statement.split(" ON ").nth(1).and_then(|rest| rest.split([' ', '(']).next());
        !makes_table(table.unwrap_or_default())
    });
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
    let newer = migration::POSTGRES.iter().filter(|file| file.version > LAST_BEFORE_CONCURRENT_INDEXES);
    for file in newer {
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

/// Whether a statement fills one column that its own migration adds.
fn fills_own_column(number: i64, upper: &str) -> bool {
    let Some((table, set)) = upper.strip_prefix("UPDATE ").and_then(|rest| rest.split_once(" SET ")) else {
        return false;
    };
    let column = set.split(' ').next().unwrap_or_default();
    let added = format!("ALTER TABLE {table} ADD COLUMN {column} ");
    migration_statements().any(|(other, text)| other == number && text.to_uppercase().starts_with(&added))
}

#[tokio::test(flavor = "multi_thread")]
async fn the_migration_reads_the_account_of_each_job_from_its_payload() {
    let database = Database::new().await;
    let store = database.open().await;
    let payloads = [
        (r#"{"uid":"usr_1"}"#, Some("usr_1")),
        (r#"{"uid" : "usr_2"}"#, Some("usr_2")),
        (r#"{"template":"x","uid":"a\"b","values":{"uid":"z"}}"#, Some("a\"b")),
        (r#"{"about":"\"uid\":\"x\""}"#, None),
        (r#"{"uid":null}"#, None),
        (r#"{"uid":"#, None),
        ("{}", None),
    ];
    for (number, (payload, _)) in payloads.into_iter().enumerate() {
        let written = transaction!(
            store,
            |tx| tx!(tx, execute "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
             VALUES ('mail', $1, $2, 'waiting', 0, 0, 1)", number.to_string(), payload)
        );
        written.map_err(|error: StoreError| error).expect("the job is stored");
    }
    let migrator = if database.is_postgres() { &migration::POSTGRES } else { &migration::SQLITE };
    let sql = migrator.iter().find(|file| file.version == 31).expect("the migration").sql.as_str();
    let fill = sql.split(';').find(|statement| statement.contains("UPDATE jobs SET uid")).expect("it fills");
    let fill: &'static str = Box::leak(fill.to_owned().into_boxed_str());

    execute(&store, fill).await;

    let uids: Vec<Option<String>> =
        ro!(&store, values "SELECT uid FROM jobs ORDER BY key").expect("readable");
    assert_eq!(uids, payloads.map(|(_, uid)| uid.map(str::to_owned)));
}

/// Every statement of every migration on one line, with its number.
fn migration_statements() -> impl Iterator<Item = (i64, String)> {
    let all = migration::SQLITE.iter().chain(migration::POSTGRES.iter());
    all.flat_map(|file| {
        let lines = file.sql.as_str().lines().map(|line| line.split("--").next().unwrap_or_default());
        let text: Vec<_> = lines.flat_map(str::split_whitespace).collect();
        let statements = text.join(" ");
        let split: Vec<_> = statements.split(';').map(|one| (file.version, one.trim().to_owned())).collect();
        split.into_iter().filter(|(_, statement)| !statement.is_empty())
    })
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
        ro!(store, rows columns).expect("the schema can be read");
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
