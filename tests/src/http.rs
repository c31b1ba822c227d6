//! The HTTP client of the scenarios.

use std::sync::Once;
use std::time::Duration;

/// Shorter than the 10 s after which the product closes an idle connection, so that a client never
/// writes to a connection that is being closed.
const IDLE: Duration = Duration::from_secs(5);

static CRYPTO: Once = Once::new();

/// Does not follow redirects and trusts no certificate, because only nginx speaks TLS here, and
/// reading the system's roots once per client took a twentieth of the run.
pub fn builder() -> reqwest::ClientBuilder {
    CRYPTO.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .pool_idle_timeout(IDLE)
        .tls_certs_only([])
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
