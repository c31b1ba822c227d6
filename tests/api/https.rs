//! https on the public port: certificate files and their replacement, limits, redirects, orders
//! over ACME.

mod acme;
mod certificate_files;
mod handshake_limits;

use e2e::App;
use e2e::certificates::{Authority, Certificate};
use tempfile::TempDir;
use time::Duration;

/// The product behind a certificate of the scenario's authority.
struct Site {
    app: App,
    authority: Authority,
    certificate: Certificate,
    folder: TempDir,
}

impl Site {
    async fn starts(settings: &[(&str, &str)]) -> Self {
        let folder = TempDir::with_prefix("garimpo-https-").expect("a folder");
        let authority = Authority::new();
        let certificate = authority.signs(Duration::days(60));
        let files = certificate.write_to(folder.path());
        let root = folder.path().join("root.pem");
        std::fs::write(&root, authority.root()).expect("it is written");
        let path = |path: &std::path::Path| path.to_str().expect("UTF-8").to_owned();
        let (chain, key, root) = (path(&files.chain), path(&files.key), path(&root));
        let mut all = vec![("GARIMPO_TLS_CERT", chain.as_str()), ("GARIMPO_TLS_KEY", key.as_str())];
        // The sandbox, which delivers events to the public port, uses the roots of the system.
        all.push(("SSL_CERT_FILE", root.as_str()));
        all.extend(settings);
        let app = App::start_with(&all).await;
        Self { app, authority, certificate, folder }
    }

    /// `host:port` of the public port.
    fn address(&self) -> &str {
        self.app.url().strip_prefix("https://").expect("it speaks https")
    }
}
