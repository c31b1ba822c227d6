//! Jobs that a worker has claimed for a lease: claiming, renewing and ending them.

use garimpo_domain::Timestamp;
use serde_json::Value;

use crate::store::engine::{Db, Result, Store, Tx, ro, transaction, tx};
use crate::store::jobs::kind::{JobClass, JobKind, Priority};

/// A job that this process has claimed.
#[derive(Debug, Clone)]
pub struct ClaimedJob {
    pub kind: JobKind,
    /// Unique per kind.
    pub key: String,
    /// Input of the handler.
    pub payload: Value,
    /// Number of this run, from 1.
    pub attempt: u32,
    /// When it became due.
    pub due_at: Timestamp,
    /// The request that caused it, if any.
    pub request_id: Option<String>,
    /// The span that caused it, if its trace is recorded.
    pub(crate) traceparent: Option<String>,
    pub(crate) generation: i64,
    /// End of the lease, in real time.
    pub(crate) leased_until: Timestamp,
}

impl ClaimedJob {
    /// Whether a failure of this run is not retried.
    pub fn is_last_attempt(&self) -> bool {
        self.attempt >= self.kind.max_attempts()
    }
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) enum JobEnd {
    /// Done. A payload replaces the job's, if given.
    Done(Option<Value>),
    /// Ended without being done, for this reason.
    Dropped(&'static str),
    /// To run again at this instant, with attempts counted anew.
    Again(Timestamp),
    /// To run again at this instant, after this failure.
    Retry(Timestamp, String),
    /// Not to run again until the operator decides, for this reason.
    Parked(String),
}

/// The result of a claim.
#[derive(Debug, Default)]
pub(crate) struct Claim {
    /// Jobs to run.
    pub(crate) jobs: Vec<ClaimedJob>,
    /// Jobs that the claim parked, because their rows cannot be read.
    pub(crate) unreadable: Vec<UnreadableJob>,
}

/// A job that was parked because this program cannot read its row.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct UnreadableJob {
    /// Name of the kind, as stored.
    pub(crate) kind: String,
    /// Unique per kind.
    pub(crate) key: String,
    /// Column that cannot be read.
    pub(crate) column: JobColumn,
}

/// A column of a job whose value this program may be unable to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr, strum::VariantArray)]
#[strum(serialize_all = "snake_case")]
pub(crate) enum JobColumn {
    Kind,
    Payload,
    Attempts,
}

garimpo_domain::named!(JobColumn, all);

#[derive(sqlx::FromRow)]
struct ClaimedRow {
    kind: String,
    key: String,
    payload: String,
    attempts: i64,
    generation: i64,
    due_at_us: Timestamp,
    request_id: Option<String>,
    traceparent: Option<String>,
    leased_until_us: Timestamp,
}

impl ClaimedRow {
    fn read(self) -> Result<ClaimedJob, UnreadableJob> {
        let unreadable = |column| UnreadableJob { kind: self.kind.clone(), key: self.key.clone(), column };
        Ok(ClaimedJob {
            kind: JobKind::parse(&self.kind).ok_or_else(|| unreadable(JobColumn::Kind))?,
            payload: serde_json::from_str(&self.payload).map_err(|_| unreadable(JobColumn::Payload))?,
            attempt: u32::try_from(self.attempts).map_err(|_| unreadable(JobColumn::Attempts))?,
            due_at: self.due_at_us,
            generation: self.generation,
            request_id: self.request_id,
            traceparent: self.traceparent,
            leased_until: self.leased_until_us,
            key: self.key,
        })
    }
}

/// SQL condition for the kinds that a process handles. The names are constants of [`JobKind`].
///
/// It compares an expression, so that no database uses the index of kinds, which would also read
/// completed jobs. `jobs_waiting` finds the few that wait.
#[derive(Debug, Clone)]
pub(crate) struct Kinds(String);

impl Kinds {
    pub(crate) fn new(kinds: impl Iterator<Item = JobKind>) -> Self {
        let names: Vec<_> = kinds.map(|kind| format!("'{}'", kind.name())).collect();
        let names = if names.is_empty() { "''".to_owned() } else { names.join(", ") };
        Self(format!("kind || '' IN ({names})"))
    }

    /// The statement of [`next_due_of`].
    pub(crate) fn select_next_due(&self) -> String {
        let free = format!(
            "FROM jobs WHERE state = 'waiting' AND {}
               AND (leased_until_us IS NULL OR leased_until_us < $1)",
            self.0
        );
        format!("SELECT MIN(due_at_us) FROM ({}) AS due", earliest(&free))
    }

    /// The statement of [`is_due`].
    pub(crate) fn count_due(&self) -> String {
        format!(
            "SELECT COUNT(*) FROM (SELECT 1 FROM jobs WHERE state = 'waiting' AND due_at_us <= $1 AND {} LIMIT 1) AS due",
            self.0
        )
    }
}

/// Priority of a row that was inserted without one: the column's default.
const UNRANKED: i64 = 0;

/// The jobs of one class that a process handles.
///
/// Each priority is queried separately, because in `jobs_claim` the due instant follows the
/// priority: one query over all priorities would read every job with a later due instant.
#[derive(Debug, Clone)]
pub(crate) struct Claimable {
    kinds: Kinds,
    ranks: Vec<i64>,
}

impl Claimable {
    /// The given kinds that belong to the class.
    pub(crate) fn of(class: JobClass, kinds: impl Iterator<Item = JobKind>) -> Self {
        let kinds = Kinds::new(kinds.filter(|kind| kind.class() == class));
        let ranks = std::iter::once(UNRANKED).chain(class.priorities().map(Priority::rank)).collect();
        Self { kinds, ranks }
    }

    /// A query that unites the subqueries of all priorities.
    fn union(&self, of_rank: impl Fn(i64) -> String) -> String {
        self.ranks.iter().map(|rank| of_rank(*rank)).collect::<Vec<_>>().join(" UNION ALL ")
    }

    /// Waiting jobs without a valid lease at the instant of a placeholder such as `$1`.
    fn free(&self, rank: i64, real_now: &str) -> String {
        let kinds = &self.kinds.0;
        format!(
            "FROM jobs WHERE state = 'waiting' AND priority = {rank} AND {kinds}
               AND (leased_until_us IS NULL OR leased_until_us < {real_now})"
        )
    }

    /// The claiming statement. `lock` is the only clause in which the databases differ.
    pub(crate) fn claim(&self, lock: &str) -> String {
        let due = self.union(|rank| {
            let free = self.free(rank, "$3");
            format!(
                "SELECT * FROM (SELECT kind, key, priority, due_at_us {free} AND due_at_us <= $2
                   ORDER BY due_at_us LIMIT $4 {lock}) AS of_{rank}"
            )
        });
        format!(
            "WITH due AS MATERIALIZED (SELECT kind AS due_kind, key AS due_key FROM ({due}) AS ranked
               ORDER BY priority, due_at_us LIMIT $4)
             UPDATE jobs SET leased_until_us = $1, attempts = attempts + 1
             FROM due WHERE kind = due_kind AND key = due_key
             RETURNING kind, key, payload, attempts, generation, due_at_us, leased_until_us, request_id,
               traceparent"
        )
    }

    /// The earliest due instant of each priority.
    fn earliest(&self) -> String {
        self.union(|rank| {
            let earliest = earliest(&self.free(rank, "$1"));
            format!("SELECT * FROM ({earliest}) AS of_{rank}")
        })
    }
}

/// The earliest due instant of jobs. Not `MIN`, for which PostgreSQL reads all of them if its
/// statistics are old, and each account has a job that waits.
fn earliest(jobs: &str) -> String {
    format!("SELECT due_at_us {jobs} ORDER BY due_at_us LIMIT 1")
}

/// The statement of [`next_dues`] for these classes.
pub(crate) fn next_dues_of<'c>(classes: impl Iterator<Item = &'c Claimable>) -> String {
    let of_class = |(nth, class): (usize, &Claimable)| {
        format!("SELECT CAST({nth} AS BIGINT), MIN(due_at_us) FROM ({}) AS class_{nth}", class.earliest())
    };
    classes.enumerate().map(of_class).collect::<Vec<_>>().join(" UNION ALL ") + " ORDER BY 1"
}

/// Clause for PostgreSQL, which skips rows that others have locked. SQLite has one writer.
pub(crate) const SKIP_LOCKED: &str = "FOR UPDATE SKIP LOCKED";

/// Claims due jobs for the length of the lease. A row that cannot be read is parked in the same
/// transaction, so that it does not delay the others.
pub(crate) async fn claim(
    store: &Store,
    claimable: &Claimable,
    due_by: Timestamp,
    real_now: Timestamp,
    lease_until: Timestamp,
    limit: usize,
) -> Result<Claim> {
    let statement = match store.db() {
        Db::Sqlite { .. } => claimable.claim(""),
        Db::Pg(_) => claimable.claim(SKIP_LOCKED),
    };
    transaction!(store, (statement), |tx| {
        let rows: Vec<ClaimedRow> = tx!(tx, rows built statement.as_str(),
            lease_until, due_by, real_now, limit as i64)?;
        let mut claim = Claim::default();
        for row in rows {
            match row.read() {
                Ok(job) => claim.jobs.push(job),
                Err(job) => {
                    park_unreadable(tx, &job, due_by).await?;
                    claim.unreadable.push(job);
                }
            }
        }
        Ok(claim)
    })
}

/// Extends the lease of a job. Returns whether it was still valid.
pub(crate) async fn renew(store: &Store, job: &ClaimedJob, until: Timestamp) -> Result<bool> {
    transaction!(store, (job = job.clone()), |tx| tx!(tx, changed
        "UPDATE jobs SET leased_until_us = $1 WHERE kind = $2 AND key = $3 AND leased_until_us = $4",
        until, job.kind.name(), &job.key, job.leased_until))
}

/// Ends a run if its lease is valid, and returns whether it was. A job that was rescheduled
/// meanwhile only loses its lease.
pub(crate) async fn end(store: &Store, job: &ClaimedJob, end: JobEnd, now: Timestamp) -> Result<bool> {
    let kept = if let JobEnd::Done(Some(kept)) = &end { Some(kept.to_string()) } else { None };
    let (state, due_at, attempts, error) = match end {
        JobEnd::Done(_) => ("done", job.due_at, job.attempt, None),
        JobEnd::Dropped(why) => ("done", job.due_at, job.attempt, Some(format!("dropped: {why}"))),
        JobEnd::Again(due_at) => ("waiting", due_at, 0, None),
        JobEnd::Retry(due_at, error) => ("waiting", due_at, job.attempt, Some(error)),
        JobEnd::Parked(error) => ("parked", job.due_at, job.attempt, Some(error)),
    };
    let ended_at = (state != "waiting").then_some(now);
    // A job that repeats for ever would otherwise make its first trace endless.
    let keeps_trace = attempts > 0;
    transaction!(
        store,
        (job = job.clone(), error, kept),
        |tx| tx!(tx, changed "UPDATE jobs SET leased_until_us = NULL,
           payload = CASE WHEN generation = $1 THEN COALESCE($10, payload) ELSE payload END,
           state = CASE WHEN generation = $1 THEN $2 ELSE state END,
           due_at_us = CASE WHEN generation = $1 THEN $3 ELSE due_at_us END,
           attempts = CASE WHEN generation = $1 THEN $4 ELSE attempts END,
           traceparent = CASE WHEN generation = $1 AND NOT $11 THEN NULL ELSE traceparent END,
           last_error = CASE WHEN generation = $1 THEN $5 ELSE last_error END,
           ended_at_us = CASE WHEN generation = $1 THEN $6 ELSE ended_at_us END
         WHERE kind = $7 AND key = $8 AND leased_until_us = $9",
        job.generation, state, due_at, i64::from(attempts), error, ended_at, job.kind.name(), &job.key,
        job.leased_until, kept, keeps_trace)
    )
}

/// Releases all leases. An embedded database has one process, so at its start no worker holds a
/// job.
pub(crate) async fn release_embedded(store: &Store) -> Result<()> {
    if matches!(store.db(), Db::Pg(_)) {
        return Ok(());
    }
    transaction!(
        store,
        |tx| tx!(tx, execute "UPDATE jobs SET leased_until_us = NULL WHERE leased_until_us IS NOT NULL")
    )
}

/// The earliest due instant of each class's jobs without a valid lease, in one statement, because a
/// queue asks after each run.
pub(crate) async fn next_dues(
    store: &Store,
    statement: &str,
    real_now: Timestamp,
) -> Result<Vec<Option<Timestamp>>> {
    let dues: Vec<(i64, Option<Timestamp>)> = ro!(store, rows built statement, real_now)?;
    Ok(dues.into_iter().map(|(_, due)| due).collect())
}

/// The earliest due instant of these kinds' jobs without a valid lease.
pub(crate) async fn next_due_of(
    store: &Store,
    kinds: &Kinds,
    real_now: Timestamp,
) -> Result<Option<Timestamp>> {
    let statement = kinds.select_next_due();
    ro!(store, value built statement.as_str(), real_now)
}

/// Whether a job is due, including jobs that are running.
pub(crate) async fn is_due(store: &Store, kinds: &Kinds, now: Timestamp) -> Result<bool> {
    let statement = kinds.count_due();
    ro!(store, exists built statement.as_str(), now)
}

/// Parks jobs of unknown kinds that were due before an instant and have no valid lease, at most
/// 1,000.
pub(crate) async fn park_unknown(
    store: &Store,
    kind: &str,
    due_before: Timestamp,
    now: Timestamp,
    real_now: Timestamp,
) -> Result<Vec<UnreadableJob>> {
    transaction!(store, (kind = kind.to_owned()), |tx| {
        let keys: Vec<String> = tx!(tx, values
            "SELECT key FROM jobs WHERE state = 'waiting' AND kind = $1 AND due_at_us < $2
               AND (leased_until_us IS NULL OR leased_until_us < $3) ORDER BY due_at_us LIMIT 1000",
            kind, due_before, real_now)?;
        let mut parked = Vec::new();
        for key in keys {
            let job = UnreadableJob { kind: kind.clone(), key, column: JobColumn::Kind };
            park_unreadable(tx, &job, now).await?;
            parked.push(job);
        }
        Ok(parked)
    })
}

/// The stored trace of a job.
#[cfg(test)]
pub(crate) async fn traceparent_of(store: &Store, kind: JobKind, key: &str) -> Result<Option<String>> {
    ro!(store, value "SELECT traceparent FROM jobs WHERE kind = $1 AND key = $2", kind.name(), key)
}

async fn park_unreadable(tx: &mut Tx, job: &UnreadableJob, now: Timestamp) -> Result<()> {
    let why = format!("the {} is not readable", job.column.name());
    tx!(tx, execute
        "UPDATE jobs SET state = 'parked', leased_until_us = NULL, last_error = $3, ended_at_us = $4
         WHERE kind = $1 AND key = $2 AND state = 'waiting'", &job.kind, &job.key, why, now)
}
