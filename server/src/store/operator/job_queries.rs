//! Jobs as the operator sees them, and what an operator does to those that are parked.

use garimpo_domain::Timestamp;

use crate::store::engine::{Read, Result, Store, ro, row, text_or_empty, transaction, tx};
use crate::store::jobs::JobState;
use crate::store::jobs::kind::JobKind;

row! {
    "jobs" by key, select, printed;

    /// A job as the operator sees it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobRow {
        /// Name of the kind.
        pub kind: String,
        /// Key of the job.
        pub key: String,
        pub state: JobState,
        /// Runs so far.
        pub attempts: i64,
        /// Since when it is due, or when it will be; the zero instant is "since the start".
        pub due_at: Timestamp as due_at_us,
        /// Until when somebody holds it, in real time.
        pub leased_until: Option<Timestamp> as leased_until_us,
        /// When it was done or parked.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// The request that caused it.
        pub request_id: Option<String>,
        /// Why the last run failed, or why it was dropped.
        pub last_error: Option<String>,
        /// What the handler needs, as JSON.
        pub payload: String,
    }
}

impl JobRow {
    /// Whether it did what it is for: it was neither dropped nor closed by the operator.
    pub fn was_done(&self) -> bool {
        self.state == JobState::Done && self.last_error.is_none()
    }
}

/// Which jobs the operator asks for.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Of this kind alone.
    pub kind: Option<JobKind>,
    /// In this state alone; without it, all that are not done.
    pub state: Option<JobState>,
    /// Due before this instant alone.
    pub due_before: Option<Timestamp>,
}

row! {
    "jobs" by kind;

    /// How many jobs of a kind wait or are parked, and since when the oldest is due.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobCount {
        /// Name of the kind.
        pub kind: String,
        /// `Waiting` or `Parked`.
        pub state: JobState,
        /// How many.
        pub jobs: i64,
        /// The oldest due instant.
        pub oldest_due_at: Timestamp as oldest_due_at_us,
    }
}

/// Each kind of which a job waits, found by one look-up in `jobs_waiting_kind`.
macro_rules! waiting_kinds {
    () => {
        "WITH RECURSIVE kinds (kind) AS (
           SELECT MIN(kind) FROM jobs WHERE state = 'waiting'
           UNION ALL
           SELECT (SELECT MIN(kind) FROM jobs WHERE state = 'waiting' AND kind > kinds.kind)
           FROM kinds WHERE kinds.kind IS NOT NULL) "
    };
}

/// Counts by bounded look-ups: a count of all is a walk over every account's next change of rights.
pub(crate) const COUNT: &str = concat!(
    waiting_kinds!(),
    "SELECT kind, 'waiting' AS state,
       (SELECT COUNT(*) FROM (SELECT 1 FROM jobs
          WHERE state = 'waiting' AND jobs.kind = kinds.kind LIMIT 1000) AS counted) AS jobs,
       (SELECT MIN(due_at_us) FROM jobs
          WHERE state = 'waiting' AND jobs.kind = kinds.kind) AS oldest_due_at_us
     FROM kinds WHERE kind IS NOT NULL
     UNION ALL
     SELECT kind, 'parked', COUNT(*), MIN(due_at_us)
     FROM (SELECT kind, due_at_us FROM jobs WHERE state = 'parked' LIMIT 1000) AS parked GROUP BY kind
     ORDER BY 1, 2"
);

/// How many jobs wait or are parked, per kind; at most 1,000 of a kind wait, and at most 1,000
/// are parked.
pub async fn count(store: &Store) -> Result<Vec<JobCount>> {
    ro!(store, c => sqlx::query_as(COUNT).fetch_all(c).await)
}

/// Kinds of jobs that wait, also those that this program does not know.
pub(crate) async fn waiting_kinds(store: &Store) -> Result<Vec<String>> {
    ro!(store, c => sqlx::query_scalar(concat!(waiting_kinds!(), "SELECT kind FROM kinds WHERE kind IS NOT NULL"))
        .fetch_all(c).await)
}

/// Jobs for the operator: parked ones first, then by due instant; at most `limit`.
pub async fn list(store: &Store, filter: &JobFilter, limit: i64) -> Result<Vec<JobRow>> {
    let kind = filter.kind.map_or("", JobKind::name);
    let due_before = filter.due_before.map_or(i64::MAX, Timestamp::as_micros);
    ro!(store, c => sqlx::query_as(select!(
        "WHERE ($1 = '' OR kind = $1) AND (state = $2 OR ($2 = '' AND state <> 'done')) AND due_at_us <= $3
         ORDER BY CASE state WHEN 'parked' THEN 0 ELSE 1 END, due_at_us, kind, key LIMIT $4"))
        .bind(kind).bind(text_or_empty(filter.state)).bind(due_before).bind(limit).fetch_all(c).await)
}

/// Jobs of a kind that are about an account, done ones as long as they are kept, by their due
/// instant.
pub async fn of_uid(store: &Store, kind: JobKind, uid: &str) -> Result<Vec<JobRow>> {
    ro!(store, c => sqlx::query_as(select!("WHERE kind = $1 AND uid = $2 ORDER BY due_at_us, key"))
        .bind(kind.name()).bind(uid).fetch_all(c).await)
}

/// Keys and payloads of jobs of a kind that were parked before an instant, in the order of
/// their keys, after `after`. The expression has the databases look among the parked ones, and
/// not among all of the kind.
pub async fn parked_page(
    store: &Store,
    kind: JobKind,
    parked_before: Timestamp,
    after: &str,
    limit: i64,
) -> Result<Vec<(String, String)>> {
    ro!(store, c => sqlx::query_as(
        "SELECT key, payload FROM jobs
         WHERE state = 'parked' AND kind || '' = $1 AND ended_at_us < $2 AND key || '' > $3 ORDER BY key LIMIT $4")
        .bind(kind.name()).bind(parked_before).bind(after).bind(limit).fetch_all(c).await)
}

/// One job, in whatever state.
pub async fn by_key(db: impl Read<'_>, kind: JobKind, key: &str) -> Result<Option<JobRow>> {
    ro!(db, c => sqlx::query_as(select!("WHERE kind = $1 AND key = $2"))
        .bind(kind.name()).bind(key).fetch_optional(c).await)
}

/// Closes parked jobs of a kind, one or all, without their having been done; answers how many
/// there were. Nothing runs them again, so what they needed is forgotten.
pub async fn discard(store: &Store, kind: JobKind, key: Option<&str>, now: Timestamp) -> Result<u64> {
    transaction!(store, (key = key.map(str::to_owned)), |tx| {
        tx!(tx, c => sqlx::query(
            "UPDATE jobs SET state = 'done', ended_at_us = $3, payload = '{}'
             WHERE kind = $1 AND state = 'parked' AND ($2 IS NULL OR key = $2)")
            .bind(kind.name()).bind(key).bind(now)
            .execute(c).await.map(|done| done.rows_affected()))
    })
}

/// Puts parked jobs of a kind back to waiting, one or all; answers how many there were. Each stays
/// due since it was, so that the command need not know the product's time.
pub async fn replay(store: &Store, kind: JobKind, key: Option<&str>) -> Result<u64> {
    transaction!(store, (key = key.map(str::to_owned)), |tx| {
        tx.enqueued = true;
        tx!(tx, c => sqlx::query(
                "UPDATE jobs SET state = 'waiting', attempts = 0, ended_at_us = NULL, generation = generation + 1
                 WHERE kind = $1 AND state = 'parked' AND ($2 IS NULL OR key = $2)")
                .bind(kind.name()).bind(key).execute(c).await.map(|done| done.rows_affected()))
    })
}
