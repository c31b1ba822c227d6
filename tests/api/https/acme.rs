//! Certificates that are ordered over ACME, from Pebble.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use e2e::App;
use e2e::app::base_settings;
use e2e::certificates::trusting;
use e2e::pebble::Pebble;
use e2e::ports::free_address;
use e2e::process;

const HOST: &str = "garimpo.example";

/// The settings of a site that orders its certificate at Pebble.
fn settings(pebble: &Pebble, address: &str) -> Vec<(&'static str, String)> {
    let port = address.rsplit_once(':').expect("a port").1;
    let mut settings = vec![
        ("GARIMPO_LISTEN", address.to_owned()),
        ("GARIMPO_PUBLIC_URL", format!("https://{HOST}:{port}")),
        ("GARIMPO_ALLOW_SANDBOX", "1".to_owned()),
    ];
    settings.extend(pebble.settings());
    settings
}

async fn starts(settings: &[(&'static str, String)]) -> App {
    let settings: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    App::start_with(&settings).await
}

async fn expiry(app: &App) -> Option<f64> {
    app.metric("garimpo_tls_certificate_expiry_seconds").await?.parse().ok()
}

/// Whether a client that trusts only this authority gets a page.
async fn is_served(root: &str, address: &str) -> bool {
    let client =
        trusting(root).resolve(HOST, address.parse().expect("it is ours")).build().expect("it is ours");
    let port = address.rsplit_once(':').expect("it is ours").1;
    client
        .get(format!("https://{HOST}:{port}/planos"))
        .send()
        .await
        .is_ok_and(|answer| answer.status() == 200)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_certificate_is_ordered_stored_and_renewed_automatically() {
    let address = free_address();
    // The certificate is renewed when a third of its lifetime is left.
    let pebble = Pebble::starts(address.rsplit_once(':').unwrap().1, 12).await;
    let mut app = starts(&settings(&pebble, &address)).await;

    let first = e2e::eventually("the first certificate", || expiry(&app)).await;
    assert!(is_served(&pebble.root().await, &address).await, "{}", app.log_text());
    let folder = app.folder("acme");
    let mode = |path: &Path| path.metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&folder), 0o700);
    for name in ["account.json", "certificate.json"] {
        assert_eq!(mode(&folder.join(name)), 0o600, "{name}");
    }
    let log = app.log_text();
    for secret in ["PRIVATE KEY", "key_pkcs8"] {
        assert!(!log.contains(secret), "{log}");
    }

    app.dies_and_restarts().await;
    assert_eq!(expiry(&app).await, Some(first), "the stored certificate is used after a crash");
    assert!(is_served(&pebble.root().await, &address).await);
    e2e::eventually("the renewed certificate", || async { expiry(&app).await.filter(|next| *next > first) })
        .await;
    assert!(is_served(&pebble.root().await, &address).await);
    let accounts = pebble.log_text().matches("accounts in memory").count();
    assert_eq!(accounts, 1, "one account for all orders:\n{}", pebble.log_text());
}

#[tokio::test(flavor = "multi_thread")]
async fn without_the_authority_the_product_starts_and_counts_and_logs_the_failure() {
    let address = free_address();
    let mut pebble = Pebble::starts(address.rsplit_once(':').unwrap().1, 3600).await;
    let settings = settings(&pebble, &address);
    pebble.ends();
    let app = starts(&settings).await;

    app.wait_for_metric(r#"garimpo_tls_certificate_failures_total{source="acme"}"#, "1").await;
    let log = app.log_text();
    assert!(
        log.contains("no certificate was ordered") && log.contains("the account at the authority"),
        "{log}"
    );
    assert_eq!(expiry(&app).await, None);
}

#[tokio::test]
async fn acme_without_a_public_host_name_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let run = async |settings: &[(&str, &str)]| {
        let mut all = base_settings();
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        process::run(&["serve"], folder.path(), &all).await
    };
    let acme = ("GARIMPO_ACME", "ola@garimpo.example");
    let sandbox = ("GARIMPO_ALLOW_SANDBOX", "1");

    for (settings, line) in [
        (vec![acme], "GARIMPO_PUBLIC_URL: found nothing"),
        (
            vec![acme, sandbox, ("GARIMPO_PUBLIC_URL", "https://203.0.113.7")],
            "allowed: a host name while GARIMPO_ACME is set",
        ),
        (
            vec![
                acme,
                sandbox,
                ("GARIMPO_ALLOW_HTTP", "1"),
                ("GARIMPO_PUBLIC_URL", "http://garimpo.example"),
            ],
            "allowed: https:// while the public port speaks https",
        ),
        (vec![("GARIMPO_ACME", "ninguém")], "GARIMPO_ACME: found \"ninguém\""),
        (
            vec![("GARIMPO_ACME_CA", "/etc/x.pem")],
            "GARIMPO_ACME_CA: found a value, while GARIMPO_ACME is not set",
        ),
        (
            vec![acme, ("GARIMPO_TLS_CERT", "/x"), ("GARIMPO_TLS_KEY", "/y")],
            "GARIMPO_TLS_CERT: found a value, while GARIMPO_ACME is set",
        ),
    ] {
        let ran = run(&settings).await;
        assert!(ran.code == 2 && ran.stderr.contains(line), "{line}\n{ran:?}");
    }
}
