//! GET /api/users/{uid}

use super::{PERMISSION_DENIED, UNAUTHENTICATED};
use e2e::{App, Person};
use serde_json::json;

#[tokio::test]
async fn the_user_record_has_exactly_the_documented_fields() {
    let app = App::start().await;
    let person = Person { phone_number: "(21) 3333-4444".into(), ..Person::new() };
    let ana = app.visitor().signs_up(&person).await;

    let by_token = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    let by_cookie = ana.calls_with_cookie("GET", &format!("/api/users/{}", ana.uid), None).await;

    let created_at = by_token.body["createdAt"].as_str().expect("an instant").to_owned();
    let read = time::OffsetDateTime::parse(&created_at, &time::format_description::well_known::Rfc3339);
    let age = app.provider().now().await - read.expect("RFC 3339").unix_timestamp();
    assert!((0..60).contains(&age), "{created_at}");
    by_token.gives(
        200,
        json!({
            "uid": ana.uid, "email": person.email, "displayName": "Ana Maria Souza", "emailVerified": false,
            "phoneNumber": "2133334444", "phone": "2133334444", "firstName": "Ana", "lastName": "Maria Souza",
            "photoURL": null, "createdAt": created_at, "subscription_plan": null, "subscription_active": null,
            "subscription_status": "trialing", "subscription_start": null, "subscription_end": null,
        }),
    );
    assert_eq!(by_cookie.body, by_token.body);
}

#[tokio::test]
async fn the_record_of_a_payer_has_plan_state_start_and_end() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "trimestral").await;
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;

    let record = ana.record().await;

    let seconds = |name: &str| record[name].as_i64().expect("Unix seconds");
    let (start, end) = (seconds("subscription_start"), seconds("subscription_end"));
    assert_eq!(record["subscription_plan"], "elite_nivel_2");
    assert_eq!(
        (&record["subscription_active"], &record["subscription_status"]),
        (&json!(true), &json!("active"))
    );
    assert!((0..60).contains(&(app.provider().now().await - start)), "{record}");
    assert!((89 * 86_400..93 * 86_400).contains(&(end - start)), "{record}");
}

#[tokio::test]
async fn a_single_name_leaves_the_last_name_null() {
    let app = App::start().await;
    let ana = app
        .visitor()
        .signs_up(&Person { display_name: "Ana".into(), phone_number: String::new(), ..Person::new() })
        .await;

    let record = ana.record().await;

    assert_eq!((&record["firstName"], &record["lastName"]), (&json!("Ana"), &json!(null)));
    assert_eq!((&record["phoneNumber"], &record["phone"]), (&json!(null), &json!(null)));
}

#[tokio::test]
async fn get_user_returns_401_without_credentials_and_403_for_other_uids_existing_or_not() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let own = format!("/api/users/{}", ana.uid);

    app.visitor().calls("GET", &own, None).await.refuses(UNAUTHENTICATED);
    app.visitor().calls("GET", "/api/users/usr_que_nao_existe", None).await.refuses(UNAUTHENTICATED);
    for path in
        [&own, "/api/users/usr_que_nao_existe", "/api/users/%00", "/api/users/a%2Fb", "/api/users/..%2f"]
    {
        rui.calls("GET", path, None).await.refuses(PERMISSION_DENIED);
    }
}

#[tokio::test]
async fn a_service_with_users_read_reads_any_record_and_gets_404_for_unknown_uids() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let reader = app.service("users.read").await;
    let other = app.service("billing.read").await;
    let own = format!("/api/users/{}", ana.uid);

    let read = reader.calls("GET", &own, None).await;
    let without_scope = other.calls("GET", &own, None).await;

    read.gives(200, ana.record().await);
    without_scope.refuses(PERMISSION_DENIED);
    for unknown in ["/api/users/usr_que_nao_existe", "/api/users/%00", "/api/users/%F0%9F%92%A5"] {
        let missing = reader.calls("GET", unknown, None).await;
        missing.refuses((404, "USER_NOT_FOUND", "Usuário não encontrado"));
    }
}

#[tokio::test]
async fn a_uid_that_is_not_utf8_gets_400() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.calls("GET", "/api/users/%ff%fe", None).await.blames("uid não é UTF-8");
}
