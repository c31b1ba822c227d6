//! A budget, and the shares that clients hold of it.

use super::client::{Client, Prefix};
use parking_lot::{Mutex, MutexGuard};
use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;

const HELD: &str = "garimpo_budget_held";
const LIMIT: &str = "garimpo_budget_limit";
const LIMITED: &str = "garimpo_limited_total";
/// An IPv6 /48 may hold as much as two clients, because one customer can get a whole /48.
const CLIENTS_PER_NETWORK: usize = 2;
/// Value of `retry-after` in refusals.
pub const RETRY_AFTER: Duration = Duration::from_secs(5);

/// Largest amounts that are held at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BudgetLimits {
    /// Of all clients together.
    pub total: usize,
    /// Of one client: an IPv4 address or an IPv6 /64. An IPv6 /48 may hold twice as much.
    pub client: usize,
}

/// The limit that a claim exceeds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exceeded {
    /// Limit of the IPv4 address or /64.
    Client,
    /// Limit of the /48.
    Network,
    /// Limit of all clients together.
    Total,
    /// Limit of all clients together: a client that holds less has taken the place.
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

/// Counts a refusal. `limit` and `scope` are from fixed sets.
pub fn count_limited(limit: &'static str, scope: &'static str) {
    metrics::counter!(LIMITED, "limit" => limit, "scope" => scope).increment(1);
}

/// An amount that clients hold at once, with its limits.
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
    /// Shares that may be evicted, by id.
    pub evictable: HashMap<u64, Evictable>,
    /// Groups of clients that have such shares.
    pub groups: HashMap<Prefix, Group>,
    /// Those groups, the one that holds most last, and of several the one with the oldest share.
    pub order: BTreeSet<(usize, Reverse<u64>, Prefix)>,
    next_id: u64,
}

/// Evictable shares of a group that hold something, the oldest first.
#[derive(Default)]
pub(super) struct Group {
    ids: BTreeSet<u64>,
    /// Its entry in the order.
    entry: Option<(usize, Reverse<u64>, Prefix)>,
}

pub(super) struct Evictable {
    pub client: Client,
    pub amount: usize,
    evicted: Arc<Notify>,
}

impl Held {
    fn of(&self, prefix: Prefix) -> usize {
        self.by.get(&prefix).copied().unwrap_or_default()
    }

    /// Returns the id of the share.
    fn make_evictable(&mut self, client: Client, amount: usize, evicted: Arc<Notify>) -> u64 {
        self.next_id += 1;
        let id = self.next_id;
        self.evictable.insert(id, Evictable { client, amount, evicted });
        if amount > 0 {
            self.groups.entry(client.group()).or_default().ids.insert(id);
            self.reorder(client.group());
        }
        id
    }

    /// Ends that a share can be evicted; `None` if it was evicted before.
    fn settle(&mut self, id: u64) -> Option<Evictable> {
        let share = self.evictable.remove(&id)?;
        if let Some(group) = self.groups.get_mut(&share.client.group()) {
            group.ids.remove(&id);
        }
        self.reorder(share.client.group());
        Some(share)
    }

    /// Adds an amount to what a client holds.
    fn add(&mut self, client: Option<Client>, place: Option<u64>, amount: usize) {
        self.total += amount;
        let Some(client) = client else { return };
        for prefix in [Some(client.own), client.network].into_iter().flatten() {
            *self.by.entry(prefix).or_default() += amount;
        }
        if let Some((id, share)) = place.and_then(|id| Some((id, self.evictable.get_mut(&id)?))) {
            share.amount += amount;
            if share.amount > 0 {
                self.groups.entry(client.group()).or_default().ids.insert(id);
            }
        }
        self.reorder(client.group());
    }

    fn release(&mut self, client: Option<Client>, amount: usize) {
        self.total -= amount;
        let Some(client) = client else { return };
        for prefix in [Some(client.own), client.network].into_iter().flatten() {
            if let Some(of) = self.by.get_mut(&prefix) {
                *of -= amount;
                if *of == 0 {
                    self.by.remove(&prefix);
                }
            }
        }
        self.reorder(client.group());
    }

    /// Moves a group to its place in the order, after its amount or its shares have changed.
    fn reorder(&mut self, prefix: Prefix) {
        let holds = self.of(prefix);
        let Some(group) = self.groups.get_mut(&prefix) else { return };
        if let Some(entry) = group.entry.take() {
            self.order.remove(&entry);
        }
        if let Some(oldest) = group.ids.first() {
            let entry = (holds, Reverse(*oldest), prefix);
            group.entry = Some(entry);
            self.order.insert(entry);
        } else {
            self.groups.remove(&prefix);
        }
    }

    /// Evicts the oldest share of the client that holds most, and returns its amount. A client
    /// keeps its shares if the claimant would hold as much.
    fn evict_for(&mut self, claimant: Option<Client>, amount: usize) -> Option<usize> {
        let (most, Reverse(id), _) = *self.order.last()?;
        if most <= claimant.map_or(0, |client| self.of(client.group())) + amount {
            return None;
        }
        let gone = self.settle(id)?;
        self.release(Some(gone.client), gone.amount);
        gone.evicted.notify_one();
        Some(gone.amount)
    }
}

impl Budget {
    /// `name` is the label in metrics, which start at zero.
    pub fn new(name: &'static str, limits: BudgetLimits) -> Self {
        metrics::describe_gauge!(HELD, "What clients hold at once, by budget.");
        metrics::describe_gauge!(LIMIT, "What all clients together may hold at once, by budget.");
        metrics::describe_counter!(LIMITED, "Refusals by a limit and by whose limit it is.");
        for scope in Exceeded::ALL {
            metrics::counter!(LIMITED, "limit" => name, "scope" => scope.label()).increment(0);
        }
        let gauge = metrics::gauge!(HELD, "budget" => name);
        gauge.set(0.0);
        metrics::gauge!(LIMIT, "budget" => name).set(as_gauge(limits.total));
        Self(Arc::new(Inner { name, limits, held: Mutex::default(), gauge }))
    }

    /// Claims an amount for a client. Without a client only the limit of all clients together
    /// counts.
    ///
    /// # Errors
    /// The limit that the claim exceeds. The refusal is counted.
    pub fn claim(&self, client: Option<IpAddr>, amount: usize) -> Result<Share, Exceeded> {
        let client = client.map(Client::from);
        let mut share = Share { budget: self.clone(), client, amount: 0, place: None };
        share.grow(amount)?;
        Ok(share)
    }

    /// Claims an evictable share. At the limit of all clients together, the client that holds most
    /// loses its oldest evictable share, because otherwise few clients could keep out all others.
    ///
    /// # Errors
    /// The limit that the claim exceeds. The refusal is counted.
    pub fn claim_evictable(&self, client: IpAddr, amount: usize) -> Result<Share, Exceeded> {
        let (client, evicted) = (Client::from(client), Arc::new(Notify::new()));
        let id = self.held().make_evictable(client, 0, evicted.clone());
        let place = Some(Place { id, evicted });
        let mut share = Share { budget: self.clone(), client: Some(client), amount: 0, place };
        share.grow(amount)?;
        Ok(share)
    }

    /// Amount held by the IPv4 address or the IPv6 /48 of a client.
    pub fn held_around(&self, client: IpAddr) -> usize {
        self.held().of(Client::from(client).group())
    }

    pub(super) fn held(&self) -> MutexGuard<'_, Held> {
        self.0.held.lock()
    }

    fn acquire(&self, client: Option<Client>, place: Option<u64>, amount: usize) -> Result<(), Exceeded> {
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
        held.add(client, place, amount);
        self.0.gauge.increment(as_gauge(amount));
        Ok(())
    }

    fn release(&self, client: Option<Client>, place: Option<u64>, amount: usize) {
        let mut held = self.held();
        if place.is_some_and(|id| held.settle(id).is_none()) {
            return;
        }
        held.release(client, amount);
        self.0.gauge.decrement(as_gauge(amount));
    }
}

fn as_gauge(amount: usize) -> f64 {
    u32::try_from(amount).map_or(f64::from(u32::MAX), f64::from)
}

/// Notifies a connection when another client gets the place of a response that it has not read. The
/// connection must end then.
///
/// The server of connections adds it to the extensions of their requests.
#[derive(Debug, Clone, Default)]
pub struct AnswerEviction(Arc<Notify>);

impl AnswerEviction {
    /// Waits until a response is evicted.
    pub async fn evicted(&self) {
        self.0.notified().await;
    }
}

/// Amount of a budget that one client holds until the share is dropped.
pub struct Share {
    budget: Budget,
    client: Option<Client>,
    amount: usize,
    /// `None` unless the share may be evicted.
    place: Option<Place>,
}

struct Place {
    id: u64,
    evicted: Arc<Notify>,
}

impl Share {
    /// Claims a further amount.
    ///
    /// # Errors
    /// The limit that the claim exceeds. The refusal is counted, and the share keeps its amount.
    pub fn grow(&mut self, by: usize) -> Result<(), Exceeded> {
        self.budget.acquire(self.client, self.place_id(), by).inspect_err(|exceeded| {
            // An eviction was counted when it happened.
            if *exceeded != Exceeded::Evicted {
                count_limited(self.budget.0.name, exceeded.label());
            }
        })?;
        self.amount += by;
        Ok(())
    }

    /// Waits until the share is evicted. The share may grow meanwhile.
    pub(crate) fn evicted(&self) -> impl Future<Output = ()> + Send + use<> {
        let evicted = self.place.as_ref().map(|place| place.evicted.clone());
        async move {
            match evicted {
                Some(evicted) => evicted.notified().await,
                None => std::future::pending().await,
            }
        }
    }

    /// Makes the share evictable.
    pub(crate) fn evictable(mut self, eviction: AnswerEviction) -> Self {
        if let (Some(client), None) = (self.client, &self.place) {
            let id = self.budget.held().make_evictable(client, self.amount, eviction.0.clone());
            self.place = Some(Place { id, evicted: eviction.0 });
        }
        self
    }

    /// Ends that the share is evictable.
    ///
    /// # Errors
    /// The share was evicted before.
    pub(crate) fn settled(mut self) -> Result<Self, Exceeded> {
        if let Some(place) = &self.place {
            let was_held = self.budget.held().settle(place.id).is_some();
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
            self.budget.release(self.client, self.place_id(), self.amount);
        }
    }
}
