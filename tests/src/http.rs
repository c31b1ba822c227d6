//! The HTTP client of the scenarios.

use std::net::IpAddr;
use std::sync::Once;
use std::time::Duration;

/// Shorter than the 10 s after which the product closes an idle connection, so that a client never
/// writes to a connection that is being closed.
const IDLE: Duration = Duration::from_secs(5);

static CRYPTO: Once = Once::new();

/// Does not follow redirects and trusts no certificate, because only proxies speak TLS here, and
/// reading the system's roots once per client took a twentieth of the run.
pub fn builder() -> reqwest::ClientBuilder {
    CRYPTO.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .pool_idle_timeout(IDLE)
        .tls_certs_only([])
}

/// A client that accepts the certificate of a scenario's site and connects from this local address.
pub fn client_at(address: [u8; 4]) -> reqwest::Client {
    let client = builder().tls_danger_accept_invalid_certs(true).local_address(IpAddr::from(address));
    client.build().expect("a client")
}

/// A client with these settings.
pub fn client() -> reqwest::Client {
    builder().build().expect("a client")
}

/// GET with a new client.
///
/// # Errors
/// The connection failed.
pub async fn get(url: String) -> reqwest::Result<reqwest::Response> {
    client().get(url).send().await
}
