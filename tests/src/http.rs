//! The HTTP client of the scenarios.

use std::sync::Once;
use std::time::Duration;

/// The product closes a connection that nobody used for 10 s; a client that let it go before never
/// writes into one that is being closed.
const IDLE: Duration = Duration::from_secs(5);

static CRYPTO: Once = Once::new();

/// It takes a redirect as the answer that it is. It trusts nobody: only nginx speaks TLS here, and
/// reading the system's root certificates once per client was a twentieth of the run.
pub fn builder() -> reqwest::ClientBuilder {
    CRYPTO.call_once(|| drop(rustls::crypto::ring::default_provider().install_default()));
    reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .pool_idle_timeout(IDLE)
        .tls_certs_only([])
}

/// The same, ready.
pub fn client() -> reqwest::Client {
    builder().build().expect("a client")
}

/// One answer of a page, by a client of its own.
///
/// # Errors
/// Nobody answers.
pub async fn get(url: String) -> reqwest::Result<reqwest::Response> {
    client().get(url).send().await
}
