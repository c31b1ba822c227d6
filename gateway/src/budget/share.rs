//! A budget, and the shares that clients hold of it.

use super::client::{Client, Prefix};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::Notify;

const HELD: &str = "garimpo_budget_held";
const LIMITED: &str = "garimpo_limited_total";
/// How many clients' worth an IPv6 /48 may hold, because one customer can get a whole /48.
const CLIENTS_PER_NETWORK: usize = 2;
/// Pause that a refusal asks for.
pub const RETRY_AFTER: Duration = Duration::from_secs(5);

/// What may be held at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetLimits {
    /// By all clients together.
    pub total: usize,
    /// By one client: an IPv4 address or an IPv6 /64. An IPv6 /48 may hold twice as much.
    pub client: usize,
}

/// The limit that a claim would pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    /// The one of the client's address or /64.
    Client,
    /// The one of the client's /48.
    Network,
    /// The one of all clients together.
    Total,
    /// The same, met by another client that holds less: its claim took the place of this one.
    Evicted,
}

impl Exceeded {
    const ALL: [Self; 4] = [Self::Client, Self::Network, Self::Total, Self::Evicted];

    pub(super) fn label(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Network => "network",
            Self::Total => "total",
            Self::Evicted => "evicted",
        }
    }
}

/// Counts a refusal by a limit; `limit` and `scope` come from fixed sets.
pub fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}

/// A number of things that clients hold at once.
#[derive(Clone)]
pub struct Budget(Arc<Inner>);

struct Inner {
    name: &'static str,
    limits: BudgetLimits,
    held: Mutex<Held>,
    gauge: metrics::Gauge,
}

#[derive(Default)]
pub(super) struct Held {
    pub total: usize,
    pub by: HashMap<Prefix, usize>,
    /// The shares that may be evicted, the oldest first.
    pub evictable: BTreeMap<u64, Evictable>,
    next_id: u64,
}

pub(super) struct Evictable {
    client: Client,
    amount: usize,
    evicted: Arc<Notify>,
}

impl Held {
    fn of(&self, prefix: Prefix) -> usize {
        self.by.get(&prefix).copied().unwrap_or_default()
    }

    /// Makes a share evictable, and returns its id.
    fn offer(&mut self, client: Client, amount: usize, evicted: Arc<Notify>) -> u64 {
        self.next_id += 1;
        self.evictable.insert(self.next_id, Evictable { client, amount, evicted });
        self.next_id
    }

    fn give_back(&mut self, client: Option<Client>, amount: usize) {
        self.total -= amount;
        let prefixes = client.map(|client| [Some(client.own), client.network]).unwrap_or_default();
        for prefix in prefixes.into_iter().flatten() {
            if let Some(of) = self.by.get_mut(&prefix) {
                *of -= amount;
                if *of == 0 {
                    self.by.remove(&prefix);
                }
            }
        }
    }

    /// Evicts the oldest share of the client that holds most, and returns its amount. A client that
    /// holds no more than the claimant would keeps what it has.
    fn evict_for(&mut self, claimant: Option<Client>, amount: usize) -> Option<usize> {
        let holding = self.evictable.iter().filter(|(_, share)| share.amount > 0);
        let largest = holding.map(|(id, share)| (self.of(share.client.group()), Reverse(*id))).max();
        let (most, Reverse(id)) = largest?;
        if most <= claimant.map_or(0, |client| self.of(client.group())) + amount {
            return None;
        }
        let gone = self.evictable.remove(&id)?;
        self.give_back(Some(gone.client), gone.amount);
        gone.evicted.notify_one();
        Some(gone.amount)
    }
}

impl Budget {
    /// A budget; `name` is its label in the metrics, which show it from now on.
    pub fn new(name: &'static str, limits: BudgetLimits) -> Self {
        metrics::describe_gauge!(HELD, "What clients hold at once, by budget.");
        metrics::describe_counter!(LIMITED, "Refusals by a limit and by whose limit it is.");
        for scope in Exceeded::ALL {
            metrics::counter!(LIMITED, "limit" => name, "scope" => scope.label()).increment(0);
        }
        let gauge = metrics::gauge!(HELD, "budget" => name);
        gauge.set(0.0);
        Self(Arc::new(Inner { name, limits, held: Mutex::default(), gauge }))
    }

    /// Claims an amount for a client; without one only the limit of all together holds.
    ///
    /// # Errors
    /// The limit that stands against it; it was counted.
    pub fn claim(&self, client: Option<IpAddr>, amount: usize) -> Result<Share, Exceeded> {
        let client = client.map(Client::from);
        let mut share = Share { budget: self.clone(), client, amount: 0, place: None };
        share.grow(amount)?;
        Ok(share)
    }

    /// The same, but where the total limit is reached the client that holds most loses its oldest
    /// share of this kind, because a refusal would let few clients keep everybody else out.
    ///
    /// # Errors
    /// The limit that stands against it; it was counted.
    pub fn claim_evictable(&self, client: IpAddr, amount: usize) -> Result<Share, Exceeded> {
        let (client, evicted) = (Client::from(client), Arc::new(Notify::new()));
        let id = self.held().offer(client, 0, evicted.clone());
        let place = Some(Place { id, evicted });
        let mut share = Share { budget: self.clone(), client: Some(client), amount: 0, place };
        share.grow(amount)?;
        Ok(share)
    }

    /// How much the IPv4 address or the IPv6 /48 of a client holds.
    pub fn held_around(&self, client: IpAddr) -> usize {
        self.held().of(Client::from(client).group())
    }

    pub(super) fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn take(&self, client: Option<Client>, place: Option<u64>, amount: usize) -> Result<(), Exceeded> {
        let limits = self.0.limits;
        let mut held = self.held();
        if place.is_some_and(|id| !held.evictable.contains_key(&id)) {
            return Err(Exceeded::Evicted);
        }
        let own = client.map(|client| client.own);
        let network = client.and_then(|client| client.network);
        if own.is_some_and(|own| held.of(own) + amount > limits.client) {
            return Err(Exceeded::Client);
        }
        if network.is_some_and(|network| held.of(network) + amount > limits.client * CLIENTS_PER_NETWORK) {
            return Err(Exceeded::Network);
        }
        while held.total + amount > limits.total {
            let freed = held.evict_for(client, amount).ok_or(Exceeded::Total)?;
            self.0.gauge.decrement(as_gauge(freed));
            count_limited(self.0.name, Exceeded::Evicted.label());
        }
        held.total += amount;
        if let Some(share) = place.and_then(|id| held.evictable.get_mut(&id)) {
            share.amount += amount;
        }
        for prefix in [own, network].into_iter().flatten() {
            *held.by.entry(prefix).or_default() += amount;
        }
        self.0.gauge.increment(as_gauge(amount));
        Ok(())
    }

    fn give_back(&self, client: Option<Client>, place: Option<u64>, amount: usize) {
        let mut held = self.held();
        if place.is_some_and(|id| held.evictable.remove(&id).is_none()) {
            return;
        }
        held.give_back(client, amount);
        self.0.gauge.decrement(as_gauge(amount));
    }
}

fn as_gauge(amount: usize) -> f64 {
    u32::try_from(amount).map_or(f64::from(u32::MAX), f64::from)
}

/// Ends a connection when another client needs the place of an answer that this one's has not read.
///
/// Whoever serves connections puts it into the extensions of their requests.
#[derive(Debug, Clone, Default)]
pub struct AnswerEviction(Arc<Notify>);

impl AnswerEviction {
    /// Waits until an answer is evicted.
    pub async fn evicted(&self) {
        self.0.notified().await;
    }
}

/// What one client holds of a budget, until it is dropped.
pub struct Share {
    budget: Budget,
    client: Option<Client>,
    amount: usize,
    /// Where it may be evicted.
    place: Option<Place>,
}

struct Place {
    id: u64,
    evicted: Arc<Notify>,
}

impl Share {
    /// Claims more.
    ///
    /// # Errors
    /// The limit that stands against it; it was counted, and the share stays as it was.
    pub fn grow(&mut self, by: usize) -> Result<(), Exceeded> {
        self.budget.take(self.client, self.place_id(), by).inspect_err(|exceeded| {
            // An eviction was counted when it happened.
            if *exceeded != Exceeded::Evicted {
                count_limited(self.budget.0.name, exceeded.label());
            }
        })?;
        self.amount += by;
        Ok(())
    }

    /// Waits until the share is evicted, independent of it: it may grow meanwhile.
    pub(crate) fn evicted(&self) -> impl Future<Output = ()> + Send + use<> {
        let evicted = self.place.as_ref().map(|place| place.evicted.clone());
        async move {
            match evicted {
                Some(evicted) => evicted.notified().await,
                None => std::future::pending().await,
            }
        }
    }

    /// The same share, which may be evicted from now on.
    pub(crate) fn evictable(mut self, eviction: AnswerEviction) -> Self {
        if let (Some(client), None) = (self.client, &self.place) {
            let id = self.budget.held().offer(client, self.amount, eviction.0.clone());
            self.place = Some(Place { id, evicted: eviction.0 });
        }
        self
    }

    /// The same share, which can no longer be evicted.
    ///
    /// # Errors
    /// It was evicted before.
    pub(crate) fn settled(mut self) -> Result<Self, Exceeded> {
        if let Some(place) = &self.place {
            let was_held = self.budget.held().evictable.remove(&place.id).is_some();
            if !was_held {
                return Err(Exceeded::Evicted);
            }
            self.place = None;
        }
        Ok(self)
    }

    fn place_id(&self) -> Option<u64> {
        self.place.as_ref().map(|place| place.id)
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.amount > 0 || self.place.is_some() {
            self.budget.give_back(self.client, self.place_id(), self.amount);
        }
    }
}
