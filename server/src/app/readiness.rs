//! Readiness of the server, reported by the metrics port's `/readyz` and by gRPC health.

use crate::store::heartbeats;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use garimpo_proto::auth::v1::auth_service_server;
use garimpo_proto::billing::v1::{
    billing_service_server, entitlement_service_server, webhook_service_server,
};
use garimpo_proto::tracking::v1::tracking_service_server;
use garimpo_proto::users::v1::user_service_server;
use tokio_util::sync::CancellationToken;
use tonic_health::ServingStatus;
use tonic_health::server::HealthReporter;

use crate::clock::system_now;
use crate::clock_skew::SkewWatch;
use crate::context::AppContext;
use crate::providers::stripe::Stripe;

/// Interval of the heartbeat: a committed write that proves readiness.
const BEAT_INTERVAL: Duration = Duration::from_secs(5);
/// A slower heartbeat counts as failed, because callers wait no longer.
const BEAT_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval of the heartbeat while the server is not ready.
const BEAT_RETRY: Duration = Duration::from_millis(50);

/// Names in gRPC health: the whole server, and each service.
pub(super) const HEALTH_NAMES: [&str; 7] = [
    "",
    auth_service_server::SERVICE_NAME,
    user_service_server::SERVICE_NAME,
    billing_service_server::SERVICE_NAME,
    webhook_service_server::SERVICE_NAME,
    entitlement_service_server::SERVICE_NAME,
    tracking_service_server::SERVICE_NAME,
];

/// Sets the status of every name in gRPC health.
pub(super) async fn set_health(health: &HealthReporter, status: ServingStatus) {
    for service in HEALTH_NAMES {
        health.set_service_status(service, status).await;
    }
}

/// Keeps readiness current, until the server leaves: the clock is known and a write commits. Each
/// heartbeat counts the live servers, which share the budget of calls to the payment provider.
pub(super) async fn beat(
    context: AppContext,
    id: String,
    stripe: Stripe,
    ready: Arc<AtomicBool>,
    leaving: CancellationToken,
    health: HealthReporter,
) {
    tokio::select! {
        () = context.clock.known() => {}
        () = leaving.cancelled() => {}
    }
    let mut skew = SkewWatch::default();
    loop {
        let written =
            tokio::time::timeout(BEAT_TIMEOUT, heartbeats::beat(&context.store, &id, system_now())).await;
        let live_servers = written.ok().and_then(Result::ok);
        if let Some(servers) = live_servers {
            divide_budget(&stripe, servers);
        }
        let alive = live_servers.is_some() && !leaving.is_cancelled();
        if ready.swap(alive, Ordering::AcqRel) != alive {
            let status = if alive { ServingStatus::Serving } else { ServingStatus::NotServing };
            set_health(&health, status).await;
        }
        // Checked again, because the server may have begun to leave meanwhile.
        if leaving.is_cancelled() {
            ready.store(false, Ordering::Release);
            return set_health(&health, ServingStatus::NotServing).await;
        }
        if alive {
            skew.measure(&context.store).await;
        }
        tokio::time::sleep(if alive { BEAT_INTERVAL } else { BEAT_RETRY }).await;
    }
}

/// Gives this server its share of the budget of calls to the payment provider.
pub(super) fn divide_budget(stripe: &Stripe, servers: i64) {
    stripe.divide_budget(u32::try_from(servers).unwrap_or(u32::MAX));
}
