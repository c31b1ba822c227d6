//! POST /api/auth/set-cookie

use super::{FOREIGN, PERMISSION_DENIED, UNAUTHENTICATED};
use e2e::{App, Person, Rest};
use serde_json::json;

const PATH: &str = "/api/auth/set-cookie";

#[tokio::test]
async fn com_token_abre_sessao_e_check_cookie_a_reconhece() {
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
async fn com_sessao_viva_renova_essa_mesma_sessao() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": null });
    let renewed = ana.calls_with_cookie("POST", PATH, Some(body)).await;

    renewed.gives(200, json!({ "ok": true }));
    assert_eq!(renewed.cookie(), ana.cookie);
}

#[tokio::test]
async fn sem_prova_com_prova_que_acabou_ou_de_outra_pessoa_e_recusado() {
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
async fn campo_ausente_ou_de_outro_tipo_e_nomeado() {
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
async fn outro_site_nao_abre_sessao_nem_com_token_certo() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({ "uid": ana.uid, "email": ana.email });

    for (name, value) in FOREIGN {
        let refused =
            ana.request("POST", PATH).token_of(&ana).header(name, value).json(&body).answered().await;
        refused.refuses(PERMISSION_DENIED);
        assert_eq!(refused.cookie(), None, "{name}: {value}");
    }
    let ours = ana.request("POST", PATH).token_of(&ana).header("origin", app.url()).json(&body);
    ours.header("sec-fetch-site", "same-origin").answered().await.gives(200, json!({ "ok": true }));
}
