//! Keys, parameters, lists, idempotency, mail: rules common to all calls.

use serde_json::json;

use crate::support::{World, client, id};

#[tokio::test]
async fn a_wrong_or_missing_key_is_401_and_an_unknown_path_404() {
    let world = World::start().await;
    let ask = |authorization: Option<&'static str>| {
        let request = client().get(format!("{}/v1/customers", world.url));
        match authorization {
            Some(value) => request.header("authorization", value).send(),
            None => request.send(),
        }
    };

    assert_eq!(ask(None).await.unwrap().status(), 401);
    assert_eq!(ask(Some("Bearer sk_test_outra")).await.unwrap().status(), 401);
    assert_eq!(ask(Some("Basic c2tfdGVzdF9nYXJpbXBvOg==")).await.unwrap().status(), 200);
    let answer = ask(Some("Bearer sk_test_garimpo")).await.unwrap();
    assert_eq!(answer.headers()["stripe-version"], "2026-10-28.endive");
    assert!(answer.headers()["request-id"].to_str().unwrap().starts_with("req_"));
    assert_eq!(world.call("GET", "/v1/nada", "", None).await.0, 404);
}

#[tokio::test]
async fn an_idempotency_key_acts_once_and_returns_the_same_response() {
    let mut world = World::start().await;

    let first = world.call("POST", "/v1/customers", "email=ana@example.com", Some("k1")).await;
    let second = world.call("POST", "/v1/customers", "email=ana@example.com", Some("k1")).await;
    let other = world.call("POST", "/v1/customers", "email=bia@example.com", Some("k1")).await;
    world.crash_and_restart().await;
    let third = world.call("POST", "/v1/customers", "email=ana@example.com", Some("k1")).await;

    assert_eq!(first, second);
    assert_eq!(first, third);
    assert_eq!((other.0, other.1["error"]["type"].as_str()), (400, Some("idempotency_error")));
    assert_eq!(world.get("/v1/customers").await["data"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_concurrent_idempotency_key_is_409_and_a_validation_error_is_not_stored() {
    let world = World::start().await;

    let calls = (0..6).map(|_| world.call("POST", "/v1/customers", "email=a@b.c", Some("k")));
    let answers = futures::future::join_all(calls).await;
    let wrong = world.call("POST", "/v1/customers", "email=sem-arroba", Some("k2")).await;
    let right = world.call("POST", "/v1/customers", "email=com@arroba", Some("k2")).await;

    assert!(answers.iter().all(|(status, _)| *status == 200 || *status == 409));
    assert_eq!(world.get("/v1/customers?email=a@b.c").await["data"].as_array().unwrap().len(), 1);
    assert_eq!((wrong.0, wrong.1["error"]["code"].as_str()), (400, Some("email_invalid")));
    assert_eq!(right.0, 200);
}

#[tokio::test]
async fn lists_are_paginated_and_prices_are_found_by_lookup_key() {
    let world = World::start().await;
    for number in 0..5 {
        world.post("/v1/customers", &format!("email=c{number}@example.com&metadata[n]={number}")).await;
    }
    let product = world.post("/v1/products", "name=Elite").await;
    let price = format!("currency=brl&unit_amount=100&product={}&lookup_key=elite_month", id(&product));
    world.post("/v1/prices", &price).await;

    let first = world.get("/v1/customers?limit=2").await;
    let second = world.get(&format!("/v1/customers?limit=2&starting_after={}", id(&first["data"][1]))).await;
    let back = world.get(&format!("/v1/customers?limit=2&ending_before={}", id(&second["data"][0]))).await;
    let found = world.get("/v1/customers/search?query=metadata%5B%27n%27%5D%3A%273%27").await;
    let by_key = world.get("/v1/prices?lookup_keys[]=elite_month&active=true&expand[]=data.product").await;

    assert_eq!(first["has_more"], true);
    assert_eq!(first["data"][0]["email"], "c4@example.com");
    assert_eq!(second["data"][0]["email"], "c2@example.com");
    assert_eq!(back["data"], first["data"]);
    assert_eq!(found["data"][0]["email"], "c3@example.com");
    assert_eq!(by_key["data"][0]["product"]["name"], "Elite");
    assert_eq!(world.call("GET", "/v1/customers?limit=0", "", None).await.0, 400);
    assert_eq!(
        world.call("POST", "/v1/customers", "emial=x", None).await.1["error"]["code"],
        "parameter_unknown"
    );
    assert_eq!(world.call("POST", "/v1/prices", &price, None).await.1["error"]["param"], "lookup_key");
}

#[tokio::test]
async fn each_mail_is_stored_once_and_its_repeats_are_counted() {
    let mut world = World::start().await;
    let letter =
        json!({"key": "k1", "to": "ana@example.com", "subject": "Oi", "text": "Oi", "html": "<p>Oi</p>"});

    world.json("POST", "/mail", letter.clone()).await;
    let (status, again) = world.json("POST", "/mail", letter).await;
    world.crash_and_restart().await;
    let mails = client().get(format!("{}/mail.json", world.url)).send().await.unwrap();
    let mails: serde_json::Value = mails.json().await.unwrap();

    assert_eq!((status, again["stored"].as_bool()), (200, Some(false)));
    assert_eq!(mails.as_array().unwrap().len(), 1);
    assert_eq!((&mails[0]["subject"], &mails[0]["repeats"]), (&json!("Oi"), &json!(1)));
    assert!(mails[0]["sent_at"].as_str().unwrap().starts_with("2026-11-"));
}

#[tokio::test]
async fn cross_site_calls_and_unknown_hosts_are_refused() {
    let world = World::start().await;
    let url = format!("{}/clock", world.url);

    let foreign = client().post(&url).header("origin", "http://127.0.0.1:1").body("{}").send().await.unwrap();
    let cross = client().post(&url).header("sec-fetch-site", "cross-site").body("{}").send().await.unwrap();
    let host = client().get(&url).header("host", "evil.example").send().await.unwrap();

    assert_eq!(foreign.status(), 403);
    assert_eq!(cross.status(), 403);
    assert_eq!(host.status(), 403);
}
