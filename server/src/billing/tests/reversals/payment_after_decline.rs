//! Payments with an earlier declined attempt.

use super::*;

/// A purchase whose card was first declined and then accepted.
async fn bought_at_second_try(world: &World) -> SignedInUser {
    let ana = world.signs_up(ANA).await;
    let session = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a checkout opens");
    let declined = world.pays_by_card(&session, "4000000000000002").await;
    assert_eq!(declined["error"]["code"], "card_declined");
    world.subscribes_in(&session).await;
    let charges = world.provider_list("/v1/charges").await;
    assert_eq!((charges.len(), &charges[1]["status"]), (2, &json!("failed")), "{charges:?}");
    assert_eq!(charges[0]["payment_intent"], charges[1]["payment_intent"], "one payment, two attempts");
    ana
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_payment_that_succeeded_after_a_decline_ends_the_access() {
    let world = World::new().await;
    let ana = bought_at_second_try(&world).await;

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_of_a_payment_after_a_decline_suspends_and_a_lost_one_ends_the_access() {
    let world = World::new().await;
    let ana = bought_at_second_try(&world).await;

    let dispute = disputes(&world).await;
    assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"));
    decided(&world, &dispute, "lose").await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_of_a_renewal_paid_after_a_decline_ends_the_access() {
    let (world, ana) = World::new().await.with_ana().await;
    world.subscribes_with("4000000000000341", &ana, "elite_nivel_1", "month").await;
    world.advances_days(34).await;
    let invoice = world.provider_list("/v1/invoices?status=open").await.remove(0);
    let customer = text(&invoice["customer"]);
    world.provider_posts("/v1/payment_methods/pm_card_visa/attach", &[("customer", &customer)]).await;
    let methods = world.provider_list(&format!("/v1/customers/{customer}/payment_methods")).await;
    let card = text(&methods[0]["id"]);
    let pay = format!("/v1/invoices/{}/pay", text(&invoice["id"]));
    world.provider_posts(&pay, &[("payment_method", &card)]).await;
    world.rest().await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));

    refunds_at_dashboard(&world, None).await;

    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    let seen = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((seen.status.as_str(), seen.refunded_centavos), ("refunded", 19_790));
}
