//! One watcher: the present state of its accounts first, then every change, each once.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use garimpo_domain::Timestamp;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tokio::sync::{mpsc, oneshot};

use super::{Cursor, Feed};
use crate::billing::entitlements::told;
use crate::clock::Clock;
use crate::error::Error;
use crate::store::Store;
use crate::store::entitlement_changes::{EntitlementChange, EntitlementStates, Place};

/// Messages that may wait for a watcher (design section 2 of the contract: dropped after 256).
const WAITING: usize = 256;
/// Whoever takes no message for so long, while as many wait as may, does not read.
const SLOW: Duration = Duration::from_secs(5);

/// How a watch is kept in time.
#[derive(Debug, Clone, Copy)]
pub(in crate::billing) struct Pace {
    /// A watcher that takes no message for so long, while as many wait as may, does not read.
    pub reads_within: Duration,
    /// A quiet watch says this often that it lives.
    pub heartbeat: Duration,
    /// Whether the watcher may go on is asked this often, however much there is to tell.
    pub permit: Duration,
}

impl Pace {
    /// What the contract says.
    pub(in crate::billing) const CONTRACT: Self =
        Self { reads_within: SLOW, heartbeat: Duration::from_secs(30), permit: Duration::from_secs(1) };
}

/// Accounts of one reading of the present state.
const PAGE: usize = 1_000;

/// Which accounts are watched.
#[derive(Debug, Clone)]
pub(in crate::billing) enum Watched {
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
pub(in crate::billing) trait Permit: Send + Sync {
    async fn holds(&self) -> Result<(), Error>;
}

/// One open watch.
pub(in crate::billing) struct Watcher {
    pub feed: Arc<Feed>,
    pub clock: Arc<dyn Clock>,
    pub watched: Watched,
    pub permit: Box<dyn Permit>,
    pub pace: Pace,
}

/// What a caller reads of it: messages, then why there are no more.
pub(in crate::billing) struct Messages {
    pub messages: mpsc::Receiver<pb::WatchEntitlementsResponse>,
    pub ending: oneshot::Receiver<Error>,
}

/// Why a watch ends.
enum Ending {
    /// Nobody listens any more.
    Left,
    /// To be told.
    Told(Error),
}

impl<E: Into<Error>> From<E> for Ending {
    fn from(error: E) -> Self {
        Self::Told(error.into())
    }
}

/// How far accounts were told when their present state was: up to a uid, up to a change.
struct Mark {
    uid: Option<String>,
    seq: i64,
}

impl Watcher {
    /// Starts to tell; without a cursor the present state comes first.
    pub(in crate::billing) fn open(self, cursor: Option<Cursor>) -> Messages {
        let (out, messages) = mpsc::channel(WAITING);
        let (end, ending) = oneshot::channel();
        tokio::spawn(async move {
            if let Err(Ending::Told(error)) = self.tell(&out, cursor).await {
                // Who has left does not hear it.
                drop(end.send(error));
            }
        });
        Messages { messages, ending }
    }

    async fn tell(&self, out: &Out, cursor: Option<Cursor>) -> Result<(), Ending> {
        // From here on nothing is missed: it rings for whatever is read after this.
        let mut rings = self.feed.rings();
        let (mut seen, mut marks) = match cursor {
            Some(cursor) => (cursor.seen, Vec::new()),
            None => self.tell_states(out).await?,
        };
        let mut beat = tokio::time::interval(self.pace.heartbeat);
        beat.reset();
        let mut asked = Instant::now();
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
                if marks.iter().all(|mark| mark.seq < seen.seq) {
                    marks.clear();
                }
                if self.watched.has(&change.uid) && !was_told(&marks, change) {
                    self.send(out, self.change(change)).await?;
                    beat.reset();
                }
            }
            if asked.elapsed() >= self.pace.permit {
                self.permit.holds().await?;
                asked = Instant::now();
            }
            if !changes.is_empty() {
                continue;
            }
            if !is_level {
                is_level = true;
                self.send(out, self.heartbeat(seen)).await?;
            }
            tokio::select! {
                _ = rings.changed() => {}
                _ = beat.tick() => self.send(out, self.heartbeat(seen)).await?,
                () = tokio::time::sleep(self.pace.permit.saturating_sub(asked.elapsed())) => {}
                () = out.closed() => return Err(Ending::Left),
                () = self.feed.leaving.cancelled() => return Err(leaving().into()),
            }
        }
    }

    /// Tells the present state of every account that is watched; answers from where to go on, and what was told later
    /// than that.
    async fn tell_states(&self, out: &Out) -> Result<(Place, Vec<Mark>), Ending> {
        let from = self.feed.store.entitlement_tail().await?;
        let mut marks = Vec::new();
        let mut pages = Pages::of(&self.watched);
        while let Some((uid, page)) = pages.next(&self.feed.store).await? {
            marks.push(Mark { uid, seq: page.tail.unwrap_or(from.seq) });
            for state in page.states {
                let told = told(&state, self.clock.now());
                let message = message(String::new(), state.uid, told);
                self.send(out, message).await?;
            }
        }
        Ok((from, marks))
    }

    fn change(&self, change: &EntitlementChange) -> pb::WatchEntitlementsResponse {
        let cursor = Cursor { seen: change.place(), at: Timestamp::from_micros(change.at_us) };
        message(cursor.written(), change.uid.clone(), told(change, self.clock.now()))
    }

    fn heartbeat(&self, seen: Place) -> pb::WatchEntitlementsResponse {
        message(Cursor::behind(seen, self.clock.now()).written(), String::new(), None)
    }

    async fn send(&self, out: &Out, message: pb::WatchEntitlementsResponse) -> Result<(), Ending> {
        tokio::select! {
            sent = tokio::time::timeout(self.pace.reads_within, out.send(message)) => match sent {
                Ok(Ok(())) => Ok(()),
                Ok(Err(_)) => Err(Ending::Left),
                Err(_) => Err(slow().into()),
            },
            () = self.feed.leaving.cancelled() => Err(leaving().into()),
        }
    }
}

type Out = mpsc::Sender<pb::WatchEntitlementsResponse>;

fn message(
    cursor: String,
    uid: String,
    entitlements: Option<pb::GetEntitlementsResponse>,
) -> pb::WatchEntitlementsResponse {
    pb::WatchEntitlementsResponse { cursor, uid, entitlements }
}

fn slow() -> Error {
    let why = "256 messages wait and none is read: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::TooManyRequests, why)
}

fn leaving() -> Error {
    let why = "this server leaves: watch again, with the last cursor where one came";
    Error::refused(ErrorReason::Unavailable, why)
}

/// Whether the present state that was told of an account holds this change already.
fn was_told(marks: &[Mark], change: &EntitlementChange) -> bool {
    let page = marks.iter().find(|mark| mark.uid.as_ref().is_none_or(|uid| change.uid <= *uid));
    page.is_some_and(|mark| change.seq <= mark.seq)
}

/// Readings of the present state, by ascending uid.
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

    /// The next page, with the last uid that it speaks for; `None` there stands for all that follow.
    async fn next(&mut self, store: &Store) -> Result<Option<(Option<String>, EntitlementStates)>, Error> {
        match self {
            Self::All { after } => {
                let page = store.entitlement_states_page(after, PAGE as i64).await?;
                let last =
                    page.states.last().filter(|_| page.states.len() == PAGE).map(|state| state.uid.clone());
                *self = last.clone().map_or(Self::Done, |after| Self::All { after });
                Ok(Some((last, page)))
            }
            Self::Some(left) => {
                let rest = left.split_off(left.len().min(PAGE));
                let asked: Vec<String> = left.drain(..).cloned().collect();
                let page = store.entitlement_states(&asked).await?;
                if page.states.len() < asked.len() {
                    return Err(unknown(&asked, &page));
                }
                let last = asked.last().filter(|_| !rest.is_empty()).cloned();
                *self = if rest.is_empty() { Self::Done } else { Self::Some(rest) };
                Ok(Some((last, page)))
            }
            Self::Done => Ok(None),
        }
    }
}

fn unknown(asked: &[String], page: &EntitlementStates) -> Error {
    let is_known = |uid: &&String| page.states.iter().any(|state| state.uid == **uid);
    let uid = asked.iter().find(|uid| !is_known(uid)).map_or("", String::as_str);
    Error::refused(ErrorReason::UserNotFound, format!("no account has the uid {uid}"))
        .with_field("uids", "unknown")
}
