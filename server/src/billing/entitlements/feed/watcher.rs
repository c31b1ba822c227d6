//! One watcher: the present state of its accounts first, then each change once.

use std::collections::{BTreeSet, HashMap};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::Fuse;
use garimpo_domain::Uid;
use garimpo_proto::billing::v1::{GetEntitlementsResponse, WatchEntitlementsResponse};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, Interval};

use crate::billing::entitlements::feed::{Cursor, Feed};
use crate::billing::entitlements::reply::EntitlementsReply;
use crate::billing::entitlements::requested_uids::{MAX_NAMED, is_storable};
use crate::clock::Clock;
use crate::error::{Error, ErrorReason, Result};
use crate::store::{EntitlementChange, EntitlementStates, FeedPosition, Store, entitlement_changes};

/// Messages queued for one client.
const MAX_QUEUED: usize = 256;
/// A slow client may watch again after this.
const RETRY_AFTER: Duration = Duration::from_secs(1);
/// Accounts of one read of the present state.
const PAGE: i64 = 1_000;

#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchTimings {
    /// A client whose queue stays full for this long is disconnected.
    pub reads_within: Duration,
    /// Interval of the heartbeats while no message is sent.
    pub heartbeat: Duration,
    /// Interval of the checks of the token, also while messages are sent.
    pub permit: Duration,
}

impl WatchTimings {
    /// The values of the contract (`entitlement_service.proto`).
    pub(crate) const CONTRACT: Self = Self {
        reads_within: Duration::from_secs(5),
        heartbeat: Duration::from_secs(30),
        permit: Duration::from_secs(1),
    };
}

/// Which accounts are watched.
#[derive(Debug, Clone)]
pub(crate) enum Watched {
    /// All accounts, later ones too.
    All,
    Some(BTreeSet<Uid>),
}

impl Watched {
    fn has(&self, uid: &Uid) -> bool {
        match self {
            Self::All => true,
            Self::Some(uids) => uids.contains(uid),
        }
    }
}

/// The permission of a watch.
#[tonic::async_trait]
pub(crate) trait Permit: Send + Sync {
    async fn holds(&self) -> Result<()>;
}

pub(crate) struct Watcher {
    pub feed: Arc<Feed>,
    pub clock: Arc<dyn Clock>,
    pub watched: Watched,
    pub permit: Box<dyn Permit>,
    pub timings: WatchTimings,
}

/// The client's side of a watch: messages, then the error that ends it.
pub(crate) struct Messages {
    pub messages: mpsc::Receiver<WatchEntitlementsResponse>,
    pub ending: Fuse<oneshot::Receiver<Error>>,
}

impl Messages {
    /// The next message or the final error. The error comes at once: queued messages must not
    /// reach a revoked token, and other clients resume from their cursor.
    pub(crate) async fn next(&mut self) -> Option<Result<WatchEntitlementsResponse>> {
        tokio::select! {
            biased;
            Ok(error) = &mut self.ending => Some(Err(error)),
            message = self.messages.recv() => message.map(Ok),
        }
    }
}

enum CloseReason {
    ClientLeft,
    Failed(Error),
}

impl<E: Into<Error>> From<E> for CloseReason {
    fn from(error: E) -> Self {
        Self::Failed(error.into())
    }
}

/// Number of the last change that the present state of each account contained when it was sent.
#[derive(Default)]
struct SentStates {
    by_uid: HashMap<Uid, i64>,
    until: i64,
}

impl SentStates {
    fn add(&mut self, uid: Uid, seq: i64) {
        self.until = self.until.max(seq);
        self.by_uid.insert(uid, seq);
    }

    /// Whether the sent state of the account contains this change.
    fn contains(&mut self, change: &EntitlementChange) -> bool {
        if change.seq > self.until {
            // No sent state contains a later change, so the memory is freed.
            self.by_uid = HashMap::new();
        }
        self.by_uid.get(&change.uid).is_some_and(|seq| change.seq <= *seq)
    }
}

impl Watcher {
    /// Starts the watch. Without a cursor the present state comes first.
    pub(crate) fn open(self, cursor: Option<Cursor>) -> Messages {
        let (queue, messages) = mpsc::channel(MAX_QUEUED);
        let (end, ending) = oneshot::channel();
        tokio::spawn(async move {
            let mut sender = MessageSender::new(&self, queue);
            if let Err(CloseReason::Failed(error)) = self.run(&mut sender, cursor).await {
                // The client may have left.
                drop(end.send(error));
            }
        });
        Messages { messages, ending: ending.fuse() }
    }

    async fn run(&self, sender: &mut MessageSender<'_>, cursor: Option<Cursor>) -> Result<(), CloseReason> {
        // Subscribed before the first read, so that no change is missed.
        let mut new_changes = self.feed.tail.subscribe();
        let (mut seen, mut sent) = match cursor {
            Some(cursor) => (cursor.seen, SentStates::default()),
            // Boxed, because a watch would keep the space of this read for hours.
            None => Box::pin(self.send_states(sender)).await?,
        };
        let mut heartbeat = tokio::time::interval(self.timings.heartbeat);
        heartbeat.reset();
        // A new watch reads the table to its end and sends a fresh cursor. From then on it reads
        // the changes that this process shares among its watches.
        let mut has_caught_up = false;
        loop {
            new_changes.mark_unchanged();
            let changes = if has_caught_up {
                self.feed.after(seen.seq).await?
            } else {
                self.feed.stored_after(seen.seq).await?
            };
            for change in &changes {
                seen = change.position();
                if self.watched.has(&change.uid) && !sent.contains(change) {
                    sender.send(self.change(change)).await?;
                    heartbeat.reset();
                }
            }
            if !changes.is_empty() {
                continue;
            }
            if !has_caught_up {
                has_caught_up = true;
                sender.send(self.heartbeat(seen)).await?;
            }
            tokio::select! {
                _ = new_changes.changed() => {}
                _ = heartbeat.tick() => sender.send(self.heartbeat(seen)).await?,
                _ = sender.permit_check.tick() => self.permit.holds().await?,
                () = sender.queue.closed() => return Err(CloseReason::ClientLeft),
                () = self.feed.leaving.cancelled() => return Err(leaving().into()),
            }
        }
    }

    /// Sends the present state of the watched accounts. Returns the position from which the
    /// changes follow, and the states that contain later changes.
    async fn send_states(
        &self,
        sender: &mut MessageSender<'_>,
    ) -> Result<(FeedPosition, SentStates), CloseReason> {
        let store = &self.feed.store;
        let (from, mut sent) = (entitlement_changes::tail(store).await?, SentStates::default());
        let mut next = Some(String::new());
        while let Some(after) = next.take() {
            let page = match &self.watched {
                Watched::All => entitlement_changes::states_page(store, &after, PAGE).await?,
                Watched::Some(uids) => named_states(store, uids).await?,
            };
            if matches!(self.watched, Watched::All) && page.states.len() as i64 == PAGE {
                next = page.states.last().map(|state| state.uid.to_string());
            }
            for state in page.states {
                sent.add(state.uid.clone(), page.tail.unwrap_or(from.seq));
                let entitlements = self.entitlements(&state);
                let cursor = String::new();
                sender
                    .send(WatchEntitlementsResponse { cursor, uid: state.uid.into_string(), entitlements })
                    .await?;
            }
        }
        Ok((from, sent))
    }

    fn change(&self, change: &EntitlementChange) -> WatchEntitlementsResponse {
        WatchEntitlementsResponse {
            cursor: Cursor { seen: change.position(), at: change.at }.to_text(),
            uid: change.uid.to_string(),
            entitlements: self.entitlements(change),
        }
    }

    /// `None` if the account was deleted.
    fn entitlements(&self, state: &EntitlementChange) -> Option<GetEntitlementsResponse> {
        Some(EntitlementsReply::of(state).ok()?.into_message(self.clock.now()))
    }

    fn heartbeat(&self, seen: FeedPosition) -> WatchEntitlementsResponse {
        let cursor = Cursor::behind(seen, self.clock.now()).to_text();
        WatchEntitlementsResponse { cursor, uid: String::new(), entitlements: None }
    }
}

/// The queue to the client. The permission is checked while a message waits for its slot.
struct MessageSender<'w> {
    watcher: &'w Watcher,
    queue: mpsc::Sender<WatchEntitlementsResponse>,
    permit_check: Interval,
}

impl<'w> MessageSender<'w> {
    fn new(watcher: &'w Watcher, queue: mpsc::Sender<WatchEntitlementsResponse>) -> Self {
        let every = watcher.timings.permit;
        Self { watcher, queue, permit_check: tokio::time::interval_at(Instant::now() + every, every) }
    }

    async fn send(&mut self, message: WatchEntitlementsResponse) -> Result<(), CloseReason> {
        let Watcher { feed, permit, timings, .. } = self.watcher;
        let mut sending = pin!(tokio::time::timeout(timings.reads_within, self.queue.send(message)));
        loop {
            tokio::select! {
                biased;
                () = feed.leaving.cancelled() => return Err(leaving().into()),
                _ = self.permit_check.tick() => permit.holds().await?,
                sent = &mut sending => return match sent {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(_)) => Err(CloseReason::ClientLeft),
                    Err(_) => Err(slow().into()),
                },
            }
        }
    }
}

fn slow() -> Error {
    let why = "256 messages wait and none is read: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::TooManyRequests, why).retry_after(RETRY_AFTER)
}

fn leaving() -> Error {
    let why = "this server leaves: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::Unavailable, why)
}

/// The present state of each named account.
async fn named_states(store: &Store, uids: &BTreeSet<Uid>) -> Result<EntitlementStates> {
    let storable: Vec<Uid> = uids.iter().filter(|uid| is_storable(uid)).cloned().collect();
    let page = entitlement_changes::states_by_uids(store, &storable).await?;
    if page.states.len() == uids.len() {
        return Ok(page);
    }
    let known: BTreeSet<&Uid> = page.states.iter().map(|state| &state.uid).collect();
    let unknown = uids.iter().filter(|uid| !known.contains(uid)).take(MAX_NAMED);
    let refusal = Error::refused(ErrorReason::UserNotFound, "no account has a uid that was named");
    Err(unknown
        .fold(refusal, |refusal, uid| refusal.with_field("uids", format!("no account has the uid {uid}"))))
}
