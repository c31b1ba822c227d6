//! Where the certificate of the public port comes from.

use std::path::PathBuf;

use super::files::CertificateFiles;

/// Where the certificate of the public port comes from.
#[derive(Debug, Clone)]
pub enum TlsSettings {
    /// GARIMPO_TLS_CERT and GARIMPO_TLS_KEY.
    Files(CertificateFiles),
    /// GARIMPO_ACME and its settings.
    Acme(AcmeSettings),
}

/// How a certificate is ordered.
#[derive(Debug, Clone)]
pub struct AcmeSettings {
    /// GARIMPO_ACME: address of the operator, for the authority. Setting it accepts its terms.
    pub email: String,
    /// GARIMPO_ACME_URL: directory of the authority.
    pub directory: String,
    /// GARIMPO_ACME_CA: roots that verify the authority's own https.
    pub ca: Option<PathBuf>,
    /// The host of GARIMPO_PUBLIC_URL.
    pub host: String,
}
