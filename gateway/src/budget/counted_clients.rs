//! Clients that were counted within the hour: an alarm that anybody could raise alone counts
//! clients instead of requests.

use super::client::{Client, Prefix};
use super::client_rate::MAX_CLIENTS;
use std::hash::Hash;
use std::net::IpAddr;
use std::time::Duration;

/// A client counts once in this time for a key.
const COUNTED_FOR: Duration = Duration::from_hours(1);

/// Counted clients by a key. A /48 is one client.
pub(crate) struct CountedClients<K>(moka::sync::Cache<(Prefix, K), ()>);

impl<K: Hash + Eq + Send + Sync + 'static> CountedClients<K> {
    pub fn new() -> Self {
        Self(moka::sync::Cache::builder().max_capacity(MAX_CLIENTS).time_to_live(COUNTED_FOR).build())
    }

    /// Whether the address's client was not counted for the key yet.
    pub fn is_first(&self, address: IpAddr, key: K) -> bool {
        self.0.entry((Client::from(address).group(), key)).or_insert(()).is_fresh()
    }
}
