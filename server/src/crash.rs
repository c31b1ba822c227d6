//! Points at which a test aborts the process, as kill -9 does (GARIMPO_CRASH_AT).
//!
//! The settings reject this variable unless the payment provider is the sandbox.

use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A point between two effects, where a crash must lose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
pub enum CrashPoint {
    /// A checkout's intent is stored, and the provider is not called yet.
    #[strum(serialize = "intent.stored")]
    IntentStored,
    /// The provider has replied, and the reply is not stored yet.
    #[strum(serialize = "provider.answered")]
    ProviderAnswered,
    /// An event is stored, and the provider has no reply yet.
    #[strum(serialize = "event.stored")]
    EventStored,
    /// A sync has stored a subscription.
    #[strum(serialize = "projection.committed")]
    ProjectionCommitted,
    /// A job's handler has succeeded, and the job is not marked as done yet.
    #[strum(serialize = "job.delivered")]
    JobDelivered,
    /// A session is stored, and its caller has no reply yet.
    #[strum(serialize = "session.stored")]
    SessionStored,
    /// An outside identity provider has created or changed an identity, and it is not stored yet.
    #[strum(serialize = "identity.changed")]
    IdentityChanged,
    /// A mailed code is stored, and its mail is not sent yet.
    #[strum(serialize = "code.stored")]
    CodeStored,
    /// A new password is stored, and its caller has no reply yet.
    #[strum(serialize = "password.stored")]
    PasswordStored,
    /// An account is deleted; its owner has no reply and its jobs have not run yet.
    #[strum(serialize = "account.deleted")]
    AccountDeleted,
    /// Retention has deleted some of its rows.
    #[strum(serialize = "rows.purged")]
    RowsPurged,
    /// A migration is applied, and the next one is not yet.
    #[strum(serialize = "migration.applied")]
    MigrationApplied,
    /// The provider has one pushed object of the catalogue; the push is not stored as a whole yet.
    #[strum(serialize = "catalog.pushed")]
    CatalogPushed,
    /// A file of a backup is copied, and the backup has not its final name yet.
    #[strum(serialize = "backup.copied")]
    BackupCopied,
    /// A restored copy is complete, and the database in place is still the old one.
    #[strum(serialize = "restore.prepared")]
    RestorePrepared,
    /// The old database is also in the folder that keeps it, and still in place.
    #[strum(serialize = "restore.kept")]
    RestoreKept,
    /// The restored database is in place, and is not compared with the provider yet.
    #[strum(serialize = "restore.replaced")]
    RestoreReplaced,
    /// It is stored which account gets a payer without one, and the provider does not have it yet.
    #[strum(serialize = "adoption.decided")]
    AdoptionDecided,
    /// The provider has the uid of the account that got a payer, and the payer still waits here.
    #[strum(serialize = "adoption.named")]
    AdoptionNamed,
    /// A Pix refund is stored as paid, and the operator has no reply yet.
    #[strum(serialize = "refund.paid")]
    RefundPaid,
}

garimpo_domain::named!(CrashPoint, all);

/// A point and its pass, read from `<point>[:n]` (n from 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashAt {
    pub point: CrashPoint,
    /// The pass at which the process aborts, from 1.
    pub pass: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("not one of {}, with an optional :n", CrashPoint::ALL.map(CrashPoint::name).join(", "))]
pub struct NotACrashPoint;

impl FromStr for CrashAt {
    type Err = NotACrashPoint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (name, pass) = match text.split_once(':') {
            Some((name, pass)) => (name, pass.parse().map_err(|_| NotACrashPoint)?),
            None => (text, 1),
        };
        let point = name.parse().map_err(|_| NotACrashPoint)?;
        if pass == 0 { Err(NotACrashPoint) } else { Ok(Self { point, pass }) }
    }
}

/// One per process, because an abort ends the whole process.
static ARMED: OnceLock<(CrashAt, AtomicU32)> = OnceLock::new();

/// Arms the process; later calls have no effect.
pub fn arm(at: CrashAt) {
    ARMED.get_or_init(|| (at, AtomicU32::new(0)));
}

/// Marks a pass of a point: aborts the process if it is armed for it.
pub(crate) fn point(point: CrashPoint) {
    let Some((at, passed)) = ARMED.get() else { return };
    if at.point == point && passed.fetch_add(1, Ordering::SeqCst) + 1 == at.pass {
        tracing::warn!("aborting at {}, as set by GARIMPO_CRASH_AT", point.name());
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_point_is_read_with_and_without_a_pass() {
        assert_eq!("event.stored".parse(), Ok(CrashAt { point: CrashPoint::EventStored, pass: 1 }));
        assert_eq!("session.stored:3".parse(), Ok(CrashAt { point: CrashPoint::SessionStored, pass: 3 }));
        for wrong in ["", "event", "event.stored:", "event.stored:0", "event.stored:x"] {
            assert_eq!(wrong.parse::<CrashAt>(), Err(NotACrashPoint), "{wrong}");
        }
    }
}
