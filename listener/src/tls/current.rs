//! The certificate in use, which is replaced while connections are open.

use std::sync::Arc;

use parking_lot::RwLock;
use rustls::server::{ClientHello, ResolvesServerCert};
use rustls::sign::CertifiedKey;

use super::metrics::set_expiry;
use super::pair::Pair;

/// Protocol of the authority's call that checks a host (RFC 8737).
pub const CHALLENGE_PROTOCOL: &[u8] = b"acme-tls/1";

/// The certificate in use, and the certificate for the authority's check.
#[derive(Debug, Default)]
pub struct CurrentCertificate {
    /// `None` until the first certificate was ordered: every handshake fails until then.
    site: RwLock<Option<Arc<CertifiedKey>>>,
    challenge: RwLock<Option<Arc<CertifiedKey>>>,
}

impl CurrentCertificate {
    /// Uses a pair for new connections.
    pub fn replace(&self, pair: &Pair) {
        *self.site.write() = Some(pair.key.clone());
        set_expiry(pair.not_after);
    }

    /// Sets the certificate for the authority's check; `None` removes it.
    pub fn set_challenge(&self, certificate: Option<Arc<CertifiedKey>>) {
        *self.challenge.write() = certificate;
    }
}

impl ResolvesServerCert for CurrentCertificate {
    fn resolve(&self, hello: ClientHello<'_>) -> Option<Arc<CertifiedKey>> {
        let certificate = if is_challenge(&hello) { &self.challenge } else { &self.site };
        certificate.read().clone()
    }
}

/// Whether a client is the authority, which offers its protocol alone.
pub fn is_challenge(hello: &ClientHello<'_>) -> bool {
    hello.alpn().is_some_and(|mut offered| offered.all(|protocol| protocol == CHALLENGE_PROTOCOL))
}
