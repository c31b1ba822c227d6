//! How much one client may hold at once of what a process has only so much of: connections,
//! requests, bytes of bodies, streams.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, Ipv6Addr};
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

    fn label(self) -> &'static str {
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

/// The holder of a share: an IPv4 address, or an IPv6 /64 with the /48 around it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Client {
    own: Prefix,
    network: Option<Prefix>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Prefix {
    V4(u32),
    V6(u128, u32),
}

impl From<IpAddr> for Client {
    /// An IPv4-mapped address counts as IPv4.
    fn from(address: IpAddr) -> Self {
        let prefix = |address: Ipv6Addr, bits: u32| Prefix::V6(address.to_bits() >> (128 - bits), bits);
        match address.to_canonical() {
            IpAddr::V4(address) => Self { own: Prefix::V4(address.to_bits()), network: None },
            IpAddr::V6(address) => Self { own: prefix(address, 64), network: Some(prefix(address, 48)) },
        }
    }
}

impl Client {
    /// Whose holdings are compared for evictions: those of the /48, because one customer can get a
    /// whole one, or of the IPv4 address.
    fn group(self) -> Prefix {
        self.network.unwrap_or(self.own)
    }
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
struct Held {
    total: usize,
    by: HashMap<Prefix, usize>,
    /// The shares that may be evicted, the oldest first.
    evictable: BTreeMap<u64, Evictable>,
    next_id: u64,
}

struct Evictable {
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

    fn held(&self) -> MutexGuard<'_, Held> {
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

/// What one gateway lets its clients hold and try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Requests under way, each until its client has taken the answer.
    pub requests: BudgetLimits,
    /// Request bodies that have not arrived whole.
    pub bodies: BudgetLimits,
    /// How long the first byte of a body may take.
    pub first_byte: Duration,
    /// How long a whole event of the payment provider may take.
    pub event_time: Duration,
    /// Bytes of request bodies in memory, but for the payment provider's events.
    pub body_bytes: BudgetLimits,
    /// Bytes of the payment provider's events in memory.
    pub event_bytes: BudgetLimits,
    /// Open streams of health and reflection.
    pub streams: BudgetLimits,
    /// How long such a stream stays open.
    pub stream_life: Duration,
    /// Events with a wrong signature per client in a minute; beyond it none is read for a minute.
    pub refused_events: u32,
}

impl Default for GatewayLimits {
    /// Sized for 500 visitors behind one IPv4 address and a process of 768 MiB. At the limits together
    /// it takes about 600 MiB: 60 by itself, 360 for 4,096 connections of up to 90 KiB, 80 for 8,192
    /// unread answers of about 10 KiB, and 96 for bodies.
    fn default() -> Self {
        Self {
            requests: BudgetLimits { total: 8192, client: 1024 },
            bodies: BudgetLimits { total: 2048, client: 128 },
            first_byte: Duration::from_secs(5),
            event_time: Duration::from_secs(10),
            body_bytes: BudgetLimits { total: 64 * MIB, client: 8 * MIB },
            event_bytes: BudgetLimits { total: 32 * MIB, client: 4 * MIB },
            streams: BudgetLimits { total: 1024, client: 16 },
            stream_life: Duration::from_mins(1),
            refused_events: 60,
        }
    }
}

/// Bytes of a mebibyte.
pub const MIB: usize = 1024 * 1024;

/// The budgets of one gateway.
pub(crate) struct Budgets {
    pub requests: Budget,
    pub bodies: Budget,
    pub body_bytes: Budget,
    pub event_bytes: Budget,
    pub streams: Budget,
    pub refused_events: RefusedEvents,
}

impl Budgets {
    pub fn new(limits: &GatewayLimits) -> Self {
        Self {
            requests: Budget::new("requests", limits.requests),
            bodies: Budget::new("bodies", limits.bodies),
            body_bytes: Budget::new("body_bytes", limits.body_bytes),
            event_bytes: Budget::new("event_bytes", limits.event_bytes),
            streams: Budget::new("streams", limits.streams),
            refused_events: RefusedEvents::new(limits.refused_events),
        }
    }
}

/// Clients whose events had wrong signatures too often.
pub(crate) struct RefusedEvents {
    rate: governor::DefaultKeyedRateLimiter<Client>,
    barred: moka::sync::Cache<Client, ()>,
}

/// How long a client's events are not read.
const BARRED_FOR: Duration = Duration::from_mins(1);
/// Clients that are remembered.
const CLIENTS_KEPT: u64 = 100_000;

impl RefusedEvents {
    fn new(per_minute: u32) -> Self {
        let per_minute = std::num::NonZeroU32::new(per_minute).unwrap_or(std::num::NonZeroU32::MIN);
        Self {
            rate: governor::RateLimiter::keyed(governor::Quota::per_minute(per_minute)),
            barred: moka::sync::Cache::builder().max_capacity(CLIENTS_KEPT).time_to_live(BARRED_FOR).build(),
        }
    }

    /// Whether events of this address are read; a refusal is counted.
    pub fn allows(&self, address: IpAddr) -> bool {
        let is_barred = self.barred.contains_key(&Client::from(address));
        if is_barred {
            count_limited("refused_events", Exceeded::Client.label());
        }
        !is_barred
    }

    /// Records an event with a wrong signature.
    pub fn record(&self, address: IpAddr) {
        if self.rate.len() as u64 > CLIENTS_KEPT {
            self.rate.retain_recent();
        }
        let client = Client::from(address);
        if self.rate.check_key(&client).is_err() {
            self.barred.insert(client, ());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn rede_64_conta_como_um_cliente_e_rede_48_como_dois() {
        let budget = Budget::new("test", BudgetLimits { total: 100, client: 2 });

        let held: Vec<_> =
            ["2001:db8:0:1::1", "2001:db8:0:1:ffff::2"].map(|a| budget.claim(Some(address(a)), 1)).into();
        assert!(held.iter().all(Result::is_ok));
        assert_eq!(budget.claim(Some(address("2001:db8:0:1::3")), 1).err(), Some(Exceeded::Client));

        let other = budget.claim(Some(address("2001:db8:0:2::1")), 2);
        assert!(other.is_ok());
        assert_eq!(budget.claim(Some(address("2001:db8:0:3::1")), 1).err(), Some(Exceeded::Network));
        assert!(budget.claim(Some(address("2001:db8:1::1")), 2).is_ok());
    }

    #[test]
    fn endereco_ipv4_mapeado_conta_com_o_ipv4_e_vizinhos_nao() {
        let budget = Budget::new("test", BudgetLimits { total: 100, client: 1 });

        let held = budget.claim(Some(address("203.0.113.1")), 1);
        assert!(held.is_ok());
        assert_eq!(budget.claim(Some(address("::ffff:203.0.113.1")), 1).err(), Some(Exceeded::Client));
        assert!(budget.claim(Some(address("203.0.113.2")), 1).is_ok());
    }

    #[tokio::test]
    async fn total_cheio_tira_a_parte_mais_antiga_de_quem_tem_mais_e_nunca_de_quem_tem_menos() {
        let budget = Budget::new("test", BudgetLimits { total: 6, client: 4 });
        let large = ["2001:db8:0:1::1", "2001:db8:0:2::1", "2001:db8:0:2::2"]
            .map(|a| budget.claim_evictable(address(a), 1).unwrap());
        let mut settled = budget.claim_evictable(address("2001:db8:0:3::1"), 1).unwrap().settled().unwrap();
        let small = budget.claim_evictable(address("203.0.113.1"), 2).unwrap();

        let mut new = budget.claim_evictable(address("203.0.113.2"), 1).unwrap();
        large[0].evicted().await;
        new.grow(1).unwrap();
        large[1].evicted().await;

        // Each group holds two now.
        assert_eq!(new.grow(1), Err(Exceeded::Total));
        assert_eq!(settled.grow(1), Err(Exceeded::Total));
        let [mut first, second, third] = large;
        assert_eq!(first.grow(1), Err(Exceeded::Evicted));
        assert_eq!(second.settled().err(), Some(Exceeded::Evicted));
        drop((first, third, settled, small, new));
        let held = budget.held();
        assert!(held.total == 0 && held.by.is_empty() && held.evictable.is_empty());
    }

    #[test]
    fn o_que_se_solta_volta_e_ninguem_fica_na_memoria() {
        let budget = Budget::new("test", BudgetLimits { total: 10, client: 8 });

        let mut share = budget.claim(Some(address("2001:db8::1")), 5).unwrap();
        assert_eq!(share.grow(4), Err(Exceeded::Client));
        share.grow(3).unwrap();
        assert_eq!(budget.claim(Some(address("203.0.113.1")), 3).err(), Some(Exceeded::Total));
        let proxy = budget.claim(None, 2).unwrap();
        drop((share, proxy));

        assert!(budget.claim(None, 10).is_ok());
        let held = budget.held();
        assert!(held.total == 0 && held.by.is_empty());
    }
}
