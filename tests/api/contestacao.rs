//! A payer's bank disputes a payment: access follows money.

use e2e::{App, Person, Visitor};
use serde_json::{Value, json};

async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    ana
}

async fn disputes(app: &App, charge: &Value) -> String {
    let made = app.provider().acts("/_test/disputes", json!({ "charge": charge["id"] })).await;
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn contestacao_ganha_volta_e_a_perdida_encerra_tambem_sem_noticias() {
    let app = App::start().await;
    let provider = app.provider();
    let (ana, rui) = (subscriber(&app).await, subscriber(&app).await);
    // Newest first: Rui bought last.
    let charges = provider.list("/v1/charges").await;

    let anas = disputes(&app, &charges[1]).await;
    ana.becomes("suspended").await;
    provider.acts(&format!("/_test/disputes/{anas}/win"), json!({})).await;
    ana.becomes_active().await;

    provider.has_fault(json!({ "webhooks": "drop", "times": 100 })).await;
    let ruis = disputes(&app, &charges[0]).await;
    provider.advances_days(2).await;
    rui.becomes("suspended").await;
    provider.acts(&format!("/_test/disputes/{ruis}/lose"), json!({})).await;
    provider.advances_kept(1_200).await;
    assert_eq!(rui.becomes("canceled").await["subscription_active"], false);
    let at_provider = provider.list("/v1/subscriptions?status=all").await;
    e2e::eventually("the end at the provider", || async {
        let now = provider.object(&format!("/v1/subscriptions/{}", at_provider[0]["id"].as_str()?)).await;
        (now["status"] == "canceled").then_some(())
    })
    .await;
    ana.becomes_active().await;
}
