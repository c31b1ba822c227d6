//! Contents of a cluster's databases: the product's and the sandbox's.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use sqlx::{AssertSqlSafe, Connection};
use tempfile::TempDir;
use time::OffsetDateTime;

use super::{Cluster, Layout};
use crate::database;

/// Longest wait until no work is left: leases of a dead server last 6 s, and the clock is moved
/// over the pauses of failed jobs.
const MAX_IDLE_WAIT: Duration = Duration::from_mins(2);
/// Time after which the clock is moved over the pauses of failed jobs.
const CLOCK_MOVE_AFTER: Duration = Duration::from_secs(8);

impl Cluster {
    /// One column of texts from the product's database. The connection is closed at once, because
    /// an open reader would spare the next start its recovery.
    pub async fn ours(&self, sql: &str) -> Vec<String> {
        match &self.database {
            None => in_sqlite(&self.nodes[0].folder, "garimpo.db", sql).await,
            Some(url) => {
                let mut connection = sqlx::PgConnection::connect(url).await.expect("PostgreSQL answers");
                let found = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await;
                let _ = connection.close().await;
                found.expect("the query is right")
            }
        }
    }

    /// Changes our database from outside the product.
    pub async fn changes_ours(&self, statement: &str) {
        database::executes(self.database.as_deref(), self.nodes[0].folder.path(), statement).await;
    }

    /// One column of texts from the sandbox's database.
    pub async fn theirs(&self, sql: &str) -> Vec<String> {
        let node = usize::from(self.layout == Layout::Apart);
        in_sqlite(&self.nodes[node].folder, "sandbox.db", sql).await
    }

    /// The work that is left: jobs that are due or failed, and undelivered events.
    pub async fn pending_work(&self) -> Vec<String> {
        let clock = self.theirs("SELECT value FROM settings WHERE name = 'clock'").await;
        let clock: serde_json::Value = serde_json::from_str(&clock[0]).expect("the clock is JSON");
        let offset_us = clock["offset_us"].as_i64().expect("an offset");
        let jobs = format!(
            "SELECT state || ' ' || kind || ' ' || key || ' ' || COALESCE(last_error, '') FROM jobs
             WHERE state <> 'done' AND (due_at_us <= {} OR attempts > 0)",
            machine_now_us() + offset_us
        );
        let mut left = self.ours(&jobs).await;
        let events =
            "SELECT 'undelivered ' || event_id FROM deliveries WHERE state IN ('new', 'pending', 'held')";
        left.extend(self.theirs(events).await);
        left
    }

    /// Waits until no work is left, and moves the clock over the pauses of failed jobs.
    pub async fn wait_until_idle(&self) {
        let began = Instant::now();
        let mut hurried = began;
        loop {
            let left = self.pending_work().await;
            if left.is_empty() {
                return;
            }
            let parked = left.iter().find(|line| line.starts_with("parked"));
            assert!(parked.is_none(), "parked: {left:#?}");
            assert!(began.elapsed() < MAX_IDLE_WAIT, "work is left after {MAX_IDLE_WAIT:?}: {left:#?}");
            if hurried.elapsed() > CLOCK_MOVE_AFTER {
                // Longer than the provider's longest pause, shorter than the time between two
                // reconciliations.
                self.provider().advances_kept(301).await;
                hurried = Instant::now();
            }
            tokio::time::sleep(Duration::from_millis(25)).await;
        }
    }

    /// Asserts that the provider and the product have the same objects, each once.
    pub async fn assert_objects_match(&self) {
        let rows = [
            ("customer", "SELECT customer_id FROM customers WHERE customer_id IS NOT NULL"),
            ("checkout.session", "SELECT session_id FROM checkouts WHERE session_id IS NOT NULL"),
            ("subscription", "SELECT id FROM subscriptions"),
            ("invoice", "SELECT id FROM invoices"),
        ];
        for (kind, ours) in rows {
            let mut ours = self.ours(ours).await;
            let theirs = format!(
                "SELECT id FROM objects WHERE kind = '{kind}' AND json_extract(doc, '$.deleted') IS NOT 1"
            );
            let mut theirs = self.theirs(&theirs).await;
            ours.sort();
            theirs.sort();
            assert_eq!(ours, theirs, "{kind}: ours and the provider's");
        }
    }

    /// Asserts that each delivered event, and each of `others`, is stored. Events older than 30
    /// days are skipped, because retention deletes them.
    pub async fn assert_every_event_stored(&self, others: &[String]) {
        const TAKEN: &str = "SELECT event_id FROM deliveries WHERE state = 'delivered' AND last_at_us >
            (SELECT max(last_at_us) FROM deliveries) - 30 * 86400000000";
        let taken = self.theirs(TAKEN).await;
        let stored: HashSet<String> = self.ours("SELECT id FROM events").await.into_iter().collect();
        let lost: Vec<_> = taken.iter().chain(others).filter(|id| !stored.contains(*id)).collect();
        assert!(lost.is_empty(), "answered and not stored: {lost:?}");
    }

    /// Asserts that a purchase was sent to the platforms once, as a payment and as a new
    /// subscriber.
    pub async fn assert_conversions_sent_once(&self, uid: &str) {
        assert_eq!(self.sent_conversions(uid).await, ["PVNewSubs", "pagamento_confirmado"]);
    }

    /// Names of an account's conversions that were sent to the platforms, sorted.
    pub async fn sent_conversions(&self, uid: &str) -> Vec<String> {
        let query = format!("SELECT key FROM jobs WHERE kind = 'conversion' AND uid = '{uid}'");
        let keys = self.ours(&query).await;
        let mut names: Vec<String> =
            keys.iter().filter_map(|key| key.split(':').next()).map(str::to_owned).collect();
        names.sort();
        names
    }

    /// The mails that were sent again under their Message-ID, by subject.
    pub async fn repeated_mails(&self) -> Vec<String> {
        let repeats = "SELECT mails.subject || ' ' || mails.key FROM mail_repeats JOIN mails USING (key)";
        self.theirs(repeats).await
    }

    /// Asserts that no job is parked and that nothing panicked.
    pub async fn assert_no_parked_jobs_or_panics(&self) {
        let metrics = self.metrics().await;
        let troubles = metrics.lines().filter(|line| {
            let is_watched = line.contains("state=\"parked\"") || line.starts_with("garimpo_panics_total");
            is_watched && !line.ends_with(" 0")
        });
        assert_eq!(troubles.collect::<Vec<_>>(), [""; 0]);
        assert!(metrics.contains("garimpo_panics_total"), "{metrics}");
    }

    /// Asserts the integrity of both SQLite files. PostgreSQL checks itself when it recovers.
    pub async fn assert_files_intact(&self) {
        const CHECK: &str = "PRAGMA integrity_check";
        assert_eq!(self.theirs(CHECK).await, ["ok"], "sandbox.db");
        if self.database.is_none() {
            assert_eq!(self.ours(CHECK).await, ["ok"], "garimpo.db");
        }
    }
}

async fn in_sqlite(folder: &TempDir, file: &str, sql: &str) -> Vec<String> {
    let options = sqlx::sqlite::SqliteConnectOptions::new()
        .filename(folder.path().join(file))
        .read_only(true)
        .busy_timeout(Duration::from_secs(10));
    let mut connection = sqlx::SqliteConnection::connect_with(&options).await.expect("the file opens");
    let found = sqlx::query_scalar(AssertSqlSafe(sql)).fetch_all(&mut connection).await;
    let _ = connection.close().await;
    found.expect("the query is right")
}

#[expect(clippy::disallowed_methods, reason = "the sandbox's clock is this one and an offset")]
fn machine_now_us() -> i64 {
    let now = OffsetDateTime::now_utc().unix_timestamp_nanos() / 1000;
    i64::try_from(now).expect("an instant of these centuries")
}
