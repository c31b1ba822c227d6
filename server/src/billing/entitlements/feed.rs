//! The feed of entitlement changes: written with each change, read once per process, sent to every
//! watcher.
//!
//! [`append_rights`] is the last call of each transaction that may change an account's
//! rights. A job calls it at the moments when time alone changes them. One task per process reads
//! the committed changes of all processes and keeps the newest for all watchers; a watcher that is
//! further behind reads the table. The same task invalidates the kept replies (`reply_cache`).

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use parking_lot::Mutex;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::billing::entitlements::Entitlements;
use crate::billing::entitlements::reply_cache::{KeptReplies, ReplyCache};
use crate::billing::jobs::reconciliation::schedule_reconciliation;
use crate::causes::Causes;
use crate::error::Error;
use crate::queue::{JobOutcome, JobResult};
use crate::rights::append_rights;
use crate::store::{
    AccountPayload, ClaimedJob, EntitlementChange, Result, Store, accounts, entitlement_changes,
    subscriptions, transaction,
};

mod cursor;
#[cfg(test)]
mod tests;
pub(super) mod watcher;

pub(crate) use cursor::CURSOR_DAYS;
pub(crate) use cursor::Cursor;
use cursor::lost;

/// Interval of the reads while they are needed: other processes commit changes too.
const READ_EVERY: Duration = Duration::from_millis(100);
/// The table is read for this long after the last requested reply.
const READ_AFTER_REPLY: Duration = Duration::from_secs(10);
/// Changes of one read.
const PAGE: i64 = 500;
/// Changes that a process keeps for its watchers.
const MAX_NEWEST: usize = 4_096;

impl Entitlements {
    /// Runs the job at a change that time alone makes. The provider may have a payment
    /// by now. A separate job reads it, because the provider may be slow.
    pub(crate) async fn run_rights_change(self, job: ClaimedJob) -> JobResult {
        let AccountPayload { uid } = job.read()?;
        let (now, policy) = (self.context.now(), self.policy);
        transaction!(self.context, (uid), |tx| {
            let Some(account) = accounts::lock(tx, uid).await? else { return Ok(()) };
            let rows = subscriptions::by_uid(&mut *tx, uid).await?;
            schedule_reconciliation(tx, uid, now).await?;
            append_rights(tx, &account, &rows, now, &policy).await
        })?;
        Ok(JobOutcome::Done)
    }
}

/// The state that the watchers of a process share, and its kept replies.
pub(crate) struct Feed {
    store: Store,
    replies: ReplyCache,
    newest: Mutex<NewestChanges>,
    /// Number of the last change that was read. Notifies the watchers.
    tail: watch::Sender<i64>,
    leaving: CancellationToken,
}

/// All changes after `base` that were read.
#[derive(Default)]
struct NewestChanges {
    base: i64,
    changes: VecDeque<Arc<EntitlementChange>>,
}

impl Feed {
    /// [`Feed::run`] reads the changes. `leaving` ends the watches.
    pub(crate) fn new(store: Store, leaving: CancellationToken) -> Arc<Self> {
        let (replies, newest, tail) = (ReplyCache::default(), Mutex::default(), watch::Sender::new(0));
        Arc::new(Self { store, replies, newest, tail, leaving })
    }

    /// Reads the changes while there are watchers or requested replies.
    pub(crate) async fn run(self: Arc<Self>) {
        let (mut is_reading, mut read_until) = (false, Instant::now());
        loop {
            if self.replies.take_used() {
                read_until = Instant::now() + READ_AFTER_REPLY;
            }
            let is_needed = self.tail.receiver_count() > 0 || Instant::now() < read_until;
            let may_have_more = match (is_needed, is_reading) {
                (true, true) => self.read_page().await,
                // A new watcher starts at the end or reads the table.
                (true, false) => self.start_at_end().await.map(|()| false),
                (false, _) => Ok(false),
            };
            is_reading = is_needed && may_have_more.is_ok();
            if !is_reading {
                self.replies.close();
            }
            match may_have_more {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(error = %Causes(&error), "changes of entitlements cannot be read");
                }
            }
            tokio::time::sleep(READ_EVERY).await;
        }
    }

    async fn start_at_end(&self) -> Result<()> {
        let base = entitlement_changes::tail(&self.store).await?.seq;
        *self.newest.lock() = NewestChanges { base, changes: VecDeque::new() };
        self.tail.send_replace(base);
        self.replies.open();
        Ok(())
    }

    /// Returns whether there may be another page.
    async fn read_page(&self) -> Result<bool> {
        let from = *self.tail.borrow();
        let page = entitlement_changes::after(&self.store, from, PAGE).await?;
        let Some(last) = page.last().map(|change| change.seq) else { return Ok(false) };
        let is_full = page.len() as i64 == PAGE;
        for change in &page {
            self.store.rights_news().add(&change.uid);
        }
        let mut newest = self.newest.lock();
        newest.changes.extend(page.into_iter().map(Arc::new));
        while newest.changes.len() > MAX_NEWEST {
            newest.base = newest.changes.pop_front().map_or(newest.base, |change| change.seq);
        }
        drop(newest);
        self.tail.send_replace(last);
        Ok(is_full)
    }

    /// The kept replies that are valid at `now`.
    pub(crate) fn kept_replies(&self, now: Timestamp) -> KeptReplies<'_> {
        self.replies.at(now, self.store.rights_news())
    }

    /// Checks that the cursor comes from this feed. A cursor from before a restore names a change
    /// after the backup: its number is free or belongs to another change, and a watch that resumed
    /// there would miss changes.
    ///
    /// # Errors
    /// CURSOR_EXPIRED.
    pub(crate) async fn check(&self, cursor: &Cursor, now: Timestamp) -> Result<(), Error> {
        let seen = cursor.seen;
        let is_ours = match entitlement_changes::position(&self.store, seen.seq).await? {
            _ if seen.seq == 0 => true,
            Some(position) => position == seen,
            // A superseded change is deleted once its cursors have expired.
            None => {
                let may_be_deleted = seen.at < now.plus_days(-CURSOR_DAYS);
                may_be_deleted && seen.seq < entitlement_changes::tail(&self.store).await?.seq
            }
        };
        if is_ours { Ok(()) } else { Err(lost()) }
    }

    /// The changes after `seq` in their order. Empty if this process has read none.
    async fn after(&self, seq: i64) -> Result<Vec<Arc<EntitlementChange>>> {
        {
            let newest = self.newest.lock();
            if seq >= newest.base {
                let seen = newest.changes.partition_point(|change| change.seq <= seq);
                return Ok(newest.changes.iter().skip(seen).take(PAGE as usize).cloned().collect());
            }
        }
        self.stored_after(seq).await
    }

    /// The changes after `seq`, read from the table.
    async fn stored_after(&self, seq: i64) -> Result<Vec<Arc<EntitlementChange>>> {
        // Boxed, because each watch would keep the space of this read.
        let read = Box::pin(entitlement_changes::after(&self.store, seq, PAGE));
        Ok(read.await?.into_iter().map(Arc::new).collect())
    }
}
