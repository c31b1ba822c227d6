//! A certificate with its key, checked before it is used.

use std::sync::Arc;

use rustls::client::verify_server_name;
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::ParsedCertificate;
use rustls::sign::CertifiedKey;
use time::OffsetDateTime;
use x509_cert::der::Decode;

/// A certificate chain with its key, and the times between which it is valid.
#[derive(Debug, Clone)]
pub struct Pair {
    pub key: Arc<CertifiedKey>,
    pub not_before: OffsetDateTime,
    pub not_after: OffsetDateTime,
}

/// Why a pair is refused: the allowed form of the certificate, or of its key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PairError {
    #[error("the certificate is not {0}")]
    Certificate(String),
    #[error("the key is not {0}")]
    Key(String),
}

impl Pair {
    /// Parses the PEM of a chain, its own certificate first, and of a key. The certificate must be
    /// valid at `now`, and for `host` if there is one.
    pub fn parse(
        chain: &[u8],
        key: &[u8],
        host: Option<&str>,
        now: OffsetDateTime,
    ) -> Result<Self, PairError> {
        let of_chain = || PairError::Certificate("PEM with the site's certificate and its chain".to_owned());
        let chain: Vec<_> =
            CertificateDer::pem_slice_iter(chain).collect::<Result<_, _>>().map_err(|_| of_chain())?;
        let own = chain.first().ok_or_else(of_chain)?.clone();
        let (not_before, not_after) = validity(&own).ok_or_else(of_chain)?;
        if now < not_before || now > not_after {
            let allowed = format!("valid now (it is from {not_before} to {not_after})");
            return Err(PairError::Certificate(allowed));
        }
        if let Some(host) = host {
            check_host(&own, host)?;
        }
        let key = PrivateKeyDer::from_pem_slice(key)
            .map_err(|_| PairError::Key("PEM with one private key, without a passphrase".to_owned()))?;
        let key = CertifiedKey::from_der(chain, key, &default_provider()).map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => PairError::Key("the key of the certificate".to_owned()),
            _ => PairError::Key("an RSA, ECDSA (P-256, P-384) or Ed25519 key".to_owned()),
        })?;
        Ok(Self { key: Arc::new(key), not_before, not_after })
    }
}

fn check_host(certificate: &CertificateDer<'_>, host: &str) -> Result<(), PairError> {
    let refused = || PairError::Certificate(format!("for {host}, the host of GARIMPO_PUBLIC_URL"));
    // Only URLs have brackets around an IPv6 address.
    let name = ServerName::try_from(host.trim_matches(['[', ']'])).map_err(|_| refused())?;
    let parsed = ParsedCertificate::try_from(certificate).map_err(|_| refused())?;
    verify_server_name(&parsed, &name).map_err(|_| refused())
}

/// rustls does not check the times of our own certificate.
fn validity(certificate: &CertificateDer<'_>) -> Option<(OffsetDateTime, OffsetDateTime)> {
    let parsed = x509_cert::Certificate::from_der(certificate).ok()?;
    let validity = parsed.tbs_certificate.validity;
    let instant = |time: x509_cert::time::Time| {
        let seconds = i64::try_from(time.to_unix_duration().as_secs()).ok()?;
        OffsetDateTime::from_unix_timestamp(seconds).ok()
    };
    Some((instant(validity.not_before)?, instant(validity.not_after)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use rcgen::{CertificateParams, KeyPair};
    use time::Duration;

    fn made(host: &str, not_after: OffsetDateTime) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let mut params = CertificateParams::new([host.to_owned()]).unwrap();
        (params.not_before, params.not_after) = (not_after - Duration::days(90), not_after);
        (params.self_signed(&key).unwrap().pem(), key.serialize_pem())
    }

    fn refusal(chain: &str, key: &str, host: Option<&str>) -> String {
        Pair::parse(chain.as_bytes(), key.as_bytes(), host, crate::tls::clock::now()).unwrap_err().to_string()
    }

    #[test]
    fn a_valid_pair_is_read_with_its_dates_and_each_defect_is_reported() {
        let now = crate::tls::clock::now();
        let end = (now + Duration::days(60)).replace_nanosecond(0).unwrap();
        let (chain, key) = made("garimpo.example", end);

        let pair = Pair::parse(chain.as_bytes(), key.as_bytes(), Some("garimpo.example"), now).unwrap();
        assert_eq!((pair.not_before, pair.not_after), (end - Duration::days(90), end));

        let other = refusal(&chain, &made("garimpo.example", end).1, None);
        assert_eq!(other, "the key is not the key of the certificate");
        let wrong_host = refusal(&chain, &key, Some("outro.example"));
        assert_eq!(wrong_host, "the certificate is not for outro.example, the host of GARIMPO_PUBLIC_URL");
        let (old, old_key) = made("garimpo.example", now - Duration::hours(1));
        assert!(refusal(&old, &old_key, None).starts_with("the certificate is not valid now (it is from "));
        let (early, early_key) = made("garimpo.example", now + Duration::days(91));
        assert!(refusal(&early, &early_key, None).starts_with("the certificate is not valid now"));
        for empty in ["", "nada", &key] {
            assert!(refusal(empty, &key, None).starts_with("the certificate is not PEM"), "{empty}");
        }
        for empty in ["", "nada", &chain] {
            assert!(refusal(&chain, empty, None).starts_with("the key is not PEM"), "{empty}");
        }
    }

    #[test]
    fn a_certificate_for_an_ip_address_is_valid_only_for_that_address() {
        let (chain, key) = made("127.0.0.1", crate::tls::clock::now() + Duration::days(1));
        let read = |host| Pair::parse(chain.as_bytes(), key.as_bytes(), Some(host), crate::tls::clock::now());
        assert!(read("127.0.0.1").is_ok());
        assert!(read("127.0.0.2").is_err());
    }
}
