//! Jobs by account, and the indexes that find due jobs.

use garimpo_domain::{Timestamp, Uid};
use serde_json::{Value, json};

use super::*;
use crate::operator::tests::execute_sql;
use crate::queue::{JobClass, JobKind};
use crate::store::engine::row::Text as _;
use crate::store::engine::transaction;
use crate::store::jobs::claims::{self, Claimable};
use crate::store::jobs::{self, NewJob};
use crate::store::operator::invariants::Invariant;
use crate::store::operator::job_queries::{self, COUNT};
use crate::store::operator::lookups;

async fn enqueue(store: &Store, key: &str, payload: serde_json::Value) {
    let due_at = Timestamp::from_micros(0);
    let job = NewJob { kind: JobKind::Conversion, key: key.to_owned(), payload, due_at };
    let stored = transaction!(store, (job), |tx| jobs::enqueue_if_absent(tx, job.clone()).await);
    assert!(stored.map_err(|error: StoreError| error).expect("the job is stored"));
}

#[tokio::test(flavor = "multi_thread")]
async fn deleting_the_jobs_of_an_account_keeps_those_of_accounts_with_similar_ids() {
    let database = Database::new().await;
    let store = database.open().await;
    let others = ["AB", "Ab", "ab\"", "a_", "%"];
    enqueue(&store, "own", json!({ "uid": "ab" })).await;
    for uid in others {
        enqueue(&store, uid, json!({ "uid": uid, "about": { "uid": "ab" } })).await;
    }

    let erased =
        transaction!(store, |tx| jobs::delete_of_uid(tx, JobKind::Conversion, &Uid::new("ab")).await);
    erased.map_err(|error: StoreError| error).expect("the jobs are erased");

    assert_eq!(job_queries::by_key(&store, JobKind::Conversion, "own").await.expect("readable"), None);
    for uid in others {
        let left = job_queries::of_uid(&store, JobKind::Conversion, &Uid::new(uid)).await.expect("readable");
        assert_eq!(left.iter().map(|job| job.key.as_str()).collect::<Vec<_>>(), [uid]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_account_of_each_job_is_stored_in_its_column_and_changes_with_it() {
    let database = Database::new().await;
    let store = database.open().await;
    let schedule = async |uid: serde_json::Value| {
        let payload = json!({ "uid": uid });
        let due_at = Timestamp::from_micros(0);
        let job = NewJob { kind: JobKind::Reconcile, key: "a".into(), payload, due_at };
        let stored = transaction!(store, (job), |tx| jobs::reschedule(tx, job.clone()).await);
        stored.map_err(|error: StoreError| error).expect("the job is stored");
    };
    let of = async |uid: &str| lookups::jobs_about(&store, &Uid::new(uid), 10).await.expect("readable").len();

    schedule(json!("ana")).await;
    assert_eq!((of("ana").await, of("rui").await), (1, 0));
    schedule(json!("rui")).await;
    assert_eq!((of("ana").await, of("rui").await), (0, 1));
    schedule(json!(null)).await;
    assert_eq!((of("ana").await, of("rui").await), (0, 0));
}

/// 2,000 due jobs of the daily sweep, and as many future changes of rights.
async fn crowd(database: &Database, then: &str) -> Store {
    let store = database.open().await;
    execute_sql(
        database,
        &format!("INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, uid, priority)
         WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 2000)
         SELECT 'reconcile', CAST(n AS TEXT), '{{}}', 'waiting', n, 0, 1, 'u' || n, 7 FROM numbers
         UNION ALL
         SELECT 'rights_change', CAST(n AS TEXT), '{{}}', 'waiting', 10000 + n, 0, 1, 'u' || n, 1 FROM numbers;
         {then}"),
    )
    .await;
    store
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_counts_and_account_queries_use_their_indexes() {
    let database = Database::new().await;
    let store = crowd(&database, "ANALYZE").await;
    for class in JobClass::ALL {
        let claimable = Claimable::of(class, JobKind::ALL.into_iter());
        assert_finds(&store, &claimable.claim(""), 4, "jobs_claim").await;
        assert_finds(&store, &claims::next_dues_of([claimable].iter()), 1, "jobs_claim").await;
    }
    assert_finds(&store, COUNT, 0, "jobs_waiting_kind").await;
    for of_account in ["SELECT key FROM jobs WHERE uid = 'u7'", "DELETE FROM jobs WHERE uid = 'u7'"] {
        assert_finds(&store, of_account, 0, "jobs_uid").await;
    }
    store.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_job_is_found_without_a_full_scan_even_with_a_plan_made_for_few_jobs() {
    let database = Database::new().await;
    let store = database.open().await;
    let Db::Pg(server) = store.db() else { return store.close().await };
    let mut connection = server.pool.acquire().await.expect("a connection");
    let classes = JobClass::ALL.map(|class| Claimable::of(class, JobKind::ALL.into_iter()));
    let next_dues = claims::next_dues_of(classes.iter());
    let planned = format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE next_dues AS {next_dues}; EXECUTE next_dues (0)"
    );
    sqlx::raw_sql(sqlx::AssertSqlSafe(planned)).execute(&mut *connection).await.expect("a plan");
    crowd(&database, "").await.close().await;

    let ran = sqlx::query_scalar("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE next_dues (5000)");
    let ran: Value = ran.fetch_one(&mut *connection).await.expect("a plan");

    let read = rows_read(&ran);
    assert!(read < 20, "{read} rows");
    drop(connection);
    store.close().await;
}

/// Rows that the steps of a plan took from tables.
fn rows_read(plan: &Value) -> i64 {
    match plan {
        Value::Array(steps) => steps.iter().map(rows_read).sum(),
        Value::Object(step) if step.contains_key("Relation Name") => {
            step["Actual Rows"].as_f64().unwrap_or_default() as i64
        }
        Value::Object(step) => step.values().map(rows_read).sum(),
        _ => 0,
    }
}

/// Asserts that a statement finds jobs by an index and reads no whole table.
async fn assert_finds(store: &Store, statement: &str, places: usize, index: &str) {
    let plan = plan(store, statement, places).await;
    assert!(plan.contains(index), "{statement}\n{plan}");
    for whole in ["Seq Scan on jobs", "SCAN jobs\n"] {
        assert!(!plan.contains(whole), "{statement}\n{plan}");
    }
}

/// The database's plan of a statement. Its parameters are instants at which half of the jobs are
/// due.
async fn plan(store: &Store, statement: &str, places: usize) -> String {
    const INSTANT: i64 = 5_000;
    match store.db() {
        Db::Sqlite { ro, .. } => {
            let explain = sqlx::AssertSqlSafe(format!("EXPLAIN QUERY PLAN {statement}"));
            let mut query = sqlx::query_as(explain);
            for _ in 0..places {
                query = query.bind(INSTANT);
            }
            let steps: Vec<(i64, i64, i64, String)> = query.fetch_all(ro).await.expect("a plan");
            steps.into_iter().map(|(.., step)| step + "\n").collect()
        }
        Db::Pg(server) => {
            let explain = sqlx::AssertSqlSafe(format!("EXPLAIN {statement}"));
            let mut query = sqlx::query_scalar(explain);
            for _ in 0..places {
                query = query.bind(INSTANT);
            }
            let mut transaction = server.pool.begin().await.expect("a transaction");
            // A small table would be read completely if that was allowed.
            let no_scan = sqlx::query("SET LOCAL enable_seqscan = off").execute(&mut *transaction);
            no_scan.await.expect("a setting");
            let steps: Vec<String> = query.fetch_all(&mut *transaction).await.expect("a plan");
            steps.join("\n")
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_count_stops_at_a_thousand_of_each_kind() {
    let database = Database::new().await;
    let store = crowd(&database, "ANALYZE").await;
    execute_sql(
        &database,
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
         VALUES ('mail', 'a', '{}', 'parked', 5, 20, 1), ('mail', 'b', '{}', 'waiting', 6, 0, 1),
           ('de_outra_versao', 'c', '{}', 'waiting', 7, 0, 1), ('mail', 'd', '{}', 'done', 8, 1, 1)",
    )
    .await;

    let counts = job_queries::count(&store).await.expect("counted");

    let told: Vec<_> = counts
        .iter()
        .map(|count| (count.kind.as_str(), count.state.text(), count.jobs, count.oldest_due_at.as_micros()))
        .collect();
    assert_eq!(
        told,
        [
            ("de_outra_versao", "waiting", 1, 7),
            ("mail", "parked", 1, 5),
            ("mail", "waiting", 1, 6),
            ("reconcile", "waiting", 1_000, 1),
            ("rights_change", "waiting", 1_000, 10_001),
        ]
    );
    let an_hour_later = Timestamp::from_micros(9_000).plus_hours(1);
    let late = Invariant::named("jobs_late").violations(&store, an_hour_later, 10).await.expect("readable");
    let late: Vec<_> = late.into_iter().map(|job| job.subject).collect();
    assert_eq!(late, ["mail b", "de_outra_versao c"], "the daily look may take hours");
    let kinds = job_queries::waiting_kinds(&store).await.expect("readable");
    assert_eq!(kinds, ["de_outra_versao", "mail", "reconcile", "rights_change"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_daily_reconciliation_of_an_account_runs_after_a_triggered_one() {
    let database = Database::new().await;
    let store = database.open().await;
    let looks = Claimable::of(JobClass::Housekeeping, JobKind::ALL.into_iter());
    let look = |key: &str, due_at_us: i64| NewJob {
        kind: JobKind::Reconcile,
        key: key.to_owned(),
        payload: json!({}),
        due_at: Timestamp::from_micros(due_at_us),
    };
    let written = transaction!(store, |tx| {
        jobs::reschedule(tx, look("caused, and swept", 3)).await?;
        for key in ["swept", "caused, and swept"] {
            jobs::enqueue_sweep(tx, look(key, 1)).await?;
        }
        jobs::reschedule(tx, look("caused", 2)).await
    });
    written.map_err(|error: StoreError| error).expect("the jobs are stored");
    let mut claimed = Vec::new();
    for now in 10..13 {
        let now = Timestamp::from_micros(now);
        let claim = claims::claim(&store, &looks, now, now, now.plus_seconds(6), 1).await.expect("claimed");
        claimed.extend(claim.jobs.into_iter().map(|job| job.key));
    }

    assert_eq!(claimed, ["caused", "caused, and swept", "swept"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_stored_without_a_priority_is_claimed_in_its_class() {
    let database = Database::new().await;
    let store = database.open().await;
    execute_sql(
        &database,
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation)
         VALUES ('reconcile', 'a', '{}', 'waiting', 1, 0, 1), ('mail', 'b', '{}', 'waiting', 2, 0, 1)",
    )
    .await;
    let now = Timestamp::from_micros(10);
    let claim = async |class: JobClass| {
        let claimable = Claimable::of(class, JobKind::ALL.into_iter());
        let next_dues = claims::next_dues_of([&claimable].into_iter());
        let dues = claims::next_dues(&store, &next_dues, now).await.expect("readable");
        assert_eq!(dues[0].is_some(), [JobClass::Mail, JobClass::Housekeeping].contains(&class));
        let claim =
            claims::claim(&store, &claimable, now, now, now.plus_seconds(6), 8).await.expect("claimed");
        claim.jobs.into_iter().map(|job| job.key).collect::<Vec<_>>()
    };

    assert_eq!(claim(JobClass::Local).await, Vec::<String>::new());
    assert_eq!(claim(JobClass::Mail).await, ["b"]);
    assert_eq!(claim(JobClass::Housekeeping).await, ["a"]);
}
