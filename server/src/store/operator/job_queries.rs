//! Jobs as the operator sees them, and the operator's changes to parked ones.

use garimpo_domain::{Timestamp, Uid};

use crate::store::engine::{Read, Result, Store, ro, row, text_or_empty, transaction, tx};
use crate::store::jobs::JobState;
use crate::store::jobs::kind::JobKind;

row! {
    "jobs" by key, select, printed;

    /// A job as the operator sees it.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobRow {
        /// Name of the kind; text, because a newer version may have stored another kind.
        pub kind: String,
        /// Key of the job.
        pub key: String,
        pub state: JobState,
        /// Number of runs.
        pub attempts: i64,
        /// When it became or becomes due; 0 for jobs that are due at the start.
        pub due_at: Timestamp as due_at_us,
        /// End of the lease, in real time.
        pub leased_until: Option<Timestamp> as leased_until_us,
        /// When it was done or parked.
        pub ended_at: Option<Timestamp> as ended_at_us,
        /// The request that caused it, if any.
        pub request_id: Option<String>,
        /// Why the last run failed, or why it was dropped.
        pub last_error: Option<String>,
        /// Input of the handler, as JSON.
        pub payload: String,
    }
}

impl JobRow {
    /// Whether it was run successfully: neither dropped nor discarded by the operator.
    pub fn was_done(&self) -> bool {
        self.state == JobState::Done && self.last_error.is_none()
    }
}

/// Which jobs to list.
#[derive(Debug, Clone, Default)]
pub struct JobFilter {
    /// Only of this kind.
    pub kind: Option<JobKind>,
    /// Only in this state; if `None`, all that are not done.
    pub state: Option<JobState>,
    /// Only due before this instant.
    pub due_before: Option<Timestamp>,
}

row! {
    "jobs" by kind;

    /// Number of waiting or parked jobs of a kind, and the oldest due instant.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct JobCount {
        pub kind: String,
        /// `Waiting` or `Parked`.
        pub state: JobState,
        /// Number of jobs, at most 1,000.
        pub jobs: i64,
        pub oldest_due_at: Timestamp as oldest_due_at_us,
    }
}

/// Query of the kinds with waiting jobs, one index lookup in `jobs_waiting_kind` per kind.
macro_rules! waiting_kinds {
    () => {
        "WITH RECURSIVE kinds (kind) AS (
           SELECT MIN(kind) FROM jobs WHERE state = 'waiting'
           UNION ALL
           SELECT (SELECT MIN(kind) FROM jobs WHERE state = 'waiting' AND kind > kinds.kind)
           FROM kinds WHERE kinds.kind IS NOT NULL) "
    };
}

/// Counts with a limit, because a full count would read every account's next change of rights.
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

/// Number of waiting and of parked jobs per kind, each at most 1,000.
pub async fn count(store: &Store) -> Result<Vec<JobCount>> {
    ro!(store, rows COUNT)
}

/// Kinds with waiting jobs, including kinds that this program does not know.
pub(crate) async fn waiting_kinds(store: &Store) -> Result<Vec<String>> {
    ro!(store, values concat!(waiting_kinds!(), "SELECT kind FROM kinds WHERE kind IS NOT NULL"))
}

/// Jobs for the operator: parked ones first, then by due instant, at most `limit`.
pub async fn list(store: &Store, filter: &JobFilter, limit: i64) -> Result<Vec<JobRow>> {
    let kind = filter.kind.map_or("", JobKind::name);
    let due_before = filter.due_before.map_or(i64::MAX, Timestamp::as_micros);
    ro!(store, rows
        select!("WHERE ($1 = '' OR kind = $1) AND (state = $2 OR ($2 = '' AND state <> 'done')) AND due_at_us <= $3
         ORDER BY CASE state WHEN 'parked' THEN 0 ELSE 1 END, due_at_us, kind, key LIMIT $4"),
        kind, text_or_empty(filter.state), due_before, limit)
}

/// Jobs of a kind about an account, by due instant, including done ones that are still stored.
pub async fn of_uid(store: &Store, kind: JobKind, uid: &Uid) -> Result<Vec<JobRow>> {
    ro!(store, rows select!("WHERE kind = $1 AND uid = $2 ORDER BY due_at_us, key"), kind.name(), uid)
}

/// Keys and payloads of a kind's jobs that were parked before an instant, ordered by key, after
/// `after`. The condition is an expression, so that the databases use the index of parked jobs and
/// not that of the kind.
pub async fn parked_page(
    store: &Store,
    kind: JobKind,
    parked_before: Timestamp,
    after: &str,
    limit: i64,
) -> Result<Vec<(String, String)>> {
    ro!(store, rows "SELECT key, payload FROM jobs
         WHERE state = 'parked' AND kind || '' = $1 AND ended_at_us < $2 AND key || '' > $3 ORDER BY key LIMIT $4",
        kind.name(), parked_before, after, limit)
}

/// The job with this kind and key, in any state.
pub async fn by_key(db: impl Read<'_>, kind: JobKind, key: &str) -> Result<Option<JobRow>> {
    ro!(db, first select!("WHERE kind = $1 AND key = $2"), kind.name(), key)
}

/// Discards parked jobs of a kind, one or all, without running them. Returns their number. Their
/// payloads are deleted, because they are not run again.
pub async fn discard(store: &Store, kind: JobKind, key: Option<&str>, now: Timestamp) -> Result<u64> {
    transaction!(store, (key = key.map(str::to_owned)), |tx| {
        tx!(tx, affected "UPDATE jobs SET state = 'done', ended_at_us = $3, payload = '{}'
             WHERE kind = $1 AND state = 'parked' AND (CAST($2 AS TEXT) IS NULL OR key = $2)", kind.name(), key, now)
    })
}

/// Runs the mails of a kind now, one or all: parked ones, and those that failed and wait for their
/// next try. One that never ran keeps its due instant, and a running one is left alone. Returns
/// their number.
pub async fn replay_mails(store: &Store, kind: JobKind, key: Option<&str>, now: Timestamp) -> Result<u64> {
    transaction!(store, (key = key.map(str::to_owned)), |tx| {
        tx.enqueued = true;
        tx!(tx, affected
            "UPDATE jobs SET state = 'waiting', attempts = 0, ended_at_us = NULL, generation = generation + 1,
               due_at_us = CASE WHEN due_at_us > $3 THEN $3 ELSE due_at_us END
             WHERE kind = $1 AND (CAST($2 AS TEXT) IS NULL OR key = $2) AND (state = 'parked'
               OR (state = 'waiting' AND attempts > 0 AND due_at_us > $3 AND leased_until_us IS NULL))",
            kind.name(), key, now)
    })
}

/// Sets parked jobs of a kind back to waiting, one or all. Returns their number. Each keeps its due
/// instant, so that the command does not need the product's time.
pub async fn replay(store: &Store, kind: JobKind, key: Option<&str>) -> Result<u64> {
    transaction!(store, (key = key.map(str::to_owned)), |tx| {
        tx.enqueued = true;
        tx!(tx, affected
            "UPDATE jobs SET state = 'waiting', attempts = 0, ended_at_us = NULL, generation = generation + 1
                 WHERE kind = $1 AND state = 'parked' AND (CAST($2 AS TEXT) IS NULL OR key = $2)", kind.name(), key)
    })
}
