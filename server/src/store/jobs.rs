//! The table of durable jobs.
//!
//! A job is known by its kind and key. `due_at_us` is the product's time; leases are real time, since
//! the product's clock may jump over weeks. `generation` counts schedulings, so that a worker which
//! ends an older one does not end the newer. The end of a lease, to the microsecond, is also its name: a worker
//! that stood still until another took its job over can neither renew nor end it.

use garimpo_domain::Timestamp;
use serde_json::Value;
use sqlx::AssertSqlSafe;

use super::{Db, Store, StoreError, Tx, ro, tx};
use crate::queue::JobKind;

/// A job to be done, written in the transaction of its cause.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// What is to be done.
    pub kind: JobKind,
    /// Unique per kind: the same key is done once.
    pub key: String,
    /// What the handler needs.
    pub payload: Value,
    /// Not before this instant of the product's clock.
    pub due_at: Timestamp,
}

/// A job that this process holds for a while.
#[derive(Debug, Clone)]
pub struct ClaimedJob {
    /// What is to be done.
    pub kind: JobKind,
    /// Unique per kind.
    pub key: String,
    /// What the handler needs.
    pub payload: Value,
    /// This run's number, from 1.
    pub attempt: u32,
    /// Since when it was due.
    pub due_at: Timestamp,
    /// The request that caused it, when one did.
    pub request_id: Option<String>,
    pub(crate) generation: i64,
    /// Until when it is held, in real time.
    pub(crate) leased_until: Timestamp,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) enum JobEnd {
    Done,
    /// Ended without having been done, for a reason.
    Dropped(&'static str),
    /// To be run again then, with attempts counted anew.
    Again(Timestamp),
    /// To be run again then, after a failure.
    Retry(Timestamp, String),
    /// Not to be run again without the operator.
    Parked(String),
}

/// A job as the operator sees it.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow, serde::Serialize)]
pub struct JobRow {
    /// Name of the kind.
    pub kind: String,
    /// Key of the job.
    pub key: String,
    /// `waiting`, `done` or `parked`.
    pub state: String,
    /// Runs so far.
    pub attempts: i64,
    /// Since when it is due, or when it will be, in microseconds; 0 is "since the start".
    pub due_at_us: i64,
    /// Until when somebody holds it, in microseconds of real time.
    pub leased_until_us: Option<i64>,
    /// When it was done or parked, in microseconds.
    pub ended_at_us: Option<i64>,
    /// The request that caused it.
    pub request_id: Option<String>,
    /// Why the last run failed, or why it was dropped.
    pub last_error: Option<String>,
    /// What the handler needs, as JSON.
    pub payload: String,
}

/// Which jobs the operator asks for.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Of this kind alone.
    pub kind: Option<JobKind>,
    /// In this state alone; without it, all that are not done.
    pub state: Option<&'static str>,
    /// Due before this instant alone.
    pub due_before_us: Option<i64>,
}

/// How many jobs of a kind wait or are parked, and since when the oldest is due.
#[derive(Debug, Clone, PartialEq, Eq, sqlx::FromRow)]
pub struct JobCount {
    /// Name of the kind.
    pub kind: String,
    /// `waiting` or `parked`.
    pub state: String,
    /// How many.
    pub jobs: i64,
    /// The oldest due instant in microseconds.
    pub oldest_due_at_us: i64,
}

/// Enqueues a job, once per kind and key; answers whether it is new.
pub async fn job_enqueue_in_tx(tx: &mut Tx, job: NewJob) -> Result<bool, StoreError> {
    tx.enqueued = true;
    let request_id = tx.request_id.clone();
    let rows = tx!(tx, c => sqlx::query(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5) ON CONFLICT (kind, key) DO NOTHING")
        .bind(job.kind.name()).bind(job.key).bind(job.payload.to_string()).bind(job.due_at.as_micros())
        .bind(request_id)
        .execute(c).await.map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Enqueues a job, or puts the one of this kind and key back to waiting with this payload and due instant.
pub async fn job_schedule_in_tx(tx: &mut Tx, job: NewJob) -> Result<(), StoreError> {
    tx.enqueued = true;
    let request_id = tx.request_id.clone();
    tx!(tx, c => sqlx::query(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5)
         ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, state = 'waiting',
           due_at_us = excluded.due_at_us, attempts = 0, generation = jobs.generation + 1,
           last_error = NULL, ended_at_us = NULL, request_id = excluded.request_id")
        .bind(job.kind.name()).bind(job.key).bind(job.payload.to_string()).bind(job.due_at.as_micros())
        .bind(request_id)
        .execute(c).await.map(drop))
}

/// Takes a waiting job out of the queue; answers whether there was one.
pub async fn job_cancel_in_tx(tx: &mut Tx, kind: JobKind, key: &str) -> Result<bool, StoreError> {
    let rows = tx!(tx, c => sqlx::query("DELETE FROM jobs WHERE kind = $1 AND key = $2 AND state = 'waiting'")
        .bind(kind.name()).bind(key).execute(c).await.map(|done| done.rows_affected()))?;
    Ok(rows == 1)
}

/// Enqueues a job whose cause is still there: one that was parked meanwhile gets new attempts.
pub async fn job_insist_in_tx(tx: &mut Tx, job: NewJob) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query(
        "UPDATE jobs SET state = 'waiting', due_at_us = $3, attempts = 0, ended_at_us = NULL,
           generation = generation + 1 WHERE kind = $1 AND key = $2 AND state = 'parked'")
        .bind(job.kind.name()).bind(&job.key).bind(job.due_at.as_micros()).execute(c).await.map(drop))?;
    job_enqueue_in_tx(tx, job).await.map(drop)
}

/// Replaces what the handler of a job needs.
pub async fn job_payload_in_tx(
    tx: &mut Tx,
    kind: JobKind,
    key: &str,
    payload: &Value,
) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query("UPDATE jobs SET payload = $3 WHERE kind = $1 AND key = $2")
        .bind(kind.name()).bind(key).bind(payload.to_string()).execute(c).await.map(drop))
}

/// Empties the payload of a job that held something personal and has done its work.
pub async fn job_forget_in_tx(tx: &mut Tx, kind: JobKind, key: &str) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query("UPDATE jobs SET payload = '{}' WHERE kind = $1 AND key = $2")
        .bind(kind.name()).bind(key).execute(c).await.map(drop))
}

/// Removes the jobs of a kind that are about an account. It reads every job: for the rare end of an account.
pub async fn jobs_of_uid_delete_in_tx(tx: &mut Tx, kind: JobKind, uid: &str) -> Result<(), StoreError> {
    tx!(tx, c => sqlx::query("DELETE FROM jobs WHERE kind = $1 AND payload LIKE $2 ESCAPE '!'")
        .bind(kind.name()).bind(about(uid)).execute(c).await.map(drop))
}

/// The pattern of a payload that names an account.
pub(super) fn about(uid: &str) -> String {
    let quoted = serde_json::json!(uid).to_string();
    format!("%\"uid\":{}%", quoted.replace('!', "!!").replace('%', "!%").replace('_', "!_"))
}

/// Removes jobs that ended before an instant (design section 7, retention).
pub async fn jobs_purge_in_tx(tx: &mut Tx, ended_before: Timestamp) -> Result<u64, StoreError> {
    tx!(tx, c => sqlx::query("DELETE FROM jobs WHERE state = 'done' AND ended_at_us < $1")
        .bind(ended_before.as_micros()).execute(c).await.map(|done| done.rows_affected()))
}

#[derive(sqlx::FromRow)]
struct ClaimedRow {
    kind: String,
    key: String,
    payload: String,
    attempts: i64,
    generation: i64,
    due_at_us: i64,
    request_id: Option<String>,
    leased_until_us: i64,
}

impl TryFrom<ClaimedRow> for ClaimedJob {
    type Error = StoreError;

    fn try_from(row: ClaimedRow) -> Result<Self, Self::Error> {
        let at = |column| StoreError::Inconsistent { table: "jobs", column, row: row.key.clone() };
        Ok(Self {
            kind: JobKind::parse(&row.kind).ok_or_else(|| at("kind"))?,
            payload: serde_json::from_str(&row.payload).map_err(|_| at("payload"))?,
            attempt: u32::try_from(row.attempts).map_err(|_| at("attempts"))?,
            due_at: Timestamp::from_micros(row.due_at_us),
            generation: row.generation,
            request_id: row.request_id,
            leased_until: Timestamp::from_micros(row.leased_until_us),
            key: row.key,
        })
    }
}

/// The claim differs by one clause: SQLite has one writer, PostgreSQL steps around rows that others hold.
macro_rules! claim {
    ($kinds:expr, $lock:literal) => {
        format!(
            concat!(
                "WITH due AS MATERIALIZED (SELECT kind AS due_kind, key AS due_key FROM jobs
                   WHERE state = 'waiting' AND due_at_us <= $2 AND {kinds}
                     AND (leased_until_us IS NULL OR leased_until_us < $3)
                   ORDER BY due_at_us LIMIT $4",
                $lock,
                ")
                 UPDATE jobs SET leased_until_us = $1, attempts = attempts + 1
                 FROM due WHERE kind = due_kind AND key = due_key
                 RETURNING kind, key, payload, attempts, generation, due_at_us, leased_until_us, request_id"
            ),
            kinds = $kinds
        )
    };
}

/// The kinds that a process handles, as a condition of SQL; the names are constants of [`JobKind`].
///
/// It compares an expression, so that no database looks jobs up by their kind, which finds those that are done too:
/// the few that wait are found by `jobs_waiting`.
#[derive(Debug, Clone)]
pub(crate) struct Kinds(String);

impl Kinds {
    pub(crate) fn new(kinds: impl Iterator<Item = JobKind>) -> Self {
        let names: Vec<_> = kinds.map(|kind| format!("'{}'", kind.name())).collect();
        let names = if names.is_empty() { "''".to_owned() } else { names.join(", ") };
        Self(format!("kind || '' IN ({names})"))
    }
}

impl Store {
    /// Takes jobs that are due, for as long as the lease.
    pub(crate) async fn jobs_claim(
        &self,
        kinds: &Kinds,
        due_by: Timestamp,
        real_now: Timestamp,
        lease_until: Timestamp,
        limit: usize,
    ) -> Result<Vec<ClaimedJob>, StoreError> {
        let statement = match self.db() {
            Db::Sqlite { .. } => claim!(kinds.0, ""),
            Db::Pg(_) => claim!(kinds.0, " FOR UPDATE SKIP LOCKED"),
        };
        let rows: Vec<ClaimedRow> = self
            .write(move |tx| {
                let statement = statement.clone();
                Box::pin(async move {
                    tx!(tx, c => sqlx::query_as(AssertSqlSafe(statement))
                        .bind(lease_until.as_micros()).bind(due_by.as_micros()).bind(real_now.as_micros())
                        .bind(limit as i64).fetch_all(c).await)
                })
            })
            .await
            .map_err(|error: StoreError| error)?;
        rows.into_iter().map(ClaimedJob::try_from).collect()
    }

    /// Holds a job for longer; answers whether it was still held.
    pub(crate) async fn job_renew(&self, job: &ClaimedJob, until: Timestamp) -> Result<bool, StoreError> {
        let job = job.clone();
        self.write(move |tx| {
            let job = job.clone();
            Box::pin(async move {
                tx!(tx, c => sqlx::query(
                    "UPDATE jobs SET leased_until_us = $1 WHERE kind = $2 AND key = $3 AND leased_until_us = $4")
                    .bind(until.as_micros()).bind(job.kind.name()).bind(job.key)
                    .bind(job.leased_until.as_micros())
                    .execute(c).await.map(|done| done.rows_affected() == 1))
            })
        })
        .await
    }

    /// Ends a run that still holds its job; one that was scheduled anew meanwhile only loses its lease.
    pub(crate) async fn job_end(
        &self,
        job: &ClaimedJob,
        end: JobEnd,
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let (state, due_at, attempts, error) = match end {
            JobEnd::Done => ("done", job.due_at, job.attempt, None),
            JobEnd::Dropped(why) => ("done", job.due_at, job.attempt, Some(format!("dropped: {why}"))),
            JobEnd::Again(due_at) => ("waiting", due_at, 0, None),
            JobEnd::Retry(due_at, error) => ("waiting", due_at, job.attempt, Some(error)),
            JobEnd::Parked(error) => ("parked", job.due_at, job.attempt, Some(error)),
        };
        let ended_at = (state != "waiting").then_some(now.as_micros());
        let job = job.clone();
        self.write(move |tx| {
            let (job, error) = (job.clone(), error.clone());
            Box::pin(async move {
                tx!(tx, c => sqlx::query(
                    "UPDATE jobs SET leased_until_us = NULL,
                       state = CASE WHEN generation = $1 THEN $2 ELSE state END,
                       due_at_us = CASE WHEN generation = $1 THEN $3 ELSE due_at_us END,
                       attempts = CASE WHEN generation = $1 THEN $4 ELSE attempts END,
                       last_error = CASE WHEN generation = $1 THEN $5 ELSE last_error END,
                       ended_at_us = CASE WHEN generation = $1 THEN $6 ELSE ended_at_us END
                     WHERE kind = $7 AND key = $8 AND leased_until_us = $9")
                    .bind(job.generation).bind(state).bind(due_at.as_micros()).bind(i64::from(attempts))
                    .bind(error).bind(ended_at).bind(job.kind.name()).bind(job.key)
                    .bind(job.leased_until.as_micros())
                    .execute(c).await.map(drop))
            })
        })
        .await
    }

    /// Frees every lease: an embedded database has one process, so at its start nobody holds a job.
    pub(crate) async fn jobs_release_embedded(&self) -> Result<(), StoreError> {
        if matches!(self.db(), Db::Pg(_)) {
            return Ok(());
        }
        self.write(|tx| {
            Box::pin(async move {
                tx!(tx, c => sqlx::query("UPDATE jobs SET leased_until_us = NULL WHERE leased_until_us IS NOT NULL")
                    .execute(c).await.map(drop))
            })
        })
        .await
    }

    /// The earliest due instant of what nobody holds.
    pub(crate) async fn job_next_due(
        &self,
        kinds: &Kinds,
        real_now: Timestamp,
    ) -> Result<Option<Timestamp>, StoreError> {
        let statement = format!(
            "SELECT MIN(due_at_us) FROM jobs WHERE state = 'waiting' AND {}
               AND (leased_until_us IS NULL OR leased_until_us < $1)",
            kinds.0
        );
        let due: Option<i64> = ro!(self, c => sqlx::query_scalar(AssertSqlSafe(statement))
            .bind(real_now.as_micros()).fetch_one(c).await)?;
        Ok(due.map(Timestamp::from_micros))
    }

    /// How many jobs are due, those that somebody is running included.
    pub(crate) async fn jobs_due(&self, kinds: &Kinds, now: Timestamp) -> Result<i64, StoreError> {
        let statement =
            format!("SELECT COUNT(*) FROM jobs WHERE state = 'waiting' AND due_at_us <= $1 AND {}", kinds.0);
        ro!(self, c => sqlx::query_scalar(AssertSqlSafe(statement)).bind(now.as_micros()).fetch_one(c).await)
    }

    /// How many jobs wait or are parked, per kind; the expression keeps the databases from walking all that are done.
    pub async fn jobs_count(&self) -> Result<Vec<JobCount>, StoreError> {
        ro!(self, c => sqlx::query_as(
            "SELECT kind || '' AS kind, 'waiting' AS state, COUNT(*) AS jobs, MIN(due_at_us) AS oldest_due_at_us
             FROM jobs WHERE state = 'waiting' GROUP BY 1
             UNION ALL
             SELECT kind || '', 'parked', COUNT(*), MIN(due_at_us) FROM jobs WHERE state = 'parked' GROUP BY 1
             ORDER BY 1, 2").fetch_all(c).await)
    }

    /// Jobs for the operator: parked ones first, then by due instant; at most `limit`.
    pub async fn jobs_list(&self, filter: &JobFilter, limit: i64) -> Result<Vec<JobRow>, StoreError> {
        let kind = filter.kind.map_or("", JobKind::name);
        let state = filter.state.unwrap_or_default();
        ro!(self, c => sqlx::query_as(
            "SELECT kind, key, state, attempts, due_at_us, leased_until_us, ended_at_us, request_id, last_error, payload
             FROM jobs WHERE ($1 = '' OR kind = $1) AND (state = $2 OR ($2 = '' AND state <> 'done')) AND due_at_us <= $3
             ORDER BY CASE state WHEN 'parked' THEN 0 ELSE 1 END, due_at_us, kind, key LIMIT $4")
            .bind(kind).bind(state).bind(filter.due_before_us.unwrap_or(i64::MAX)).bind(limit).fetch_all(c).await)
    }

    /// Jobs of a kind that are about an account, done ones as long as they are kept, by their due instant. It reads every job of the kind.
    pub async fn jobs_of_uid(&self, kind: JobKind, uid: &str) -> Result<Vec<JobRow>, StoreError> {
        ro!(self, c => sqlx::query_as(
            "SELECT kind, key, state, attempts, due_at_us, leased_until_us, ended_at_us, request_id, last_error, payload
             FROM jobs WHERE kind = $1 AND payload LIKE $2 ESCAPE '!' ORDER BY due_at_us, key")
            .bind(kind.name()).bind(about(uid)).fetch_all(c).await)
    }

    /// One job, in whatever state.
    pub async fn job_by_key(&self, kind: JobKind, key: &str) -> Result<Option<JobRow>, StoreError> {
        ro!(self, c => sqlx::query_as(
            "SELECT kind, key, state, attempts, due_at_us, leased_until_us, ended_at_us, request_id, last_error, payload
             FROM jobs WHERE kind = $1 AND key = $2").bind(kind.name()).bind(key).fetch_optional(c).await)
    }

    /// Closes parked jobs of a kind, one or all, without their having been done; answers how many there were.
    pub async fn jobs_discard(
        &self,
        kind: JobKind,
        key: Option<&str>,
        now: Timestamp,
    ) -> Result<u64, StoreError> {
        let key = key.map(str::to_owned);
        self.write(move |tx| {
            let key = key.clone();
            Box::pin(async move {
                tx!(tx, c => sqlx::query(
                    "UPDATE jobs SET state = 'done', ended_at_us = $3
                     WHERE kind = $1 AND state = 'parked' AND ($2 IS NULL OR key = $2)")
                    .bind(kind.name()).bind(key).bind(now.as_micros())
                    .execute(c).await.map(|done| done.rows_affected()))
            })
        })
        .await
    }

    /// Puts parked jobs of a kind back to waiting, one or all; answers how many there were. Each stays due since it was,
    /// so that the command need not know the product's time.
    pub async fn jobs_replay(&self, kind: JobKind, key: Option<&str>) -> Result<u64, StoreError> {
        let key = key.map(str::to_owned);
        self.write(move |tx| {
            let key = key.clone();
            Box::pin(async move {
                tx.enqueued = true;
                tx!(tx, c => sqlx::query(
                    "UPDATE jobs SET state = 'waiting', attempts = 0, ended_at_us = NULL, generation = generation + 1
                     WHERE kind = $1 AND state = 'parked' AND ($2 IS NULL OR key = $2)")
                    .bind(kind.name()).bind(key).execute(c).await.map(|done| done.rows_affected()))
            })
        })
        .await
    }
}
