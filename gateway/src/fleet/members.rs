//! The servers of a fleet, found under its addresses.

use super::identity::Identity;
use super::server::Server;
use futures::future::BoxFuture;
use http::HeaderValue;
use parking_lot::RwLock;
use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Interval at which the records of a name are looked up.
const LOOKUP_EVERY: Duration = Duration::from_secs(1);

/// Finds the records of a host's name.
pub(super) type Lookup = fn(String, u16) -> BoxFuture<'static, io::Result<Vec<SocketAddr>>>;

/// The servers at the current records of the addresses.
pub(super) struct Members {
    servers: RwLock<Vec<Server>>,
    next: AtomicUsize,
    identity: Arc<Identity>,
}

impl Members {
    pub fn new(secret: HeaderValue) -> Self {
        let identity = Arc::new(Identity { secret, database_id: OnceLock::new() });
        Self { servers: RwLock::default(), next: AtomicUsize::new(0), identity }
    }

    pub fn secret(&self) -> HeaderValue {
        self.identity.secret.clone()
    }

    pub fn servers(&self) -> Vec<Server> {
        self.servers.read().clone()
    }

    /// Sets the records of an address: new servers are watched from now on, missing ones are
    /// dropped.
    pub fn set_records(&self, address: usize, records: &[SocketAddr]) {
        let mut servers = self.servers.write();
        servers.retain(|server| server.address != address || records.contains(&server.at));
        for at in records {
            if !servers.iter().any(|server| server.at == *at) {
                servers.push(Server::watched(address, *at, self.identity.clone()));
            }
        }
    }

    /// Ready servers in turn, then the other proven ones, because a server may be ready before its
    /// next health check.
    pub fn in_turn(&self) -> Vec<Server> {
        let proven = self.servers().into_iter().filter(Server::is_proven);
        let (mut ready, rest): (Vec<_>, Vec<_>) = proven.partition(Server::is_ready);
        let turn = self.next.fetch_add(1, Ordering::Relaxed).checked_rem(ready.len());
        ready.rotate_left(turn.unwrap_or_default());
        ready.extend(rest);
        ready
    }
}

/// Keeps the servers of a name up to date. A failed look-up changes nothing.
pub(super) async fn follow(members: Arc<Members>, address: usize, host: String, port: u16, lookup: Lookup) {
    let mut turn = tokio::time::interval(LOOKUP_EVERY);
    turn.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let mut is_failing = false;
    loop {
        turn.tick().await;
        match lookup(host.clone(), port).await {
            Ok(records) if !records.is_empty() => {
                members.set_records(address, &records);
                is_failing = false;
            }
            outcome if !is_failing => {
                let error = outcome.err().map(|error| error.to_string());
                tracing::warn!(server.name = %host, error, "the servers of a name were not found");
                is_failing = true;
            }
            _ => {}
        }
    }
}
