//! Limits of the connections of a port, and which of them are closed when it is full.

use super::usage::Usage;
use garimpo_gateway::budget::{AnswerEviction, Budget, BudgetLimits, Exceeded, Share, count_limited};
use ipnet::IpNet;
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tokio_util::sync::CancellationToken;

/// Open connections of a port of our own machines. Descriptors are left for files and providers.
const INTERNAL: BudgetLimits = BudgetLimits { total: 4096, client: usize::MAX / 2 };
/// Open connections of the port that redirects: each has one request as a rule.
const REDIRECT: BudgetLimits = BudgetLimits { total: 1024, client: 128 };
/// Idle time after which a connection of the redirecting port is closed.
const REDIRECT_IDLE: Duration = Duration::from_secs(5);
/// Idle time after which a connection of the public port is closed.
const IDLE: Duration = Duration::from_mins(1);
/// Time without a read of a response, after which a connection of the public port is closed.
const UNREAD: Duration = Duration::from_secs(30);
/// HTTP/2 streams of a connection of the public port: a browser's page needs fewer.
const PUBLIC_STREAMS: u32 = 64;
/// HTTP/2 streams of a connection of our own machines, which has many watches.
const INTERNAL_STREAMS: u32 = 256;

/// The connections of one port.
#[derive(Clone)]
pub struct Connections(Arc<Inner>);

struct Inner {
    budget: Budget,
    /// Peers that forward calls of many clients: only the limit of the port applies to them.
    is_proxy: Box<dyn Fn(IpAddr) -> bool + Send + Sync>,
    timeouts: Option<ConnectionTimeouts>,
    streams: u32,
    next_id: AtomicU64,
    open: Mutex<HashMap<u64, Open>>,
}

/// Time limits of a connection of the public port.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionTimeouts {
    /// Longest time without a request.
    pub idle: Duration,
    /// Longest time in which the client reads nothing of a response.
    pub unread: Duration,
}

/// An open connection of a port.
struct Open {
    /// `None` for our own machines and for proxies.
    client: Option<IpAddr>,
    usage: Arc<Usage>,
    evicted: CancellationToken,
    _share: Share,
}

impl Connections {
    /// Connections of a port of our own machines, without a limit per peer.
    pub fn internal(port: &'static str) -> Self {
        Self::new(Budget::new(port, INTERNAL), |_| true, None, INTERNAL_STREAMS)
    }

    /// Connections of the public port.
    pub fn public(limits: BudgetLimits, proxies: &[IpNet]) -> Self {
        let proxies = proxies.to_vec();
        let is_proxy = move |peer: IpAddr| proxies.iter().any(|net| net.contains(&peer.to_canonical()));
        let timeouts = ConnectionTimeouts { idle: IDLE, unread: UNREAD };
        Self::new(Budget::new("connections", limits), is_proxy, Some(timeouts), PUBLIC_STREAMS)
    }

    /// Connections of the port that redirects to the public port.
    pub fn redirect() -> Self {
        let timeouts = ConnectionTimeouts { idle: REDIRECT_IDLE, unread: UNREAD };
        Self::new(Budget::new("redirect_connections", REDIRECT), |_| false, Some(timeouts), PUBLIC_STREAMS)
    }

    fn new(
        budget: Budget,
        is_proxy: impl Fn(IpAddr) -> bool + Send + Sync + 'static,
        timeouts: Option<ConnectionTimeouts>,
        streams: u32,
    ) -> Self {
        let (next_id, open) = (AtomicU64::default(), Mutex::default());
        Self(Arc::new(Inner { budget, is_proxy: Box::new(is_proxy), timeouts, streams, next_id, open }))
    }

    /// Connections of the public port with other time limits.
    #[cfg(test)]
    pub fn with_timeouts(limits: BudgetLimits, timeouts: ConnectionTimeouts) -> Self {
        Self::new(Budget::new("connections", limits), |_| false, Some(timeouts), PUBLIC_STREAMS)
    }

    /// HTTP/2 streams of a connection.
    pub fn streams(&self) -> u32 {
        self.0.streams
    }

    /// Admits a connection. When the port is full, the connection that has been idle for longest is
    /// closed. If all are in use, one of the client with most is closed, because a refusal would
    /// let few clients keep everybody else out.
    pub fn admit(&self, address: IpAddr) -> Result<Admitted, Exceeded> {
        let client = (!(self.0.is_proxy)(address)).then_some(address);
        let share = match self.0.budget.claim(client, 1) {
            Err(Exceeded::Total) if self.evict_idle(client) || self.evict_from_largest(client) => {
                self.0.budget.claim(client, 1)?
            }
            claimed => claimed?,
        };
        let id = self.0.next_id.fetch_add(1, Ordering::Relaxed);
        // The calls of all of a proxy's clients would end with its connection.
        let eviction = client.map(|_| AnswerEviction::default());
        let (usage, evicted) = (Arc::new(Usage::new(eviction)), CancellationToken::new());
        let open = Open { client, usage: usage.clone(), evicted: evicted.clone(), _share: share };
        self.0.open.lock().insert(id, open);
        Ok(Admitted { connections: self.clone(), id, is_proxy: client.is_none(), usage, evicted })
    }

    /// Ends the connection that has been idle for longest, but none of a client that has fewer than
    /// the new client. Returns whether a connection was ended.
    fn evict_idle(&self, newcomer: Option<IpAddr>) -> bool {
        let mut open = self.0.open.lock();
        let mut held = self.held();
        let own = newcomer.map_or(0, &mut held);
        let mut gives_way =
            |open: &Open| open.client == newcomer || open.client.map_or(usize::MAX, &mut held) > own;
        let idle = open.iter().filter(|(_, open)| gives_way(open));
        let idle = idle.filter_map(|(id, open)| Some((open.usage.idle_since()?, *id)));
        let id = idle.min().map(|(_, id)| id);
        id.is_some_and(|id| evict(&mut open, id))
    }

    /// Ends a connection of the IPv4 address or IPv6 /48 that has most: the one without progress
    /// for longest. A client never loses one to a client that would then have more.
    fn evict_from_largest(&self, newcomer: Option<IpAddr>) -> bool {
        let mut open = self.0.open.lock();
        let mut held = self.held();
        let candidates = open
            .iter()
            .filter_map(|(id, open)| Some((held(open.client?), Reverse(open.usage.last_progress()), *id)));
        let Some((most, _, id)) = candidates.max() else { return false };
        most > newcomer.map_or(0, held) + 1 && evict(&mut open, id)
    }

    /// How many connections the IPv4 address or IPv6 /48 of a client holds. Each client is looked
    /// up once, because few clients may hold the thousands of connections of a full port.
    fn held(&self) -> impl FnMut(IpAddr) -> usize {
        let mut known = HashMap::new();
        move |client| *known.entry(client).or_insert_with(|| self.0.budget.held_around(client))
    }
}

/// Ends an open connection and frees its share of the budget.
fn evict(open: &mut HashMap<u64, Open>, id: u64) -> bool {
    let Some(gone) = open.remove(&id) else { return false };
    gone.evicted.cancel();
    count_limited("connections", "evicted");
    true
}

/// A connection that was admitted; it is counted until this is dropped or evicted.
pub struct Admitted {
    connections: Connections,
    id: u64,
    is_proxy: bool,
    usage: Arc<Usage>,
    evicted: CancellationToken,
}

impl Admitted {
    /// The requests of the connection.
    pub fn usage(&self) -> Arc<Usage> {
        self.usage.clone()
    }

    /// The client that limits count; `None` for our own machines and for proxies.
    pub fn client(&self, peer: IpAddr) -> Option<IpAddr> {
        (!self.is_proxy).then_some(peer)
    }

    /// Waits until the connection, or the memory of one of its responses, is evicted.
    pub async fn evicted(&self) {
        let answer = async {
            match self.usage.eviction() {
                Some(eviction) => eviction.evicted().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.evicted.cancelled() => {}
            () = answer => {}
        }
    }

    /// Waits until the connection has had no request for the limit of the port plus `longer`.
    pub async fn idle(&self, longer: Duration) {
        match self.connections.0.timeouts {
            Some(timeouts) => self.usage.idle_for(timeouts.idle + longer).await,
            None => std::future::pending().await,
        }
    }

    /// Waits until the connection can be ended without losing a request.
    pub async fn settled(&self, linger: Duration) {
        self.usage.settled(linger).await;
    }

    /// Waits until the client has read nothing of a response for the limit of the port. A response
    /// with nothing to send does not count: a watch may be silent for hours. A response to a proxy
    /// does not count either, because one of its clients would end the calls of all others.
    pub async fn unread(&self) {
        match self.connections.0.timeouts {
            Some(timeouts) if !self.is_proxy => {
                self.usage.unread_for(timeouts.unread).await;
                count_limited("connections", "slow");
            }
            _ => std::future::pending().await,
        }
    }
}

impl Drop for Admitted {
    fn drop(&mut self) {
        let closed = self.connections.0.open.lock().remove(&self.id);
        drop(closed);
    }
}

#[cfg(test)]
mod tests;
