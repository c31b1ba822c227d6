//! One backend type, two doors: the services in this process, or a fleet of servers over the network.

use futures::future::BoxFuture;
use http::{Request, Response};
use std::convert::Infallible;
use std::sync::Arc;
use std::task::{Context, Poll};
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tower::{Service, ServiceExt};

/// How one call ends. The error is a `Status`: with a boxed error type axum's handlers do not compile.
type Answering = BoxFuture<'static, Result<Response<Body>, Status>>;

/// Where gRPC calls go. Every request clones it, which tower's boxed services make an allocation each.
#[derive(Clone)]
pub struct Backend(Arc<dyn Fn(Request<Body>) -> Answering + Send + Sync>);

impl Backend {
    /// A backend out of what answers one call.
    pub fn new<A: Future<Output = Result<Response<Body>, Status>> + Send + 'static>(
        answer: impl Fn(Request<Body>) -> A + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(move |request| Box::pin(answer(request))))
    }

    /// Answers one call.
    pub(crate) fn answer(&self, request: Request<Body>) -> Answering {
        (self.0)(request)
    }
}

impl Service<Request<Body>> for Backend {
    type Response = Response<Body>;
    type Error = Status;
    type Future = Answering;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Status>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<Body>) -> Answering {
        self.answer(request)
    }
}

/// Calls services of this process, without a socket.
pub fn in_process(routes: Routes) -> Backend {
    let routes = routes.prepare();
    Backend::new(move |request| {
        let answering = routes.clone().oneshot(request);
        async move { answering.await.map_err(|never: Infallible| match never {}) }
    })
}
