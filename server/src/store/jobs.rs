//! The table of durable jobs.
//!
//! A kind and a key identify a job. `due_at_us` is the product's time. Leases are real time,
//! because the product's clock may jump by weeks. `generation` counts schedulings, so that a worker
//! that ends an older run does not end the newer one. The end of a lease, to the microsecond,
//! identifies its holder: a worker that was suspended until another one claimed its job can neither
//! renew nor end that job.

pub(crate) mod claims;
pub mod kind;

use std::fmt::Display;

pub use claims::ClaimedJob;
use garimpo_domain::{Timestamp, Uid};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use strum::{EnumString, IntoStaticStr};

use crate::store::engine::{Result, Statement, Tx, purge, text, tx};
use crate::store::jobs::kind::{JobKind, Priority};

/// Progress of a job.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum JobState {
    /// It is to be run.
    Waiting,
    /// It was run, dropped, or discarded by the operator.
    Done,
    /// It waits for the operator's decision.
    Parked,
}

text!(JobState);

/// Payload of a job about an account; other payloads about one have this field too.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct AccountPayload {
    pub uid: Uid,
}

/// A job to enqueue, in the transaction of its cause.
#[derive(Debug, Clone)]
pub struct NewJob {
    pub kind: JobKind,
    /// Unique per kind: a second job with the same key is not enqueued.
    pub key: String,
    /// Input of the handler.
    pub payload: Value,
    /// Earliest instant of the run, of the product's clock.
    pub due_at: Timestamp,
}

impl NewJob {
    /// A job whose payload is a value of the handler's own type.
    pub fn new(kind: JobKind, key: impl Display, payload: impl Serialize, due_at: Timestamp) -> Self {
        Self { kind, key: key.to_string(), payload: json!(payload), due_at }
    }

    /// A job whose payload is an account alone.
    pub fn of_account(kind: JobKind, key: impl Display, uid: &Uid, due_at: Timestamp) -> Self {
        Self::new(kind, key, AccountPayload { uid: uid.clone() }, due_at)
    }

    /// The account that the job is about. It is stored in a column of its own, so that nothing
    /// searches payloads.
    fn uid(&self) -> Option<Uid> {
        AccountPayload::deserialize(&self.payload).ok().map(|payload| payload.uid)
    }
}

/// Enqueues a job, once per kind and key. Returns whether it is new.
pub async fn enqueue_if_absent(tx: &mut Tx, job: NewJob) -> Result<bool> {
    insert(tx, &job, job.kind.priority()).await
}

async fn insert(tx: &mut Tx, job: &NewJob, priority: Priority) -> Result<bool> {
    tx.enqueued = true;
    tx!(tx, changed
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id, uid, priority, traceparent)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5, $6, $7, $8) ON CONFLICT (kind, key) DO NOTHING",
        job.kind.name(), &job.key, job.payload.to_string(), job.due_at, &tx.cause.request_id, job.uid(),
        priority.rank(), &tx.cause.traceparent)
}

/// Enqueues a job, or sets the existing one back to waiting with this payload and due instant.
pub async fn reschedule(tx: &mut Tx, job: NewJob) -> Result<()> {
    tx.enqueued = true;
    tx!(tx, execute
        "INSERT INTO jobs (kind, key, payload, state, due_at_us, attempts, generation, request_id, uid, priority, traceparent)
         VALUES ($1, $2, $3, 'waiting', $4, 0, 1, $5, $6, $7, $8)
         ON CONFLICT (kind, key) DO UPDATE SET payload = excluded.payload, state = 'waiting',
           due_at_us = excluded.due_at_us, attempts = 0, generation = jobs.generation + 1,
           last_error = NULL, ended_at_us = NULL, request_id = excluded.request_id, uid = excluded.uid,
           priority = excluded.priority, traceparent = excluded.traceparent",
        job.kind.name(), &job.key, job.payload.to_string(), job.due_at, &tx.cause.request_id, job.uid(),
        job.kind.priority().rank(), &tx.cause.traceparent)
}

/// Deletes a waiting job. Returns whether there was one.
pub async fn cancel(tx: &mut Tx, kind: JobKind, key: &str) -> Result<bool> {
    tx!(tx, changed "DELETE FROM jobs WHERE kind = $1 AND key = $2 AND state = 'waiting'", kind.name(), key)
}

/// Enqueues a job whose cause still exists. A parked or done job of the same key runs again with
/// its attempts counted anew.
pub async fn enqueue_or_revive(tx: &mut Tx, job: NewJob) -> Result<()> {
    revive_or_insert(tx, &job, job.kind.priority()).await
}

/// Like `enqueue_or_revive`, for one of thousands of accounts: the job is claimed after all others
/// of its class. A waiting job keeps its priority, because a person caused it.
pub async fn enqueue_sweep(tx: &mut Tx, job: NewJob) -> Result<()> {
    revive_or_insert(tx, &job, Priority::Sweep).await
}

async fn revive_or_insert(tx: &mut Tx, job: &NewJob, priority: Priority) -> Result<()> {
    tx!(tx, execute "UPDATE jobs SET state = 'waiting', due_at_us = $3, attempts = 0, ended_at_us = NULL,
           generation = generation + 1, priority = $4, traceparent = $5 WHERE kind = $1 AND key = $2 AND state IN ('parked', 'done')",
        job.kind.name(), &job.key, job.due_at, priority.rank(), &tx.cause.traceparent)?;
    insert(tx, job, priority).await.map(drop)
}

/// Replaces the payload of a job.
pub async fn set_payload(tx: &mut Tx, kind: JobKind, key: &str, payload: &Value) -> Result<()> {
    tx!(tx, execute "UPDATE jobs SET payload = $3 WHERE kind = $1 AND key = $2",
        kind.name(), key, payload.to_string())
}

/// Deletes the payload of a completed job, because it was personal data.
pub async fn forget_payload(tx: &mut Tx, kind: JobKind, key: &str) -> Result<()> {
    tx!(tx, execute "UPDATE jobs SET payload = '{}' WHERE kind = $1 AND key = $2", kind.name(), key)
}

/// Deletes the jobs of a kind about an account.
pub async fn delete_of_uid(tx: &mut Tx, kind: JobKind, uid: &Uid) -> Result<()> {
    tx!(tx, execute "DELETE FROM jobs WHERE kind = $1 AND uid = $2", kind.name(), uid)
}

/// Removes jobs that were done before `$1`; at most `$2`.
pub const PURGE: Statement =
    purge!("jobs", "kind, key", "state = 'done' AND ended_at_us < $1 ORDER BY ended_at_us");
