//! Reads of a checkout, and calls of the provider that they make.

use garimpo_domain::CheckoutSessionId;
use serde_json::json;

use crate::store::billing::checkouts::{self, CheckoutStatus};
use crate::store::billing::customers;
use crate::store::{StoreError, transaction};
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn many_reads_of_an_open_checkout_read_the_provider_once_every_two_seconds() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    let reads = async || {
        let row = customers::by_uid(world.app.store(), &ana.uid).await.expect("readable");
        row.expect("a row").ticket_issued
    };
    let before = reads().await;

    let began = std::time::Instant::now();
    for _ in 0..10 {
        let answers = futures::future::join_all((0..4).map(|_| world.checkout(&session))).await;
        assert!(answers.iter().all(|answer| answer.as_ref().is_ok_and(|read| read.status == "open")));
    }

    let read = reads().await - before;
    let allowed = 1 + began.elapsed().as_millis() as i64 / 2_000;
    assert!((1..=allowed).contains(&read), "{read} readings of the provider for 40 calls, {allowed} allowed");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_openings_of_one_purchase_return_the_stored_session() {
    let (world, ana) = World::new().await.with_ana().await;
    let first = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    world
        .fails(json!({
            "path": "/v1/checkout/sessions", "method": "POST", "delay_ms": 2_000, "times": 1
        }))
        .await;
    let store = world.app.store();
    let meanwhile = async {
        let intent = async || {
            let rows = checkouts::by_uid(store, &ana.uid).await.expect("readable");
            rows.into_iter().find(|row| row.status == CheckoutStatus::Intent)
        };
        world.eventually("the intent is stored", async || intent().await.is_some()).await;
        let row = intent().await.expect("it was there");
        let stored: Result<bool, StoreError> = transaction!(store, (row), |tx| {
            let (session, secret) = (CheckoutSessionId::new("cs_test_outra"), "cs_test_outra_secret_x");
            checkouts::mark_opened(tx, &row.id, &session, secret, None, row.quoted_centavos).await
        });
        assert!(stored.expect("it is stored"), "the other call was first");
    };

    let (opened, ()) = tokio::join!(world.opens(&ana, "top_afiliado", "month", ""), meanwhile);

    assert_eq!(opened.expect("a checkout opens"), "cs_test_outra");
    world.settles().await;
    let sessions = world.provider_list("/v1/checkout/sessions").await;
    let left_open: Vec<_> = sessions.iter().filter(|found| found["status"] == "open").collect();
    assert!(left_open.iter().all(|found| found["id"] == *first), "nobody has its secret: {left_open:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn checkout_reads_are_limited_per_address() {
    let world = World::start_with(crate::tests::database::Database::sqlite(), |settings| {
        settings.limits.checkout_reads_per_address = 3;
    })
    .await;
    let asks = async |address: &'static str| {
        let request =
            garimpo_proto::billing::v1::GetCheckoutSessionRequest { session_id: "cs_test_x".to_owned() };
        let request = crate::tests::server::from_address(request, address);
        world.billing().get_checkout_session(request).await.expect_err("there is no such session")
    };
    for _ in 0..3 {
        assert_eq!(asks("203.0.113.7").await.code(), tonic::Code::NotFound);
    }

    let refused = asks("203.0.113.7").await;

    assert_eq!(refused.code(), tonic::Code::ResourceExhausted);
    let details =
        tonic_types::StatusExt::get_details_retry_info(&refused).expect("it says when to come again");
    assert!(details.retry_delay.is_some_and(|pause| (1..=61).contains(&pause.as_secs())), "{details:?}");
    assert_eq!(asks("203.0.113.8").await.code(), tonic::Code::NotFound, "another address has its own");
}
