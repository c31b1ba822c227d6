//! Names of the contract's services and calls.

use garimpo_proto::auth::v1::auth_service_server;
use garimpo_proto::billing::v1::billing_service_server;
use garimpo_proto::tracking::v1::tracking_service_server;
use garimpo_proto::users::v1::user_service_server;
use http::HeaderMap;
use http::header::CONTENT_TYPE;
use std::collections::HashSet;
use std::sync::LazyLock;

/// Services of the public port.
pub(crate) const PUBLIC: [&str; 4] = [
    auth_service_server::SERVICE_NAME,
    user_service_server::SERVICE_NAME,
    billing_service_server::SERVICE_NAME,
    tracking_service_server::SERVICE_NAME,
];

/// Label of calls outside of the contract.
pub(crate) const OTHER: &str = "other";

pub(crate) fn is_grpc(headers: &HeaderMap) -> bool {
    headers.get(CONTENT_TYPE).is_some_and(|v| v.as_bytes().starts_with(b"application/grpc"))
}

/// `service/Method` of a call in the contract, otherwise `other`: callers must not create new
/// labels.
pub(crate) fn rpc_name(path: &str) -> &'static str {
    static NAMES: LazyLock<HashSet<String>> =
        LazyLock::new(|| garimpo_proto::rpcs(garimpo_proto::ALL_DESCRIPTORS).collect());
    NAMES.get(path.trim_start_matches('/')).map_or(OTHER, String::as_str)
}
