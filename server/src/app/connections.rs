//! Gauges of the connection pool of PostgreSQL.

use std::time::Duration;

use crate::measures::{CONNECTIONS, CONNECTIONS_MAX};
use crate::store::Store;

const INTERVAL: Duration = Duration::from_secs(1);

/// Updates the gauges until the task is aborted.
pub(super) async fn measure(store: Store) {
    let mut every = tokio::time::interval(INTERVAL);
    loop {
        every.tick().await;
        let connections = store.connections();
        metrics::gauge!(CONNECTIONS, "state" => "idle").set(connections.idle);
        metrics::gauge!(CONNECTIONS, "state" => "in_use").set(connections.in_use);
        metrics::gauge!(CONNECTIONS_MAX).set(connections.max);
    }
}
