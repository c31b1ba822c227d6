//! One backend type, two doors: the services in this process, or a fleet of servers over the network.

mod fleet;

pub use fleet::Fleet;

use std::convert::Infallible;
use tonic::Status;
use tonic::body::Body;
use tonic::service::Routes;
use tower::ServiceExt;
use tower::util::BoxCloneSyncService;

/// Where gRPC calls go. The error is a `Status`: with a boxed error type axum's handlers do not compile.
pub type Backend = BoxCloneSyncService<http::Request<Body>, http::Response<Body>, Status>;

/// Calls services of this process, without a socket.
pub fn in_process(routes: Routes) -> Backend {
    let service =
        ServiceExt::<http::Request<Body>>::map_err(routes.prepare(), |never: Infallible| match never {});
    BoxCloneSyncService::new(service)
}

/// Calls servers over the network, each call to one that is ready; see [`Fleet`].
///
/// # Errors
/// An address that is not `http://host:port`, or none at all.
pub fn remote(addresses: &[String], fleet_secret: &str) -> Result<Fleet, fleet::FleetError> {
    Fleet::new(addresses, fleet_secret)
}

/// Whether a call only reads, so that it may be made again: the contract's names say so. Takes a path or a method.
pub(crate) fn is_read(path: &str) -> bool {
    let method = path.rsplit('/').next().unwrap_or_default();
    ["Get", "List", "Preview"].iter().any(|verb| method.starts_with(verb))
}
