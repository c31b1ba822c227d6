//! POST /api/auth/set-cookie

use super::{FOREIGN_ORIGIN_HEADERS, PERMISSION_DENIED, UNAUTHENTICATED};
use e2e::{App, Person, Rest};
use serde_json::json;

const PATH: &str = "/api/auth/set-cookie";

#[tokio::test]
async fn set_cookie_with_a_token_opens_a_session_that_check_cookie_accepts() {
    let app = App::start().await;
    let mut ana = app.visitor().signs_up(&Person::new()).await;
    let email = format!(" {} ", ana.email.to_uppercase());
    let body = json!({ "uid": ana.uid, "email": email, "displayName": "ignorado", "sobra": [1] });

    let set = ana.calls("POST", PATH, Some(body)).await;
    let first = ana.cookie.take();
    ana.cookie = set.cookie();
    let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;

    set.gives(200, json!({ "ok": true }));
    assert_ne!(ana.cookie, first);
    let attributes = set.header("set-cookie").split_once("; ").expect("attributes").1;
    assert_eq!(attributes, "Path=/; HttpOnly; SameSite=Lax; Max-Age=1209600");
    let user = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana Maria Souza" });
    seen.gives(200, json!({ "authenticated": true, "user": user }));
}

#[tokio::test]
async fn set_cookie_with_a_live_session_extends_that_session() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": null });
    let renewed = ana.calls_with_cookie("POST", PATH, Some(body)).await;

    renewed.gives(200, json!({ "ok": true }));
    assert_eq!(renewed.cookie(), ana.cookie);
}

#[tokio::test]
async fn set_cookie_refuses_missing_ended_and_foreign_credentials() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let service = app.service("users.read").await;
    let body = json!({ "uid": ana.uid, "email": ana.email });

    let nobody = app.visitor().calls("POST", PATH, Some(body.clone())).await;
    let foreign = rui.calls("POST", PATH, Some(body.clone())).await;
    let program = service.calls("POST", PATH, Some(body.clone())).await;
    let other_email = ana.calls("POST", PATH, Some(json!({ "uid": ana.uid, "email": rui.email }))).await;
    ana.calls("POST", "/api/auth/clear-cookie", None).await;
    let ended = ana.calls("POST", PATH, Some(body)).await;

    nobody.refuses(UNAUTHENTICATED);
    ended.refuses(UNAUTHENTICATED);
    for refused in [foreign, program, other_email] {
        refused.refuses(PERMISSION_DENIED);
        assert_eq!(refused.cookie(), None);
    }
}

#[tokio::test]
async fn set_cookie_names_fields_that_are_missing_or_of_the_wrong_type() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    for (body, blame) in [
        (json!({}), "uid é obrigatório; email é obrigatório"),
        (json!({ "uid": 1, "email": null }), "uid deve ser um texto; email é obrigatório"),
        (json!({ "uid": "u", "email": "e", "displayName": {} }), "displayName deve ser um texto"),
        (json!({ "uid": " ", "email": ana.email }), "uid não é válido"),
    ] {
        ana.calls("POST", PATH, Some(body)).await.blames(blame);
    }
}

#[tokio::test]
async fn another_site_cannot_open_a_session_even_with_a_valid_token() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({ "uid": ana.uid, "email": ana.email });

    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        let refused =
            ana.request("POST", PATH).token_of(&ana).header(name, value).json(&body).answered().await;
        refused.refuses(PERMISSION_DENIED);
        assert_eq!(refused.cookie(), None, "{name}: {value}");
    }
    let ours = ana.request("POST", PATH).token_of(&ana).header("origin", app.url()).json(&body);
    ours.header("sec-fetch-site", "same-origin").answered().await.gives(200, json!({ "ok": true }));
}
