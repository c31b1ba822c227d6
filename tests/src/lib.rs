//! The fixture of the scenarios: the real binary on free ports, with its sandbox and an empty
//! database.
//!
//! Its methods are verbs. Each scenario states its expected values itself, as literals from
//! `docs/requirements.md`. The database is SQLite, or PostgreSQL if `GARIMPO_TEST_POSTGRES_URL`
//! names a server.

pub mod app;
pub mod balancer;
pub mod certificates;
pub mod cluster;
mod database;
pub mod fleet;
pub mod grpc_web;
pub mod haproxy;
mod http;
pub mod identity;
pub mod ledger;
pub mod mail_server;
pub mod model;
pub mod nginx;
pub mod pebble;
pub mod pgbouncer;
pub mod ports;
pub mod postgres;
pub mod process;
pub mod provider;
pub mod rest;
pub mod retrying_visitor;
pub mod separate_processes;
pub mod shoppers;
mod skips;
pub mod soak;
pub mod syncs;
pub mod tcp_link;
pub mod template;
pub mod test_account;
pub mod traffic;
pub mod visitor;
pub mod watch;

pub use app::App;
pub use cluster::{Cluster, Layout, Victim};
pub use http::client_at;
pub use mail_server::MailServer;
pub use provider::Provider;
pub use rest::Rest;
pub use retrying_visitor::{ActCounter, RetryingVisitor};
pub use separate_processes::{ProductWithoutTime, SeparateProcesses};
pub use skips::skips;
pub use test_account::TestAccount;
pub use visitor::{Answer, Person, Visitor};

use std::time::{Duration, Instant};

/// How long a scenario waits for a state before it fails.
pub const DEADLINE: Duration = Duration::from_secs(20);

/// Waits until `look` returns a value; `what` names the state in the failure.
pub async fn eventually<T, F>(what: &str, look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    eventually_within(DEADLINE, what, look).await
}

/// The same with another time limit.
pub async fn eventually_within<T, F>(within: Duration, what: &str, mut look: impl FnMut() -> F) -> T
where
    F: Future<Output = Option<T>>,
{
    let began = Instant::now();
    loop {
        if let Some(seen) = look().await {
            return seen;
        }
        assert!(began.elapsed() < within, "waited {within:?} in vain for: {what}");
        tokio::time::sleep(Duration::from_millis(25)).await;
    }
}
