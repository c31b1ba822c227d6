//! What the hourly doctor found; every server reports it as metrics.

use garimpo_domain::Timestamp;

use crate::store::engine::row::row;
use crate::store::engine::{Result, Store, Tx, ro, tx};

row! {
    "doctor_findings" by invariant;

    /// An invariant and what the last run found.
    #[derive(Debug, Clone, PartialEq, Eq)]
    pub struct DoctorFindings {
        pub invariant: String,
        /// At most 100; of the last run that could check it.
        pub findings: i64,
        /// Whether the last run could check it.
        pub is_checked: bool,
        /// End of the last run, in real time.
        pub ran_at: Timestamp as ran_at_us,
    }
}

/// The result of the last run; empty before the first one.
pub async fn list(store: &Store) -> Result<Vec<DoctorFindings>> {
    ro!(store, rows
        "SELECT invariant, findings, is_checked, ran_at_us FROM doctor_findings ORDER BY invariant")
}

/// End of the last run, in real time.
pub async fn last_run_at(store: &Store) -> Result<Option<Timestamp>> {
    ro!(store, value "SELECT MAX(ran_at_us) FROM doctor_findings")
}

/// Stores an invariant's result. If it could not be checked, what was found before stays, because
/// nothing shows that it is gone.
pub async fn save(tx: &mut Tx, found: &DoctorFindings) -> Result<()> {
    tx!(tx, execute
        "INSERT INTO doctor_findings (invariant, findings, is_checked, ran_at_us) VALUES ($1, $2, $3, $4)
         ON CONFLICT (invariant) DO UPDATE SET is_checked = excluded.is_checked, ran_at_us = excluded.ran_at_us,
           findings = CASE WHEN excluded.is_checked THEN excluded.findings ELSE doctor_findings.findings END",
        &found.invariant, found.findings, found.is_checked, found.ran_at)
}

/// Deletes invariants that a run no longer has.
pub async fn delete_before(tx: &mut Tx, ran_at: Timestamp) -> Result<()> {
    tx!(tx, execute "DELETE FROM doctor_findings WHERE ran_at_us < $1", ran_at)
}
