//! A certificate authority, its certificates, and clients that trust only it.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::crypto::ring::default_provider;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore, SupportedProtocolVersion};
use time::{Duration, OffsetDateTime};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// An authority that signs for any name.
pub struct Authority {
    issuer: CertifiedIssuer<'static, KeyPair>,
}

/// A certificate for 127.0.0.1, `localhost` and `garimpo.example`, with its key, as PEM.
#[derive(Clone)]
pub struct Certificate {
    pub chain: String,
    pub key: String,
}

/// Files of a certificate in a folder.
pub struct CertificateFiles {
    pub chain: PathBuf,
    pub key: PathBuf,
}

impl Default for Authority {
    fn default() -> Self {
        Self::new()
    }
}

impl Authority {
    /// Creates an authority.
    pub fn new() -> Self {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "scenario");
        let key = KeyPair::generate().expect("a key");
        Self { issuer: CertifiedIssuer::self_signed(params, key).expect("a root") }
    }

    /// A certificate that expires after `valid_for`; a negative time means that it has expired.
    #[expect(clippy::disallowed_methods, reason = "clients check a certificate by this clock")]
    pub fn signs(&self, valid_for: Duration) -> Certificate {
        let names = ["127.0.0.1", "localhost", "garimpo.example"].map(str::to_owned);
        let mut params = CertificateParams::new(names).expect("names");
        params.not_after = OffsetDateTime::now_utc() + valid_for;
        params.not_before = params.not_after - Duration::days(90);
        let key = KeyPair::generate().expect("a key");
        let signed = params.signed_by(&key, &self.issuer).expect("a certificate");
        Certificate { chain: signed.pem(), key: key.serialize_pem() }
    }

    /// The authority's root certificate as PEM.
    pub fn root(&self) -> String {
        self.issuer.pem()
    }

    /// An HTTP client that trusts only this authority.
    pub fn client(&self) -> reqwest::Client {
        self.client_builder().build().expect("a client")
    }

    /// The builder of such a client.
    pub fn client_builder(&self) -> reqwest::ClientBuilder {
        trusting(&self.root())
    }

    /// Opens a TLS connection to a port of this machine and offers these protocols.
    ///
    /// # Errors
    /// The handshake fails.
    pub async fn connect(
        &self,
        address: &str,
        protocols: &[&str],
        versions: &[&'static SupportedProtocolVersion],
    ) -> std::io::Result<TlsStream<TcpStream>> {
        let mut roots = RootCertStore::empty();
        roots.add(CertificateDer::from_pem_slice(self.root().as_bytes()).expect("PEM")).expect("a root");
        let mut config = ClientConfig::builder_with_provider(default_provider().into())
            .with_protocol_versions(versions)
            .expect("versions")
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.as_bytes().to_vec()).collect();
        let name = ServerName::try_from("localhost").expect("a name");
        TlsConnector::from(Arc::new(config)).connect(name, TcpStream::connect(address).await?).await
    }
}

/// An HTTP client that trusts the roots of this PEM alone.
pub fn trusting(roots: &str) -> reqwest::ClientBuilder {
    let roots = reqwest::Certificate::from_pem_bundle(roots.as_bytes()).expect("PEM");
    crate::http::builder().tls_certs_only(roots)
}

impl Certificate {
    /// Writes both files, or replaces them.
    pub fn write_to(&self, folder: &Path) -> CertificateFiles {
        let files = CertificateFiles { chain: folder.join("site.pem"), key: folder.join("site.key") };
        std::fs::write(&files.chain, &self.chain).expect("it is written");
        std::fs::write(&files.key, &self.key).expect("it is written");
        files
    }

    /// The certificate that a client receives.
    pub fn der(&self) -> CertificateDer<'static> {
        CertificateDer::from_pem_slice(self.chain.as_bytes()).expect("PEM")
    }
}

/// Writes a self-signed certificate of this machine and its key: `site.pem` and `site.key`.
pub fn site_certificate(folder: &Path) {
    let made = Command::new("openssl")
        .current_dir(folder)
        .args(["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"])
        .args(["-keyout", "site.key", "-out", "site.pem", "-days", "2", "-subj", "/CN=garimpo"])
        .args(["-addext", "subjectAltName=IP:127.0.0.1", "-addext", "basicConstraints=critical,CA:FALSE"])
        .output()
        .expect("openssl is installed: run tests/setup/nginx.sh");
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
}
