//! Replies, kept for seconds while this process reads the feed, because services request the same
//! accounts thousands of times a second and rights seldom change.
//!
//! A kept reply is never older than the last change of rights that this process knows:
//! - An account whose rights changed within seconds is read from the database. A commit of this
//!   process records its account before the caller gets the result, the feed records the others.
//! - A reply ends at the next change that time alone makes.
//! - While the feed is not read, nothing is kept.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_domain::{Timestamp, Uid};
use moka::sync::Cache;
use parking_lot::Mutex;

use super::reply::EntitlementsReply;
use crate::recent::Recent;

/// Half as long as a change counts as recent (`store/engine/commit_hooks.rs`), so that no reply
/// outlives the record of a change that it lacks.
const KEPT_FOR: Duration = Duration::from_secs(5);
/// The message of each is encoded in about 420 bytes.
const MAX_ACCOUNTS: u64 = 50_000;

#[derive(Default)]
pub(crate) struct ReplyCache {
    /// `None` while the feed is not read.
    replies: Mutex<Option<Replies>>,
    is_used: AtomicBool,
}

/// By uid.
type Replies = Cache<Uid, EntitlementsReply>;

impl ReplyCache {
    /// Starts to keep replies: from now on every change is recorded.
    pub fn open(&self) {
        let replies = Cache::builder().max_capacity(MAX_ACCOUNTS).time_to_live(KEPT_FOR).build();
        *self.replies.lock() = Some(replies);
    }

    /// Drops all replies: from now on changes may be missed.
    pub fn close(&self) {
        *self.replies.lock() = None;
    }

    /// Whether a reply was requested since the last call.
    pub fn take_used(&self) -> bool {
        self.is_used.swap(false, Ordering::Relaxed)
    }

    /// The replies that are valid at `now`; `changed` are the accounts with a recent change.
    pub fn at<'a>(&self, now: Timestamp, changed: &'a Recent) -> KeptReplies<'a> {
        self.is_used.store(true, Ordering::Relaxed);
        KeptReplies { replies: self.replies.lock().clone(), changed, now }
    }
}

/// A handle on the cache. Obtain it before the database is read, because after a close the reply
/// must go into the dropped cache.
pub(crate) struct KeptReplies<'a> {
    replies: Option<Replies>,
    changed: &'a Recent,
    now: Timestamp,
}

impl KeptReplies<'_> {
    /// Returns the kept replies with their uids, and the uids that have none.
    pub fn find(&self, uids: Vec<Uid>) -> (Vec<(Uid, EntitlementsReply)>, Vec<Uid>) {
        let Some(replies) = &self.replies else { return (Vec::new(), uids) };
        let (mut found, mut unread) = (Vec::with_capacity(uids.len()), Vec::new());
        for uid in uids {
            let kept = replies.get(&uid).filter(|reply| self.is_valid(&uid, reply));
            match kept {
                Some(reply) => found.push((uid, reply)),
                None => unread.push(uid),
            }
        }
        (found, unread)
    }

    /// `changed` is read after the cache: an account that changes between the two is read again.
    fn is_valid(&self, uid: &Uid, reply: &EntitlementsReply) -> bool {
        reply.next_change_at.is_none_or(|at| at > self.now) && !self.changed.contains(uid)
    }

    /// Keeps what was read, unless it may be older than a recent change.
    pub fn keep(&self, uid: &Uid, reply: &EntitlementsReply) {
        if let Some(replies) = self.replies.as_ref().filter(|_| !self.changed.contains(uid)) {
            replies.insert(uid.clone(), reply.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use garimpo_domain::PlanId;

    use crate::store::{EntitlementChange, EntitlementStatus};

    const NOW: Timestamp = Timestamp::from_unix_seconds(1_800_000_000);

    fn free(next_change_at: Option<Timestamp>) -> EntitlementsReply {
        let state = EntitlementChange {
            seq: 0,
            uid: Uid::new("ana"),
            plan_id: Some(PlanId::FREE),
            status: EntitlementStatus::Free,
            suspended_reason: None,
            valid_until: None,
            next_change_at,
            revision: 1,
            at: NOW,
        };
        EntitlementsReply::of(&state).expect("the account exists")
    }

    fn is_kept(kept: &KeptReplies<'_>, uid: &'static str) -> bool {
        !kept.find(vec![Uid::new(uid)]).0.is_empty()
    }

    fn no_change() -> Recent {
        Recent::new(10, Duration::from_mins(1))
    }

    #[test]
    fn a_reply_is_cached_only_while_the_feed_is_followed_and_is_dropped_when_it_stops() {
        let (cache, changed) = (ReplyCache::default(), no_change());
        assert!(!cache.take_used());
        cache.at(NOW, &changed).keep(&Uid::new("ana"), &free(None));
        assert!(!is_kept(&cache.at(NOW, &changed), "ana"), "the feed is not read");
        assert!(cache.take_used());

        let before = cache.at(NOW, &changed);
        cache.open();
        before.keep(&Uid::new("ana"), &free(None));
        assert!(!is_kept(&cache.at(NOW, &changed), "ana"), "read before the feed was");
        let during = cache.at(NOW, &changed);
        during.keep(&Uid::new("ana"), &free(None));
        assert!(is_kept(&cache.at(NOW, &changed), "ana"));

        cache.close();
        assert!(!is_kept(&cache.at(NOW, &changed), "ana"));
        cache.open();
        during.keep(&Uid::new("ana"), &free(None));
        assert!(!is_kept(&cache.at(NOW, &changed), "ana"), "a change may have been missed meanwhile");
    }

    #[test]
    fn an_account_with_a_recent_or_due_change_is_read_again() {
        let (cache, changed) = (ReplyCache::default(), no_change());
        cache.open();
        let kept = cache.at(NOW, &changed);
        kept.keep(&Uid::new("ana"), &free(None));
        kept.keep(&Uid::new("bia"), &free(Some(NOW.plus_seconds(1))));
        assert!(is_kept(&kept, "bia"));
        assert!(!is_kept(&cache.at(NOW.plus_seconds(1), &changed), "bia"));

        changed.add("ana");
        assert!(!is_kept(&kept, "ana"));
        kept.keep(&Uid::new("ana"), &free(None));
        assert!(!is_kept(&kept, "ana"), "the read may be older than the change");
    }
}
