//! The table of durable jobs.
//!
//! A job is known by its kind and key. `due_at_us` is the product's time; leases are real time,
//! since the product's clock may jump over weeks. `generation` counts schedulings, so that a worker
//! which ends an older one does not end the newer. The end of a lease, to the microsecond, is also
//! its name: a worker that stood still until another took its job over can neither renew nor end
//! it.

pub(crate) mod claims;
pub mod kind;

pub use claims::ClaimedJob;
use garimpo_domain::Timestamp;
use serde::Serialize;
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Tx, purge, text, tx};
use crate::store::jobs::kind::{JobKind, Priority};

/// Progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum JobState {
    /// It is to be run.
    Waiting,
    /// It was run, dropped, or closed by the operator.
    Done,
    /// The operator decides what becomes of it.
    Parked,
}

text!(JobState);

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

impl NewJob {
    /// A job whose payload is a value of the handler's own type.
    pub fn new(kind: JobKind, key: impl Into<String>, payload: impl Serialize, due_at: Timestamp) -> Self {
        Self { kind, key: key.into(), payload: json!(payload), due_at }
    }

    /// The account that the job is about. It is stored in a column of its own, so that nothing
    /// searches payloads.
    fn uid(&self) -> Option<&str> {
        self.payload["uid"].as_str()
    }
}

/// Enqueues a job, once per kind and key; answers whether it is new.
pub async fn enqueue_if_absent(tx: &mut Tx, job: NewJob) -> Result<bool> {
    let priority = job.kind.priority();
    insert(tx, &job, priority).await
}

async fn insert(tx: &mut Tx, job: &NewJob, priority: Priority) -> Result<bool> {
    tx.enqueued = true;
    let (request_id, traceparent) = (tx.request_id.clone(), tx.traceparent.clone());
    tx!(tx, c => sqlx::query(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id, uid, priority, traceparent)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5, $6, $7, $8) ON CONFLICT (kind, key) DO NOTHING")
        .bind(job.kind.name()).bind(&job.key).bind(job.payload.to_string()).bind(job.due_at)
        .bind(request_id).bind(job.uid()).bind(priority.rank()).bind(traceparent)
        .execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Enqueues a job, or puts the one of this kind and key back to waiting with this payload and due
/// instant.
pub async fn reschedule(tx: &mut Tx, job: NewJob) -> Result<()> {
    tx.enqueued = true;
    let (request_id, traceparent) = (tx.request_id.clone(), tx.traceparent.clone());
    tx!(tx, c => sqlx::query(
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id, uid, priority, traceparent)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5, $6, $7, $8)
         ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, state = 'waiting',
           due_at_us = excluded.due_at_us, attempts = 0, generation = jobs.generation + 1,
           last_error = NULL, ended_at_us = NULL, request_id = excluded.request_id, uid = excluded.uid,
           priority = excluded.priority, traceparent = excluded.traceparent")
        .bind(job.kind.name()).bind(&job.key).bind(job.payload.to_string()).bind(job.due_at)
        .bind(request_id).bind(job.uid()).bind(job.kind.priority().rank()).bind(traceparent)
        .execute(c).await.map(drop))
}

/// Takes a waiting job out of the queue; answers whether there was one.
pub async fn cancel(tx: &mut Tx, kind: JobKind, key: &str) -> Result<bool> {
    tx!(tx, c => sqlx::query("DELETE FROM jobs WHERE kind = $1 AND key = $2 AND state = 'waiting'")
        .bind(kind.name()).bind(key).execute(c).await.map(|done| done.rows_affected() == 1))
}

/// Enqueues a job whose cause is still there: one that was parked meanwhile, or done before the
/// cause came again, runs anew with new attempts.
pub async fn enqueue_or_revive(tx: &mut Tx, job: NewJob) -> Result<()> {
    let priority = job.kind.priority();
    revive_or_insert(tx, &job, priority).await
}

/// The same for one of thousands of accounts: it is claimed after all others of its class. A job
/// that waits already keeps its priority, because somebody caused it.
pub async fn enqueue_sweep(tx: &mut Tx, job: NewJob) -> Result<()> {
    revive_or_insert(tx, &job, Priority::Sweep).await
}

async fn revive_or_insert(tx: &mut Tx, job: &NewJob, priority: Priority) -> Result<()> {
    let traceparent = tx.traceparent.clone();
    tx!(tx, c => sqlx::query(
        "UPDATE jobs SET state = 'waiting', due_at_us = $3, attempts = 0, ended_at_us = NULL,
           generation = generation + 1, priority = $4, traceparent = $5 WHERE kind = $1 AND key = $2 AND state IN ('parked', 'done')")
        .bind(job.kind.name()).bind(&job.key).bind(job.due_at).bind(priority.rank())
        .bind(traceparent).execute(c).await.map(drop))?;
    insert(tx, job, priority).await.map(drop)
}

/// Replaces what the handler of a job needs.
pub async fn set_payload(tx: &mut Tx, kind: JobKind, key: &str, payload: &Value) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE jobs SET payload = $3 WHERE kind = $1 AND key = $2")
        .bind(kind.name()).bind(key).bind(payload.to_string()).execute(c).await.map(drop))
}

/// Empties the payload of a job that held something personal and has done its work.
pub async fn forget_payload(tx: &mut Tx, kind: JobKind, key: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("UPDATE jobs SET payload = '{}' WHERE kind = $1 AND key = $2")
        .bind(kind.name()).bind(key).execute(c).await.map(drop))
}

/// Removes the jobs of a kind that are about an account.
pub async fn delete_of_uid(tx: &mut Tx, kind: JobKind, uid: &str) -> Result<()> {
    tx!(tx, c => sqlx::query("DELETE FROM jobs WHERE kind = $1 AND uid = $2")
        .bind(kind.name()).bind(uid).execute(c).await.map(drop))
}

/// Removes jobs that were done before `$1`; at most `$2`.
pub const PURGE: &str =
    purge!("jobs", "kind, key", "state = 'done' AND ended_at_us < $1 ORDER BY ended_at_us");
