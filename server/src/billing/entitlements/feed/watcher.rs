//! One watcher: the present state of its accounts first, then each change once.

use std::collections::{BTreeSet, HashMap};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::Fuse;
use garimpo_domain::Timestamp;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::written::{GetEntitlementsResponse, WatchEntitlementsResponse};
use tokio::sync::{mpsc, oneshot};
use tokio::time::{Instant, Interval};

use crate::billing::entitlements::fast_path::encoded_reply::Answer;
use crate::billing::entitlements::feed::{Cursor, Feed};
use crate::billing::entitlements::uids::{NAMED_MAX, is_storable};
use crate::clock::Clock;
use crate::error::Error;
use crate::store::Store;
use crate::store::billing::entitlement_changes::{self, EntitlementChange, EntitlementStates, Place};

/// Messages that may wait for a watcher; one that has more is dropped.
const WAITING: usize = 256;
/// Whoever takes no message for so long, while as many wait as may, does not read.
const SLOW: Duration = Duration::from_secs(5);

/// When whoever was dropped may watch again.
const AGAIN_IN: Duration = Duration::from_secs(1);

/// How a watch is kept in time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WatchTimings {
    /// A watcher that takes no message for so long, while as many wait as may, does not read.
    pub reads_within: Duration,
    /// A quiet watch says this often that it lives.
    pub heartbeat: Duration,
    /// Whether the watcher may go on is asked this often, however much there is to tell.
    pub permit: Duration,
}

impl WatchTimings {
    /// What the contract says.
    pub(crate) const CONTRACT: Self =
        Self { reads_within: SLOW, heartbeat: Duration::from_secs(30), permit: Duration::from_secs(1) };
}

/// Accounts of one reading of the present state.
const PAGE: usize = 1_000;

/// Which accounts are watched.
#[derive(Debug, Clone)]
pub(crate) enum Watched {
    /// All, also those that are made later.
    All,
    /// These.
    Some(BTreeSet<String>),
}

impl Watched {
    fn has(&self, uid: &str) -> bool {
        match self {
            Self::All => true,
            Self::Some(uids) => uids.contains(uid),
        }
    }
}

/// Whether a watcher may go on, asked again and again.
#[tonic::async_trait]
pub(crate) trait Permit: Send + Sync {
    async fn holds(&self) -> Result<(), Error>;
}

/// One open watch.
pub(crate) struct Watcher {
    pub feed: Arc<Feed>,
    pub clock: Arc<dyn Clock>,
    pub watched: Watched,
    pub permit: Box<dyn Permit>,
    pub pace: WatchTimings,
}

/// What a caller reads of it: messages, then why there are no more.
pub(crate) struct Messages {
    pub messages: mpsc::Receiver<WatchEntitlementsResponse>,
    pub ending: Fuse<oneshot::Receiver<Error>>,
}

impl Messages {
    /// The next message, or why there are no more. The end comes at once: what still waits is nobody's any more whose
    /// token was revoked, and is told again to everybody else from the last cursor on.
    pub(crate) async fn next(&mut self) -> Option<Result<WatchEntitlementsResponse, Error>> {
        tokio::select! {
            biased;
            Ok(why) = &mut self.ending => Some(Err(why)),
            message = self.messages.recv() => message.map(Ok),
        }
    }
}

/// Why a watch ends.
enum Ending {
    /// Nobody listens any more.
    Left,
    /// To be told.
    SentStates(Error),
}

impl<E: Into<Error>> From<E> for Ending {
    fn from(error: E) -> Self {
        Self::SentStates(error.into())
    }
}

/// The accounts whose present state was told, each with the last change that its reading held.
#[derive(Default)]
struct SentStates {
    by_uid: HashMap<String, i64>,
    until: i64,
}

impl SentStates {
    fn add(&mut self, uid: String, seq: i64) {
        self.until = self.until.max(seq);
        self.by_uid.insert(uid, seq);
    }

    /// Whether the present state that was told of an account holds this change already.
    fn has(&mut self, change: &EntitlementChange) -> bool {
        if change.seq > self.until {
            // All that come from here on are news.
            self.by_uid = HashMap::new();
        }
        self.by_uid.get(&change.uid).is_some_and(|seq| change.seq <= *seq)
    }
}

impl Watcher {
    /// Starts to tell; without a cursor the present state comes first.
    pub(crate) fn open(self, cursor: Option<Cursor>) -> Messages {
        let (out, messages) = mpsc::channel(WAITING);
        let (end, ending) = oneshot::channel();
        tokio::spawn(async move {
            let mut line = Line::new(&self, out);
            if let Err(Ending::SentStates(error)) = self.tell(&mut line, cursor).await {
                // Who has left does not hear it.
                drop(end.send(error));
            }
        });
        Messages { messages, ending: ending.fuse() }
    }

    async fn tell(&self, line: &mut Line<'_>, cursor: Option<Cursor>) -> Result<(), Ending> {
        // From here on nothing is missed: it rings for whatever is read after this.
        let mut rings = self.feed.rings();
        let (mut seen, mut told) = match cursor {
            Some(cursor) => (cursor.seen, SentStates::default()),
            None => self.tell_states(line).await?,
        };
        let mut beat = tokio::time::interval(self.pace.heartbeat);
        beat.reset();
        // Who has just come is told all that is stored, then gets a fresh cursor; from then on the shared reader is enough.
        let mut is_level = false;
        loop {
            rings.mark_unchanged();
            let changes = if is_level {
                self.feed.after(seen.seq).await?
            } else {
                self.feed.stored_after(seen.seq).await?
            };
            for change in &changes {
                seen = change.place();
                if self.watched.has(&change.uid) && !told.has(change) {
                    line.send(self.change(change)).await?;
                    beat.reset();
                }
            }
            if !changes.is_empty() {
                continue;
            }
            if !is_level {
                is_level = true;
                line.send(self.heartbeat(seen)).await?;
            }
            tokio::select! {
                _ = rings.changed() => {}
                _ = beat.tick() => line.send(self.heartbeat(seen)).await?,
                _ = line.asks.tick() => self.permit.holds().await?,
                () = line.out.closed() => return Err(Ending::Left),
                () = self.feed.leaving.cancelled() => return Err(leaving().into()),
            }
        }
    }

    /// Tells the present state of every account that is watched; answers from where to go on, and what was told later
    /// than that.
    async fn tell_states(&self, line: &mut Line<'_>) -> Result<(Place, SentStates), Ending> {
        let from = entitlement_changes::tail(&self.feed.store).await?;
        let mut all = SentStates::default();
        let mut pages = Pages::of(&self.watched);
        while let Some(page) = pages.next(&self.feed.store).await? {
            for state in page.states {
                all.add(state.uid.clone(), page.tail.unwrap_or(from.seq));
                let told = self.told(&state);
                line.send(message(String::new(), state.uid, told)).await?;
            }
        }
        Ok((from, all))
    }

    fn change(&self, change: &EntitlementChange) -> WatchEntitlementsResponse {
        let cursor = Cursor { seen: change.place(), at: Timestamp::from_micros(change.at_us) };
        message(cursor.written(), change.uid.clone(), self.told(change))
    }

    /// `None` when the account is gone.
    fn told(&self, state: &EntitlementChange) -> Option<GetEntitlementsResponse> {
        Some(Answer::of(state).ok()?.told(self.clock.now()))
    }

    fn heartbeat(&self, seen: Place) -> WatchEntitlementsResponse {
        message(Cursor::behind(seen, self.clock.now()).written(), String::new(), None)
    }
}

/// What leads to the watcher: each message waits for its place, and the permission is asked for meanwhile.
struct Line<'w> {
    watcher: &'w Watcher,
    out: mpsc::Sender<WatchEntitlementsResponse>,
    asks: Interval,
}

impl<'w> Line<'w> {
    fn new(watcher: &'w Watcher, out: mpsc::Sender<WatchEntitlementsResponse>) -> Self {
        let every = watcher.pace.permit;
        Self { watcher, out, asks: tokio::time::interval_at(Instant::now() + every, every) }
    }

    async fn send(&mut self, message: WatchEntitlementsResponse) -> Result<(), Ending> {
        let Watcher { feed, permit, pace, .. } = self.watcher;
        let mut sending = pin!(tokio::time::timeout(pace.reads_within, self.out.send(message)));
        loop {
            tokio::select! {
                biased;
                () = feed.leaving.cancelled() => return Err(leaving().into()),
                _ = self.asks.tick() => permit.holds().await?,
                sent = &mut sending => return match sent {
                    Ok(Ok(())) => Ok(()),
                    Ok(Err(_)) => Err(Ending::Left),
                    Err(_) => Err(slow().into()),
                },
            }
        }
    }
}

fn message(
    cursor: String,
    uid: String,
    entitlements: Option<GetEntitlementsResponse>,
) -> WatchEntitlementsResponse {
    WatchEntitlementsResponse { cursor, uid, entitlements }
}

fn slow() -> Error {
    let why = "256 messages wait and none is read: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::TooManyRequests, why).retry_after(AGAIN_IN)
}

fn leaving() -> Error {
    let why = "this server leaves: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::Unavailable, why)
}

/// Readings of the present state, in the order of the database.
enum Pages<'w> {
    /// Of everybody after a uid.
    All { after: String },
    /// Of these.
    Some(Vec<&'w String>),
    /// All were read.
    Done,
}

impl<'w> Pages<'w> {
    fn of(watched: &'w Watched) -> Self {
        match watched {
            Watched::All => Self::All { after: String::new() },
            Watched::Some(uids) => Self::Some(uids.iter().collect()),
        }
    }

    /// The next page.
    async fn next(&mut self, store: &Store) -> Result<Option<EntitlementStates>, Error> {
        match self {
            Self::All { after } => {
                let page = entitlement_changes::states_page(store, after, PAGE as i64).await?;
                let last =
                    page.states.last().filter(|_| page.states.len() == PAGE).map(|state| state.uid.clone());
                *self = last.map_or(Self::Done, |after| Self::All { after });
                Ok(Some(page))
            }
            Self::Some(left) => {
                let rest = left.split_off(left.len().min(PAGE));
                let asked: Vec<String> = left.drain(..).cloned().collect();
                let storable: Vec<String> = asked.iter().filter(|uid| is_storable(uid)).cloned().collect();
                let page = entitlement_changes::states_by_uids(&store, &storable).await?;
                if page.states.len() < asked.len() {
                    return Err(unknown(&asked, &page));
                }
                *self = if rest.is_empty() { Self::Done } else { Self::Some(rest) };
                Ok(Some(page))
            }
            Self::Done => Ok(None),
        }
    }
}

fn unknown(asked: &[String], page: &EntitlementStates) -> Error {
    let is_known = |uid: &String| page.states.iter().any(|state| state.uid == *uid);
    let missing = asked.iter().filter(|uid| !is_known(uid)).take(NAMED_MAX);
    let refusal = Error::refused(ErrorReason::UserNotFound, "no account has a uid that was named");
    missing.fold(refusal, |refusal, uid| refusal.with_field("uids", format!("no account has the uid {uid}")))
}
