//! Names of the contract's services and calls.

use garimpo_proto::auth::v1::auth_service_server;
use garimpo_proto::billing::v1::billing_service_server;
use garimpo_proto::tracking::v1::tracking_service_server;
use garimpo_proto::users::v1::user_service_server;
use http::HeaderMap;
use http::header::CONTENT_TYPE;

/// Services of the public port.
pub(crate) const PUBLIC: [&str; 4] = [
    auth_service_server::SERVICE_NAME,
    user_service_server::SERVICE_NAME,
    billing_service_server::SERVICE_NAME,
    tracking_service_server::SERVICE_NAME,
];

/// Label of calls outside of the contract.
pub(crate) const OTHER: &str = "other";

/// Whether a request has a gRPC content type, also one that is not supported.
pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    const GRPC: &[u8] = b"application/grpc";
    let begin = headers.get(CONTENT_TYPE).and_then(|kind| kind.as_bytes().get(..GRPC.len()));
    begin.is_some_and(|begin| begin.eq_ignore_ascii_case(GRPC))
}

/// `package.Service/Method` of a path if the contract has that call, else `other`.
pub(crate) fn rpc_name(path: &str) -> &'static str {
    garimpo_proto::rpc_name(path).unwrap_or(OTHER)
}
