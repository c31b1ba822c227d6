//! Notifications inside this process after its own COMMITs, before the caller gets the result.

use std::time::Duration;

use garimpo_domain::Uid;
use tokio::sync::Notify;

use crate::recent::Recent;

/// How long a change of rights counts as recent: longer than a reply that was read before it stays
/// cached.
const RECENT_RIGHTS: Duration = Duration::from_secs(10);
/// Accounts whose rights changed recently, at most.
const MAX_RECENT_RIGHTS: usize = 100_000;

/// Callbacks after COMMIT.
pub(crate) struct CommitHooks {
    /// Notified when a job was enqueued.
    pub(super) enqueued: Notify,
    /// Accounts whose rights changed recently.
    pub(super) rights: Recent,
}

impl Default for CommitHooks {
    fn default() -> Self {
        Self { enqueued: Notify::new(), rights: Recent::new(MAX_RECENT_RIGHTS, RECENT_RIGHTS) }
    }
}

impl CommitHooks {
    pub(super) fn notify(&self, enqueued: bool, rights_changed: &[Uid]) {
        if enqueued {
            self.enqueued.notify_one();
        }
        for uid in rights_changed {
            self.rights.add(uid);
        }
    }
}
