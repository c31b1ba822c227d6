//! Serialises the syncs of an account in this process.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use garimpo_domain::Uid;
use parking_lot::Mutex;
use tokio::sync::{Mutex as Lock, OwnedMutexGuard};

/// Locks by uid. A lock without an owner or waiter is removed.
#[derive(Default)]
pub(crate) struct SyncLocks(Mutex<HashMap<Uid, Weak<Lock<()>>>>);

impl SyncLocks {
    /// Waits for the account's lock.
    pub(crate) async fn acquire(&self, uid: &Uid) -> OwnedMutexGuard<()> {
        self.lock_of(uid).lock_owned().await
    }

    fn lock_of(&self, uid: &Uid) -> Arc<Lock<()>> {
        let mut locks = self.0.lock();
        if let Some(lock) = locks.get(uid).and_then(Weak::upgrade) {
            return lock;
        }
        locks.retain(|_, lock| lock.strong_count() > 0);
        let lock = Arc::new(Lock::new(()));
        locks.insert(uid.clone(), Arc::downgrade(&lock));
        lock
    }
}

#[cfg(test)]
mod tests {
    use futures::FutureExt as _;

    use super::*;

    #[tokio::test]
    async fn the_sync_locks_of_different_accounts_do_not_block_each_other() {
        let locks = SyncLocks::default();
        let uids: Vec<_> = (0..100).map(|number| Uid::new(format!("usr_{number}"))).collect();

        let held: Vec<_> = uids.iter().map(|uid| locks.acquire(uid).now_or_never()).collect();

        assert!(held.iter().all(Option::is_some));
        assert!(locks.acquire(&uids[0]).now_or_never().is_none(), "the same account waits");
        drop(held);
        assert!(locks.acquire(&uids[0]).now_or_never().is_some());
        assert_eq!(locks.0.lock().len(), 1, "free locks are forgotten");
    }
}
