//! kill -9 around a payment: what the provider holds is an active subscription, exactly once.

use std::time::Duration;

use e2e::{App, Person};

const ROUNDS: u64 = 10;

#[tokio::test]
async fn kill_9_ao_redor_do_pagamento_nunca_perde_nem_dobra_uma_assinatura() {
    let mut app = App::start().await;
    for round in 0..ROUNDS {
        let ana = app.visitor().signs_up(&Person::new()).await;
        let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
        let moment = Duration::from_millis(rand::random::<u64>() % 120);

        // The payment runs while the process dies under it, sandbox and all.
        let provider = app.provider();
        let paying = tokio::spawn({
            let session = session.clone();
            async move {
                let body = serde_json::json!({ "card": "4242424242424242" });
                let url = provider.checkout_url(&session);
                reqwest::Client::new().post(url).json(&body).send().await.is_ok()
            }
        });
        tokio::time::sleep(moment).await;
        app.dies_and_restarts().await;
        let _ = paying.await;

        let held = app.provider().object(&format!("/v1/checkout/sessions/{session}")).await;
        if held["payment_status"] != "paid" {
            assert_eq!(
                app.provider().pays_by_card(&session, "4242424242424242").await,
                200,
                "round {round} {moment:?}"
            );
        }
        let record = ana.becomes_active().await;
        assert_eq!(record["subscription_plan"], "elite_nivel_2", "round {round} {moment:?}");
        let list = format!("/v1/subscriptions?status=all&customer={}", held["customer"].as_str().unwrap());
        let subscriptions = app.provider().object(&list).await;
        assert_eq!(subscriptions["data"].as_array().unwrap().len(), 1, "round {round} {moment:?}");
        e2e::eventually("exactly one mail", || async {
            let mails = app.provider().mails_to(&ana.email).await;
            assert!(mails.len() <= 1, "round {round} {moment:?}: {mails:?}");
            (mails.len() == 1).then_some(())
        })
        .await;
    }
}
