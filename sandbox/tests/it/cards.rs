//! Buying by card.

use crate::support::{World, id};

#[tokio::test]
async fn a_card_purchase_completes_the_session_and_sends_its_events() {
    let world = World::start().await;
    let session = world.session().await;

    let (status, paid) = world.pay_by_card(&session, "4242424242424242").await;
    world.hooks.wait_for("checkout.session.completed", 1).await;
    let session =
        world.reread(&session, "expand[]=subscription&expand[]=line_items&expand[]=invoice.payments").await;

    assert_eq!((status, paid["payment_status"].as_str()), (200, Some("paid")));
    assert_eq!(session["status"], "complete");
    assert_eq!(session["amount_total"], 19_611);
    assert_eq!(session["customer_details"]["email"], "ana@example.com");
    assert_eq!(session["line_items"]["data"][0]["price"]["unit_amount"], 21_790);
    let subscription = &session["subscription"];
    let item = &subscription["items"]["data"][0];
    assert_eq!(subscription["status"], "active");
    assert_eq!(subscription["metadata"]["uid"], "u1");
    assert!(subscription.get("current_period_end").is_none());
    let days = item["current_period_end"].as_i64().unwrap() - item["current_period_start"].as_i64().unwrap();
    assert_eq!(days, 30 * 86_400);
    let invoice = &session["invoice"];
    assert_eq!((invoice["status"].as_str(), invoice["amount_paid"].as_i64()), (Some("paid"), Some(19_611)));
    assert_eq!(invoice["billing_reason"], "subscription_create");
    assert_eq!(invoice["parent"]["subscription_details"]["metadata"]["uid"], "u1");
    assert_eq!(invoice["payments"]["data"][0]["status"], "paid");
    for kind in
        ["charge.succeeded", "customer.subscription.created", "invoice.paid", "payment_intent.succeeded"]
    {
        assert_eq!(world.hooks.count(kind), 1, "{kind}");
    }
    assert!(world.hooks.signatures().iter().all(|signature| signature.contains(",v1=")));
    assert!(!session.to_string().contains("\"_"), "no private field is shown");
}

#[tokio::test]
async fn a_declined_card_is_not_charged_and_the_next_attempt_uses_the_same_payment() {
    let world = World::start().await;
    let session = world.session().await;

    for (card, code, decline_code) in [
        ("4000000000000002", "card_declined", Some("generic_decline")),
        ("4000000000009995", "card_declined", Some("insufficient_funds")),
        ("4000000000000069", "expired_card", None),
        ("4000000000000127", "incorrect_cvc", None),
        ("4242424242424241", "incorrect_number", None),
    ] {
        let (status, answer) = world.pay_by_card(&session, card).await;

        assert_eq!((status, answer["error"]["code"].as_str()), (402, Some(code)));
        assert_eq!(answer["error"]["decline_code"].as_str(), decline_code);
    }

    assert_eq!(world.reread(&session, "").await["status"], "open");
    let refused = world.get("/v1/charges").await["data"].as_array().unwrap().clone();
    // The form refuses the last number itself.
    assert_eq!(refused.len(), 4);
    assert!(refused.iter().all(|one| one["status"] == "failed" && one["paid"] == false), "{refused:?}");
    assert_eq!(world.get("/v1/subscriptions?status=all").await["data"].as_array().unwrap().len(), 0);
    assert_eq!(world.pay_by_card(&session, "4000000760000002").await.0, 200);
    assert_eq!(world.pay_by_card(&session, "4242424242424242").await.0, 400);
    let all = world.get("/v1/charges").await["data"].as_array().unwrap().clone();
    assert_eq!((all.len(), &all[0]["status"]), (5, &serde_json::json!("succeeded")));
    assert!(all.iter().all(|one| one["payment_intent"] == all[0]["payment_intent"]), "one payment: {all:?}");
    let bought = world.reread(&session, "expand[]=invoice.payments").await;
    assert_eq!(
        bought["invoice"]["payments"]["data"][0]["payment"]["payment_intent"],
        all[0]["payment_intent"]
    );
}

#[tokio::test]
async fn a_card_that_requires_authentication_pays_only_with_it() {
    let world = World::start().await;
    let session = world.session().await;
    let path = format!("/_test/checkout/{}", id(&session));
    let refuse = serde_json::json!({"card": "4000002760003184", "challenge": "refuse"});

    let refused = world.json("POST", &path, refuse).await;
    let paid = world.pay_by_card(&session, "4000002760003184").await;

    assert_eq!((refused.0, refused.1["error"]["code"].as_str()), (402, Some("authentication_required")));
    assert_eq!(paid.0, 200);
}

#[tokio::test]
async fn a_session_requires_the_current_parameters_and_can_be_expired_once() {
    let world = World::start().await;
    let session = world.session().await;

    let old_name = "mode=subscription&ui_mode=embedded&return_url=http://a/b";
    let refused = world.call("POST", "/v1/checkout/sessions", old_name, None).await;
    let expired = world.post(&format!("/v1/checkout/sessions/{}/expire", id(&session)), "").await;
    let (status, _) = world.pay_by_card(&session, "4242424242424242").await;
    let again = world.call("POST", &format!("/v1/checkout/sessions/{}/expire", id(&session)), "", None).await;

    assert_eq!((refused.0, refused.1["error"]["param"].as_str()), (400, Some("ui_mode")));
    assert_eq!(expired["status"], "expired");
    assert_eq!(status, 400);
    assert_eq!(again.0, 400);
    world.hooks.wait_for("checkout.session.expired", 1).await;
}

#[tokio::test]
async fn a_card_payment_is_refunded_once_and_the_subscription_canceled_at_once() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4242424242424242").await;
    let session = world.reread(&session, "").await;
    let payments = format!("/v1/invoice_payments?invoice={}", session["invoice"].as_str().unwrap());
    let intent =
        world.get(&payments).await["data"][0]["payment"]["payment_intent"].as_str().unwrap().to_owned();

    let refund = world.post("/v1/refunds", &format!("payment_intent={intent}")).await;
    let again = world.call("POST", "/v1/refunds", &format!("payment_intent={intent}"), None).await;
    let subscription = format!("/v1/subscriptions/{}", session["subscription"].as_str().unwrap());
    let (status, canceled) = world.call("DELETE", &subscription, "", None).await;

    assert_eq!((refund["status"].as_str(), refund["amount"].as_i64()), (Some("succeeded"), Some(19_611)));
    assert_eq!(again.1["error"]["code"], "charge_already_refunded");
    assert_eq!((status, canceled["status"].as_str()), (200, Some("canceled")));
    assert_eq!(world.get("/v1/subscriptions").await["data"].as_array().unwrap().len(), 0);
    world.hooks.wait_for("customer.subscription.deleted", 1).await;
    assert_eq!(world.hooks.count("charge.refunded"), 1);
}

#[tokio::test]
async fn a_trial_charges_at_its_end_and_nothing_at_the_purchase() {
    let world = World::start().await;
    let session = world.session_with("&subscription_data[trial_period_days]=7").await;

    let (_, paid) = world.pay_by_card(&session, "4242424242424242").await;
    let trialing = world.reread(&session, "expand[]=subscription").await;
    world.advance_days(8).await;
    let charged = world.reread(&session, "expand[]=subscription.latest_invoice").await;

    assert_eq!(
        (session["amount_total"].as_i64(), paid["payment_status"].as_str()),
        (Some(0), Some("no_payment_required"))
    );
    assert_eq!(trialing["subscription"]["status"], "trialing");
    assert_eq!(charged["subscription"]["status"], "active");
    assert_eq!(charged["subscription"]["latest_invoice"]["amount_paid"], 19_611);
}
