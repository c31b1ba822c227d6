//! POST /api/users

use super::{FOREIGN, PERMISSION_DENIED, UNAUTHENTICATED};
use e2e::{App, Person, Rest};
use serde_json::{Value, json};

const PATH: &str = "/api/users";

#[tokio::test]
async fn salvar_duas_vezes_deixa_o_mesmo_registro_e_o_responde_inteiro() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({
        "uid": ana.uid, "email": ana.email, "displayName": " Ana Lima ", "emailVerified": true,
        "phoneNumber": "(21) 3333-4444", "firstName": "Ana", "lastName": "Lima", "sobra": {},
    });

    let first = ana.calls("POST", PATH, Some(body.clone())).await;
    let second = ana.calls_with_cookie("POST", PATH, Some(body)).await;

    let record = ana.record().await;
    first.gives(200, record.clone());
    second.gives(200, record.clone());
    for (name, value) in [
        ("displayName", json!("Ana Lima")),
        ("lastName", json!("Lima")),
        ("phone", json!("2133334444")),
        ("emailVerified", json!(false)),
    ] {
        assert_eq!(record[name], value, "{name}");
    }
}

#[tokio::test]
async fn telefone_ausente_fica_e_em_branco_sai_e_nomes_ausentes_vem_do_nome_inteiro() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = |more: Value| {
        let mut body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana Beatriz Lima" });
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().expect("an object"));
        body
    };

    let kept = ana.calls("POST", PATH, Some(body(json!({ "lastName": null })))).await;
    let gone = ana.calls("POST", PATH, Some(body(json!({ "phoneNumber": " ", "firstName": "Bia" })))).await;

    assert_eq!(kept.body["phoneNumber"], "11987654321");
    assert_eq!((&kept.body["firstName"], &kept.body["lastName"]), (&json!("Ana"), &json!("Beatriz Lima")));
    assert_eq!(gone.body["phoneNumber"], Value::Null);
    assert_eq!((&gone.body["firstName"], &gone.body["lastName"]), (&json!("Bia"), &Value::Null));
}

#[tokio::test]
async fn cada_campo_ruim_tem_a_sua_razao_e_varios_vao_juntos() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let with = |name: &str, value: Value| {
        let mut body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana" });
        body[name] = value;
        body
    };
    let long = "a".repeat(121);
    let phone = (400, "INVALID_PHONE", "Digite um número de WhatsApp válido com DDD.");

    for (body, refusal) in [
        (with("email", json!("ana")), (400, "INVALID_EMAIL", "Email inválido")),
        (with("email", json!("a b@c.d")), (400, "INVALID_EMAIL", "Email inválido")),
        (with("phoneNumber", json!("123456789")), phone),
        (with("phoneNumber", json!("119876543210")), phone),
    ] {
        ana.calls("POST", PATH, Some(body)).await.refuses(refusal);
    }
    for (body, blame) in [
        (json!({}), "uid é obrigatório; email é obrigatório; displayName é obrigatório"),
        (with("displayName", json!(" ")), "displayName não é válido"),
        (with("displayName", json!(long)), "displayName não é válido"),
        (with("displayName", json!("Ana\u{0}")), "displayName não é válido"),
        (with("firstName", json!("A\nna")), "firstName não é válido"),
        (with("lastName", json!(long)), "lastName não é válido"),
        (with("uid", json!("")), "uid não é válido"),
        (with("emailVerified", json!("sim")), "emailVerified deve ser true ou false"),
        (
            json!({ "uid": "", "email": "x", "displayName": "Ana", "phoneNumber": "1" }),
            "uid não é válido; email não é válido; phoneNumber não é válido",
        ),
    ] {
        ana.calls("POST", PATH, Some(body)).await.blames(blame);
    }
    assert_eq!(ana.record().await["displayName"], "Ana Maria Souza");
}

#[tokio::test]
async fn so_o_proprio_uid_e_email_se_escrevem() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let service = app.service("users.read").await;
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Rui" });
    let mixed = json!({ "uid": rui.uid, "email": ana.email, "displayName": "Rui" });

    app.visitor().calls("POST", PATH, Some(body.clone())).await.refuses(UNAUTHENTICATED);
    rui.calls("POST", PATH, Some(body.clone())).await.refuses(PERMISSION_DENIED);
    rui.calls("POST", PATH, Some(mixed)).await.refuses(PERMISSION_DENIED);
    service.calls("POST", PATH, Some(body)).await.refuses(PERMISSION_DENIED);

    assert_eq!(ana.record().await["displayName"], "Ana Maria Souza");
}

#[tokio::test]
async fn com_cookie_so_vale_a_nossa_origem_ou_quem_nao_e_navegador() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana" });
    let request = || ana.request("POST", PATH).json(&body);

    for (name, value) in FOREIGN {
        request().cookie_of(&ana).header(name, value).answered().await.refuses(PERMISSION_DENIED);
        // A token is never sent without being asked, so it may come from anywhere.
        assert_eq!(
            request().token_of(&ana).header(name, value).answered().await.status,
            200,
            "{name}: {value}"
        );
        let both = request().cookie_of(&ana).token_of(&ana).header(name, value);
        assert_eq!(both.answered().await.status, 200, "{name}: {value}");
    }
    let ours = request().cookie_of(&ana).header("origin", app.url()).header("sec-fetch-site", "same-origin");
    assert_eq!(ours.answered().await.status, 200);
    assert_eq!(request().cookie_of(&ana).answered().await.status, 200);
}
