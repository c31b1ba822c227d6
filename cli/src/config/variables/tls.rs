//! Settings of https on the public port.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use crate::config::forms::{ADDRESS, contact_email, safe_url};

/// https on the public port, and the port that redirects to it.
#[derive(Debug, Args)]
pub struct TlsVariables {
    /// Certificate of the public port with its chain; with it the port speaks https alone
    #[arg(value_hint = ValueHint::FilePath, value_name = "the path of a PEM file")]
    pub tls_cert: Option<PathBuf>,
    /// Key of the certificate
    #[arg(value_hint = ValueHint::FilePath, value_name = "the path of a PEM file")]
    pub tls_key: Option<PathBuf>,
    /// Order and renew the certificate; the operator's address for the authority, whose terms it
    /// accepts
    #[arg(value_parser = contact_email, value_name = "an address such as ola@example.com")]
    pub acme: Option<String>,
    /// Directory of the authority
    #[arg(
        default_value = "https://acme-v02.api.letsencrypt.org/directory",
        value_parser = safe_url,
        value_name = "an https:// address"
    )]
    pub acme_url: String,
    /// Roots that the authority's own https is checked with; by default the system's
    #[arg(value_name = "the path of a PEM file")]
    pub acme_ca: Option<PathBuf>,
    /// Port that redirects pages from http to https; by default none
    #[arg(value_name = ADDRESS)]
    pub redirect_listen: Option<SocketAddr>,
}
