//! A certificate in two files.

use std::collections::BTreeMap;

use e2e::app::base_settings;
use e2e::certificates::Authority;
use e2e::grpc_web::{WebAnswer, sent};
use e2e::process::{self, Process};
use e2e::{App, Person, template};
use garimpo_proto::auth::v1::SignUpResponse;
use rustls::version::{TLS12, TLS13};
use serde_json::{Value, json};
use tempfile::TempDir;
use time::{Duration, OffsetDateTime};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

use super::Site;

const SIGN_UP: &str = "/garimpo.auth.v1.AuthService/SignUp";

#[tokio::test(flavor = "multi_thread")]
async fn everything_from_sign_up_to_paid_purchase_works_over_https() {
    let site = Site::starts(&[]).await;
    let (client, url) = (site.authority.client(), site.app.url());
    let post = |path: &str, kind: &str| {
        client.post(format!("{url}{path}")).header("content-type", kind).header("te", "trailers")
    };

    let page = client.get(format!("{url}/planos")).send().await.unwrap();
    assert_eq!((page.status().as_u16(), page.version()), (200, reqwest::Version::HTTP_2));
    assert_eq!(page.headers()["strict-transport-security"], "max-age=31536000");
    let person = Person::new();
    let ana: WebAnswer<SignUpResponse> =
        sent(post(SIGN_UP, "application/grpc-web+proto"), &person.sign_up_form()).await;
    let cookie = ana.headers["set-cookie"].to_str().unwrap().to_owned();
    assert!(cookie.starts_with("__Host-garimpo_session=") && cookie.contains("; Secure"), "{cookie}");
    let cookie = cookie.split(';').next().unwrap();
    let uid = ana.message.unwrap().user.unwrap().uid;
    let native: WebAnswer<SignUpResponse> =
        sent(post(SIGN_UP, "application/grpc"), &Person::new().sign_up_form()).await;
    assert!(native.message.unwrap().user.unwrap().uid.starts_with("usr_"));

    let session = e2e::eventually("the catalogue at the provider", || async {
        let body = json!({ "email": person.email, "planName": "Elite Nível 2", "interval": "semestral" });
        let opened = client.post(format!("{url}/create-embedded-checkout-session")).json(&body);
        let opened = opened.header("cookie", cookie).header("origin", url).send().await.unwrap();
        let body: Value = opened.json().await.unwrap();
        body["clientSecret"].as_str().map(e2e::visitor::session_id)
    })
    .await;
    assert_eq!(site.app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    // The sandbox's event arrives over https too.
    e2e::eventually("an active subscription", || async {
        let user =
            client.get(format!("{url}/api/users/{uid}")).header("cookie", cookie).send().await.unwrap();
        (user.json::<Value>().await.unwrap()["subscription_active"] == true).then_some(())
    })
    .await;
}

#[tokio::test]
async fn each_offered_tls_and_http_version_is_agreed_and_plain_http_is_refused() {
    let site = Site::starts(&[]).await;

    for version in [&TLS12, &TLS13] {
        for (offered, agreed) in [(&["h2", "http/1.1"][..], "h2"), (&["http/1.1"], "http/1.1")] {
            let stream = site.authority.connect(site.address(), offered, &[version]).await.unwrap();
            let (_, connection) = stream.get_ref();
            assert_eq!(connection.alpn_protocol(), Some(agreed.as_bytes()));
            assert_eq!(connection.protocol_version(), Some(version.version));
            assert_eq!(connection.peer_certificates().unwrap()[0], site.certificate.der());
        }
    }
    let without = site.authority.connect(site.address(), &[], &[&TLS13]).await.unwrap();
    assert_eq!(without.get_ref().1.alpn_protocol(), None);
    assert!(answers(without).await, "a client without ALPN speaks HTTP/1.1");
    assert!(site.authority.connect(site.address(), &["nada/9"], &[&TLS13]).await.is_err());
    let plain = e2e::certificates::trusting(&site.authority.root()).build().unwrap();
    assert!(plain.get(format!("http://{}/planos", site.address())).send().await.is_err());
    // A client may see the connection close before the server counts the failure.
    e2e::eventually("both failures are counted", || async {
        let failed = site.app.metric(r#"garimpo_tls_handshakes_total{outcome="failed"}"#).await;
        (failed.as_deref() == Some("2")).then_some(())
    })
    .await;
}

/// Whether a request of HTTP/1.1 on a connection gets a response.
async fn answers(mut stream: impl tokio::io::AsyncRead + tokio::io::AsyncWrite + Unpin) -> bool {
    let request = b"GET /api/auth/check-cookie HTTP/1.1\r\nhost: localhost\r\n\r\n";
    stream.write_all(request).await.expect("it is open");
    let mut status = [0; 12];
    stream.read_exact(&mut status).await.is_ok() && &status == b"HTTP/1.1 200"
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "clients check a certificate by this clock")]
async fn a_replaced_certificate_serves_new_connections_and_earlier_ones_continue() {
    let site = Site::starts(&[]).await;
    let expiry = async || {
        let seconds = site.app.metric("garimpo_tls_certificate_expiry_seconds").await.unwrap();
        OffsetDateTime::from_unix_timestamp(seconds.parse::<f64>().unwrap() as i64).unwrap()
    };
    let seen = async || {
        let stream = site.authority.connect(site.address(), &["h2"], &[&TLS13]).await.unwrap();
        stream.get_ref().1.peer_certificates().unwrap()[0].clone().into_owned()
    };
    let mut earlier = site.authority.connect(site.address(), &["http/1.1"], &[&TLS13]).await.unwrap();
    assert!(answers(&mut earlier).await);
    let days = |instant: OffsetDateTime| (instant - OffsetDateTime::now_utc()).whole_hours() / 24;
    assert_eq!(days(expiry().await), 59);

    let renewed = site.authority.signs(Duration::days(90));
    renewed.write_to(site.folder.path());
    e2e::eventually("the new certificate", || async { (seen().await == renewed.der()).then_some(()) }).await;
    assert_eq!(days(expiry().await), 89);
    let mut rest = vec![0; 1024];
    let _ = earlier.read(&mut rest).await;
    assert!(answers(&mut earlier).await, "the earlier connection is open");

    // A key of another certificate and an expired certificate change nothing and are reported once
    // each.
    let failures = r#"garimpo_tls_certificate_failures_total{source="files"}"#;
    assert_eq!(site.app.metric(failures).await.as_deref(), Some("0"));
    std::fs::write(site.folder.path().join("site.key"), &site.certificate.key).unwrap();
    for (count, reason) in
        [("1", "the key is not the key of the certificate"), ("2", "the certificate is not valid now")]
    {
        site.app.wait_for_metric(failures, count).await;
        assert!(site.app.log_text().contains(reason), "{}", site.app.log_text());
        assert_eq!(seen().await, renewed.der());
        site.authority.signs(Duration::hours(-1)).write_to(site.folder.path());
    }
    let last = site.authority.signs(Duration::days(30));
    last.write_to(site.folder.path());
    e2e::eventually("the repaired pair", || async { (seen().await == last.der()).then_some(()) }).await;
}

#[tokio::test]
async fn an_invalid_certificate_pair_refuses_to_start_and_names_the_fault() {
    let folder = tempfile::tempdir().unwrap();
    let authority = Authority::new();
    let (good, other) = (authority.signs(Duration::days(1)), authority.signs(Duration::days(1)));
    let expired = authority.signs(Duration::hours(-1));
    let file = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let (chain, key) = (file("chain", &good.chain), file("key", &good.key));
    let no_file = folder.path().join("nada").to_str().unwrap().to_owned();
    let serve = async |settings: &[(&str, &str)]| {
        let mut all = base_settings();
        all.extend(settings.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())));
        process::run(&["serve"], folder.path(), &all).await
    };

    for (cert, key, line) in [
        (
            &chain,
            &file("other", &other.key),
            "GARIMPO_TLS_KEY: found \"{key}\"; allowed: the key of the certificate",
        ),
        (
            &file("old", &expired.chain),
            &file("old-key", &expired.key),
            "GARIMPO_TLS_CERT: found \"{cert}\"; allowed: valid now (it is from ",
        ),
        (&no_file, &key, "GARIMPO_TLS_CERT: found \"{cert}\"; allowed: a readable file"),
        (&chain, &no_file, "GARIMPO_TLS_KEY: found \"{key}\"; allowed: a readable file"),
        (&key, &key, "GARIMPO_TLS_CERT: found \"{cert}\"; allowed: PEM with the site's certificate"),
    ] {
        let ran = serve(&[("GARIMPO_TLS_CERT", cert), ("GARIMPO_TLS_KEY", key)]).await;
        let line = line.replace("{cert}", cert).replace("{key}", key);
        assert!(ran.code == 2 && ran.stderr.contains(&line), "{line}\n{ran:?}");
    }
    for (settings, line) in [
        (vec![("GARIMPO_TLS_CERT", chain.as_str())], "GARIMPO_TLS_KEY: found nothing"),
        (vec![("GARIMPO_TLS_KEY", key.as_str())], "GARIMPO_TLS_CERT: found nothing"),
        (
            vec![
                ("GARIMPO_TLS_CERT", chain.as_str()),
                ("GARIMPO_TLS_KEY", key.as_str()),
                ("GARIMPO_PUBLIC_URL", "https://outro.example"),
                ("GARIMPO_ALLOW_SANDBOX", "1"),
            ],
            "allowed: for outro.example, the host of GARIMPO_PUBLIC_URL",
        ),
        (
            vec![("GARIMPO_REDIRECT_LISTEN", "127.0.0.1:0")],
            "GARIMPO_REDIRECT_LISTEN: found a value, while neither",
        ),
    ] {
        let ran = serve(&settings).await;
        assert!(ran.code == 2 && ran.stderr.contains(line), "{line}\n{ran:?}");
    }
}

/// systemd puts the files of LoadCredential= into a folder of the service, and keeps the socket.
#[tokio::test]
async fn a_systemd_socket_and_credentials_are_enough_for_https() {
    let data = TempDir::with_prefix("garimpo-https-").expect("a folder");
    let credentials = TempDir::with_prefix("garimpo-https-").expect("a folder");
    let authority = Authority::new();
    let certificate = authority.signs(Duration::days(60));
    std::fs::write(credentials.path().join("GARIMPO_TLS_CERT"), &certificate.chain).unwrap();
    std::fs::write(credentials.path().join("GARIMPO_TLS_KEY"), &certificate.key).unwrap();
    let mut settings: BTreeMap<_, _> = base_settings();
    settings.remove("GARIMPO_LISTEN");
    settings.insert("CREDENTIALS_DIRECTORY".into(), credentials.path().display().to_string());
    settings
        .extend(template::copied_into(data.path()).await.map(|url| ("GARIMPO_DATABASE_URL".to_owned(), url)));
    let socket = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = socket.local_addr().unwrap().to_string();

    let (_process, addresses) = Process::start_on(Some(&socket), "serve", data.path(), &settings).await;

    assert_eq!(addresses["public"], format!("https://{address}"));
    let stream = authority.connect(&address, &["h2"], &[&TLS13]).await.unwrap();
    assert_eq!(stream.get_ref().1.peer_certificates().unwrap()[0], certificate.der());
}

#[tokio::test]
async fn the_http_port_redirects_pages_and_refuses_calls() {
    let site = Site::starts(&[("GARIMPO_REDIRECT_LISTEN", "127.0.0.1:0")]).await;
    let plain = site.app.redirect_url();
    let client = site.authority.client();

    let page =
        client.get(format!("{plain}/planos?promo=B")).header("host", "outro.example").send().await.unwrap();
    assert_eq!(
        (page.status().as_u16(), page.headers()["location"].to_str().unwrap()),
        (301, format!("{}/planos?promo=B", site.app.url()).as_str())
    );
    assert!(!page.headers().contains_key("strict-transport-security"), "RFC 6797, section 7.2");
    let call = client.get(format!("{plain}/api/auth/check-cookie")).send().await.unwrap();
    assert_eq!(call.status(), 403, "a call over plain HTTP is refused, because it may expose a token");
}

#[tokio::test]
async fn without_a_certificate_the_public_port_speaks_http() {
    let app = App::start().await;
    assert!(app.url().starts_with("http://"));
    assert_eq!(app.metric("garimpo_tls_certificate_expiry_seconds").await, None, "no alarm without https");
}
