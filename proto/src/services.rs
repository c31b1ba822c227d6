//! The services that a gateway calls: in its own process, or over the network by their clients.

use std::sync::Arc;

use tonic::body::Body;
use tonic::{Request, Response, Status};
use tower::util::BoxCloneSyncService;

use crate::auth::v1::auth_service_client::AuthServiceClient;
use crate::auth::v1::auth_service_server::AuthService;
use crate::billing::v1::billing_service_client::BillingServiceClient;
use crate::billing::v1::billing_service_server::BillingService;
use crate::billing::v1::webhook_service_client::WebhookServiceClient;
use crate::billing::v1::webhook_service_server::WebhookService;
use crate::tracking::v1::tracking_service_client::TrackingServiceClient;
use crate::tracking::v1::tracking_service_server::TrackingService;
use crate::users::v1::user_service_client::UserServiceClient;
use crate::users::v1::user_service_server::UserService;

/// Every service that a gateway calls.
#[derive(Clone)]
pub struct Services {
    pub auth: Arc<dyn AuthService>,
    pub users: Arc<dyn UserService>,
    pub billing: Arc<dyn BillingService>,
    pub tracking: Arc<dyn TrackingService>,
    pub webhooks: Arc<dyn WebhookService>,
}

impl Services {
    /// The services behind a channel.
    pub fn over(channel: &Channel) -> Self {
        Self {
            auth: Arc::new(Remote(AuthServiceClient::new(channel.clone()))),
            users: Arc::new(Remote(UserServiceClient::new(channel.clone()))),
            billing: Arc::new(Remote(BillingServiceClient::new(channel.clone()))),
            tracking: Arc::new(Remote(TrackingServiceClient::new(channel.clone()))),
            webhooks: Arc::new(Remote(WebhookServiceClient::new(channel.clone()))),
        }
    }
}

/// Carries encoded calls to servers.
pub type Channel = BoxCloneSyncService<http::Request<Body>, http::Response<Body>, Status>;

/// A service behind its client. The client itself has the same methods by a mutable reference, so
/// it does not implement the trait.
pub struct Remote<C>(pub C);

/// A service, with something that runs around each of its calls.
pub struct Around<S, A> {
    pub service: S,
    pub around: A,
}

/// Runs around every call of a service.
pub trait Surround: Send + Sync + 'static {
    /// Runs one call. `rpc` is its `package.Service/Method`.
    fn run<Q: Send, R: Send, F>(
        &self,
        rpc: &'static str,
        request: Request<Q>,
        call: impl FnOnce(Request<Q>) -> F + Send,
    ) -> impl Future<Output = Result<Response<R>, Status>> + Send
    where
        F: Future<Output = Result<Response<R>, Status>> + Send;
}
