//! Buying by boleto.

use serde_json::{Value, json};

use crate::support::{World, id};

const VOUCHER: &str = "expand[]=invoice.payments&expand[]=subscription";

/// The payment intent of a session's first invoice, which is one level too deep for one
/// expansion.
async fn intent(world: &World, session: &Value) -> Value {
    let id = session["invoice"]["payments"]["data"][0]["payment"]["payment_intent"].as_str().unwrap();
    world.get(&format!("/v1/payment_intents/{id}")).await
}

#[tokio::test]
async fn a_subscription_is_incomplete_with_an_issued_boleto_and_active_once_it_is_paid() {
    let mut world = World::start().await;
    let session = world.session().await;

    let (status, issued) = world.issue_boleto(&session).await;
    world.hooks.wait_for("checkout.session.completed", 1).await;
    let waiting = world.reread(&session, VOUCHER).await;
    let waiting_intent = intent(&world, &waiting).await;
    world.crash_and_restart().await;
    let paid = world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), Value::Null).await;
    let again = world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), Value::Null).await;
    world.hooks.wait_for("checkout.session.async_payment_succeeded", 1).await;
    let settled = world.reread(&session, VOUCHER).await;

    assert_eq!((status, issued["payment_status"].as_str()), (200, Some("unpaid")));
    assert_eq!((waiting["status"].as_str(), waiting["payment_intent"].is_null()), (Some("complete"), true));
    assert_eq!(waiting["subscription"]["status"], "incomplete");
    assert_eq!(waiting["invoice"]["status"], "open");
    let details = &waiting_intent["next_action"]["boleto_display_details"];
    let line = details["number"].as_str().unwrap();
    assert_eq!((line.len(), &line[..4], &line[37..]), (47, "9999", "0000019611"));
    // 2026-11-29 21:33 in São Paulo, plus three days, 23:59:59 there.
    assert_eq!(details["expires_at"], 1_796_266_799);
    assert!(details["hosted_voucher_url"].as_str().unwrap().contains("/boleto/"));
    assert_eq!((paid.0, again.0), (200, 200));
    assert_eq!(
        (settled["payment_status"].as_str(), settled["status"].as_str()),
        (Some("paid"), Some("complete"))
    );
    assert_eq!(settled["subscription"]["status"], "active");
    assert_eq!(settled["invoice"]["status"], "paid");
    assert_eq!(world.hooks.count("invoice.paid"), 1);
    let refund = format!("payment_intent={}", intent(&world, &settled).await["id"].as_str().unwrap());
    assert_eq!(world.call("POST", "/v1/refunds", &refund, None).await.0, 400);
}

#[tokio::test]
async fn an_expired_boleto_ends_the_incomplete_subscription() {
    let world = World::start().await;
    let session = world.session_with("&payment_method_options[boleto][expires_after_days]=1").await;
    world.issue_boleto(&session).await;

    world.advance_days(3).await;
    let expired = world.reread(&session, VOUCHER).await;

    assert_eq!(
        (expired["status"].as_str(), expired["payment_status"].as_str()),
        (Some("complete"), Some("unpaid"))
    );
    assert_eq!(expired["subscription"]["status"], "incomplete_expired");
    assert_eq!(expired["invoice"]["status"], "void");
    assert_eq!(intent(&world, &expired).await["status"], "canceled");
    for kind in ["payment_intent.payment_failed", "checkout.session.async_payment_failed", "invoice.voided"] {
        assert_eq!(world.hooks.count(kind), 1, "{kind}");
    }
    let (status, _) = world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), Value::Null).await;
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_boleto_below_the_minimum_and_a_wrong_cpf_are_refused() {
    let world = World::start().await;
    let session = world.session().await;
    let small = world
        .call(
            "POST",
            "/v1/checkout/sessions",
            "mode=subscription&ui_mode=embedded_page&return_url=http://127.0.0.1/x&customer_email=a@b.c\
             &line_items[0][price_data][currency]=brl&line_items[0][price_data][unit_amount]=499\
             &line_items[0][price_data][recurring][interval]=month&line_items[0][quantity]=1\
             &line_items[0][price_data][product_data][name]=Pouco&allowed_payment_method_types[]=boleto",
            None,
        )
        .await;
    let body = serde_json::json!({"boleto": {"tax_id": "529.982.247-26"}});

    let (status, refused) = world.json("POST", &format!("/_test/checkout/{}", id(&session)), body).await;

    assert_eq!((small.0, small.1["error"]["code"].as_str()), (400, Some("amount_too_small")));
    assert_eq!((status, refused["error"]["param"].as_str()), (402, Some("tax_id")));
    assert_eq!(world.reread(&session, "").await["status"], "open");
}

#[tokio::test]
async fn a_voided_invoice_cancels_the_boleto() {
    let world = World::start().await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    let invoice = world.reread(&session, "").await["invoice"].as_str().unwrap().to_owned();

    world.post(&format!("/v1/invoices/{invoice}/void"), "").await;
    let after = world.reread(&session, VOUCHER).await;
    let (status, _) = world.json("POST", &format!("/_test/boletos/{}/pay", id(&session)), Value::Null).await;

    assert_eq!(intent(&world, &after).await["status"], "canceled");
    assert_eq!(after["subscription"]["status"], "incomplete_expired");
    assert_eq!(status, 400);
}

#[tokio::test]
async fn a_card_payment_of_the_renewal_replaces_its_boleto() {
    let world = World::start().await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    let pay_boleto = format!("/_test/boletos/{}/pay", id(&session));
    assert_eq!(world.json("POST", &pay_boleto, Value::Null).await.0, 200);
    world.advance_days(31).await;
    let bought = world.reread(&session, "").await;
    let (customer, subscription) =
        (bought["customer"].as_str().unwrap(), bought["subscription"].as_str().unwrap());
    let voucher = world.get(&format!("/v1/subscriptions/{subscription}")).await["latest_invoice"].clone();
    let voucher = voucher.as_str().unwrap();

    let card = world.post("/v1/payment_methods/pm_card_visa/attach", &format!("customer={customer}")).await;
    let unknown = format!("customer={customer}");
    let unknown = world.call("POST", "/v1/payment_methods/pm_card_outro/attach", &unknown, None).await.0;
    let path = format!("/v1/subscriptions/{subscription}");
    world.post(&path, &format!("default_payment_method={}", id(&card))).await;
    let paid = world.post(&format!("/v1/invoices/{voucher}/pay"), "").await;

    assert_eq!((card["type"].as_str(), card["customer"].as_str()), (Some("card"), Some(customer)));
    assert_eq!(unknown, 404);
    assert_eq!(paid["status"], "paid");
    assert_eq!(world.json("POST", &pay_boleto, Value::Null).await.0, 400, "an invoice is not paid twice");
    let payments = world.get(&format!("/v1/invoice_payments?invoice={voucher}")).await;
    let statuses: Vec<_> = payments["data"].as_array().unwrap().iter().map(|one| &one["status"]).collect();
    assert_eq!(statuses, ["paid"], "one payment: the card took the place of the voucher");
}

#[tokio::test]
async fn test_emails_pay_or_expire_a_boleto_and_so_does_the_test_api() {
    let world = World::start().await;
    let bought = async |email: &str| {
        let session = world.session().await;
        let customer = session["customer"].as_str().unwrap();
        world.post(&format!("/v1/customers/{customer}"), &format!("email={email}@example.com")).await;
        let (_, issued) = world.issue_boleto(&session).await;
        let due = issued["boleto"]["expires_at"].as_i64().unwrap();
        (session, due)
    };
    let (paid, _) = bought("ana.succeed_immediately").await;
    let (expired, due) = bought("ana.expire_immediately").await;
    let (later, _) = bought("ana.expire_with_delay").await;
    let (never, _) = bought("ana.fill_never").await;
    let (by_endpoint, _) = bought("ana").await;

    let (status, body) = world.json("POST", "/clock", serde_json::json!({"advance_seconds": 60})).await;
    assert_eq!(status, 200, "{body}");
    let before = world.reread(&later, VOUCHER).await;
    world.json("POST", "/clock", serde_json::json!({"advance_seconds": 121})).await;
    let path = format!("/_test/boletos/{}/expire", id(&by_endpoint));
    let once = world.json("POST", &path, Value::Null).await;
    let twice = world.json("POST", &path, Value::Null).await;

    assert_eq!(world.reread(&paid, VOUCHER).await["invoice"]["status"], "paid");
    assert_eq!(world.reread(&expired, VOUCHER).await["invoice"]["status"], "void");
    // The boleto expires at once, not at the end of a day.
    assert!(due - expired["created"].as_i64().unwrap() < 60, "{due}");
    assert_eq!(before["invoice"]["status"], "open");
    for void in [&later, &by_endpoint] {
        assert_eq!(world.reread(void, VOUCHER).await["subscription"]["status"], "incomplete_expired");
    }
    assert_eq!(world.reread(&never, VOUCHER).await["invoice"]["status"], "open");
    assert_eq!((once.0, twice.0), (200, 400));
}

async fn behaves(world: &World, behavior: Value) {
    let (status, answer) = world.json("PUT", "/_test/behavior", behavior).await;
    assert_eq!(status, 200, "{answer}");
}

async fn intent_of(world: &World, session: &Value) -> Value {
    intent(world, &world.reread(session, VOUCHER).await).await
}

/// Goes to the last minute in which the session's boleto can be paid.
async fn goes_to_last_minute(world: &World, session: &Value) {
    let waiting = intent_of(world, session).await;
    let due = waiting["next_action"]["boleto_display_details"]["expires_at"].as_i64().unwrap();
    let last = time::OffsetDateTime::from_unix_timestamp(due - 30).unwrap();
    let last = last.format(&time::format_description::well_known::Rfc3339).unwrap();
    assert_eq!(world.json("POST", "/clock", json!({"set": last})).await.0, 200);
}

async fn pays(world: &World, session: &Value) {
    let path = format!("/_test/boletos/{}/pay", id(session));
    assert_eq!(world.json("POST", &path, Value::Null).await.0, 200);
}

#[tokio::test]
async fn a_boleto_can_still_be_paid_after_its_subscription_expired_at_23_hours() {
    let world = World::start().await;
    behaves(&world, json!({"boleto_incomplete": "after_23_hours"})).await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    world.json("POST", "/clock", json!({"advance_seconds": 23 * 3_600})).await;
    let ended = world.reread(&session, "expand[]=subscription&expand[]=invoice").await;
    let waiting = intent_of(&world, &session).await;

    pays(&world, &session).await;

    let paid = intent_of(&world, &session).await;
    let after = world.reread(&session, "expand[]=subscription&expand[]=invoice").await;
    assert_eq!(ended["subscription"]["status"], "incomplete_expired");
    assert_eq!(
        (&ended["invoice"]["status"], &waiting["status"]),
        (&json!("void"), &json!("requires_action"))
    );
    assert_eq!((&paid["status"], &paid["amount_received"]), (&json!("succeeded"), &paid["amount"]));
    assert_eq!(after["subscription"]["status"], "incomplete_expired", "it is not revived");
    assert_eq!((&after["invoice"]["status"], &after["payment_status"]), (&json!("void"), &json!("paid")));
}

#[tokio::test]
async fn a_payment_in_the_last_minute_is_confirmed_on_the_next_business_day() {
    for (confirmation, reported) in [("next_business_day_after_expiry", 1), ("next_business_day", 0)] {
        let world = World::start().await;
        behaves(&world, json!({"boleto_confirmation": confirmation})).await;
        let session = world.session().await;
        world.issue_boleto(&session).await;
        goes_to_last_minute(&world, &session).await;
        pays(&world, &session).await;
        let before = intent_of(&world, &session).await;
        world.json("POST", "/clock", json!({"advance_seconds": 3_600})).await;
        let between = world.reread(&session, "expand[]=subscription").await;

        world.advance_days(1).await;

        let after = world.reread(&session, "expand[]=subscription&expand[]=invoice").await;
        assert_eq!(before["status"], "requires_action");
        assert_eq!(between["subscription"]["status"], "incomplete");
        assert_eq!(world.hooks.count("payment_intent.payment_failed"), reported, "{confirmation}");
        assert_eq!(after["subscription"]["status"], "active", "{confirmation}");
        assert_eq!((&after["invoice"]["status"], &after["payment_status"]), (&json!("paid"), &json!("paid")));
        assert_eq!(intent_of(&world, &session).await["status"], "succeeded");
    }
}

#[tokio::test]
async fn a_renewal_without_reissue_has_one_boleto_and_ends_canceled() {
    let world = World::start().await;
    behaves(&world, json!({"boleto_without_reissue": true})).await;
    let session = world.session().await;
    world.issue_boleto(&session).await;
    pays(&world, &session).await;
    let subscription = world.reread(&session, "").await["subscription"].as_str().unwrap().to_owned();
    let state = async || world.get(&format!("/v1/subscriptions/{subscription}")).await["status"].clone();

    world.advance_days(36).await;
    let late = state().await;
    world.advance_days(30).await;

    assert_eq!((late, state().await), (json!("past_due"), json!("canceled")));
    assert_eq!(world.hooks.count("payment_intent.requires_action"), 2, "the purchase's and the renewal's");
}
