//! Allowed origins of writes.

use crate::support::{Gateway, HTTP};
use garimpo_proto::auth::v1::{GetSessionRequest, GetSessionResponse};
use garimpo_proto::auth::v1::{SetSessionResponse, SignInRequest, SignInResponse, SignOutResponse};
use garimpo_proto::tracking::v1::{TrackEventRequest, TrackEventResponse};
use garimpo_proto::users::v1::{SaveUserRequest, SaveUserResponse, User};
use http::StatusCode;

const AUTH: &str = "garimpo.auth.v1.AuthService";
const SAVE_USER: &str = "garimpo.users.v1.UserService/SaveUser";
const TRACK: &str = "garimpo.tracking.v1.TrackingService/TrackEvent";
const WEB: &str = "application/grpc-web+proto";
const COOKIE: (&str, &str) = ("cookie", "garimpo_session=gs_abc");
const FOREIGN: [(&str, &str); 5] = [
    ("origin", "https://outro.example"),
    ("origin", "null"),
    ("origin", "http://localhost:8080"),
    ("sec-fetch-site", "cross-site"),
    ("sec-fetch-site", "same-site"),
];
const OURS: [(&str, &str); 3] =
    [("origin", HTTP), ("sec-fetch-site", "same-origin"), ("sec-fetch-site", "none")];
const USER: &str = r#"{"uid":"u","email":"a@b.co","displayName":"Ana"}"#;

fn gateway() -> Gateway {
    let gateway = Gateway::new();
    let saved = SaveUserResponse { user: Some(User::default()) };
    gateway.services.answers(SAVE_USER, &saved, &[]);
    gateway.services.answers(&format!("{AUTH}/SetSession"), &SetSessionResponse {}, &[]);
    gateway.services.answers(&format!("{AUTH}/SignIn"), &SignInResponse::default(), &[]);
    gateway.services.answers(&format!("{AUTH}/SignOut"), &SignOutResponse {}, &[]);
    gateway.services.answers(&format!("{AUTH}/GetSession"), &GetSessionResponse::default(), &[]);
    gateway.services.answers(TRACK, &TrackEventResponse::default(), &[]);
    gateway
}

#[tokio::test]
async fn a_cross_origin_write_with_a_cookie_is_refused_over_rest_and_grpc() {
    let gateway = gateway();
    for foreign in FOREIGN {
        let rest = gateway.post("/api/users", &[COOKIE, foreign], USER).await;
        assert_eq!(rest.status, StatusCode::FORBIDDEN, "{foreign:?}");
        assert_eq!(rest.json()["code"], "PERMISSION_DENIED");
        for kind in ["application/grpc", WEB] {
            let rpc = gateway.rpc(kind, SAVE_USER, &[COOKIE, foreign], &SaveUserRequest::default()).await;
            assert_eq!(rpc.grpc_code(), 7, "{foreign:?}");
        }
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn a_write_with_a_cookie_from_our_origin_or_from_no_browser_is_accepted() {
    let gateway = gateway();
    for ours in OURS {
        assert_eq!(
            gateway.post("/api/users", &[COOKIE, ours], USER).await.status,
            StatusCode::OK,
            "{ours:?}"
        );
    }
    assert_eq!(gateway.post("/api/users", &[COOKIE], USER).await.status, StatusCode::OK);
    assert_eq!(gateway.rpc(WEB, SAVE_USER, &[COOKIE], &SaveUserRequest::default()).await.grpc_code(), 0);
}

#[tokio::test]
async fn a_write_with_a_token_in_the_header_is_accepted_from_any_origin() {
    let gateway = gateway();
    let headers = [("authorization", "Bearer gi_x"), COOKIE, FOREIGN[0]];
    assert_eq!(gateway.post("/api/users", &headers, USER).await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_read_with_a_cookie_is_accepted_from_any_origin() {
    let gateway = gateway();
    let headers = [COOKIE, FOREIGN[0]];
    assert_eq!(gateway.get("/api/auth/check-cookie", &headers).await.status, StatusCode::OK);
    let rpc = format!("{AUTH}/GetSession");
    assert_eq!(gateway.rpc(WEB, &rpc, &headers, &GetSessionRequest {}).await.grpc_code(), 0);
}

#[tokio::test]
async fn cross_site_sign_in_and_sign_out_are_refused_without_a_cookie_too() {
    let gateway = gateway();
    for foreign in FOREIGN {
        let set =
            gateway.post("/api/auth/set-cookie", &[foreign, ("authorization", "Bearer gi_x")], USER).await;
        let clear = gateway.post("/api/auth/clear-cookie", &[foreign], "").await;
        assert_eq!(set.status, StatusCode::FORBIDDEN, "{foreign:?}");
        assert_eq!(clear.status, StatusCode::FORBIDDEN, "{foreign:?}");
        for method in ["SignUp", "SignIn", "SetSession", "SignOut"] {
            let rpc = format!("{AUTH}/{method}");
            let answer = gateway.rpc(WEB, &rpc, &[foreign], &SignInRequest::default()).await;
            assert_eq!(answer.grpc_code(), 7, "{method} {foreign:?}");
        }
    }
    assert!(gateway.services.seen().is_empty());
}

#[tokio::test]
async fn a_conversion_event_requires_our_origin_or_a_token() {
    let gateway = gateway();
    let event = r#"{"event_name":"cadastro","event_time":1,"event_id":"e","user_data":{}}"#;
    let message = TrackEventRequest::default();

    for refused in [vec![], vec![COOKIE], vec![FOREIGN[0]], vec![("sec-fetch-site", "same-origin")]] {
        assert_eq!(
            gateway.post("/meta-capi", &refused, event).await.status,
            StatusCode::FORBIDDEN,
            "{refused:?}"
        );
        assert_eq!(gateway.rpc(WEB, TRACK, &refused, &message).await.grpc_code(), 7, "{refused:?}");
    }
    for allowed in [("origin", HTTP), ("authorization", "Bearer gv_x")] {
        assert_eq!(
            gateway.post("/meta-capi", &[allowed], event).await.status,
            StatusCode::ACCEPTED,
            "{allowed:?}"
        );
        assert_eq!(gateway.rpc(WEB, TRACK, &[allowed], &message).await.grpc_code(), 0, "{allowed:?}");
    }
}

#[tokio::test]
async fn a_response_to_another_origin_has_no_cors_headers() {
    let gateway = gateway();
    let answer = gateway.get("/api/auth/check-cookie", &[("origin", "https://outro.example")]).await;
    assert!(!answer.headers.keys().any(|name| name.as_str().starts_with("access-control")));
}
