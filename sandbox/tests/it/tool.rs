//! Features for developers: errors, pages, keys, expansion, events, endpoints, clocks. The
//! provider's own SDK tests the same in `tests/clients/provider`.

use serde_json::{Value, json};

use crate::support::{World, client, id};

fn ids(list: &Value) -> Vec<&str> {
    list["data"].as_array().unwrap().iter().map(id).collect()
}

#[tokio::test]
async fn an_error_links_to_its_log_entry_and_has_no_null_fields() {
    let world = World::start().await;

    let (status, body) = world.call("GET", "/v1/customers/cus_x", "", None).await;
    let error = body["error"].as_object().unwrap();
    let page = client().get(error["request_log_url"].as_str().unwrap()).send().await.unwrap();
    let page = page.text().await.unwrap();

    assert_eq!(status, 404);
    assert_eq!(error["code"], "resource_missing");
    assert_eq!(error["doc_url"], "https://docs.stripe.com/error-codes#resource-missing");
    assert!(error.values().all(|value| !value.is_null()), "{body}");
    assert!(page.contains("/v1/customers/cus_x") && page.contains("resource_missing"));
}

#[tokio::test]
async fn an_unknown_parameter_is_refused_also_when_nested() {
    let world = World::start().await;
    let refused = async |path: &str, form: &str| {
        let (status, body) = world.call("POST", path, form, None).await;
        assert_eq!((status, &body["error"]["code"]), (400, &json!("parameter_unknown")), "{body}");
        body["error"]["param"].as_str().unwrap().to_owned()
    };

    let price = "currency=brl&unit_amount=1&product=p&recurring[interval]=day&recurring[dias]=2";
    assert_eq!(refused("/v1/prices", price).await, "recurring[dias]");
    let session = "mode=subscription&line_items[0][price]=p&line_items[0][preco]=q";
    assert_eq!(refused("/v1/checkout/sessions", session).await, "line_items[0][preco]");
    let methods = "mode=subscription&payment_method_types[0]=card";
    assert_eq!(refused("/v1/checkout/sessions", methods).await, "payment_method_types");
}

#[tokio::test]
async fn a_list_takes_one_cursor_of_its_own_type_and_valid_filters() {
    let world = World::start().await;
    let product = world.post("/v1/products", "name=a").await;
    let first = world.post("/v1/customers", "email=a@b.c").await;
    let second = world.post("/v1/customers", "email=a@b.c").await;
    let refused = async |query: String| {
        let (status, body) = world.call("GET", &format!("/v1/customers?{query}"), "", None).await;
        assert_eq!(status, 400, "{body}");
        body["error"]["param"].as_str().unwrap_or_default().to_owned()
    };

    assert_eq!(refused(format!("starting_after={}", id(&product))).await, "starting_after");
    let both = format!("starting_after={}&ending_before={}", id(&second), id(&first));
    assert_eq!(refused(both).await, "ending_before");
    for limit in ["0", "101", "dez"] {
        assert_eq!(refused(format!("limit={limit}")).await, "limit");
    }
    assert_eq!(refused("created[perto]=1".into()).await, "created[perto]");
    let created = first["created"].as_i64().unwrap();
    let exact = world.get(&format!("/v1/customers?created={created}")).await;
    let none = world.get(&format!("/v1/customers?created[lt]={created}")).await;
    assert!(ids(&exact).contains(&id(&first)));
    assert!(ids(&none).is_empty());
}

#[tokio::test]
async fn search_results_are_paginated() {
    let world = World::start().await;
    for _ in 0..3 {
        world.post("/v1/customers", "email=a@b.c").await;
    }

    let search = "/v1/customers/search?query=email%3A%27a%40b.c%27&limit=2";
    let first = world.get(search).await;
    let next = first["next_page"].as_str().unwrap();
    let second = world.get(&format!("{search}&page={next}")).await;

    assert_eq!((first["has_more"].as_bool(), ids(&first).len()), (Some(true), 2));
    assert_eq!((second["has_more"].as_bool(), ids(&second).len()), (Some(false), 1));
    assert!(!ids(&first).contains(&ids(&second)[0]));
}

#[tokio::test]
async fn an_expansion_has_at_most_four_levels_and_only_references() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4242424242424242").await;
    let refused = async |path: &str| {
        let (status, body) = world.call("GET", path, "", None).await;
        assert_eq!(status, 400, "{path}: {body}");
        body["error"]["message"].as_str().unwrap().to_owned()
    };

    let deep = world.get("/v1/invoices?expand[]=data.payments.data.payment").await;
    assert_eq!(deep["data"][0]["payments"]["data"][0]["status"], "paid");
    let five = refused("/v1/invoices?expand[]=data.payments.data.payment.payment_intent").await;
    assert!(five.contains("more than 4 levels"));
    assert!(refused("/v1/invoices?expand[]=customer").await.contains("'data.customer' instead"));
    let path = format!("/v1/checkout/sessions/{}?expand[]=", id(&session));
    for wrong in ["status", "amount_total", "nada", "_coupon"] {
        assert!(refused(&format!("{path}{wrong}")).await.contains(&format!("expanded ({wrong})")));
    }
}

#[tokio::test]
async fn events_are_listed_by_type_group_and_by_delivery_state() {
    let world = World::start().await;
    let form = "url=http%3A%2F%2F127.0.0.1%3A1%2Fmorto&enabled_events[]=coupon.created";
    let dead = world.post("/v1/webhook_endpoints", form).await;
    world.post("/v1/coupons", "id=c1&percent_off=5").await;
    world.post("/v1/coupons/c1", "name=Cinco").await;
    world.hooks.wait_for("coupon.updated", 1).await;

    let group = world.get("/v1/events?type=coupon.*").await;
    // One of the two endpoints has received the event, so it is still undelivered.
    world.only_undelivered("coupon.created").await;
    let waiting = world.get(&format!("/v1/events/{}", id(&group["data"][1]))).await;
    world.post(&format!("/v1/webhook_endpoints/{}", id(&dead)), "disabled=true").await;
    let settled = world.get(&format!("/v1/events/{}", id(&group["data"][1]))).await;

    let kinds: Vec<_> = group["data"].as_array().unwrap().iter().map(|event| &event["type"]).collect();
    assert_eq!(kinds, ["coupon.updated", "coupon.created"]);
    assert_eq!((&waiting["pending_webhooks"], &settled["pending_webhooks"]), (&json!(1), &json!(0)));
    let both = world.call("GET", "/v1/events?type=a&types[]=b", "", None).await;
    assert_eq!(both.0, 400);
    let old = "url=http%3A%2F%2Fx&enabled_events[]=*&api_version=2020-08-27";
    assert_eq!(
        world.call("POST", "/v1/webhook_endpoints", old, None).await.1["error"]["param"],
        "api_version"
    );
}

#[tokio::test]
async fn a_payment_method_is_detached_once() {
    let world = World::start().await;
    let customer = world.post("/v1/customers", "email=a@b.c").await;
    let form = format!("customer={}", id(&customer));
    let card = world.post("/v1/payment_methods/pm_card_visa/attach", &form).await;
    let own = world.get(&format!("/v1/customers/{}/payment_methods?type=card", id(&customer))).await;
    let detach = format!("/v1/payment_methods/{}/detach", id(&card));

    let loose = world.post(&detach, "").await;

    assert_eq!(ids(&own), [id(&card)]);
    assert!(loose["customer"].is_null());
    assert_eq!(world.call("POST", &detach, "", None).await.0, 400);
}

#[tokio::test]
async fn a_subscription_ends_at_its_cancel_at_unless_it_is_cleared() {
    let world = World::start().await;
    let session = world.session().await;
    world.pay_by_card(&session, "4242424242424242").await;
    let bought = world.reread(&session, "expand[]=subscription").await;
    let path = format!("/v1/subscriptions/{}", id(&bought["subscription"]));
    let at = bought["created"].as_i64().unwrap() + 5 * 86_400;

    let past = world.call("POST", &path, "cancel_at=1", None).await;
    let leaving = world.post(&path, &format!("cancel_at={at}")).await;
    let staying = world.post(&path, "cancel_at=").await;
    world.advance_days(6).await;
    let still = world.get(&path).await;
    world.post(&path, &format!("cancel_at={}", at + 10 * 86_400)).await;
    world.advance_days(11).await;

    assert_eq!((past.0, &past.1["error"]["param"]), (400, &json!("cancel_at")));
    assert_eq!((&leaving["cancel_at"], &leaving["cancel_at_period_end"]), (&json!(at), &json!(false)));
    assert!(staying["cancel_at"].is_null() && staying["canceled_at"].is_null());
    assert_eq!(still["status"], "active");
    assert_eq!(world.get(&path).await["status"], "canceled");
}
