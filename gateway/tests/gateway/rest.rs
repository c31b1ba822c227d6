//! The documented REST calls: requests, responses and errors.

use crate::support::{Gateway, HTTP, SIGNATURE, Services, request, settings};
use garimpo_proto::auth::v1::{
    GetSessionRequest, GetSessionResponse, RequestPasswordResetResponse, SessionUser, SetSessionRequest,
};
use garimpo_proto::auth::v1::{RequestPasswordResetRequest, SetSessionResponse, SignOutResponse};
use garimpo_proto::billing::v1::*;
use garimpo_proto::errors::v1::ErrorReason;
use garimpo_proto::tracking::v1::{TrackEventRequest, TrackEventResponse};
use garimpo_proto::users::v1::{GetUserResponse, SaveUserRequest, SaveUserResponse, User};
use http::StatusCode;
use serde_json::json;
use std::collections::HashMap;
use std::time::Duration;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

const AUTH: &str = "garimpo.auth.v1.AuthService";
const USERS: &str = "garimpo.users.v1.UserService";
const BILLING: &str = "garimpo.billing.v1.BillingService";
const TRACK: &str = "garimpo.tracking.v1.TrackingService/TrackEvent";
const RECEIVE: &str = "garimpo.billing.v1.WebhookService/ReceiveEvent";

fn refusal(reason: &str, code: Code) -> Status {
    let details = ErrorDetails::with_error_info(reason, "garimpo", HashMap::new());
    Status::with_error_details(code, "in English", details)
}

#[tokio::test]
async fn rest_calls_the_services_directly_and_grpc_is_forwarded_as_it_came() {
    let (called, forwarded) = (Services::default(), Services::default());
    let answer = GetSessionResponse { authenticated: false, ..Default::default() };
    let get_session = format!("{AUTH}/GetSession");
    for services in [&called, &forwarded] {
        services.answers(&get_session, &answer, &[]);
    }
    let gateway = Gateway::over(called.clone(), settings(HTTP), called.handlers(), forwarded.routes());

    assert_eq!(gateway.get("/api/auth/check-cookie", &[]).await.status, StatusCode::OK);
    assert_eq!((called.seen().len(), forwarded.seen().len()), (1, 0));

    gateway.rpc("application/grpc", &get_session, &[], &GetSessionRequest {}).await;
    assert_eq!((called.seen().len(), forwarded.seen().len()), (1, 1));
}

#[tokio::test]
async fn set_cookie_calls_set_session() {
    let gateway = Gateway::new();
    gateway.services.answers(&format!("{AUTH}/SetSession"), &SetSessionResponse {}, &[]);

    let body = r#"{"uid":"u1","email":"a@b.co","displayName":"Ana","sobra":1}"#;
    let answer = gateway.post("/api/auth/set-cookie", &[], body).await;

    assert_eq!((answer.status, answer.json()), (StatusCode::OK, json!({"ok": true})));
    assert_eq!(answer.header("cache-control"), "no-store");
    let sent: SetSessionRequest = gateway.services.last().message();
    assert_eq!((sent.uid.as_str(), sent.email.as_str(), sent.display_name.as_str()), ("u1", "a@b.co", "Ana"));
}

#[tokio::test]
async fn check_cookie_returns_the_user_or_only_that_there_is_no_session() {
    let gateway = Gateway::new();
    let rpc = format!("{AUTH}/GetSession");
    let user = SessionUser { uid: "u1".into(), email: "a@b.co".into(), display_name: "Ana".into() };
    let session = GetSessionResponse { authenticated: true, user: Some(user), server_time: None };

    gateway.services.answers(&rpc, &session, &[]);
    let known = gateway.get("/api/auth/check-cookie", &[]).await.json();
    gateway.services.answers(&rpc, &GetSessionResponse::default(), &[]);
    let unknown = gateway.get("/api/auth/check-cookie", &[]).await.json();

    let user = json!({"uid": "u1", "email": "a@b.co", "displayName": "Ana"});
    assert_eq!(known, json!({"authenticated": true, "user": user}));
    assert_eq!(unknown, json!({"authenticated": false}));
}

#[tokio::test]
async fn the_user_record_has_exactly_the_field_names_of_the_specification() {
    let gateway = Gateway::new();
    let user = User {
        uid: "u1".into(),
        email: "a@b.co".into(),
        display_name: "Ana".into(),
        first_name: Some("Ana".into()),
        created_at: Some(prost_types::Timestamp { seconds: 1_762_000_000, nanos: 0 }),
        ..User::default()
    };
    gateway.services.answers(&format!("{USERS}/GetUser"), &GetUserResponse { user: Some(user.clone()) }, &[]);
    gateway.services.answers(&format!("{USERS}/SaveUser"), &SaveUserResponse { user: Some(user) }, &[]);

    let read = gateway.get("/api/users/u1", &[]).await;
    let body = r#"{"uid":"u1","email":"a@b.co","displayName":"Ana","emailVerified":false,"phoneNumber":"11987654321","lastName":null}"#;
    let saved = gateway.post("/api/users", &[], body).await;

    let expected = json!({
        "uid": "u1", "email": "a@b.co", "displayName": "Ana", "emailVerified": false,
        "phoneNumber": null, "phone": null, "firstName": "Ana", "lastName": null, "photoURL": null,
        "createdAt": "2025-11-01T12:26:40Z", "subscription_plan": null, "subscription_active": null,
        "subscription_status": null, "subscription_start": null, "subscription_end": null
    });
    assert_eq!(read.json(), expected);
    assert_eq!(saved.json(), expected);
    let sent: SaveUserRequest = gateway.services.last().message();
    assert_eq!(sent.phone_number.as_deref(), Some("11987654321"));
    assert_eq!(sent.last_name, None);
}

#[tokio::test]
async fn checkout_portal_and_session_status_call_the_billing_service() {
    let gateway = Gateway::new();
    let secret =
        CreateCheckoutSessionResponse { client_secret: "cs_1_secret_x".into(), ..Default::default() };
    let session = GetCheckoutSessionResponse {
        status: "open".into(),
        customer_email: "a@b.co".into(),
        ..Default::default()
    };
    let portal = CreatePortalSessionResponse { url: "http://p".into() };
    gateway.services.answers(&format!("{BILLING}/CreateCheckoutSession"), &secret, &[]);
    gateway.services.answers(&format!("{BILLING}/GetCheckoutSession"), &session, &[]);
    gateway.services.answers(&format!("{BILLING}/CreatePortalSession"), &portal, &[]);

    let body = r#"{"email":"a@b.co","planName":"Elite Nível 2","interval":"semestral","couponId":"novo10"}"#;
    let checkout = gateway.post("/create-embedded-checkout-session", &[], body).await;
    let sent: CreateCheckoutSessionRequest = gateway.services.last().message();
    let status = gateway.get("/session-status?session_id=cs_1", &[]).await;
    let asked: GetCheckoutSessionRequest = gateway.services.last().message();
    let opened = gateway.post("/api/create-customer-portal-session", &[], r#"{"email":"a@b.co"}"#).await;

    assert_eq!(checkout.json(), json!({"clientSecret": "cs_1_secret_x"}));
    assert_eq!((sent.plan_name.as_str(), sent.interval.as_str()), ("Elite Nível 2", "semestral"));
    assert_eq!((sent.coupon_id.as_str(), sent.shown_price_centavos), ("novo10", None));
    assert_eq!(status.json(), json!({"status": "open", "customer_email": "a@b.co"}));
    assert_eq!(asked.session_id, "cs_1");
    assert_eq!(opened.json(), json!({"url": "http://p"}));
}

#[tokio::test]
async fn session_status_without_an_id_names_the_field() {
    let gateway = Gateway::new();
    for path in ["/session-status", "/session-status?session_id=", "/session-status?outro=1"] {
        let answer = gateway.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(answer.json()["error"], "Dados inválidos: session_id é obrigatório.");
        assert_eq!(answer.json()["code"], "INVALID_ARGUMENT");
    }
}

#[tokio::test]
async fn a_password_reset_response_has_the_field_ok() {
    let gateway = Gateway::new();
    let rpc = format!("{AUTH}/RequestPasswordReset");
    gateway.services.answers(&rpc, &RequestPasswordResetResponse {}, &[]);
    let accepted = gateway.post("/api/password-reset", &[], r#"{"email":"a@b.co"}"#).await;
    let sent: RequestPasswordResetRequest = gateway.services.last().message();

    gateway.services.refuses(&rpc, refusal("INVALID_EMAIL", Code::InvalidArgument));
    let refused = gateway.post("/api/password-reset", &[], "{}").await;
    let not_json = gateway.post("/api/password-reset", &[], "não").await;

    assert_eq!(accepted.json(), json!({"ok": true}));
    assert_eq!(sent.email, "a@b.co");
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(refused.json(), json!({"ok": false, "error": "Email inválido", "code": "INVALID_EMAIL"}));
    assert_eq!(not_json.json()["ok"], false);
}

#[tokio::test]
async fn a_conversion_event_calls_track_event() {
    let gateway = Gateway::new();
    gateway.services.answers(TRACK, &TrackEventResponse::default(), &[]);
    let body = r#"{"event_name":"checkout_iniciado","event_time":1762000000,"event_id":"e1",
        "user_data":{"em":"a@b.co","fn":"Ana"},
        "custom_data":{"value":391.6,"currency":"BRL","subscription_plan":"top_afiliado","interval":"semestral"}}"#;

    let answer = gateway.post("/meta-capi", &[("origin", HTTP)], body).await;

    assert_eq!((answer.status, answer.json()), (StatusCode::ACCEPTED, json!({"ok": true})));
    let call = gateway.services.last();
    assert!(call.caller.is_own_origin);
    let sent: TrackEventRequest = call.message();
    assert_eq!(sent.event_time.unwrap().seconds, 1_762_000_000);
    assert_eq!(sent.custom_data.unwrap().value_centavos, Some(39_160));
    assert_eq!(sent.user_data.unwrap().r#fn.as_deref(), Some("Ana"));
}

#[tokio::test]
async fn the_webhook_forwards_the_raw_body_and_the_signature() {
    let gateway = Gateway::new();
    gateway.services.answers(RECEIVE, &ReceiveEventResponse {}, &[]);
    let raw = "{ \"id\" :\t\"evt_1\" }\n";

    let answer = gateway.post("/webhooks/stripe", &[("stripe-signature", SIGNATURE)], raw).await;

    assert_eq!(answer.status, StatusCode::OK);
    let sent: ReceiveEventRequest = gateway.services.last().message();
    assert_eq!((sent.payload.as_ref(), sent.signature.as_str()), (raw.as_bytes(), SIGNATURE));

    gateway.services.refuses(RECEIVE, refusal("UNAVAILABLE", Code::Unavailable));
    let signed = [("stripe-signature", SIGNATURE)];
    assert_eq!(gateway.post("/webhooks/stripe", &signed, raw).await.status, StatusCode::SERVICE_UNAVAILABLE);
    gateway.services.refuses(RECEIVE, refusal("INVALID_SIGNATURE", Code::InvalidArgument));
    assert_eq!(gateway.post("/webhooks/stripe", &signed, raw).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn each_reason_of_the_server_becomes_a_status_a_code_and_a_text() {
    let gateway = Gateway::new();
    let rpc = format!("{USERS}/GetUser");
    for reason in (1..).map_while(|n| ErrorReason::try_from(n).ok()) {
        let name = reason.as_str_name().strip_prefix("ERROR_REASON_").unwrap();
        gateway.services.refuses(&rpc, refusal(name, Code::Unknown));

        let answer = gateway.get("/api/users/u1", &[]).await;

        assert_eq!(answer.json()["code"], name);
        assert!(answer.status.as_u16() >= 400);
        let text = answer.json()["error"].as_str().unwrap().to_owned();
        assert!(!text.is_empty() && !text.contains("English"), "{name}: {text}");
        assert_eq!(answer.header("cache-control"), "no-store");
    }
}

#[tokio::test]
async fn an_internal_error_shows_the_request_id_and_no_cause() {
    let gateway = Gateway::new();
    gateway.services.refuses(&format!("{USERS}/GetUser"), Status::internal("boom"));
    let answer = gateway.get("/api/users/u1", &[]).await;
    let id = answer.header("x-request-id");
    assert_eq!(id.len(), 24);
    assert!(answer.json()["error"].as_str().unwrap().contains(id));
    assert!(!answer.text().contains("boom"));
}

#[tokio::test]
async fn an_exceeded_rate_limit_returns_retry_after() {
    let gateway = Gateway::new();
    let mut details = ErrorDetails::with_retry_info(Some(Duration::from_secs(90)));
    details.set_error_info("TOO_MANY_REQUESTS", "garimpo", HashMap::new());
    let status = Status::with_error_details(Code::ResourceExhausted, "x", details);
    gateway.services.refuses(&format!("{AUTH}/RequestPasswordReset"), status);

    let answer = gateway.post("/api/password-reset", &[], r#"{"email":"a@b.co"}"#).await;

    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(answer.header("retry-after"), "90");
}

#[tokio::test]
async fn a_method_that_the_server_does_not_have_yet_is_501() {
    let gateway = Gateway::new();
    let answer = gateway.get("/api/users/u1", &[]).await;
    assert_eq!(answer.status, StatusCode::NOT_IMPLEMENTED);
    assert_eq!(answer.json()["code"], "UNIMPLEMENTED");
}

#[tokio::test]
async fn missing_and_wrong_fields_are_all_named_at_once() {
    let gateway = Gateway::new();
    for (path, body, error) in [
        ("/api/auth/set-cookie", "{}", "Dados inválidos: uid é obrigatório; email é obrigatório."),
        ("/api/auth/set-cookie", r#"{"uid":1,"email":"x"}"#, "Dados inválidos: uid deve ser um texto."),
        (
            "/create-embedded-checkout-session",
            r#"{"email":"a@b.co","interval":[]}"#,
            "Dados inválidos: planName é obrigatório; interval deve ser um texto.",
        ),
        ("/api/users", "[]", "Dados inválidos: corpo deve ser um objeto JSON."),
        ("/api/users", "{", "Dados inválidos: corpo não é JSON válido."),
        ("/api/users", "", "Dados inválidos: corpo não é JSON válido."),
    ] {
        let answer = gateway.post(path, &[], body).await;
        assert_eq!(answer.status, StatusCode::BAD_REQUEST, "{path} {body}");
        assert_eq!(answer.json()["error"], error);
        assert_eq!(answer.json()["code"], "INVALID_ARGUMENT");
    }
    let event = r#"{"event_name":"cadastro","event_time":"ontem","user_data":{"em":7}}"#;
    let answer = gateway.post("/meta-capi", &[("origin", HTTP)], event).await;
    let said = answer.json()["error"].as_str().unwrap().to_owned();
    for field in ["event_time", "event_id", "user_data.em"] {
        assert!(said.contains(field), "{said}");
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn a_body_that_is_not_json_or_is_too_large_is_refused() {
    let gateway = Gateway::new();
    let text = [("content-type", "text/plain")];
    let wrong_type = gateway.post("/api/users", &text, "{}").await;
    assert_eq!(wrong_type.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(wrong_type.json()["code"], "UNSUPPORTED_MEDIA_TYPE");

    let untyped = gateway.ask(request("POST", "/api/users", &[], "{}")).await;
    assert_eq!(untyped.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);

    let large = format!("{{\"email\":\"{}\"}}", "a".repeat(64 * 1024));
    let too_large = gateway.post("/api/password-reset", &[], &large).await;
    assert_eq!(too_large.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(too_large.json()["code"], "PAYLOAD_TOO_LARGE");
    assert_eq!(too_large.json()["ok"], false);

    gateway.services.answers(RECEIVE, &ReceiveEventResponse {}, &[]);
    let signed = [("stripe-signature", SIGNATURE)];
    assert_eq!(gateway.post("/webhooks/stripe", &signed, &large).await.status, StatusCode::OK);
    let event = "a".repeat(1024 * 1024 + 1);
    let too_large = gateway.post("/webhooks/stripe", &signed, &event).await;
    assert_eq!(too_large.status, StatusCode::PAYLOAD_TOO_LARGE);

    let charset = [("content-type", "application/json; charset=utf-8")];
    let accepted = gateway.post("/api/users", &charset, r#"{"uid":"u"}"#).await;
    assert_eq!(accepted.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn clear_cookie_accepts_an_empty_body_and_refuses_other_media_types() {
    let gateway = Gateway::new();
    gateway.services.answers(&format!("{AUTH}/SignOut"), &SignOutResponse {}, &[]);
    let empty = gateway.ask(request("POST", "/api/auth/clear-cookie", &[], "")).await;
    let object = gateway.post("/api/auth/clear-cookie", &[], "{}").await;
    let wrong = gateway.post("/api/auth/clear-cookie", &[("content-type", "text/plain")], "x").await;

    assert_eq!((empty.status, object.status), (StatusCode::OK, StatusCode::OK));
    assert!(empty.header("set-cookie").contains("Max-Age=0"));
    assert_eq!(wrong.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn an_unknown_path_and_a_wrong_method_get_a_json_error() {
    let gateway = Gateway::new();
    for path in ["/api", "/api/", "/api/nada", "/api/users/u1/x", "/webhooks/outro"] {
        let answer = gateway.get(path, &[]).await;
        assert_eq!(answer.status, StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.json()["code"], "NOT_FOUND", "{path}");
        assert_eq!(answer.header("content-type"), "application/json");
        assert_eq!(answer.header("x-content-type-options"), "nosniff");
    }
    for (method, path, allow) in [
        ("GET", "/api/auth/set-cookie", "POST"),
        ("DELETE", "/api/users", "POST"),
        ("POST", "/session-status", "GET,HEAD"),
        ("PUT", "/config.json", "GET,HEAD"),
    ] {
        let answer = gateway.ask(request(method, path, &[], "")).await;
        assert_eq!(answer.status, StatusCode::METHOD_NOT_ALLOWED, "{method} {path}");
        assert_eq!(answer.json()["code"], "METHOD_NOT_ALLOWED");
        assert_eq!(answer.header("allow"), allow, "{method} {path}");
    }
}
