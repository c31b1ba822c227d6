//! A service that watches entitlements over connections that are closed repeatedly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use garimpo_proto::billing::v1::{WatchEntitlementsRequest, WatchEntitlementsResponse};
use rand::Rng as _;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

use crate::Visitor;

/// A change as it was received.
#[derive(Debug, Clone, PartialEq)]
pub struct ReceivedChange {
    /// Cursor of the message.
    pub cursor: String,
    /// Uid of the account.
    pub uid: String,
    /// Plan, or `gone`.
    pub plan: String,
    /// Status on the wire.
    pub status: String,
    /// End of these rights, in Unix seconds.
    pub valid_until: Option<i64>,
}

impl ReceivedChange {
    /// A change; `None` for a heartbeat.
    pub fn of(message: &WatchEntitlementsResponse) -> Option<Self> {
        let change = message.entitlements.as_ref();
        (!message.uid.is_empty()).then(|| Self {
            cursor: message.cursor.clone(),
            uid: message.uid.clone(),
            plan: change.map_or_else(|| "gone".to_owned(), |change| change.plan_id.clone()),
            status: change.map(|change| change.status.clone()).unwrap_or_default(),
            valid_until: change.and_then(|change| change.valid_until.as_ref()).map(|at| at.seconds),
        })
    }
}

/// Opens a watch.
pub async fn open(
    url: &str,
    who: &Visitor,
    uids: &[&str],
    cursor: Option<String>,
) -> Result<Streaming<WatchEntitlementsResponse>, Status> {
    let channel = connect(url).await?;
    let uids = uids.iter().map(|uid| (*uid).to_owned()).collect();
    let asked = who.authorized(WatchEntitlementsRequest { uids, cursor });
    Ok(EntitlementServiceClient::new(channel).watch_entitlements(asked).await?.into_inner())
}

async fn connect(url: &str) -> Result<Channel, Status> {
    let endpoint = Endpoint::new(url.to_owned()).expect("an address");
    endpoint.connect().await.map_err(|error| Status::unavailable(error.to_string()))
}

/// Reads the current states; returns them and the cursor after them.
pub async fn present(url: &str, who: &Visitor, uids: &[&str]) -> (Vec<ReceivedChange>, String) {
    let mut stream = open(url, who, uids, None).await.expect("the watch opens");
    let mut states = Vec::new();
    loop {
        let message = stream.message().await.expect("an open watch").expect("a message");
        match ReceivedChange::of(&message) {
            Some(change) => states.push(change),
            None => return (states, message.cursor),
        }
    }
}

/// The next state or change, without heartbeats.
pub async fn next(stream: &mut Streaming<WatchEntitlementsResponse>) -> ReceivedChange {
    loop {
        let message = tokio::time::timeout(crate::DEADLINE, stream.message()).await.expect("in time");
        if let Some(change) = ReceivedChange::of(&message.expect("an open watch").expect("a message")) {
            return change;
        }
    }
}

/// Reads every change after the cursor `from`, up to the one with the cursor `last`.
pub async fn replay(url: &str, who: &Visitor, from: &str, last: &str) -> Vec<ReceivedChange> {
    let mut stream = open(url, who, &[], Some(from.to_owned())).await.expect("the watch opens");
    let mut changes = Vec::new();
    while changes.last().is_none_or(|change: &ReceivedChange| change.cursor != last) {
        let message = stream.message().await.expect("an open watch").expect("a message");
        changes.extend(ReceivedChange::of(&message));
    }
    changes
}

/// A watcher in the background that loses its connection at random and reconnects to any of the
/// servers.
pub struct ReconnectingWatcher {
    seen: Arc<Mutex<Vec<ReceivedChange>>>,
    cursor: watch::Receiver<String>,
    task: JoinHandle<()>,
}

impl ReconnectingWatcher {
    /// Watches all accounts from a cursor on.
    pub fn from(cursor: String, urls: Vec<String>, who: Visitor) -> Self {
        let seen = Arc::new(Mutex::new(Vec::new()));
        let (newest, cursor) = watch::channel(cursor);
        let task = tokio::spawn(watch_and_reconnect(newest, urls, who, seen.clone()));
        Self { seen, cursor, task }
    }

    /// Waits for a newer cursor, because the current one may expire in the days that follow.
    pub async fn wait_for_new_cursor(&mut self) {
        self.cursor.mark_unchanged();
        let given = tokio::time::timeout(Duration::from_secs(20), self.cursor.changed()).await;
        given.expect("a cursor comes in time").expect("an open watch");
    }

    /// The changes received so far, over all connections.
    pub fn seen(&self) -> Vec<ReceivedChange> {
        self.seen.lock().expect("a lock without panics").clone()
    }
}

impl Drop for ReconnectingWatcher {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn watch_and_reconnect(
    newest: watch::Sender<String>,
    urls: Vec<String>,
    who: Visitor,
    seen: Arc<Mutex<Vec<ReceivedChange>>>,
) {
    loop {
        let url = &urls[rand::rng().random_range(0..urls.len())];
        let cursor = newest.borrow().clone();
        let Ok(mut stream) = open(url, &who, &[], Some(cursor)).await else {
            tokio::time::sleep(Duration::from_millis(20)).await;
            continue;
        };
        let stays = tokio::time::sleep(Duration::from_millis(rand::rng().random_range(1..400)));
        tokio::pin!(stays);
        loop {
            tokio::select! {
                message = stream.message() => {
                    let Ok(Some(message)) = message else { break };
                    newest.send_replace(message.cursor.clone());
                    seen.lock().expect("a lock without panics").extend(ReceivedChange::of(&message));
                }
                () = &mut stays => break,
            }
        }
    }
}
