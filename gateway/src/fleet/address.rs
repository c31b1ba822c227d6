//! Addresses of servers.

use http::Uri;
use http::uri::Scheme;

/// Why a fleet could not be set up.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    #[error("no server address given")]
    Empty,
    #[error("{0:?} is not an address like http://10.0.0.1:50051")]
    Address(String),
    /// The secret is sent as a header.
    #[error("the fleet secret must be visible ASCII")]
    Secret,
}

/// Host and port of `http://host:port`; an IPv6 host without its brackets.
pub(super) fn host_and_port(text: &str) -> Result<(String, u16), FleetError> {
    let invalid = || FleetError::Address(text.to_owned());
    let uri: Uri = text.parse().map_err(|_| invalid())?;
    let authority = uri.authority().filter(|_| uri.scheme() == Some(&Scheme::HTTP)).ok_or_else(invalid)?;
    let host = authority.host().trim_start_matches('[').trim_end_matches(']');
    Ok((host.to_owned(), authority.port_u16().unwrap_or(80)))
}
