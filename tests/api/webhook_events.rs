//! Webhook events that are duplicated, lost, reordered or forged.

use e2e::provider::Provider;
use e2e::{App, Person};
use serde_json::json;

#[tokio::test]
async fn duplicated_and_reordered_events_end_in_the_same_state() {
    let app = App::start().await;
    let provider = app.provider();
    for fault in ["double", "shuffle"] {
        provider.add_fault(json!({ "webhooks": fault, "times": 20 })).await;
        let ana = app.visitor().signs_up(&Person::new()).await;
        let session = ana.opens_checkout("Elite Nível 2", "semestral").await;

        provider.pays_by_card(&session, "4242424242424242").await;

        let record = ana.becomes_active().await;
        assert_eq!(record["subscription_plan"], "elite_nivel_2", "{fault}");
        provider.recovers().await;
        e2e::eventually("one mail and no more", || async {
            let mails = provider.mails_to(&ana.email).await;
            assert!(mails.len() <= 1, "{fault}: {mails:?}");
            (mails.len() == 1).then_some(())
        })
        .await;
    }
}

#[tokio::test]
async fn the_return_page_repairs_a_lost_event() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 3", "anual").await;
    app.provider().add_fault(json!({ "webhooks": "drop", "times": 1000 })).await;
    app.provider().pays_by_card(&session, "4242424242424242").await;

    let seen = app.visitor().calls("GET", &format!("/session-status?session_id={session}"), None).await;

    assert_eq!(seen.body["status"], "complete");
    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_nivel_3");
}

#[tokio::test]
async fn reconciliation_repairs_a_lost_event_without_a_return() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite PRO 2", "mensal").await;
    app.provider().add_fault(json!({ "webhooks": "drop", "times": 1000 })).await;
    app.provider().pays_by_card(&session, "4242424242424242").await;

    app.provider().advances(11 * 60).await;

    assert_eq!(ana.becomes_active().await["subscription_plan"], "elite_pro_2");
}

#[tokio::test]
async fn an_event_with_a_wrong_old_or_mismatched_signature_is_refused() {
    let app = App::start().await;
    let body = json!({ "id": "evt_forjado", "object": "event", "type": "invoice.paid" }).to_string();
    let now = app.provider().now().await;
    let cases = [
        Provider::signs("whsec_errado", now, &body),
        Provider::signs("whsec_garimpo", now - 301, &body),
        Provider::signs("whsec_garimpo", now, "outro corpo"),
        "sem sentido".to_string(),
    ];

    for signature in cases {
        let request =
            app.visitor().request("POST", "/webhooks/stripe").header("stripe-signature", &signature);
        let refused = e2e::visitor::answer(request.body(body.clone())).await;
        assert_eq!((refused.status, refused.code()), (400, "INVALID_SIGNATURE"), "{signature}");
    }
}

#[tokio::test]
async fn an_event_of_an_unknown_type_is_acknowledged() {
    let app = App::start().await;
    let body = json!({ "id": "evt_novo", "object": "event", "type": "coisa.nova", "data": { "object": {} } });
    let body = body.to_string();
    let now = app.provider().now().await;
    let signature = Provider::signs("whsec_garimpo", now, &body);

    for _ in 0..2 {
        let request =
            app.visitor().request("POST", "/webhooks/stripe").header("stripe-signature", &signature);
        assert_eq!(e2e::visitor::answer(request.body(body.clone())).await.status, 200);
    }
}
