//! Invalid input gets the documented error and causes no panic: the fixture fails if the log
//! contains a panic.

use e2e::{App, Person};

#[tokio::test]
async fn a_malformed_token_or_cookie_counts_as_none() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let path = format!("/api/users/{}", ana.uid);
    let long = "x".repeat(4_000);
    for token in ["gi_", "gs_", "gv_nada", "eyJhbGciOiJub25lIn0.e30.", "çã", long.as_str()] {
        let header = reqwest::header::HeaderValue::from_bytes(format!("Bearer {token}").as_bytes()).unwrap();
        let refused = e2e::visitor::answer(ana.request("GET", &path).header("authorization", header)).await;
        assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"), "{token}");
        let refused = ana
            .request("GET", &path)
            .header("cookie", format!("garimpo_session={}", token.replace('ç', "c").replace('ã', "a")));
        assert_eq!(e2e::visitor::answer(refused).await.status, 401, "{token}");
    }
}

#[tokio::test]
async fn internal_headers_from_outside_are_ignored() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let request = app
        .visitor()
        .request("GET", &format!("/api/users/{}", ana.uid))
        .header("x-garimpo-uid", &ana.uid)
        .header("x-garimpo-fleet-secret", "")
        .header("x-garimpo-client-address", "10.0.0.1");
    let refused = e2e::visitor::answer(request).await;

    assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"));
}

#[tokio::test]
async fn broken_grpc_frames_get_a_grpc_status_and_never_html() {
    let app = App::start().await;
    let bodies: [&[u8]; 4] = [b"", b"\x00", b"\x00\x00\x00\x00\x05ab", b"\x00\x00\x00\x00\x02\xff\xff"];
    for path in ["/garimpo.auth.v1.AuthService/SignUp", "/garimpo.nada.v1.Nada/Nada", "/"] {
        for body in bodies {
            let request =
                app.visitor().request("POST", path).header("content-type", "application/grpc-web+proto");
            let response = request.body(body).send().await.expect("an answer");
            let kind = response.headers()["content-type"].to_str().unwrap().to_string();
            assert!(kind.starts_with("application/grpc"), "{path} {body:?}: {kind}");
            if path.starts_with("/garimpo.auth") {
                // INVALID_ARGUMENT, because INTERNAL would alert the operator.
                assert_eq!(response.headers()["grpc-status"], "3", "{path} {body:?}");
            }
        }
    }
    let series = r#"garimpo_rpc_requests_total{rpc="garimpo.auth.v1.AuthService/SignUp",code="Internal"}"#;
    assert_eq!(app.metric(series).await, None);
}

#[tokio::test]
async fn internal_services_are_unimplemented_on_the_public_port_and_calls_to_them_are_counted() {
    let app = App::start().await;
    for service in ["EntitlementService/GetEntitlements", "WebhookService/ReceiveEvent"] {
        let path = format!("/garimpo.billing.v1.{service}");
        let answer = e2e::grpc_web::call::<(), ()>(app.url(), &path, &(), &[]).await;
        assert_eq!(answer.grpc_status, (tonic::Code::Unimplemented as i32).to_string(), "{service}");
    }
    let denied = app.metric(r#"garimpo_denials_total{reason="not_public",port="public"}"#).await;
    assert_eq!(denied.as_deref(), Some("2"));
    let asked = r#"{rpc="garimpo.billing.v1.EntitlementService/GetEntitlements",code="Unimplemented"}"#;
    let asked = app.metric(&format!("garimpo_gateway_rpc_requests_total{asked}")).await;
    assert_eq!(asked.as_deref(), Some("1"), "by its name");
}
