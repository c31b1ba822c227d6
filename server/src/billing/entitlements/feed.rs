//! The feed of entitlement changes: written with each change, read once per process, sent to every
//! watcher.
//!
//! [`follow`] is the last call of each transaction that may change an account's rights. A job calls
//! it at the moments when time alone changes them. One task per process reads the committed changes
//! of all processes and keeps the newest for all watchers; a watcher that is further behind reads
//! the table. The same reading invalidates the kept replies in `answers`.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use garimpo_domain::Timestamp;
use garimpo_domain::rights::Rights;
use garimpo_domain::subscription::Policy;
use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::billing::current_subscription::rights_of;
use crate::billing::entitlements::Entitlements;
use crate::billing::entitlements::fast_path::encoded_reply::Answer;
use crate::billing::entitlements::fast_path::reply_cache::{Answers, Look, Reading};
use crate::billing::sync::reconciliation::reconcile_account_in_tx;
use crate::causes::Causes;
use crate::error::Error;
use crate::queue::{JobError, JobKind, JobOutcome};
use crate::store::billing::entitlement_changes::{self, EntitlementChange};
use crate::store::billing::subscriptions::{self, Subscription};
use crate::store::identity::accounts::{self, Account};
use crate::store::jobs::claims::ClaimedJob;
use crate::store::jobs::{self, NewJob};
use crate::store::{Store, StoreError, Tx};

mod cursor;
#[cfg(test)]
mod tests;
pub(super) mod watcher;

pub(crate) use cursor::CURSOR_DAYS;
pub(crate) use cursor::Cursor;
use cursor::lost;

/// What was committed is looked for this often while somebody watches: another process may have written it.
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// Changes of one reading.
const PAGE: i64 = 500;
/// Changes that a process keeps for its watchers.
const KEPT: usize = 4_096;
/// Status of an account that has neither subscription nor trial.
const FREE: &str = "free";

/// What an account may use, in the words of the feed.
pub(crate) fn state_of(account: &Account, rights: &Rights, now: Timestamp) -> EntitlementChange {
    EntitlementChange {
        seq: 0,
        uid: account.uid.clone(),
        plan_id: Some(rights.plan.as_str().to_owned()),
        status: rights.status.map_or(FREE, |status| status.name()).to_owned(),
        suspended_reason: rights.suspended.map(|reason| reason.name().to_owned()),
        valid_until_us: rights.valid_until.map(Timestamp::as_micros),
        next_change_at_us: rights.next_change_at.map(Timestamp::as_micros),
        revision: account.revision,
        at_us: now.as_micros(),
    }
}

/// Tells the feed what an account may use, where that is news, and wakes the account when time alone changes it next.
/// Nothing may follow in the transaction (see the store's file).
pub(crate) async fn follow(
    tx: &mut Tx,
    account: &Account,
    rows: &[Subscription],
    now: Timestamp,
    policy: &Policy,
) -> Result<(), StoreError> {
    let rights = rights_of(account, rows, now, policy)?;
    match rights.next_change_at {
        Some(due_at) => {
            let payload = serde_json::json!({ "uid": account.uid });
            let job = NewJob { kind: JobKind::RightsChange, key: account.uid.clone(), payload, due_at };
            jobs::reschedule(tx, job).await?;
        }
        None => drop(jobs::cancel(tx, JobKind::RightsChange, &account.uid).await?),
    }
    entitlement_changes::append(tx, &state_of(account, &rights, now)).await.map(drop)
}

/// Tells the feed of a new account: what it may use rests on its trial alone.
pub(crate) async fn follow_new(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<(), StoreError> {
    follow(tx, account, &[], now, &Policy::default()).await
}

/// Tells the feed that an account is no more. Nothing may follow in the transaction.
pub(crate) async fn follow_gone(tx: &mut Tx, account: &Account, now: Timestamp) -> Result<(), StoreError> {
    jobs::cancel(tx, JobKind::RightsChange, &account.uid).await?;
    let gone = EntitlementChange {
        seq: 0,
        uid: account.uid.clone(),
        plan_id: None,
        status: String::new(),
        suspended_reason: None,
        valid_until_us: None,
        next_change_at_us: None,
        revision: account.revision,
        at_us: now.as_micros(),
    };
    entitlement_changes::append(tx, &gone).await.map(drop)
}

impl Entitlements {
    /// Time alone has changed what an account may use. The feed is told here; the provider, which may know of a result
    /// by now, is read by a job of its own, since it may be slow or away.
    pub(crate) async fn rights_change(self, job: ClaimedJob) -> Result<JobOutcome, JobError> {
        let uid = job.payload["uid"].as_str().unwrap_or_default().to_owned();
        let (now, entitlements) = (self.context.now(), self.clone());
        self.context
            .write((), move |tx, ()| {
                let (uid, entitlements) = (uid.clone(), entitlements.clone());
                Box::pin(async move {
                    let Some(account) = accounts::lock(tx, &uid).await? else { return Ok(()) };
                    let rows = subscriptions::by_uid(&mut *tx, &uid).await?;
                    reconcile_account_in_tx(tx, &uid, now).await?;
                    follow(tx, &account, &rows, now, &entitlements.context.settings.policy).await
                })
            })
            .await?;
        Ok(JobOutcome::Done)
    }
}

/// What all watchers of a process share, and what was read of accounts lately.
pub(crate) struct Feed {
    store: Store,
    answers: Answers,
    recent: Mutex<Recent>,
    tail: watch::Sender<i64>,
    leaving: CancellationToken,
}

/// The newest changes: all of those after `base`, as far as they were read.
#[derive(Default)]
struct Recent {
    base: i64,
    changes: VecDeque<Arc<EntitlementChange>>,
}

impl Feed {
    /// A feed over the store; [`Feed::run`] makes it go. Its watches end when the server leaves.
    pub(crate) fn new(store: Store, leaving: CancellationToken) -> Arc<Self> {
        let (recent, tail) = (Mutex::default(), watch::Sender::new(0));
        Arc::new(Self { store, answers: Answers::new(), recent, tail, leaving })
    }

    /// Reads what is committed for as long as somebody watches, or has asked lately.
    pub(crate) async fn run(self: Arc<Self>) {
        let mut was_followed = false;
        loop {
            let is_followed = self.tail.receiver_count() > 0 || self.answers.are_asked();
            let full = match (is_followed, was_followed) {
                (true, true) => self.read().await,
                // Who begins to watch begins at the end, or reads the table.
                (true, false) => self.begin().await.map(|()| false),
                (false, _) => Ok(false),
            };
            was_followed = is_followed && full.is_ok();
            if !was_followed {
                self.answers.leave();
            }
            match full {
                Ok(true) => continue,
                Ok(false) => {}
                Err(error) => {
                    tracing::warn!(error = %Causes(&error), "changes of entitlements cannot be read");
                }
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    async fn begin(&self) -> Result<(), StoreError> {
        let tail = entitlement_changes::tail(&self.store).await?.seq;
        *self.recent() = Recent { base: tail, changes: VecDeque::new() };
        self.tail.send_replace(tail);
        self.answers.follow();
        Ok(())
    }

    /// Reads a page; answers whether there may be another.
    async fn read(&self) -> Result<bool, StoreError> {
        let from = *self.tail.borrow();
        let page = entitlement_changes::after(&self.store, from, PAGE).await?;
        let Some(last) = page.last().map(|change| change.seq) else { return Ok(false) };
        let is_full = page.len() as i64 == PAGE;
        for change in &page {
            self.store.rights_news().add(&change.uid);
        }
        let mut recent = self.recent();
        recent.changes.extend(page.into_iter().map(Arc::new));
        while recent.changes.len() > KEPT {
            recent.base = recent.changes.pop_front().map_or(recent.base, |change| change.seq);
        }
        drop(recent);
        self.tail.send_replace(last);
        Ok(is_full)
    }

    /// What was read of accounts lately and holds still.
    pub(crate) fn kept(&self, now: Timestamp) -> Look<'_> {
        self.answers.look(self.store.rights_news(), now)
    }

    /// Begins a reading of the database, to keep what it finds.
    pub(crate) fn reading(&self) -> Reading {
        self.answers.reading()
    }

    /// Keeps what was found.
    pub(crate) fn keep(&self, reading: Reading, uid: &str, answer: Answer) {
        self.answers.keep(reading, uid, answer, self.store.rights_news());
    }

    /// Checks that this feed gave a cursor. One from before a restore names a change that came after the backup: its number
    /// is nobody's, or by now another's, and to go on from there would leave changes out.
    ///
    /// # Errors
    /// CURSOR_EXPIRED.
    pub(crate) async fn check(&self, cursor: &Cursor, now: Timestamp) -> Result<(), Error> {
        let seen = cursor.seen;
        let is_ours = match entitlement_changes::position(&self.store, seen.seq).await? {
            _ if seen.seq == 0 => true,
            Some(place) => place == seen,
            // What a later change took the place of is forgotten after as many days as a cursor holds.
            None => {
                let may_be_forgotten = seen.at_us < now.plus_days(-CURSOR_DAYS).as_micros();
                may_be_forgotten && seen.seq < entitlement_changes::tail(&self.store).await?.seq
            }
        };
        if is_ours { Ok(()) } else { Err(lost()) }
    }

    /// Rings whenever something new was read.
    fn rings(&self) -> watch::Receiver<i64> {
        self.tail.subscribe()
    }

    /// Changes after one of them, in their order; empty when it is the last that is known here.
    async fn after(&self, seq: i64) -> Result<Vec<Arc<EntitlementChange>>, StoreError> {
        {
            let recent = self.recent();
            if seq >= recent.base {
                let seen = recent.changes.partition_point(|change| change.seq <= seq);
                return Ok(recent.changes.iter().skip(seen).take(PAGE as usize).cloned().collect());
            }
        }
        self.stored_after(seq).await
    }

    /// The same from the table, whatever was read here.
    async fn stored_after(&self, seq: i64) -> Result<Vec<Arc<EntitlementChange>>, StoreError> {
        Ok(entitlement_changes::after(&self.store, seq, PAGE).await?.into_iter().map(Arc::new).collect())
    }

    fn recent(&self) -> std::sync::MutexGuard<'_, Recent> {
        // What a panic left is whole: each change of it is one call.
        self.recent.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
