//! Collection of invoices: the default payment, failed attempts, the retry schedule and its end.

use serde_json::{Value, json};

use crate::support::{World, id};

/// A card that can be attached; each later charge fails.
const FAILS_LATER: &str = "4000000000000341";
const VISA: &str = "4242424242424242";

/// Buys a subscription by card; returns its id and its customer.
async fn bought(world: &World, card: &str) -> (String, String) {
    let session = world.session().await;
    assert_eq!(world.pay_by_card(&session, card).await.0, 200);
    let session = world.reread(&session, "").await;
    let text = |name: &str| session[name].as_str().unwrap().to_owned();
    (text("subscription"), text("customer"))
}

async fn behaves(world: &World, behavior: Value) {
    assert_eq!(world.json("PUT", "/_test/behavior", behavior).await.0, 200);
}

async fn data(world: &World, path: &str) -> Vec<Value> {
    world.get(path).await["data"].as_array().unwrap().clone()
}

async fn newest_invoice(world: &World, subscription: &str) -> Value {
    data(world, &format!("/v1/invoices?subscription={subscription}")).await.remove(0)
}

async fn status(world: &World, subscription: &str) -> String {
    world.get(&format!("/v1/subscriptions/{subscription}")).await["status"].as_str().unwrap().to_owned()
}

async fn visa_of(world: &World, customer: &str) -> String {
    let card = world.post("/v1/payment_methods/pm_card_visa/attach", &format!("customer={customer}")).await;
    id(&card).to_owned()
}

#[tokio::test]
async fn an_invoice_has_one_payment_and_each_declined_attempt_a_failed_charge() {
    let world = World::start().await;
    let (subscription, customer) = bought(&world, FAILS_LATER).await;
    world.advance_days(34).await;

    let invoice = newest_invoice(&world, &subscription).await;
    let payments = data(&world, &format!("/v1/invoice_payments?invoice={}", id(&invoice))).await;
    let intent = payments[0]["payment"]["payment_intent"].as_str().unwrap().to_owned();
    assert_eq!(
        (payments.len(), &payments[0]["status"], &payments[0]["is_default"]),
        (1, &json!("open"), &json!(true))
    );
    assert_eq!(payments[0]["amount_requested"], invoice["amount_remaining"]);
    let charges = data(&world, &format!("/v1/charges?payment_intent={intent}")).await;
    let seen: Vec<_> = charges.iter().map(|one| (one["status"].as_str().unwrap(), &one["paid"])).collect();
    assert_eq!(seen, [("failed", &json!(false)), ("failed", &json!(false))], "{charges:?}");
    assert_eq!(charges[0]["failure_code"], "card_declined");
    let unpaid = world.get(&format!("/v1/payment_intents/{intent}")).await;
    assert_eq!(unpaid["status"], "requires_payment_method");
    assert_eq!(unpaid["latest_charge"], charges[0]["id"]);
    assert_eq!(world.call("POST", &format!("/v1/payment_intents/{intent}/cancel"), "", None).await.0, 400);
    let expanded = world.get(&format!("/v1/invoices/{}?expand[]=confirmation_secret", id(&invoice))).await;
    assert_eq!(expanded["confirmation_secret"]["client_secret"], unpaid["client_secret"]);

    let pay = format!("/v1/invoices/{}/pay", id(&invoice));
    let (declined, why) = world.call("POST", &pay, "", None).await;
    assert_eq!((declined, why["error"]["decline_code"].as_str()), (402, Some("generic_decline")));
    let again = newest_invoice(&world, &subscription).await;
    assert_eq!(again["attempt_count"], invoice["attempt_count"], "a call changes no schedule");
    let card = visa_of(&world, &customer).await;
    let other = bought(&world, VISA).await.1;
    let strange = visa_of(&world, &other).await;
    assert_eq!(world.call("POST", &pay, &format!("payment_method={strange}"), None).await.0, 400);
    let paid = world.post(&pay, &format!("payment_method={card}")).await;
    assert_eq!((&paid["status"], &paid["auto_advance"]), (&json!("paid"), &json!(false)));
    assert_eq!(world.call("POST", &pay, "", None).await.0, 400, "one invoice is paid once");

    let charges = data(&world, &format!("/v1/charges?payment_intent={intent}")).await;
    let seen: Vec<_> = charges.iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(seen, ["succeeded", "failed", "failed", "failed"], "newest first, of one payment");
    assert_eq!(status(&world, &subscription).await, "active");
    world.hooks.wait_for("charge.failed", 3).await;
}

#[tokio::test]
async fn a_retry_can_have_a_new_payment_intent() {
    let world = World::start().await;
    behaves(&world, json!({"retry_intent": "new"})).await;
    let (subscription, _) = bought(&world, FAILS_LATER).await;

    world.advance_days(34).await;

    let invoice = newest_invoice(&world, &subscription).await;
    let payments = data(&world, &format!("/v1/invoice_payments?invoice={}", id(&invoice))).await;
    let statuses: Vec<_> = payments.iter().map(|one| one["status"].as_str().unwrap()).collect();
    assert_eq!(statuses, ["open", "canceled"]);
}

#[tokio::test]
async fn the_retry_schedule_and_its_end_follow_the_account_settings() {
    for (schedule, attempts, days) in [("custom", 4, 15), ("smart", 9, 14), ("none", 1, 0)] {
        for end in ["canceled", "unpaid", "past_due"] {
            let world = World::start().await;
            behaves(&world, json!({"retry_schedule": schedule, "retry_end": end})).await;
            let (subscription, _) = bought(&world, FAILS_LATER).await;

            world.advance_days(30 + days + 1).await;

            let invoice = newest_invoice(&world, &subscription).await;
            assert_eq!(invoice["attempt_count"], attempts, "{schedule}");
            assert_eq!(invoice["next_payment_attempt"], Value::Null, "{schedule}");
            assert_eq!(status(&world, &subscription).await, end, "{schedule}");
            if days > 0 {
                continue;
            }
            world.advance_days(31).await;
            let next = newest_invoice(&world, &subscription).await;
            let (is_new, state) = (next["id"] != invoice["id"], next["status"].as_str().unwrap());
            let expected = match end {
                "canceled" => (false, "open"),
                "unpaid" => (true, "draft"),
                _ => (true, "open"),
            };
            assert_eq!((is_new, state), expected, "{end}");
        }
    }
}

#[tokio::test]
async fn a_hard_decline_is_counted_and_not_retried_without_another_card() {
    let world = World::start().await;
    // Here the missing authentication is a decline with a charge of its own.
    behaves(&world, json!({"authentication_status": "requires_payment_method"})).await;
    let (subscription, customer) = bought(&world, "4000002760003184").await;
    world.advance_days(34).await;
    let invoice = newest_invoice(&world, &subscription).await;
    let count = async || data(&world, &format!("/v1/charges?customer={customer}")).await.len();
    assert_eq!((&invoice["attempt_count"], count().await), (&json!(2), 2), "one purchase, one refusal");

    let card = visa_of(&world, &customer).await;
    world.post(&format!("/v1/subscriptions/{subscription}"), &format!("default_payment_method={card}")).await;
    world.advance_days(5).await;

    assert_eq!(newest_invoice(&world, &subscription).await["status"], "paid");
}

#[tokio::test]
async fn a_cancellation_stops_collection_for_the_customer_or_only_for_the_subscription() {
    for (scope, stops_other) in [("customer", true), ("subscription", false)] {
        let world = World::start().await;
        behaves(&world, json!({"cancellation_stops": scope})).await;
        let (kept, customer) = bought(&world, FAILS_LATER).await;
        let session = world.session_with(&format!("&customer={customer}")).await;
        assert_eq!(world.pay_by_card(&session, FAILS_LATER).await.0, 200);
        let ended = world.reread(&session, "").await["subscription"].as_str().unwrap().to_owned();
        world.advance_days(31).await;

        assert_eq!(world.call("DELETE", &format!("/v1/subscriptions/{ended}"), "", None).await.0, 200);

        assert_eq!(newest_invoice(&world, &ended).await["auto_advance"], false);
        let open = newest_invoice(&world, &kept).await;
        assert_eq!(open["auto_advance"], !stops_other, "{scope}");
        let attempts = &open["attempt_count"];
        world.advance_days(4).await;
        assert_eq!(newest_invoice(&world, &kept).await["attempt_count"] == *attempts, stops_other, "{scope}");
        let resumed = world.post(&format!("/v1/invoices/{}", id(&open)), "auto_advance=true").await;
        assert_eq!(resumed["auto_advance"], true);
        world.advance_days(6).await;
        assert!(newest_invoice(&world, &kept).await["attempt_count"].as_i64() > attempts.as_i64(), "{scope}");
    }
}

#[tokio::test]
async fn a_voided_invoice_reactivates_the_subscription_if_configured() {
    for (reactivates, after) in [(false, "past_due"), (true, "active")] {
        let world = World::start().await;
        behaves(&world, json!({"void_reactivates": reactivates})).await;
        let (subscription, _) = bought(&world, FAILS_LATER).await;
        world.advance_days(31).await;
        let invoice = newest_invoice(&world, &subscription).await;

        let void = world.post(&format!("/v1/invoices/{}/void", id(&invoice)), "").await;

        assert_eq!((&void["status"], &void["auto_advance"]), (&json!("void"), &json!(false)));
        assert_eq!(status(&world, &subscription).await, after);
        let payments = data(&world, &format!("/v1/invoice_payments?invoice={}", id(&invoice))).await;
        assert_eq!(payments[0]["status"], "canceled");
    }
}

#[tokio::test]
async fn an_idempotency_key_also_stores_the_failure_of_a_call_that_began() {
    let world = World::start().await;
    let path = "/v1/customers/cus_ainda_nao/balance_transactions";
    let form = "amount=-100&currency=brl";
    let first = world.call("POST", path, form, Some("uma-chave")).await;
    let same = world.call("POST", path, form, Some("uma-chave")).await;
    assert_eq!((first.0, &first.1), (same.0, &same.1));

    let (subscription, _) = bought(&world, VISA).await;
    let invoice = newest_invoice(&world, &subscription).await;
    let void = format!("/v1/invoices/{}/void", id(&invoice));
    let refused = world.call("POST", &void, "", Some("outra")).await;
    assert_eq!(refused.0, 400);
    assert_eq!(world.call("POST", &void, "", Some("outra")).await.1, refused.1, "request and all");

    // A refused parameter is not stored, so the corrected call may have the same key.
    let wrong = world.call("POST", "/v1/customers", "email=sem-arroba", Some("terceira")).await;
    assert_eq!(wrong.0, 400);
    assert_eq!(world.call("POST", "/v1/customers", "email=ana@example.com", Some("terceira")).await.0, 200);
}

#[tokio::test]
async fn an_upcoming_renewal_is_announced() {
    let world = World::start().await;
    bought(&world, VISA).await;
    world.advance_days(28).await;
    world.hooks.wait_for("invoice.upcoming", 1).await;
    let events = data(&world, "/v1/events?type=invoice.upcoming").await;
    assert_eq!(events[0]["data"]["object"]["id"], Value::Null);
}
