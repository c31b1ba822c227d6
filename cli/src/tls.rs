//! https on the public port: handshakes with a time limit, with the certificate that is current.
//!
//! The certificate comes from two files, which are read again when they change, or from an
//! authority over ACME.

pub mod acme;
mod current;
pub mod files;
mod handshake;
pub mod pair;

use std::path::PathBuf;

use garimpo_server::clock::{Clock as _, SystemClock};
use time::OffsetDateTime;

pub use handshake::Handshakes;

const EXPIRY: &str = "garimpo_tls_certificate_expiry_seconds";
const FAILURES: &str = "garimpo_tls_certificate_failures_total";

/// Where the certificate of the public port comes from.
#[derive(Debug, Clone)]
pub enum TlsSettings {
    /// GARIMPO_TLS_CERT and GARIMPO_TLS_KEY.
    Files(files::CertificateFiles),
    /// GARIMPO_ACME and what belongs to it.
    Acme(AcmeSettings),
}

/// How a certificate is ordered.
#[derive(Debug, Clone)]
pub struct AcmeSettings {
    /// GARIMPO_ACME: address of the operator, for the authority. Setting it accepts its terms.
    pub email: String,
    /// GARIMPO_ACME_URL: directory of the authority.
    pub directory: String,
    /// GARIMPO_ACME_CA: roots that the authority's own https is checked with.
    pub ca: Option<PathBuf>,
    /// The host of GARIMPO_PUBLIC_URL.
    pub host: String,
}

/// The machine's time: certificates are valid by the clocks of others, whatever the sandbox's says.
fn now() -> OffsetDateTime {
    let seconds = SystemClock.now().as_unix_seconds();
    OffsetDateTime::from_unix_timestamp(seconds).unwrap_or(OffsetDateTime::UNIX_EPOCH)
}

/// Metrics of the certificate, which exist from the start.
fn describe(source: &'static str) {
    metrics::describe_gauge!(EXPIRY, "When the certificate of the public port expires, in Unix seconds.");
    metrics::describe_counter!(
        FAILURES,
        "Certificates that could not be taken: changed files that are wrong, or failed orders."
    );
    metrics::counter!(FAILURES, "source" => source).increment(0);
}

fn count_failure(source: &'static str) {
    metrics::counter!(FAILURES, "source" => source).increment(1);
}
