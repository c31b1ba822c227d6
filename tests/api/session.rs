//! Lifetime of a session, and its calls over gRPC; `contract` tests the REST calls.

use e2e::{App, Person, Rest};
use garimpo_proto::auth::v1::{GetSessionRequest, SetSessionRequest, SignOutRequest};
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use garimpo_proto::users::v1::{GetUserRequest, SaveUserRequest};

#[tokio::test]
async fn sign_out_over_grpc_ends_the_token_and_its_session() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut auth = app.auth().await;

    auth.sign_out(ana.authorized(SignOutRequest {})).await.expect("sign-out succeeds");

    let after = auth.get_session(ana.authorized(GetSessionRequest {})).await.unwrap().into_inner();
    assert!(!after.authenticated);
    let cookie = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(cookie.body["authenticated"], false);
}

#[tokio::test]
async fn an_unused_session_ends_after_14_days() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    app.provider().advances(14 * 86_400 + 60).await;

    let seen = e2e::eventually("the end of the session", || async {
        let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
        (seen.body["authenticated"] == false).then_some(seen)
    })
    .await;
    assert_eq!(seen.status, 200);
    let record = ana.calls_with_cookie("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((record.status, record.code()), (401, "UNAUTHENTICATED"));
}

#[tokio::test]
async fn the_same_calls_over_grpc_have_the_same_refusals() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let (mut auth, mut users, mut billing) = (app.auth().await, app.users().await, app.billing().await);
    let set =
        SetSessionRequest { uid: ana.uid.clone(), email: ana.email.clone(), display_name: String::new() };
    let get = GetUserRequest { uid: ana.uid.clone() };
    let save = SaveUserRequest {
        uid: ana.uid.clone(),
        email: ana.email.clone(),
        display_name: "Ana Lima".into(),
        ..Default::default()
    };
    let portal = CreatePortalSessionRequest { email: ana.email.clone() };

    let own = auth.set_session(ana.authorized(set.clone())).await.expect("one's own session");
    assert!(own.metadata().get("set-cookie").is_some());
    let read = users.get_user(ana.authorized(get.clone())).await.unwrap().into_inner();
    assert_eq!(read.user.unwrap().email, ana.email);
    let saved = users.save_user(ana.authorized(save.clone())).await.unwrap().into_inner();
    assert_eq!(saved.user.unwrap().last_name.as_deref(), Some("Lima"));

    let denied = tonic::Code::PermissionDenied;
    assert_eq!(auth.set_session(rui.authorized(set.clone())).await.unwrap_err().code(), denied);
    assert_eq!(users.get_user(rui.authorized(get.clone())).await.unwrap_err().code(), denied);
    assert_eq!(users.save_user(rui.authorized(save)).await.unwrap_err().code(), denied);
    assert_eq!(
        billing.create_portal_session(rui.authorized(portal.clone())).await.unwrap_err().code(),
        denied
    );
    let unknown = tonic::Code::Unauthenticated;
    assert_eq!(auth.set_session(set).await.unwrap_err().code(), unknown);
    assert_eq!(users.get_user(get).await.unwrap_err().code(), unknown);
    assert_eq!(billing.create_portal_session(portal).await.unwrap_err().code(), unknown);
}

#[tokio::test]
async fn an_ended_session_before_the_live_one_of_the_same_name_hides_nothing() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let ended = ana.cookie.clone().expect("a cookie");
    let mut auth = app.auth().await;
    auth.sign_out(ana.authorized(SignOutRequest {})).await.expect("sign-out succeeds");
    let ana = app.visitor().signs_in(&person).await;
    let live = ana.cookie.clone().expect("a cookie");

    // A foreign cookie may hold any bytes.
    let foreign = [b"lang=\xff\xfe; ".as_slice(), ended.as_bytes(), b"; ", live.as_bytes()].concat();
    let foreign = reqwest::header::HeaderValue::from_bytes(&foreign).expect("a header");
    let seen = ana.request("GET", "/api/auth/check-cookie").header("cookie", foreign).answered().await;

    assert_eq!((seen.status, &seen.body["authenticated"]), (200, &true.into()), "{seen:?}");
}

#[tokio::test]
async fn a_grpc_web_content_type_is_read_whatever_its_case_and_parameters() {
    let app = App::start().await;
    let path = "/garimpo.auth.v1.AuthService/GetSession";
    for kind in ["application/grpc-web+proto; charset=utf-8", "Application/gRPC-Web+Proto"] {
        let call = app.visitor().request("POST", path).header("content-type", kind).body(vec![0_u8; 5]);
        let answer = call.send().await.expect("an answer");
        assert_eq!(answer.headers()["content-type"], "application/grpc-web+proto", "{kind}");
        let body = answer.bytes().await.expect("a body");
        let trailers = String::from_utf8_lossy(&body);
        assert!(trailers.contains("grpc-status:0"), "{kind}: {trailers}");
    }
}
