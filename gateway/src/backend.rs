//! Encoded calls to services of this process, without a socket.

use futures::future::BoxFuture;
use http::{Request, Response};
use std::convert::Infallible;
use std::sync::Arc;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt;

/// Services that take encoded calls. Every request clones it: a clone of tower's boxed services
/// would allocate.
#[derive(Clone)]
pub(crate) struct Backend(Arc<dyn Fn(Request<Body>) -> BoxFuture<'static, Response<Body>> + Send + Sync>);

impl Backend {
    pub fn new(routes: Routes) -> Self {
        let routes = routes.prepare();
        Self(Arc::new(move |request| {
            let responding = routes.clone().oneshot(request);
            Box::pin(async move { responding.await.unwrap_or_else(|never: Infallible| match never {}) })
        }))
    }

    pub fn respond(&self, request: Request<Body>) -> BoxFuture<'static, Response<Body>> {
        (self.0)(request)
    }
}
