//! POST /api/users

use super::{FOREIGN_ORIGIN_HEADERS, PERMISSION_DENIED, UNAUTHENTICATED};
use e2e::{App, Person, Rest};
use serde_json::{Value, json};

const PATH: &str = "/api/users";

#[tokio::test]
async fn saving_a_user_twice_keeps_one_record_and_returns_it_whole() {
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
async fn a_missing_phone_is_kept_a_blank_one_removed_and_missing_names_are_derived() {
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
async fn each_invalid_user_field_has_its_reason_and_several_are_reported_together() {
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
async fn save_user_accepts_only_the_callers_own_uid_and_email() {
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
async fn save_user_by_cookie_needs_our_origin_or_no_browser_and_by_token_any_origin() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let body = json!({ "uid": ana.uid, "email": ana.email, "displayName": "Ana" });
    let request = || ana.request("POST", PATH).json(&body);

    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        request().cookie_of(&ana).header(name, value).answered().await.refuses(PERMISSION_DENIED);
        // A browser never attaches a bearer token by itself, so a token is accepted from any
        // origin.
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
