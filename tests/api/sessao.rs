//! The life of a session, and the same calls over gRPC; their REST contract stands in `contrato`.

use e2e::{App, Person};
use garimpo_proto::auth::v1::{GetSessionRequest, SetSessionRequest, SignOutRequest};
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use garimpo_proto::users::v1::{GetUserRequest, SaveUserRequest};

#[tokio::test]
async fn sair_por_grpc_encerra_o_token_e_a_sessao_feita_com_ele() {
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
async fn sessao_sem_uso_acaba_em_catorze_dias() {
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
async fn as_mesmas_chamadas_por_grpc_tem_as_mesmas_recusas() {
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
