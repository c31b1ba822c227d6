//! Health of the public services: serving while the services can take calls.

use crate::rpc::PUBLIC;
use futures::Stream;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tonic::{Request, Response, Status};
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_server::Health;
use tonic_health::pb::{HealthCheckRequest, HealthCheckResponse};

/// Whether the services can take calls now. Used by health and /readyz.
pub type Ready = Arc<dyn Fn() -> bool + Send + Sync>;

/// Interval at which a watch checks for a change.
const WATCH_EVERY: Duration = Duration::from_secs(1);

/// `grpc.health.v1.Health` for callers from outside.
pub(crate) struct PublicHealth(pub Ready);

fn status(ready: &Ready) -> ServingStatus {
    if ready() { ServingStatus::Serving } else { ServingStatus::NotServing }
}

fn is_known(service: &str) -> bool {
    service.is_empty() || PUBLIC.contains(&service)
}

fn response(status: ServingStatus) -> HealthCheckResponse {
    HealthCheckResponse { status: status.into() }
}

#[tonic::async_trait]
impl Health for PublicHealth {
    async fn check(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<HealthCheckResponse>, Status> {
        if is_known(&request.get_ref().service) {
            Ok(Response::new(response(status(&self.0))))
        } else {
            Err(Status::not_found("no such service"))
        }
    }

    type WatchStream = Pin<Box<dyn Stream<Item = Result<HealthCheckResponse, Status>> + Send>>;

    async fn watch(
        &self,
        request: Request<HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let known = is_known(&request.get_ref().service);
        let ready = self.0.clone();
        let changes = futures::stream::unfold(None, move |before| {
            let ready = ready.clone();
            async move {
                loop {
                    let now = if known { status(&ready) } else { ServingStatus::ServiceUnknown };
                    if before != Some(now) {
                        return Some((Ok(response(now)), Some(now)));
                    }
                    tokio::time::sleep(WATCH_EVERY).await;
                }
            }
        });
        Ok(Response::new(Box::pin(changes)))
    }
}
