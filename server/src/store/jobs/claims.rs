//! Jobs on a worker's hands: claimed for the time of a lease, renewed, ended.

use garimpo_domain::Timestamp;
use serde_json::Value;
use sqlx::AssertSqlSafe;

use crate::queue::JobKind;
use crate::store::{Db, Store, StoreError, ro, tx};

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
    /// With what is kept in the place of its payload, when it forgets that.
    Done(Option<Value>),
    /// Ended without having been done, for a reason.
    Dropped(&'static str),
    /// To be run again then, with attempts counted anew.
    Again(Timestamp),
    /// To be run again then, after a failure.
    Retry(Timestamp, String),
    /// Not to be run again without the operator.
    Parked(String),
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
        let kept = if let JobEnd::Done(Some(kept)) = &end { Some(kept.to_string()) } else { None };
        let (state, due_at, attempts, error) = match end {
            JobEnd::Done(_) => ("done", job.due_at, job.attempt, None),
            JobEnd::Dropped(why) => ("done", job.due_at, job.attempt, Some(format!("dropped: {why}"))),
            JobEnd::Again(due_at) => ("waiting", due_at, 0, None),
            JobEnd::Retry(due_at, error) => ("waiting", due_at, job.attempt, Some(error)),
            JobEnd::Parked(error) => ("parked", job.due_at, job.attempt, Some(error)),
        };
        let ended_at = (state != "waiting").then_some(now.as_micros());
        let job = job.clone();
        self.write(move |tx| {
            let (job, error, kept) = (job.clone(), error.clone(), kept.clone());
            Box::pin(async move {
                tx!(tx, c => sqlx::query(
                    "UPDATE jobs SET leased_until_us = NULL,
                       payload = CASE WHEN generation = $1 THEN COALESCE($10, payload) ELSE payload END,
                       state = CASE WHEN generation = $1 THEN $2 ELSE state END,
                       due_at_us = CASE WHEN generation = $1 THEN $3 ELSE due_at_us END,
                       attempts = CASE WHEN generation = $1 THEN $4 ELSE attempts END,
                       last_error = CASE WHEN generation = $1 THEN $5 ELSE last_error END,
                       ended_at_us = CASE WHEN generation = $1 THEN $6 ELSE ended_at_us END
                     WHERE kind = $7 AND key = $8 AND leased_until_us = $9")
                    .bind(job.generation).bind(state).bind(due_at.as_micros()).bind(i64::from(attempts))
                    .bind(error).bind(ended_at).bind(job.kind.name()).bind(job.key)
                    .bind(job.leased_until.as_micros()).bind(kept)
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
}
