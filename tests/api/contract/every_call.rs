//! Rules and failures that all REST calls share.

use super::{METHOD_NOT_ALLOWED, NOT_FOUND, PAYLOAD_TOO_LARGE, UNAVAILABLE, UNSUPPORTED_MEDIA_TYPE};
use e2e::{App, Person, ProductWithoutTime, Rest};
use garimpo_proto::users::v1::GetUserRequest;
use serde_json::{Value, json};

/// Calls that read a JSON body. /api/password-reset is separate, because its errors also have
/// `"ok": false`.
const WRITES: [&str; 6] = [
    "/api/auth/set-cookie",
    "/api/auth/clear-cookie",
    "/api/users",
    "/api/create-customer-portal-session",
    "/create-embedded-checkout-session",
    "/meta-capi",
];
const READS: [&str; 3] = ["/api/auth/check-cookie", "/api/users/usr_1", "/session-status"];
const RESET: &str = "/api/password-reset";

#[tokio::test]
async fn a_body_that_is_not_a_json_object_gets_400() {
    let app = App::start().await;
    let deep = "[".repeat(60_000);
    let deep_object = "{\"a\":".repeat(10_000);
    let bodies: [(&[u8], &str); 12] = [
        (b"{", "corpo não é JSON válido"),
        (b"{}x", "corpo não é JSON válido"),
        (b"\x00", "corpo não é JSON válido"),
        (b"{\"uid\": \"\xff\xfe\"}", "corpo não é JSON válido"),
        (b"{\"uid\": \"\\ud800\"}", "corpo não é JSON válido"),
        (b"\xef\xbb\xbf{}", "corpo não é JSON válido"),
        (b"{\"event_time\": 1e999}", "corpo não é JSON válido"),
        (b"{'uid': 1}", "corpo não é JSON válido"),
        (deep.as_bytes(), "corpo não é JSON válido"),
        (deep_object.as_bytes(), "corpo não é JSON válido"),
        (b"[]", "corpo deve ser um objeto JSON"),
        (b"null", "corpo deve ser um objeto JSON"),
    ];
    for path in WRITES {
        for (body, blame) in bodies {
            let request = app.visitor().request("POST", path).header("origin", app.url());
            request.raw(body.to_vec()).answered().await.blames(blame);
        }
    }
    for (body, blame) in bodies {
        let refused = app.visitor().request("POST", RESET).raw(body.to_vec()).answered().await;
        let error = format!("Dados inválidos: {blame}.");
        refused.gives(400, json!({ "ok": false, "error": error, "code": "INVALID_ARGUMENT" }));
    }
}

#[tokio::test]
async fn a_body_over_64_kib_gets_413_whole_or_chunked() {
    let app = App::start().await;
    let exact = format!("{{\"a\":\"{}\"}}", "a".repeat(64 * 1024 - 8));
    assert_eq!(exact.len(), 64 * 1024);
    for path in WRITES {
        let request = || app.visitor().request("POST", path).header("origin", app.url());
        let pieces = || {
            let piece = bytes::Bytes::from(vec![b' '; 8 * 1024]);
            reqwest::Body::wrap_stream(in_pieces(vec![piece; 9]))
        };
        request().raw(exact.clone() + " ").answered().await.refuses(PAYLOAD_TOO_LARGE);
        request().raw(pieces()).answered().await.refuses(PAYLOAD_TOO_LARGE);
        assert_ne!(request().raw(exact.clone()).answered().await.status, 413, "{path}");
    }
    let reset = app.visitor().request("POST", RESET).raw(exact + " ").answered().await;
    assert_eq!((reset.status, &reset.body["ok"]), (413, &json!(false)));
}

#[tokio::test]
async fn a_media_type_other_than_json_in_utf8_gets_415() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    for path in WRITES {
        let request = |kind: &str| {
            let request = app.visitor().request("POST", path).header("origin", app.url());
            if kind.is_empty() { request.body("{}") } else { request.header("content-type", kind).body("{}") }
        };
        for kind in [
            "",
            "text/plain",
            "application/x-www-form-urlencoded",
            "application/jsonx",
            "application/json; charset=latin1",
        ] {
            request(kind).answered().await.refuses(UNSUPPORTED_MEDIA_TYPE);
        }
    }
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana" }).to_string();
    for kind in
        ["application/json; charset=utf-8", "Application/JSON;charset=\"UTF-8\"", "application/json;v=1"]
    {
        let request = ana.request("POST", "/api/users").token_of(&ana).header("content-type", kind);
        assert_eq!(request.body(body.clone()).answered().await.status, 200, "{kind}");
    }
}

#[tokio::test]
async fn chunked_bodies_extra_fields_and_repeated_keys_are_accepted() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let text = format!(
        "{{\"displayName\":\"Primeira\",\"uid\":\"{}\",\"sobra\":{{\"a\":[1e300]}},\"email\":\"{}\",\"displayName\":\"Última ✓\"}}",
        ana.uid, ana.email
    );
    let pieces: Vec<_> = text.as_bytes().chunks(7).map(bytes::Bytes::copy_from_slice).collect();

    let request = ana.request("POST", "/api/users").token_of(&ana);
    let saved = request.raw(reqwest::Body::wrap_stream(in_pieces(pieces))).answered().await;

    assert_eq!((saved.status, &saved.body["displayName"]), (200, &json!("Última ✓")), "{saved:?}");
}

#[tokio::test]
async fn another_method_gets_405_with_allow_and_no_cors_headers() {
    let app = App::start().await;
    for (paths, allow, wrong) in [
        (&WRITES[..], "POST", &["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"][..]),
        (&[RESET, "/webhooks/stripe"], "POST", &["GET", "OPTIONS"]),
        (&READS, "GET,HEAD", &["POST", "PUT", "DELETE", "OPTIONS"]),
        (&["/config.json", "/openapi.json"], "GET,HEAD", &["POST", "OPTIONS"]),
    ] {
        for (path, method) in paths.iter().flat_map(|path| wrong.iter().map(move |method| (path, method))) {
            let request = app.visitor().request(method, path).header("origin", "http://outro.exemplo");
            let refused = request.header("access-control-request-method", "POST").answered().await;
            assert_eq!(refused.header("allow"), allow, "{method} {path}");
            if *method == "HEAD" {
                assert_eq!((refused.status, &refused.body), (405, &json!("")), "{path}");
            } else {
                refused.refuses(METHOD_NOT_ALLOWED);
            }
        }
    }
}

#[tokio::test]
async fn head_returns_the_status_and_headers_of_get_without_a_body() {
    let app = App::start().await;
    for (path, status) in
        [("/api/auth/check-cookie", 200), ("/api/users/usr_1", 401), ("/session-status", 400)]
    {
        let head = app.visitor().request("HEAD", path).answered().await;
        assert_eq!((head.status, &head.body), (status, &json!("")), "{path}");
        head.assert_common_headers();
    }
}

#[tokio::test]
async fn an_unknown_api_path_gets_404_as_json() {
    let app = App::start().await;
    for path in [
        "/api",
        "/api/",
        "/api/nada",
        "/api/users/a/b",
        "/api/auth/set-cookie/",
        "/api/%ff",
        "/webhooks/outro",
    ] {
        for method in ["GET", "POST", "DELETE"] {
            app.visitor().request(method, path).answered().await.refuses(NOT_FOUND);
        }
    }
}

#[tokio::test]
async fn before_the_time_is_known_every_call_gets_503() {
    let product = ProductWithoutTime::start().await;
    let ana = product.visitor();
    let email = Person::new().email;

    let own = json!({ "uid": "usr_1", "email": email, "displayName": "Ana" });
    for (method, path, body) in [
        ("POST", "/api/auth/set-cookie", Some(own.clone())),
        ("POST", "/api/auth/clear-cookie", None),
        ("GET", "/api/auth/check-cookie", None),
        ("GET", "/api/users/usr_1", None),
        ("POST", "/api/users", Some(own.clone())),
        ("POST", "/api/create-customer-portal-session", Some(own.clone())),
        (
            "POST",
            "/create-embedded-checkout-session",
            Some(json!({ "email": email, "planName": "Top Afiliado", "interval": "month" })),
        ),
        ("GET", "/session-status?session_id=cs_1", None),
    ] {
        let refused = ana.calls(method, path, body).await;
        refused.refuses(UNAVAILABLE);
    }
    let reset = ana.calls("POST", RESET, Some(own)).await;
    let (_, code, error) = UNAVAILABLE;
    reset.gives(503, json!({ "ok": false, "error": error, "code": code }));
}

#[tokio::test]
async fn an_internal_failure_gets_500_with_the_request_id_and_without_its_cause() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    app.loses_table("accounts").await;

    let failed = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;

    let id = failed.header("x-request-id").to_owned();
    let error = format!("Ocorreu um erro inesperado. Tente novamente. Código do atendimento: {id}.");
    failed.refuses((500, "INTERNAL", &error));
    assert!(app.log_text().contains(&id), "the log names the request");
}

#[tokio::test]
async fn the_cause_of_an_internal_failure_is_logged_for_rest_and_for_grpc() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    app.loses_table("accounts").await;
    let causes = || {
        let log = app.log_text();
        let failed = log.lines().filter(|line| line.contains(r#""message":"a call failed""#));
        failed.filter(|line| line.contains("accounts")).count()
    };

    let failed = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!(failed.status, 500);
    e2e::eventually("the cause of the REST call", || async { (causes() == 1).then_some(()) }).await;

    let asked = ana.with_cookie(GetUserRequest { uid: ana.uid.clone() });
    let refused = app.users().await.get_user(asked).await.expect_err("the table is gone");
    assert_eq!(refused.code(), tonic::Code::Internal);
    e2e::eventually("the cause of the gRPC call", || async { (causes() == 2).then_some(()) }).await;
}

#[tokio::test]
async fn query_strings_are_never_logged() {
    let app = App::start_with(&[("GARIMPO_LOG", "debug")]).await;
    for path in
        ["/session-status", "/api/users/usr_1", "/api/nada", "/nada", "/", "/redefinir-senha", "/config.json"]
    {
        app.visitor().request("GET", &format!("{path}?session_id=cs_segredo&code=segredo")).answered().await;
    }
    let mut far =
        app.visitor().request("GET", "/login?code=segredo").header("host", "localhost").answered().await;
    far.body = Value::Null;

    assert_eq!(far.status, 307, "{far:?}");
    let log = app.log_text();
    assert!(!log.contains("segredo"), "{log}");
}

/// A chunked body, without a content-length.
fn in_pieces(
    pieces: Vec<bytes::Bytes>,
) -> impl futures::Stream<Item = Result<bytes::Bytes, std::convert::Infallible>> {
    futures::stream::iter(pieces.into_iter().map(Ok))
}
