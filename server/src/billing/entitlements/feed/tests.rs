//! The feed over a store of each kind: order, marks, slow readers, heartbeats.

use std::collections::BTreeSet;
use std::time::Duration;

use futures::FutureExt as _;
use garimpo_domain::subscription::Status;
use garimpo_domain::{PlanId, Timestamp, Uid};
use garimpo_proto::billing::v1::WatchEntitlementsResponse;

use super::watcher::{Messages, Permit, WatchTimings, Watched, Watcher};
use super::*;
use crate::clock::{Clock as _, SystemClock};
use crate::error::Error;
use crate::store::billing::entitlement_changes::{self, FeedPosition};
use crate::store::engine::purge;
use crate::store::{EntitlementStatus, StoreError, transaction};
use crate::tests::database::Database;

const SOON: Duration = Duration::from_secs(10);

/// A permit that is valid until its flag is false.
struct RevocablePermit(Arc<std::sync::atomic::AtomicBool>);

#[tonic::async_trait]
impl Permit for RevocablePermit {
    async fn holds(&self) -> Result<(), Error> {
        let refused = || {
            Error::refused(garimpo_proto::errors::v1::ErrorReason::Unauthenticated, "the token was revoked")
        };
        self.0.load(std::sync::atomic::Ordering::Acquire).then_some(()).ok_or_else(refused)
    }
}

struct Stand {
    feed: Arc<Feed>,
    store: Store,
    leaving: CancellationToken,
    permitted: Arc<std::sync::atomic::AtomicBool>,
    timings: WatchTimings,
    _database: Database,
}

impl Stand {
    async fn new() -> Self {
        let database = Database::new().await;
        let (store, leaving) = (database.open().await, CancellationToken::new());
        let feed = Feed::new(store.clone(), leaving.clone());
        tokio::spawn(feed.clone().run());
        let permitted = Arc::new(true.into());
        Self { feed, store, leaving, permitted, timings: WatchTimings::CONTRACT, _database: database }
    }

    /// Appends a state, as a change of an account does.
    async fn append(&self, uid: &str, plan: Option<&str>) {
        let change = EntitlementChange {
            seq: 0,
            uid: Uid::new(uid),
            plan_id: plan.and_then(PlanId::parse),
            status: EntitlementStatus::Of(Status::Active),
            suspended_reason: None,
            valid_until: None,
            next_change_at: None,
            revision: 1,
            at: SystemClock.now(),
        };
        let appended: Result<bool, StoreError> =
            transaction!(self.store, (change), |tx| entitlement_changes::append(tx, change).await);
        appended.expect("the change is stored");
    }

    fn watch(&self, watched: Watched, cursor: Option<&str>) -> Messages {
        let cursor = cursor.map(|text| Cursor::parse(text).expect("a cursor of ours"));
        let watcher = Watcher {
            feed: self.feed.clone(),
            clock: Arc::new(SystemClock),
            watched,
            permit: Box::new(RevocablePermit(self.permitted.clone())),
            timings: self.timings,
        };
        watcher.open(cursor)
    }
}

fn some(uids: &[&str]) -> Watched {
    Watched::Some(uids.iter().map(|uid| Uid::new(*uid)).collect::<BTreeSet<_>>())
}

async fn next(messages: &mut Messages) -> WatchEntitlementsResponse {
    tokio::time::timeout(SOON, messages.messages.recv()).await.expect("in time").expect("the watch goes on")
}

/// `uid=plan`, with `-` for an account that is gone; empty for a heartbeat.
fn format_state(message: &WatchEntitlementsResponse) -> String {
    let plan = message.entitlements.as_ref().map_or("-", |entitlements| &entitlements.plan_id);
    if message.uid.is_empty() { String::new() } else { format!("{}={plan}", message.uid) }
}

async fn assert_next(messages: &mut Messages, expected: &[&str]) -> String {
    let mut cursor = String::new();
    for expected in expected {
        let message = next(messages).await;
        assert_eq!(format_state(&message), *expected);
        cursor = message.cursor;
    }
    cursor
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watch_sends_the_state_first_then_each_change_once_and_resumes_from_a_cursor() {
    let stand = Stand::new().await;
    stand.append("ana", Some("free")).await;
    stand.append("ana", Some("elite")).await;
    stand.append("bia", Some("iniciante")).await;
    stand.append("gone", Some("free")).await;
    stand.append("gone", None).await;

    let mut all = stand.watch(Watched::All, None);
    let mut ana = stand.watch(some(&["ana"]), None);
    let states = [next(&mut all).await, next(&mut all).await];
    assert_eq!(states.each_ref().map(format_state), ["ana=elite", "bia=iniciante"]);
    assert!(states.iter().all(|state| state.cursor.is_empty()), "no cursor before all was told");
    assert!(!assert_next(&mut all, &[""]).await.is_empty(), "the cursor after the state");
    assert_next(&mut ana, &["ana=elite", ""]).await;

    stand.append("bia", Some("elite")).await;
    stand.append("bia", Some("elite")).await;
    stand.append("ana", Some("free")).await;
    let cursor = assert_next(&mut all, &["bia=elite"]).await;
    assert_next(&mut all, &["ana=free"]).await;
    assert_next(&mut ana, &["ana=free"]).await;

    stand.append("new", Some("profissional")).await;
    stand.append("bia", None).await;
    let mut again = stand.watch(Watched::All, Some(&cursor));
    assert_next(&mut again, &["ana=free", "new=profissional", "bia=-"]).await;
    let mut bia = stand.watch(some(&["bia"]), Some(&cursor));
    assert_next(&mut bia, &["bia=-", ""]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_arrive_in_commit_order_and_completely_with_many_writers() {
    const WRITERS: usize = 16;
    const EACH: usize = 20;
    let stand = Stand::new().await;
    let mut early = stand.watch(Watched::All, None);
    assert_eq!(format_state(&next(&mut early).await), "");
    let writing = (0..WRITERS).map(|writer| {
        let stand = &stand;
        async move {
            for n in 0..EACH {
                let plan = if n % 2 == 0 { "elite" } else { "free" };
                stand.append(&format!("u{writer:02}"), Some(plan)).await;
            }
        }
    });
    // A second watcher starts between the writes: its state and changes together are complete,
    // and nothing is sent twice.
    let late = async {
        tokio::time::timeout(SOON, async {
            while entitlement_changes::tail(&stand.store).await.expect("readable").seq < 40 {
                tokio::task::yield_now().await;
            }
        })
        .await
        .expect("some are written");
        stand.watch(Watched::All, None)
    };
    let (_, mut late) = tokio::join!(futures::future::join_all(writing), late);

    let mut seen = Vec::new();
    for _ in 0..WRITERS * EACH {
        seen.push(next(&mut early).await);
    }
    let numbers: Vec<_> = seen.iter().map(|message| number(&message.cursor)).collect();
    assert!(numbers.is_sorted_by(|a, b| a < b), "{numbers:?}");
    let mut last = std::collections::BTreeMap::new();
    for message in &seen {
        let plan = format_state(message);
        assert_ne!(last.insert(message.uid.clone(), plan.clone()), Some(plan), "told twice");
    }
    let mut received = std::collections::BTreeMap::new();
    while received != last {
        let message = next(&mut late).await;
        if !message.uid.is_empty() {
            let plan = format_state(&message);
            assert_ne!(received.insert(message.uid.clone(), plan.clone()), Some(plan), "told twice");
        }
    }
}

fn number(cursor: &str) -> i64 {
    Cursor::parse(cursor).expect("a cursor of ours").seen.seq
}

#[tokio::test(flavor = "multi_thread")]
async fn a_watcher_that_does_not_read_is_closed_after_256_messages_and_resumes_by_cursor() {
    let mut stand = Stand::new().await;
    stand.timings.reads_within = Duration::from_millis(50);
    let mut slow = stand.watch(Watched::All, None);
    let start = next(&mut slow).await.cursor;
    for n in 0..300 {
        stand.append(&format!("u{n:03}"), Some("free")).await;
    }

    let ending = tokio::time::timeout(SOON, &mut slow.ending).await.expect("in time").expect("a reason");

    assert_eq!(ending.reason(), garimpo_proto::errors::v1::ErrorReason::TooManyRequests);
    let mut read = 0;
    let mut cursor = start;
    while let Some(message) = slow.messages.recv().await {
        read += 1;
        cursor = message.cursor;
    }
    assert_eq!(read, 256);
    let mut again = stand.watch(Watched::All, Some(&cursor));
    let rest: Vec<_> = (256..300).map(|n| format!("u{n:03}=free")).collect();
    assert_next(&mut again, &rest.iter().map(String::as_str).collect::<Vec<_>>()).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_idle_watch_gets_heartbeats_and_ends_on_a_revoked_permission_or_a_shutdown() {
    let mut stand = Stand::new().await;
    stand.timings.heartbeat = Duration::from_millis(20);
    stand.timings.permit = Duration::from_millis(20);
    let mut watch = stand.watch(Watched::All, None);
    let mut other = stand.watch(Watched::All, None);
    let cursor = assert_next(&mut watch, &["", "", ""]).await;
    assert!(!cursor.is_empty());

    stand.permitted.store(false, std::sync::atomic::Ordering::Release);
    let ending = tokio::time::timeout(SOON, &mut other.ending).await.expect("in time").expect("a reason");
    assert!(ending.to_string().contains("revoked"), "{ending}");

    stand.permitted.store(true, std::sync::atomic::Ordering::Release);
    let mut watch = stand.watch(Watched::All, Some(&cursor));
    assert_next(&mut watch, &[""]).await;
    stand.leaving.cancel();
    let ending = tokio::time::timeout(SOON, &mut watch.ending).await.expect("in time").expect("a reason");
    assert!(ending.to_string().contains("leaves"), "{ending}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_permission_ends_a_watch_that_reads_continuously() {
    let mut stand = Stand::new().await;
    stand.timings.permit = Duration::from_millis(20);
    let mut watch = stand.watch(Watched::All, None);
    stand.permitted.store(false, std::sync::atomic::Ordering::Release);

    let ending = async {
        for n in 0.. {
            stand.append("ana", Some(if n % 2 == 0 { "free" } else { "elite" })).await;
            while watch.messages.try_recv().is_ok() {}
            if let Some(Ok(ending)) = (&mut watch.ending).now_or_never() {
                return ending;
            }
        }
        unreachable!("it goes on until there is a reason")
    };
    let ending = tokio::time::timeout(SOON, ending).await.expect("in time");
    assert!(ending.to_string().contains("revoked"), "{ending}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_permission_ends_a_watch_during_its_state_and_drops_the_queued_messages() {
    let mut stand = Stand::new().await;
    stand.timings.permit = Duration::from_millis(20);
    for n in 0..300 {
        stand.append(&format!("u{n:03}"), Some("free")).await;
    }

    let mut watch = stand.watch(Watched::All, None);
    let ended = async {
        while watch.messages.is_empty() {
            tokio::task::yield_now().await;
        }
        stand.permitted.store(false, std::sync::atomic::Ordering::Release);
        while !watch.messages.is_closed() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(SOON, ended).await.expect("it ends while the reader takes nothing");

    assert!(!watch.messages.is_empty());
    let first = watch.next().await.expect("a reason");
    assert!(first.expect_err("no message").to_string().contains("revoked"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_uid_without_an_account_cannot_be_watched() {
    let stand = Stand::new().await;
    stand.append("ana", Some("free")).await;

    let watch = stand.watch(some(&["ana", "ninguem"]), None);

    let ending = tokio::time::timeout(SOON, watch.ending).await.expect("in time").expect("a reason");
    assert_eq!(ending.reason(), garimpo_proto::errors::v1::ErrorReason::UserNotFound);
}

#[test]
fn a_cursor_is_valid_for_seven_days_and_only_in_our_format() {
    let now = Timestamp::from_unix_seconds(1_800_000_000);
    let at = now.plus_days(-7);
    let seen = FeedPosition { seq: 77, at };
    let [cursor, younger] = [at, now].map(|at| Cursor::behind(seen, at));

    for ours in [cursor, younger] {
        assert_eq!(Cursor::parse(&ours.to_text()), Ok(ours));
        assert_eq!(ours.unexpired(now).ok(), Some(ours));
    }
    let ahead =
        Cursor::behind(seen, now.plus_days(1)).unexpired(now).expect_err("from a time that has not come");
    assert_eq!(ahead.reason(), garimpo_proto::errors::v1::ErrorReason::CursorExpired);
    let old = cursor.unexpired(now.plus_seconds(1)).expect_err("older than seven days");
    assert_eq!(old.reason(), garimpo_proto::errors::v1::ErrorReason::CursorExpired);
    for text in ["x", "1", "1.", ".1", "-1.5", "1.2.3.4", "zz.1", "A.1", "+1.2", "01.2", "1.2.2"] {
        assert!(Cursor::parse(text).is_err(), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cursor_to_a_change_lost_by_a_restore_is_invalid_even_when_its_number_is_reused() {
    let stand = Stand::new().await;
    let now = SystemClock.now();
    for plan in ["free", "elite"] {
        stand.append("ana", Some(plan)).await;
    }
    let tail = entitlement_changes::tail(&stand.store).await.expect("readable");
    let holds = async |seen: FeedPosition| stand.feed.check(&Cursor::behind(seen, now), now).await.is_ok();

    assert!(holds(tail).await && holds(FeedPosition::default()).await);
    // The backup ended before this change, so its number is unused and can be assigned again.
    let lost = FeedPosition { seq: tail.seq + 1, at: now.plus_micros(-1) };
    assert!(!holds(lost).await, "nobody's number");
    stand.append("bia", Some("free")).await;
    assert!(!holds(lost).await, "another's number");
    stand.append("bia", Some("elite")).await;
    assert!(!holds(lost).await, "the feed has gone on beyond it");
}

#[tokio::test(flavor = "multi_thread")]
async fn superseded_changes_are_removed_and_the_last_one_of_each_account_stays() {
    let stand = Stand::new().await;
    stand.append("ana", Some("free")).await;
    stand.append("ana", Some("elite")).await;
    stand.append("gone", Some("free")).await;
    stand.append("gone", None).await;
    let now = SystemClock.now();
    let later = now.plus_days(1);
    let first = entitlement_changes::after(&stand.store, 0, 1).await.expect("readable").remove(0).position();

    let purged: Result<u64, StoreError> =
        transaction!(stand.store, (later), |tx| purge::before(tx, entitlement_changes::PURGE, *later, 100)
            .await);
    purged.expect("old changes are removed");

    let left = entitlement_changes::after(&stand.store, 0, 10).await.expect("readable");
    assert_eq!(
        left.iter().map(|c| (&*c.uid, c.plan_id.map(PlanId::as_str))).collect::<Vec<_>>(),
        [("ana", Some("elite")), ("gone", None)],
        "the newest stays, also of who is gone: a cursor of now names it"
    );
    let newest = entitlement_changes::tail(&stand.store).await.expect("readable");
    assert!(stand.feed.check(&Cursor::behind(newest, later), later).await.is_ok());
    // A cursor may name a removed change only if that change is older than seven days: a newer
    // one cannot have been removed.
    let next_week = now.plus_days(8);
    assert!(stand.feed.check(&Cursor::behind(first, next_week), next_week).await.is_ok());
    assert!(stand.feed.check(&Cursor::behind(first, now), now).await.is_err());
}
