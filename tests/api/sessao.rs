//! The session over REST (design.md section 3) and the user record.

use e2e::{App, Person};
use garimpo_proto::auth::v1::{GetSessionRequest, SetSessionRequest, SignOutRequest};
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use garimpo_proto::users::v1::{GetUserRequest, SaveUserRequest};
use serde_json::json;

#[tokio::test]
async fn set_cookie_com_token_abre_sessao_e_check_cookie_a_reconhece() {
    let app = App::start().await;
    let mut ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "ignorado" });

    let set = ana.calls("POST", "/api/auth/set-cookie", Some(body)).await;
    let cookie = set.headers["set-cookie"].to_str().unwrap().split(';').next().unwrap().to_string();
    ana.cookie = Some(cookie);
    let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;

    assert_eq!((set.status, set.body), (200, json!({ "ok": true })));
    assert_eq!(seen.headers["cache-control"], "no-store");
    let user = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana Maria Souza" });
    assert_eq!(seen.body, json!({ "authenticated": true, "user": user }));
}

#[tokio::test]
async fn set_cookie_sem_prova_ou_de_outra_pessoa_e_recusado() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let path = "/api/auth/set-cookie";

    let nobody = app.visitor().calls("POST", path, Some(json!({ "uid": ana.uid, "email": ana.email }))).await;
    let foreign = rui.calls("POST", path, Some(json!({ "uid": ana.uid, "email": ana.email }))).await;
    let other_email = ana.calls("POST", path, Some(json!({ "uid": ana.uid, "email": rui.email }))).await;

    assert_eq!((nobody.status, nobody.code()), (401, "UNAUTHENTICATED"));
    assert_eq!((foreign.status, foreign.code()), (403, "PERMISSION_DENIED"));
    assert_eq!((other_email.status, other_email.code()), (403, "PERMISSION_DENIED"));
    assert!(!foreign.headers.contains_key("set-cookie"));
}

#[tokio::test]
async fn check_cookie_sem_cookie_ou_com_cookie_inventado_nao_autentica() {
    let app = App::start().await;
    let mut nobody = app.visitor();

    let without = nobody.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    nobody.cookie = Some("garimpo_session=gs_inventado".into());
    let invented = nobody.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;

    for seen in [without, invented] {
        assert_eq!((seen.status, seen.body), (200, json!({ "authenticated": false })));
    }
}

#[tokio::test]
async fn clear_cookie_expira_o_cookie_e_revoga_a_sessao() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let cleared = ana.calls_with_cookie("POST", "/api/auth/clear-cookie", None).await;
    let old = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;

    assert_eq!((cleared.status, cleared.body), (200, json!({ "ok": true })));
    assert!(cleared.headers["set-cookie"].to_str().unwrap().contains("Max-Age=0"));
    assert_eq!(old.body["authenticated"], false);
}

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
async fn registro_de_outra_pessoa_nao_se_le_nem_se_escreve_exista_ou_nao() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;

    let existing = rui.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    let missing = rui.calls("GET", "/api/users/usr_que_nao_existe", None).await;
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Rui", "emailVerified": false });
    let written = rui.calls("POST", "/api/users", Some(body)).await;

    assert_eq!((existing.status, existing.code()), (403, "PERMISSION_DENIED"));
    assert_eq!(existing.body, missing.body);
    assert_eq!((written.status, written.code()), (403, "PERMISSION_DENIED"));
    assert_eq!(ana.record().await["displayName"], "Ana Maria Souza");
}

#[tokio::test]
async fn salvar_o_registro_duas_vezes_deixa_o_mesmo_registro() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({
        "uid": ana.uid, "email": ana.email, "displayName": "Ana Lima", "emailVerified": true,
        "phoneNumber": "2133334444", "firstName": "Ana", "lastName": "Lima",
    });

    let first = ana.calls("POST", "/api/users", Some(body.clone())).await;
    let second = ana.calls("POST", "/api/users", Some(body)).await;

    assert_eq!(first.status, 200, "{first:?}");
    assert_eq!(first.body, second.body);
    assert_eq!(second.body["phone"], "2133334444");
    assert_eq!(second.body["emailVerified"], false);
    let names: Vec<_> = second.body.as_object().unwrap().keys().map(String::as_str).collect();
    let mut expected = vec![
        "uid",
        "email",
        "displayName",
        "emailVerified",
        "phoneNumber",
        "phone",
        "firstName",
        "lastName",
        "photoURL",
        "createdAt",
        "subscription_plan",
        "subscription_active",
        "subscription_status",
        "subscription_start",
        "subscription_end",
    ];
    expected.sort_unstable();
    let mut names = names;
    names.sort_unstable();
    assert_eq!(names, expected);
}

#[tokio::test]
async fn o_cookie_vale_para_programas_e_nao_para_paginas_de_outra_origem() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let post = |origin: Option<&'static str>, site: Option<&'static str>| {
        let mut request =
            ana.request("POST", "/api/auth/clear-cookie").header("cookie", ana.cookie.clone().unwrap());
        if let Some(origin) = origin {
            request = request.header("origin", origin);
        }
        if let Some(site) = site {
            request = request.header("sec-fetch-site", site);
        }
        e2e::visitor::answer(request)
    };

    for (origin, site) in [
        (Some("http://outro.exemplo"), None),
        (Some("null"), None),
        (None, Some("cross-site")),
        (None, Some("same-site")),
    ] {
        let refused = post(origin, site).await;
        assert_eq!((refused.status, refused.code()), (403, "PERMISSION_DENIED"), "{origin:?} {site:?}");
    }
    let alive = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(alive.body["authenticated"], true);
    assert_eq!(post(None, None).await.status, 200);
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
