//! Alarms and log lines that unauthenticated clients could cause.

use std::io::{Read as _, Write as _};
use std::time::Duration;

use e2e::App;
use e2e::visitor::answer;
use garimpo_proto::billing::v1::GetEntitlementsRequest;
use garimpo_proto::billing::v1::entitlement_service_client::EntitlementServiceClient;
use serde_json::json;
use tonic::Code;

async fn count(app: &App, series: &str) -> u64 {
    app.metric(series).await.and_then(|count| count.parse().ok()).unwrap_or_default()
}

async fn denials(app: &App, port: &str) -> u64 {
    let mut all = 0;
    for reason in ["no_token", "unknown_token", "wrong_scope", "not_public"] {
        all += count(app, &format!(r#"garimpo_denials_total{{reason="{reason}",port="{port}"}}"#)).await;
    }
    all
}

#[tokio::test]
async fn denials_of_the_public_port_are_counted_apart_from_the_internal_one() {
    let app = App::start().await;
    let mut forged = app.visitor();
    forged.id_token = Some("gv_invented".into());

    assert_eq!(forged.calls("GET", "/api/users/x", None).await.status, 401);
    let mut public = EntitlementServiceClient::new(e2e::app::channel(app.url()).await);
    let asked = || forged.authorized(GetEntitlementsRequest { uid: "usr_x".into() });
    assert_eq!(public.get_entitlements(asked()).await.expect_err("internal").code(), Code::Unimplemented);

    assert_eq!((denials(&app, "public").await, denials(&app, "internal").await), (2, 0));
    let mut internal = EntitlementServiceClient::new(e2e::app::channel(app.internal_url()).await);
    assert_eq!(internal.get_entitlements(asked()).await.expect_err("unknown").code(), Code::Unauthenticated);
    assert_eq!((denials(&app, "public").await, denials(&app, "internal").await), (2, 1));
}

#[tokio::test]
async fn a_client_counts_once_for_broken_pages_and_for_missing_pages_that_our_links_lead_to() {
    let app = App::start().await;
    let report = json!({ "release": "x", "path": "/x", "error": "TypeError" });
    for _ in 0..5 {
        let sent = app.visitor().request("POST", "/api/client-errors").header("origin", app.url());
        assert_eq!(answer(sent.json(&report)).await.status, 202);
    }
    let page = async |referer: &str| {
        let asked = app.visitor().request("GET", "/wp-login.php").header("referer", referer);
        assert_eq!(asked.send().await.expect("it answers").status(), 404);
    };
    for referer in ["", "https://outro.example/", &format!("{}.outro.example/", app.url())] {
        page(referer).await;
    }

    assert_eq!(count(&app, r#"garimpo_gateway_page_errors_total{release="other",route="other"}"#).await, 1);
    assert_eq!(count(&app, "garimpo_gateway_not_found_total").await, 0);
    for _ in 0..3 {
        page(&format!("{}/planos", app.url())).await;
    }
    assert_eq!(count(&app, "garimpo_gateway_not_found_total").await, 1, "a client counts once an hour");
}

#[tokio::test]
async fn the_duration_of_a_call_excludes_a_slow_upload() {
    let app = App::start().await;
    let address = app.url().strip_prefix("http://").expect("an address").to_owned();
    let body = r#"{"email":"ana@exemplo.com.br"}"#;
    let head = format!(
        "POST /api/password-reset HTTP/1.1\r\nhost: {address}\r\ncontent-type: application/json\r\n\
         content-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );

    let answered = tokio::task::spawn_blocking(move || {
        let mut socket = std::net::TcpStream::connect(address).expect("it connects");
        socket.write_all(head.as_bytes()).expect("the head is sent");
        let (first, rest) = body.split_at(4);
        for part in [first, rest] {
            std::thread::sleep(Duration::from_secs(2));
            socket.write_all(part.as_bytes()).expect("a part is sent");
        }
        let mut text = String::new();
        socket.read_to_string(&mut text).expect("it answers");
        text
    });

    let answered = answered.await.expect("no panic");
    assert!(answered.starts_with("HTTP/1.1 200"), "{answered}");
    let seconds =
        r#"garimpo_gateway_http_request_duration_seconds_sum{route="/api/password-reset",method="POST"}"#;
    let seconds: f64 = app.metric(seconds).await.expect("the route has a time").parse().expect("seconds");
    assert!((0.0..1.5).contains(&seconds), "{seconds}");
}

#[tokio::test]
async fn refused_requests_of_a_client_write_ten_lines_a_second() {
    let app = App::start().await;
    let mut forged = app.visitor();
    forged.id_token = Some("gv_invented".into());
    let began = std::time::Instant::now();
    for _ in 0..100 {
        assert_eq!(app.visitor().calls("POST", "/api/users", Some(json!(1))).await.status, 400);
        assert_eq!(forged.calls("GET", "/api/users/x", None).await.status, 401);
    }
    let allowed = 10 + 10 * (began.elapsed().as_secs() + 1);

    let left_out = async |class: &str| {
        count(&app, &format!(r#"garimpo_log_lines_left_out_total{{class="{class}"}}"#)).await
    };
    let log = app.log_text();
    let lines = |text: &str| log.matches(text).count() as u64;
    let refused = lines("POST /api/users 400") + lines("GET /api/users/{uid} 401");
    let denied = lines("denied: unknown_token");
    assert!(refused >= 10 && refused <= allowed, "{refused} of at most {allowed}");
    assert!(denied >= 10 && denied <= allowed, "{denied} of at most {allowed}");
    assert_eq!((refused + left_out("refused").await, denied + left_out("denied").await), (200, 100));
}
