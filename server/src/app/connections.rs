//! How full the pool of connections to PostgreSQL is.

use std::time::Duration;

use crate::measures::{CONNECTIONS, CONNECTIONS_MAX};
use crate::store::Store;

const EVERY: Duration = Duration::from_secs(1);

/// Keeps the gauges of the pool true, until the task is ended.
pub(super) async fn measure(store: Store) {
    let mut every = tokio::time::interval(EVERY);
    loop {
        every.tick().await;
        let connections = store.connections();
        metrics::gauge!(CONNECTIONS, "state" => "idle").set(connections.idle);
        metrics::gauge!(CONNECTIONS, "state" => "in_use").set(connections.in_use);
        metrics::gauge!(CONNECTIONS_MAX).set(connections.max);
    }
}
