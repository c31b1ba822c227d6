//! How much one client may hold at once of what a process has only so much of: connections,
//! requests, bytes of bodies, streams.

use http::HeaderMap;
use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

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
}

impl Exceeded {
    const ALL: [Self; 3] = [Self::Client, Self::Network, Self::Total];

    fn label(self) -> &'static str {
        match self {
            Self::Client => "client",
            Self::Network => "network",
            Self::Total => "total",
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
        let mut share = Share { budget: self.clone(), client: client.map(Client::from), amount: 0 };
        share.grow(amount)?;
        Ok(share)
    }

    fn take(&self, client: Option<Client>, amount: usize) -> Result<(), Exceeded> {
        let limits = self.0.limits;
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        let of = |prefix: Prefix| held.by.get(&prefix).copied().unwrap_or_default();
        let own = client.map(|client| client.own);
        let network = client.and_then(|client| client.network);
        if own.is_some_and(|own| of(own) + amount > limits.client) {
            return Err(Exceeded::Client);
        }
        if network.is_some_and(|network| of(network) + amount > limits.client * CLIENTS_PER_NETWORK) {
            return Err(Exceeded::Network);
        }
        if held.total + amount > limits.total {
            return Err(Exceeded::Total);
        }
        held.total += amount;
        for prefix in [own, network].into_iter().flatten() {
            *held.by.entry(prefix).or_default() += amount;
        }
        self.0.gauge.increment(as_gauge(amount));
        Ok(())
    }

    fn give_back(&self, client: Option<Client>, amount: usize) {
        let mut held = self.0.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.total -= amount;
        let prefixes = client.map(|client| [Some(client.own), client.network]).unwrap_or_default();
        for prefix in prefixes.into_iter().flatten() {
            if let Some(of) = held.by.get_mut(&prefix) {
                *of -= amount;
                if *of == 0 {
                    held.by.remove(&prefix);
                }
            }
        }
        self.0.gauge.decrement(as_gauge(amount));
    }
}

fn as_gauge(amount: usize) -> f64 {
    u32::try_from(amount).map_or(f64::from(u32::MAX), f64::from)
}

/// What one client holds of a budget, until it is dropped.
pub struct Share {
    budget: Budget,
    client: Option<Client>,
    amount: usize,
}

impl Share {
    /// Claims more.
    ///
    /// # Errors
    /// The limit that stands against it; it was counted, and the share stays as it was.
    pub fn grow(&mut self, by: usize) -> Result<(), Exceeded> {
        self.budget
            .take(self.client, by)
            .inspect_err(|exceeded| count_limited(self.budget.0.name, exceeded.label()))?;
        self.amount += by;
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        if self.amount > 0 {
            self.budget.give_back(self.client, self.amount);
        }
    }
}

/// What one gateway lets its clients hold and try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GatewayLimits {
    /// Requests under way.
    pub requests: BudgetLimits,
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
    /// Sized for 500 visitors behind one IPv4 address and a process of 512 MiB.
    fn default() -> Self {
        Self {
            requests: BudgetLimits { total: 8192, client: 1024 },
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
    pub body_bytes: Budget,
    pub event_bytes: Budget,
    pub streams: Budget,
    pub refused_events: RefusedEvents,
}

impl Budgets {
    pub fn new(limits: &GatewayLimits) -> Self {
        Self {
            requests: Budget::new("requests", limits.requests),
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

/// Whether a request has a header of at most `longest` bytes.
pub(crate) fn has_short(headers: &HeaderMap, name: &str, longest: usize) -> bool {
    headers.get(name).is_some_and(|value| !value.is_empty() && value.len() <= longest)
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
        let held = budget.0.held.lock().unwrap();
        assert!(held.total == 0 && held.by.is_empty());
    }
}
