//! The services that the gateway calls directly, without encoding.

use std::sync::Arc;

use futures::future::BoxFuture;
use tonic::metadata::MetadataMap;
use tonic::{Extensions, Request, Response, Status};

use crate::auth::v1::auth_service_server::AuthService;
use crate::billing::v1::billing_service_server::BillingService;
use crate::billing::v1::webhook_service_server::WebhookService;
use crate::caller::Caller;
use crate::tracking::v1::tracking_service_server::TrackingService;
use crate::users::v1::user_service_server::UserService;

/// The services of this process.
#[derive(Clone)]
pub struct Services {
    handlers: Handlers,
    surround: Arc<dyn Surround>,
}

/// The implementation of each service.
#[derive(Clone)]
pub struct Handlers {
    pub auth: Arc<dyn AuthService>,
    pub users: Arc<dyn UserService>,
    pub billing: Arc<dyn BillingService>,
    pub tracking: Arc<dyn TrackingService>,
    pub webhooks: Arc<dyn WebhookService>,
}

/// Runs around every direct call: identifies the caller, measures and logs.
pub trait Surround: Send + Sync {
    /// Runs a call of `rpc`, a `package.Service/Method`.
    fn surround<'a>(
        &'a self,
        rpc: &'static str,
        caller: Arc<Caller>,
        call: DirectCall<'a>,
    ) -> BoxFuture<'a, Result<(), Status>>;
}

/// The response of a service to come.
pub type Reply<'a, R> = BoxFuture<'a, Result<Response<R>, Status>>;

/// A call whose request gets these extensions. It keeps its response for itself.
pub type DirectCall<'a> = Box<dyn FnOnce(Extensions) -> BoxFuture<'a, Result<(), Status>> + Send + 'a>;

impl Services {
    pub fn new(handlers: Handlers, surround: Arc<dyn Surround>) -> Self {
        Self { handlers, surround }
    }

    /// Calls the service that `call` chooses. `rpc` is the call's `package.Service/Method`.
    pub async fn call<Q: Send, R: Send>(
        &self,
        rpc: &'static str,
        caller: &Arc<Caller>,
        message: Q,
        call: impl for<'a> FnOnce(&'a Handlers, Request<Q>) -> Reply<'a, R> + Send,
    ) -> Result<R, Status> {
        debug_assert!(crate::RPCS.binary_search(&rpc).is_ok(), "{rpc} is not in the contract");
        let mut reply = None;
        let direct: DirectCall<'_> = Box::new(|extensions| {
            let request = Request::from_parts(MetadataMap::new(), extensions, message);
            let calling = call(&self.handlers, request);
            Box::pin(async {
                reply = Some(calling.await?.into_inner());
                Ok(())
            })
        });
        self.surround.surround(rpc, caller.clone(), direct).await?;
        Ok(reply.expect("a call without an error has a response"))
    }
}
