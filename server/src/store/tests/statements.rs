//! Every statement of the server is one that its databases accept.

use std::collections::BTreeMap;
use std::path::Path;

use sqlx::{AssertSqlSafe, Connection as _, Executor, PgConnection, SqlSafeStr as _, SqliteConnection};

use super::*;
use crate::queue::{JobClass, JobKind};
use crate::store::engine::many;
use crate::store::engine::postgres::PgExecutor;
use crate::store::engine::statements::{Registered, Sent};
use crate::store::jobs::claims::{Claimable, Kinds, SKIP_LOCKED, next_dues_of};
use crate::store::operator::invariants::events_without_job_of;
use crate::store::operator::repeated_deletions::{attach, replacing};
use crate::store::operator::taken_over;
use crate::tests::database::skips;

/// Fewer registered statements mean that the registration fails.
const MIN_REGISTERED: usize = 300;

/// The texts for each database, each with the place that sends it.
#[derive(Default)]
struct Statements {
    sqlite: Vec<(String, String)>,
    postgres: Vec<(String, String)>,
}

impl Statements {
    fn on_sqlite(&mut self, place: &str, text: impl Into<String>) {
        self.sqlite.push((place.to_owned(), text.into()));
    }

    fn on_postgres(&mut self, place: &str, text: impl Into<String>) {
        self.postgres.push((place.to_owned(), text.into()));
    }

    fn on_both(&mut self, place: &str, text: &str) {
        self.on_sqlite(place, text);
        self.on_postgres(place, text);
    }

    /// Adds a statement, except one that is built at run time.
    fn add(&mut self, place: &str, sent: &Sent) {
        match *sent {
            Sent::Both(text) => self.on_both(place, text),
            Sent::Sqlite(text) => self.on_sqlite(place, text),
            Sent::Postgres(text) => self.on_postgres(place, text),
            Sent::Many(text) => {
                for values in [1, 4].map(|count| vec![String::new(); count]) {
                    self.on_sqlite(place, many::statement::<SqliteConnection, _>(text, &values));
                    self.on_postgres(place, many::statement::<PgExecutor, _>(text, &values));
                }
            }
            Sent::Built => {}
        }
    }

    /// Adds the statements that are built at run time. Returns for each file how many of its places
    /// send them.
    async fn add_built(&mut self, restored: &mut SqliteConnection) -> BTreeMap<&'static str, usize> {
        let claims = "server/src/store/jobs/claims.rs";
        let classes = JobClass::ALL.map(|class| Claimable::of(class, JobKind::ALL.into_iter()));
        for class in &classes {
            self.on_sqlite(claims, class.claim(""));
            self.on_postgres(claims, class.claim(SKIP_LOCKED));
        }
        self.on_both(claims, &next_dues_of(classes.iter()));
        let kinds = Kinds::new(JobKind::ALL.into_iter());
        self.on_both(claims, &kinds.select_next_due());
        self.on_both(claims, &kinds.count_due());

        let invariants = "server/src/store/operator/invariants.rs";
        self.on_both(invariants, &events_without_job_of(&["invoice.paid", "charge.refunded"]));

        let deletions = "server/src/store/operator/repeated_deletions.rs";
        for text in replacing(restored).await.expect("the tables are read") {
            self.on_sqlite(deletions, text);
        }
        let taken_over = "server/src/store/operator/taken_over.rs";
        for text in taken_over::statements(restored).await.expect("the tables are read") {
            self.on_sqlite(taken_over, text);
        }
        BTreeMap::from([(claims, 4), (invariants, 1), (deletions, 1), (taken_over, 2)])
    }
}

/// The statements that the product registers. Those of tests may be for tables of their own.
fn registered() -> Vec<&'static Registered> {
    inventory::iter::<Registered>.into_iter().filter(|one| !one.file.contains("/tests")).collect()
}

/// The statements that a database refuses to prepare, each with its place and the reason.
async fn refused<C>(connection: &mut C, statements: &[(String, String)]) -> Vec<String>
where
    for<'c> &'c mut C: Executor<'c>,
{
    let mut refused = Vec::new();
    for (place, text) in statements {
        let prepared = connection.prepare(AssertSqlSafe(text.as_str()).into_sql_str()).await;
        if let Err(error) = prepared {
            refused.push(format!("{place}: {error}\n{text}\n"));
        }
    }
    refused
}

#[tokio::test(flavor = "multi_thread")]
async fn every_statement_is_accepted_by_both_databases() {
    let files = [Database::sqlite(), Database::sqlite()];
    for file in &files {
        file.open().await.close().await;
    }
    let [restored, replaced] = files.each_ref().map(|file| file.url.trim_start_matches("sqlite://"));
    let mut sqlite = attach(Path::new(restored), Path::new(replaced)).await.expect("the files open");
    let registered = registered();
    let mut statements = Statements::default();
    let mut built: BTreeMap<&str, usize> = BTreeMap::new();
    for one in &registered {
        statements.add(&format!("{}:{}", one.file, one.line), &one.sent);
        if matches!(one.sent, Sent::Built) {
            *built.entry(one.file).or_default() += 1;
        }
    }
    assert!(registered.len() > MIN_REGISTERED, "only {} statements are registered", registered.len());
    assert_eq!(built, statements.add_built(&mut sqlite).await, "add_built lacks the texts of a place");

    let mut all = refused(&mut sqlite, &statements.sqlite).await;
    sqlite.close().await.expect("it closes");
    match Database::postgres().await {
        None => skips("PostgreSQL"),
        Some(database) => {
            database.open().await.close().await;
            let mut postgres = PgConnection::connect(&database.url).await.expect("it answers");
            all.extend(refused(&mut postgres, &statements.postgres).await);
            postgres.close().await.expect("it closes");
        }
    }
    assert!(all.is_empty(), "{} statements are refused:\n{}", all.len(), all.join("\n"));
}
