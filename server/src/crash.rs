//! Points at which a test makes the process die as by kill -9 (GARIMPO_CRASH_AT).
//!
//! The settings refuse this variable unless payments are the sandbox's.

use std::str::FromStr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use strum::{EnumString, IntoStaticStr, VariantArray};

/// A place between two effects, where dying must lose nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, IntoStaticStr, VariantArray)]
pub enum CrashPoint {
    /// A checkout's intent is stored, the provider has not been called.
    #[strum(serialize = "intent.stored")]
    IntentStored,
    /// The provider has answered, its answer is not stored.
    #[strum(serialize = "provider.answered")]
    ProviderAnswered,
    /// An event is stored, the provider has not been answered.
    #[strum(serialize = "event.stored")]
    EventStored,
    /// A subscription's projection is committed.
    #[strum(serialize = "projection.committed")]
    ProjectionCommitted,
    /// A job's handler is done, the job is not marked so.
    #[strum(serialize = "job.delivered")]
    JobDelivered,
    /// A session is stored, its caller does not know it.
    #[strum(serialize = "session.stored")]
    SessionStored,
    /// An outside identity provider has made or changed an identity, nothing of it is stored.
    #[strum(serialize = "identity.changed")]
    IdentityChanged,
    /// A mailed code is stored, its mail is not sent.
    #[strum(serialize = "code.stored")]
    CodeStored,
    /// A new password is stored, its caller does not know it.
    #[strum(serialize = "password.stored")]
    PasswordStored,
    /// An account is deleted, its owner does not know it and its jobs have not begun.
    #[strum(serialize = "account.deleted")]
    AccountDeleted,
    /// Retention has removed some rows, others are left.
    #[strum(serialize = "rows.purged")]
    RowsPurged,
    /// A migration is applied, the next one is not.
    #[strum(serialize = "migration.applied")]
    MigrationApplied,
    /// An object of the catalogue is made or changed at the provider, the push as a whole is not stored.
    #[strum(serialize = "catalog.pushed")]
    CatalogPushed,
    /// A file of a backup is copied, the backup is not in its place.
    #[strum(serialize = "backup.copied")]
    BackupCopied,
    /// A Pix is noted as paid, the operator does not know it.
    #[strum(serialize = "refund.paid")]
    RefundPaid,
}

impl CrashPoint {
    /// Every point: those of a purchase in its order, then the others.
    pub const ALL: [Self; Self::VARIANTS.len()] = *Self::VARIANTS.as_array().expect("their number");

    /// The name in GARIMPO_CRASH_AT.
    pub fn name(self) -> &'static str {
        self.into()
    }
}

/// A point and the pass at which the process dies, from `<point>[:n]` (n from 1).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CrashAt {
    /// Where.
    pub point: CrashPoint,
    /// At which pass, from 1.
    pub pass: u32,
}

/// A text is not `<point>[:n]`.
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

/// Dying ends the whole process, so there is one of these per process.
static ARMED: OnceLock<(CrashAt, AtomicU32)> = OnceLock::new();

/// Arms the process; the first call counts.
pub fn arm(at: CrashAt) {
    ARMED.get_or_init(|| (at, AtomicU32::new(0)));
}

/// Passes a point: aborts the process if it is armed for this pass.
pub(crate) fn point(point: CrashPoint) {
    let Some((at, passed)) = ARMED.get() else { return };
    if at.point == point && passed.fetch_add(1, Ordering::SeqCst) + 1 == at.pass {
        tracing::warn!("aborting at {} as GARIMPO_CRASH_AT asks", point.name());
        std::process::abort();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ponto_de_queda_e_lido_com_e_sem_passagem() {
        assert_eq!("event.stored".parse(), Ok(CrashAt { point: CrashPoint::EventStored, pass: 1 }));
        assert_eq!("session.stored:3".parse(), Ok(CrashAt { point: CrashPoint::SessionStored, pass: 3 }));
        for wrong in ["", "event", "event.stored:", "event.stored:0", "event.stored:x"] {
            assert_eq!(wrong.parse::<CrashAt>(), Err(NotACrashPoint), "{wrong}");
        }
    }
}
