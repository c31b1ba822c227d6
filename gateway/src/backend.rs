//! The servers behind the gateway: the services in this process, or a fleet over the network.

use futures::future::BoxFuture;
use garimpo_proto::{Channel, Services};
use http::{Request, Response};
use std::convert::Infallible;
use std::sync::Arc;
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tower::{ServiceExt, service_fn};

/// A response to one call. The error is a `Status`: with a boxed error type axum's handlers do not
/// compile.
type Responding = BoxFuture<'static, Result<Response<Body>, Status>>;

/// The servers of a gateway.
#[derive(Clone)]
pub struct Servers {
    /// Receives encoded calls, which are forwarded unchanged.
    pub backend: Backend,
    /// Receive the calls of REST paths and pages. Services of this process are called without
    /// encoding, which is most of the cost of a cheap call.
    pub services: Services,
}

impl From<Backend> for Servers {
    /// Servers over the network: all calls are encoded.
    fn from(backend: Backend) -> Self {
        Self { services: Services::over(&backend.channel()), backend }
    }
}

/// The target of encoded calls. Every request clones it: a clone of tower's boxed services would
/// allocate.
#[derive(Clone)]
pub struct Backend(Arc<dyn Fn(Request<Body>) -> Responding + Send + Sync>);

impl Backend {
    /// A backend from a function that responds to one call.
    pub fn new<R: Future<Output = Result<Response<Body>, Status>> + Send + 'static>(
        respond: impl Fn(Request<Body>) -> R + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |request| Box::pin(respond(request))))
    }

    /// The backend for the clients of services.
    pub fn channel(&self) -> Channel {
        let backend = self.clone();
        Channel::new(service_fn(move |request| backend.respond(request)))
    }

    pub(crate) fn respond(&self, request: Request<Body>) -> Responding {
        (self.0)(request)
    }
}

/// Calls services of this process, without a socket.
pub fn in_process(routes: Routes) -> Backend {
    let routes = routes.prepare();
    Backend::new(move |request| {
        let responding = routes.clone().oneshot(request);
        async move { responding.await.map_err(|never: Infallible| match never {}) }
    })
}
