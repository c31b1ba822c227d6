//! Credit of a plan change whose payment was refunded.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn the_credit_of_a_plan_change_ends_with_the_refund_of_its_payment() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    changes_plan(&world, &ana, "top_afiliado").await;
    assert!(world.account_of(&ana).await.credit_centavos > 0);

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!(answer.amount_centavos, 19_790, "the money, not what is left of it");
    assert_eq!(world.account_of(&ana).await.credit_centavos, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_credit_of_a_plan_change_ends_with_a_dashboard_refund_or_a_lost_dispute() {
    for lost in [false, true] {
        let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
        changes_plan(&world, &ana, "top_afiliado").await;
        assert!(world.account_of(&ana).await.credit_centavos > 0);

        if lost {
            let dispute = disputes(&world).await;
            assert!(world.account_of(&ana).await.credit_centavos > 0, "the bank has not decided");
            decided(&world, &dispute, "lose").await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(world.account_of(&ana).await.credit_centavos, 0, "lost: {lost}");
        assert_at_rest(&world).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_credit_of_a_subscription_ended_at_the_provider_ends_with_its_refund() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
    changes_plan(&world, &ana, "top_afiliado").await;
    let subscription = world.provider_list("/v1/subscriptions").await.remove(0);
    world
        .provider_deletes(&format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id")))
        .await;
    world.rest().await;
    assert!(world.account_of(&ana).await.credit_centavos > 0, "what was paid for is hers");

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.account_of(&ana).await.credit_centavos, 0);
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_reaches_the_provider_after_the_refund_request_is_refunded_too() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;

    // The job cannot end the subscription yet, so the change still finds it. The job's own sync
    // reads the change.
    world.fails(json!({ "path": "/v1/subscriptions", "method": "DELETE", "status": 503 })).await;
    world.wants_back(&ana, None).await.expect("it is given back");
    world.fails(json!({ "webhooks": "drop" })).await;
    world.raises_plan("elite_nivel_1_monthly").await;
    world.clear_faults().await;
    world.advances_hours(1).await;

    let paid: i64 = world
        .provider_list("/v1/charges")
        .await
        .iter()
        .map(|charge| {
            assert_eq!(charge["amount_refunded"], charge["amount"], "{charge}");
            charge["amount"].as_i64().expect("an amount")
        })
        .sum();
    assert!(paid > 9_790, "both payments were made: {paid}");
    let told = world.account_of(&ana).await.refund.expect("told");
    assert_eq!((told.amount_centavos, told.state.as_str()), (paid, "paid"));
    let subjects = subjects(&world).await;
    assert!(!subjects.iter().any(|subject| subject.contains("mudou")), "{subjects:?}");
    let asked = subjects.iter().filter(|subject| subject.starts_with("Reembolso pedido")).count();
    assert_eq!(asked, 2, "the late payment is told: {subjects:?}");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_difference_of_a_plan_change_is_refunded_with_the_first_payment() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "month").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_1").await;

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!(answer.amount_centavos, 9_790 + difference);
    let back: i64 =
        world.provider_list("/v1/refunds").await.iter().filter_map(|r| r["amount"].as_i64()).sum();
    assert_eq!(back, answer.amount_centavos);
    let told = world.account_of(&ana).await.refund.expect("told");
    assert_eq!((told.amount_centavos, told.state.as_str()), (answer.amount_centavos, "paid"));
}
