//! The session cookie, in all three protocols.

use crate::support::{Gateway, HTTPS};
use garimpo_proto::auth::v1::{
    GetSessionRequest, GetSessionResponse, SetSessionRequest, SetSessionResponse, SignInRequest,
    SignInResponse, SignOutResponse,
};
use garimpo_proto::{Caller, SessionChange};

const GET_SESSION: &str = "garimpo.auth.v1.AuthService/GetSession";
const SET_SESSION: &str = "garimpo.auth.v1.AuthService/SetSession";
const SIGN_IN: &str = "garimpo.auth.v1.AuthService/SignIn";
const SIGN_OUT: &str = "garimpo.auth.v1.AuthService/SignOut";
/// A session of two weeks, in seconds.
fn new_session() -> SessionChange {
    SessionChange::Set { token: "gs_novo".to_owned(), max_age_seconds: 1_209_600 }
}

const KINDS: [&str; 3] = ["application/grpc", "application/grpc-web+proto", "application/grpc-web-text"];

#[tokio::test]
async fn the_cookie_becomes_the_credential_in_all_three_protocols() {
    let gateway = Gateway::new();
    gateway.services.answers(GET_SESSION, &GetSessionResponse::default(), &[]);
    let cookie = [("cookie", "a=b; garimpo_session=gs_abc")];

    gateway.get("/api/auth/check-cookie", &cookie).await;
    gateway.rpc(KINDS[0], GET_SESSION, &cookie, &GetSessionRequest {}).await;
    gateway.rpc(KINDS[1], GET_SESSION, &cookie, &GetSessionRequest {}).await;

    let seen = gateway.services.seen();
    assert_eq!(seen.len(), 3);
    for call in seen {
        assert_eq!(call.tokens(), ["gs_abc"]);
        assert_eq!(call.header("cookie"), None);
    }
}

#[tokio::test]
async fn the_cookie_is_ignored_beside_an_authorization() {
    let gateway = Gateway::new();
    gateway.services.answers(GET_SESSION, &GetSessionResponse::default(), &[]);
    let both = [("cookie", "garimpo_session=gs_abc"), ("authorization", "Bearer gi_xyz")];

    gateway.get("/api/auth/check-cookie", &both).await;
    assert_eq!(gateway.services.last().tokens(), ["gi_xyz"]);

    gateway.rpc(KINDS[1], GET_SESSION, &both, &GetSessionRequest {}).await;
    assert_eq!(gateway.services.last().tokens(), ["gi_xyz"]);
}

#[tokio::test]
async fn the_caller_is_read_from_the_connection_and_never_from_headers_of_our_name() {
    let gateway = Gateway::new();
    gateway.services.answers(GET_SESSION, &GetSessionResponse::default(), &[]);
    let forged = [
        ("x-garimpo-client-address", "1.1.1.1"),
        ("x-garimpo-fleet-secret", "x"),
        ("x-garimpo-own-origin", "1"),
        ("x-forwarded-for", "9.9.9.9"),
        ("user-agent", "Navegador/1"),
    ];

    gateway.get("/api/auth/check-cookie", &forged).await;
    gateway.rpc(KINDS[1], GET_SESSION, &forged, &GetSessionRequest {}).await;

    for call in gateway.services.seen() {
        let Caller { address, peer, user_agent, request_id, is_own_origin, .. } = &*call.caller;
        let visitor = "203.0.113.9".parse().ok();
        assert_eq!((*address, *peer, user_agent.as_deref()), (visitor, visitor, Some("Navegador/1")));
        assert_eq!((request_id.len(), *is_own_origin), (24, false));
    }
}

#[tokio::test]
async fn a_session_in_the_response_becomes_set_cookie_in_all_three_protocols() {
    let gateway = Gateway::new();
    gateway.services.changes_session(new_session());
    gateway.services.answers(SET_SESSION, &SetSessionResponse {}, &[]);
    gateway.services.answers(SIGN_IN, &SignInResponse::default(), &[]);
    let body = r#"{"uid":"u","email":"a@b.co"}"#;
    let bearer = [("authorization", "Bearer gi_x")];

    let mut answers = vec![gateway.post("/api/auth/set-cookie", &bearer, body).await];
    for kind in KINDS {
        let sign_in = SignInRequest { email: "a@b.co".into(), password: "segredo".into() };
        // In gRPC-Web-text the body is base64: the rpc helper sends it plain, so only the two
        // binary kinds are sent.
        if kind != KINDS[2] {
            answers.push(gateway.rpc(kind, SIGN_IN, &[], &sign_in).await);
        }
    }

    assert_eq!(answers.len(), 3);
    for answer in answers {
        assert!(answer.status.is_success());
        assert_eq!(
            answer.header("set-cookie"),
            "garimpo_session=gs_novo; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600"
        );
    }
}

#[tokio::test]
async fn over_https_the_cookie_has_the_host_prefix_and_secure() {
    let gateway = Gateway::at(HTTPS);
    gateway.services.changes_session(new_session());
    gateway.services.answers(SET_SESSION, &SetSessionResponse {}, &[]);
    let body = r#"{"uid":"u","email":"a@b.co"}"#;

    let answer =
        gateway.post("/api/auth/set-cookie", &[("cookie", "__Host-garimpo_session=gs_abc")], body).await;

    assert_eq!(
        answer.header("set-cookie"),
        "__Host-garimpo_session=gs_novo; Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600; Secure"
    );
    assert_eq!(gateway.services.last().tokens(), ["gs_abc"]);
    assert!(answer.header("strict-transport-security").contains("max-age="));
}

#[tokio::test]
async fn an_ended_session_expires_the_cookie_in_all_three_protocols() {
    let gateway = Gateway::new();
    gateway.services.changes_session(SessionChange::End);
    gateway.services.answers(SIGN_OUT, &SignOutResponse {}, &[]);
    let cookie = [("cookie", "garimpo_session=gs_abc")];

    let rest = gateway.post("/api/auth/clear-cookie", &cookie, "").await;
    let grpc = gateway.rpc(KINDS[0], SIGN_OUT, &cookie, &GetSessionRequest {}).await;
    let web = gateway.rpc(KINDS[1], SIGN_OUT, &cookie, &GetSessionRequest {}).await;

    assert_eq!(rest.json(), serde_json::json!({"ok": true}));
    for answer in [rest, grpc, web] {
        let line = answer.header("set-cookie");
        assert!(line.starts_with("garimpo_session=;") && line.contains("Max-Age=0"), "{line}");
    }
}

#[tokio::test]
async fn the_session_of_a_refusal_becomes_a_cookie_too() {
    let gateway = Gateway::new();
    gateway.services.changes_session(SessionChange::End);
    gateway.services.refuses(SET_SESSION, tonic::Status::unauthenticated("ended"));
    let message = SetSessionRequest::default();

    let cookie = [("cookie", "garimpo_session=gs_abc")];
    let web = gateway.rpc(KINDS[1], SET_SESSION, &cookie, &message).await;
    let rest = gateway.post("/api/auth/set-cookie", &cookie, r#"{"uid":"u","email":"a@b.co"}"#).await;

    assert!(web.grpc_code() == 16 && !rest.status.is_success());
    for answer in [web, rest] {
        assert!(answer.header("set-cookie").contains("Max-Age=0"));
    }
}
