//! https on the public port.

use garimpo_gateway::PublicUrl;

use super::problem::ConfigError;
use super::required::Required;
use super::role::Role;
use super::variables::TlsVariables;
use garimpo_listener::tls::files::CertificateFiles;
use garimpo_listener::tls::pair::PairError;
use garimpo_listener::tls::{AcmeSettings, TlsSettings};

const CERT: &str = "GARIMPO_TLS_CERT";
const KEY: &str = "GARIMPO_TLS_KEY";

/// The certificate's settings; `None` for a process without the public port.
pub(super) fn tls(
    given: TlsVariables,
    public_url: Option<&PublicUrl>,
    required: &mut Required<'_>,
) -> Option<TlsSettings> {
    if given.acme.is_some() {
        required.unused(&[CERT, KEY], "GARIMPO_ACME is set");
    } else {
        required.unused(&["GARIMPO_ACME_URL", "GARIMPO_ACME_CA"], "GARIMPO_ACME is not set");
    }
    let certificate = required.when(given.tls_key.is_some(), CERT, given.tls_cert);
    let key = required.when(certificate.is_some(), KEY, given.tls_key);
    if required.role != Role::Serve {
        return None;
    }
    if public_url.is_some_and(|url| !url.is_https()) && (given.acme.is_some() || certificate.is_some()) {
        required.refuse("GARIMPO_PUBLIC_URL", "https:// while the public port speaks https");
    }
    let files = certificate.zip(key).map(|(certificate, key)| CertificateFiles {
        certificate,
        key,
        host: public_url.map(|url| url.host().to_owned()),
    });
    let acme = given.acme.and_then(|email| {
        let host = host_of_acme(public_url, required)?;
        Some(AcmeSettings { email, directory: given.acme_url, ca: given.acme_ca, host })
    });
    acme.map(TlsSettings::Acme).or(files.map(TlsSettings::Files))
}

/// The host that the authority checks, which must be this machine.
fn host_of_acme(public_url: Option<&PublicUrl>, required: &mut Required<'_>) -> Option<String> {
    let url = required.when(true, "GARIMPO_PUBLIC_URL", public_url)?;
    if !url.has_host_name() {
        required.refuse("GARIMPO_PUBLIC_URL", "a host name while GARIMPO_ACME is set, no IP address");
        return None;
    }
    Some(url.host().to_ascii_lowercase())
}

/// Refuses files that the process could not start with.
pub(super) fn check(settings: Option<&TlsSettings>, errors: &mut Vec<ConfigError>) {
    match settings {
        Some(TlsSettings::Files(files)) => {
            let (name, path, allowed) = match files.load() {
                Ok(_) => return,
                Err(PairError::Certificate(allowed)) => (CERT, &files.certificate, allowed),
                Err(PairError::Key(allowed)) => (KEY, &files.key, allowed),
            };
            errors.push(ConfigError::refused(name, &path.display().to_string(), &allowed));
        }
        Some(TlsSettings::Acme(AcmeSettings { ca: Some(path), .. })) => {
            if let Err(allowed) = garimpo_listener::tls::acme::check_roots(path) {
                errors.push(ConfigError::refused("GARIMPO_ACME_CA", &path.display().to_string(), allowed));
            }
        }
        _ => {}
    }
}
