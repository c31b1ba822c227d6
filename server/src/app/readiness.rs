//! Whether the server can do its work, and who is told: the metrics port's `/readyz` and gRPC health.

use crate::store::operator::heartbeats;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_proto::auth::v1::auth_service_server;
use garimpo_proto::billing::v1::{billing_service_server, webhook_service_server};
use garimpo_proto::fast_path::entitlement_service_server;
use garimpo_proto::tracking::v1::tracking_service_server;
use garimpo_proto::users::v1::user_service_server;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use super::Parts;
use super::clock_skew::SkewWatch;
use crate::clock::system_now;
use crate::providers::stripe::Stripe;

/// Readiness is proven this often, by a committed write.
const BEAT_EVERY: Duration = Duration::from_secs(5);
/// A write that takes longer counts as failed, because callers wait as long.
const BEAT_WAITS: Duration = Duration::from_secs(2);
/// And looked at this often while it is not reached.
const BEAT_FIRST: Duration = Duration::from_millis(50);
/// How often a start looks whether the sandbox has told the time.
const LOOK_AT_CLOCK: Duration = Duration::from_millis(2);

/// What health tells of: the server as a whole, and each service by its name.
pub(super) const TOLD: [&str; 7] = [
    "",
    auth_service_server::SERVICE_NAME,
    user_service_server::SERVICE_NAME,
    billing_service_server::SERVICE_NAME,
    webhook_service_server::SERVICE_NAME,
    entitlement_service_server::SERVICE_NAME,
    tracking_service_server::SERVICE_NAME,
];

/// Tells who asks for health, by whatever name.
pub(super) async fn tell(health: &HealthReporter, status: ServingStatus) {
    for service in TOLD {
        health.set_service_status(service, status).await;
    }
}

/// Keeps readiness true: a clock that is known and a write that commits, until the server leaves. Each heartbeat counts
/// the live servers, which share the budget of calls to the payment provider.
pub(super) async fn beat(
    parts: Parts,
    id: String,
    stripe: Stripe,
    ready: Arc<AtomicBool>,
    leaving: CancellationToken,
    health: HealthReporter,
) {
    while !parts.clock.is_known() && !leaving.is_cancelled() {
        tokio::time::sleep(LOOK_AT_CLOCK).await;
    }
    let mut skew = SkewWatch::default();
    loop {
        let written =
            tokio::time::timeout(BEAT_WAITS, heartbeats::beat(&parts.store, &id, system_now())).await;
        let live_servers = written.ok().and_then(Result::ok);
        if let Some(servers) = live_servers {
            divide_budget(&stripe, servers);
        }
        let alive = live_servers.is_some() && !leaving.is_cancelled();
        if ready.swap(alive, Ordering::AcqRel) != alive {
            let status = if alive { ServingStatus::Serving } else { ServingStatus::NotServing };
            tell(&health, status).await;
        }
        // Asked again, since the word may have come between.
        if leaving.is_cancelled() {
            ready.store(false, Ordering::Release);
            return tell(&health, ServingStatus::NotServing).await;
        }
        if alive {
            skew.measure(&parts.store).await;
        }
        tokio::time::sleep(if alive { BEAT_EVERY } else { BEAT_FIRST }).await;
    }
}

/// Gives this server its share of the budget of calls to the payment provider.
pub(super) fn divide_budget(stripe: &Stripe, servers: i64) {
    stripe.divide_budget(u32::try_from(servers).unwrap_or(u32::MAX));
}
