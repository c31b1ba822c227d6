//! EntitlementService: part of the contract, served by a later issue.

use std::pin::Pin;

use futures::Stream;
use garimpo_proto::billing::v1 as pb;
use garimpo_proto::billing::v1::entitlement_service_server::EntitlementService;
use tonic::{Request, Response, Status};

use crate::caller::{Caller, Scope};
use crate::error::Error;

/// The service; it refuses whoever may not ask, and says to the rest that it is not served yet.
#[derive(Debug, Clone, Copy, Default)]
pub struct EntitlementApi;

fn later<T, R>(request: &Request<T>, method: &str) -> Result<R, Status> {
    Caller::of(request).require_scope(Scope::BillingRead)?;
    Err(Error::unimplemented(method).into())
}

#[tonic::async_trait]
impl EntitlementService for EntitlementApi {
    async fn get_entitlements(
        &self,
        request: Request<pb::GetEntitlementsRequest>,
    ) -> Result<Response<pb::GetEntitlementsResponse>, Status> {
        later(&request, "GetEntitlements")
    }

    async fn batch_get_entitlements(
        &self,
        request: Request<pb::BatchGetEntitlementsRequest>,
    ) -> Result<Response<pb::BatchGetEntitlementsResponse>, Status> {
        later(&request, "BatchGetEntitlements")
    }

    async fn check_limit(
        &self,
        request: Request<pb::CheckLimitRequest>,
    ) -> Result<Response<pb::CheckLimitResponse>, Status> {
        later(&request, "CheckLimit")
    }

    type WatchEntitlementsStream =
        Pin<Box<dyn Stream<Item = Result<pb::WatchEntitlementsResponse, Status>> + Send + 'static>>;

    async fn watch_entitlements(
        &self,
        request: Request<pb::WatchEntitlementsRequest>,
    ) -> Result<Response<Self::WatchEntitlementsStream>, Status> {
        later(&request, "WatchEntitlements")
    }
}
