//! GET /session-status?session_id=

use super::{NOT_FOUND, PROVIDER_UNAVAILABLE};
use e2e::{App, Person};
use serde_json::json;

const CARD: &str = "4242424242424242";

#[tokio::test]
async fn session_status_returns_open_then_complete_to_a_holder_of_the_id() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "month").await;
    let path = format!("/session-status?session_id={session}&sobra=1");

    let open = app.visitor().calls("GET", &path, None).await;
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    let complete = app.visitor().calls("GET", &path, None).await;

    open.gives(200, json!({ "status": "open", "customer_email": ana.email }));
    complete.gives(200, json!({ "status": "complete", "customer_email": ana.email }));
}

#[tokio::test]
async fn session_status_returns_expired_after_a_day() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "month").await;

    app.provider().advances(86_400 + 60).await;

    let path = format!("/session-status?session_id={session}");
    let seen = app.visitor().calls("GET", &path, None).await;
    seen.gives(200, json!({ "status": "expired", "customer_email": ana.email }));
}

#[tokio::test]
async fn session_status_returns_400_for_a_missing_id_and_404_for_an_unknown_one() {
    let app = App::start().await;
    for query in
        ["", "?", "?session_id", "?session_id=", "?outro=1", "?SESSION_ID=cs_1", "?session_id=a&session_id=b"]
    {
        let missing = app.visitor().calls("GET", &format!("/session-status{query}"), None).await;
        missing.blames("session_id é obrigatório");
    }
    let long = "a".repeat(4_000);
    for id in ["cs_test_desconhecida", "%00", "%27%20OR%201=1", "..%2f..", "%ff", long.as_str()] {
        let unknown = app.visitor().calls("GET", &format!("/session-status?session_id={id}"), None).await;
        unknown.refuses(NOT_FOUND);
    }
}

#[tokio::test]
async fn session_status_returns_502_during_an_outage_only_until_the_state_is_final() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let paid = ana.opens_checkout("Top Afiliado", "month").await;
    app.provider().pays_by_card(&paid, CARD).await;
    ana.becomes_active().await;
    let rui = app.visitor().signs_up(&Person::new()).await;
    let open = rui.opens_checkout("Top Afiliado", "month").await;
    let ask = |id: &str| format!("/session-status?session_id={id}");
    app.provider().add_fault(json!({ "path": "/v1", "status": 500 })).await;

    let known = app.visitor().calls("GET", &ask(&paid), None).await;
    let unknown = app.visitor().calls("GET", &ask(&open), None).await;

    known.gives(200, json!({ "status": "complete", "customer_email": ana.email }));
    unknown.refuses(PROVIDER_UNAVAILABLE);
}

#[tokio::test]
async fn too_many_session_status_reads_from_an_address_get_429_with_retry_after() {
    let app = App::start_with(&[("GARIMPO_LIMIT_CHECKOUT_READS_ADDRESS", "2")]).await;
    let path = "/session-status?session_id=cs_test_desconhecida";
    for _ in 0..2 {
        app.visitor().calls("GET", path, None).await.refuses(NOT_FOUND);
    }

    let refused = app.visitor().calls("GET", path, None).await;

    assert_eq!((refused.status, refused.code()), (429, "TOO_MANY_REQUESTS"));
    let pause: u64 = refused.header("retry-after").parse().expect("seconds");
    assert!((1..=61).contains(&pause), "{pause}");
}
