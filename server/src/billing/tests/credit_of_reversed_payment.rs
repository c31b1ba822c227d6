//! Credit whose payment is refunded later: a purchase paid with it is refunded too.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::billing::tests::plan_change::changes_plan;
use crate::billing::tests::reversals::{decided, disputes_charge};
use crate::tests::server::{SignedInUser, reason};
use crate::tests::world::World;

fn active() -> (String, Option<bool>) {
    ("active".to_owned(), Some(true))
}

fn suspended() -> (String, Option<bool>) {
    ("suspended".to_owned(), Some(false))
}

fn canceled() -> (String, Option<bool>) {
    ("canceled".to_owned(), Some(false))
}

/// Changes to Top Afiliado by the month, which creates credit. Returns the first charge.
async fn buys_and_downgrades(world: &World, who: &SignedInUser, plan: &str, interval: &str) -> Value {
    world.subscribes(who, plan, interval).await;
    let charge = world.provider_list("/v1/charges").await.remove(0);
    changes_plan(world, who, "top_afiliado").await;
    charge
}

/// Buys with the credit of a cancelled and ended subscription.
async fn buys_again_by_credit(world: &World, who: &SignedInUser) {
    world.cancels(who, "").await.expect("it is cancelled");
    world.advances_days(31).await;
    pays_by_credit(world, who).await;
    assert_eq!(world.status_of(who).await, Some(active()), "it was paid with credit");
}

async fn pays_by_credit(world: &World, who: &SignedInUser) {
    world.subscribes(who, "elite_pro_5", "anual").await;
}

async fn credit(world: &World) -> i64 {
    -world.provider_list("/v1/customers").await[0]["balance"].as_i64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_suspends_the_purchase_paid_with_its_credit_and_a_lost_one_ends_it() {
    for (verdict, after) in [("lose", Some(canceled())), ("win", Some(active()))] {
        let (world, ana) = World::new().await.with_ana().await;
        let charge = buys_and_downgrades(&world, &ana, "elite_pro_6", "anual").await;
        buys_again_by_credit(&world, &ana).await;

        let dispute = disputes_charge(&world, &charge).await;
        assert_eq!(world.status_of(&ana).await, Some(suspended()));
        decided(&world, &dispute, verdict).await;

        assert_eq!(world.status_of(&ana).await, after, "{verdict}");
        world.advances_days(1).await;
        assert_eq!(world.status_of(&ana).await, after, "{verdict}");
        assert_eq!(credit(&world).await > 0, verdict == "win");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_in_the_dashboard_ends_the_purchase_paid_with_the_credit_of_the_payment() {
    let (world, ana) = World::new().await.with_ana().await;
    let charge = buys_and_downgrades(&world, &ana, "elite_pro_6", "anual").await;
    buys_again_by_credit(&world, &ana).await;

    let intent = charge["payment_intent"].as_str().expect("an id");
    world.provider_posts("/v1/refunds", &[("payment_intent", intent)]).await;
    world.rest().await;

    assert_eq!(world.status_of(&ana).await, Some(canceled()));
    let running = world.provider_list("/v1/subscriptions").await;
    assert!(running.is_empty(), "nothing renews: {running:?}");
    assert_eq!(credit(&world).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_paid_with_disputed_credit_does_not_restore_the_access() {
    let (world, ana) = World::new().await.with_ana().await;
    let charge = buys_and_downgrades(&world, &ana, "elite_nivel_5", "month").await;
    let dispute = disputes_charge(&world, &charge).await;

    world.advances_days(31).await;

    assert_eq!(world.status_of(&ana).await, Some(suspended()));
    decided(&world, &dispute, "lose").await;
    assert_eq!(world.status_of(&ana).await, Some(canceled()));
    assert_eq!(credit(&world).await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_dispute_blocks_another_purchase_and_a_won_one_restores_the_paid_time() {
    let (world, ana) = World::new().await.with_ana().await;
    let early = world.opens(&ana, "elite_nivel_5", "month", "").await.expect("a checkout opens");
    world.subscribes(&ana, "elite_pro_6", "anual").await;
    let ends = world.account_of(&ana).await.subscription.expect("it runs").ends_at;
    let charge = world.provider_list("/v1/charges").await.remove(0);
    let dispute = disputes_charge(&world, &charge).await;

    let second = world.opens(&ana, "elite_nivel_5", "month", "").await.expect_err("one at a time");
    world.subscribes_in(&early).await;
    decided(&world, &dispute, "win").await;

    assert_eq!(reason(&second), ErrorReason::AlreadySubscribed);
    let subscription = world.account_of(&ana).await.subscription.expect("it runs");
    assert_eq!((subscription.plan_id.as_str(), subscription.ends_at), ("elite_pro_6", ends));
    assert_eq!(world.status_of(&ana).await, Some(active()));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_next_payment_is_the_amount_that_the_renewal_charges_after_the_credit() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    buys_and_downgrades(&world, &ana, "elite_nivel_3", "month").await;
    let next = || async { world.account_of(&ana).await.subscription.expect("it runs").next_payment_centavos };
    let had = credit(&world).await;
    assert!(had > 9_790, "{had}");
    assert_eq!(next().await, Some(0), "credit covers it");

    for _ in 0..2 {
        let told = next().await.expect("it renews");
        world.advances_days(31).await;
        let charged = world.invoices_of(&ana, 1, "").await.expect("a page").invoices.remove(0);
        assert_eq!((charged.reason.as_str(), charged.amount_due_centavos), ("renewal", told));
    }
    assert_eq!(next().await, Some(9_790), "all credit is used");

    world.cancels(&ana, "").await.expect("it is cancelled");
    assert_eq!(next().await, None, "it does not renew");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_credit_of_a_refunded_payment_is_no_longer_displayed_immediately() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    buys_and_downgrades(&world, &ana, "elite_nivel_3", "month").await;
    let change = |page: pb::ListInvoicesResponse| {
        page.invoices.into_iter().find(|invoice| invoice.reason == "plan_change").expect("it made credit")
    };
    assert!(!change(world.invoices_of(&ana, 10, "").await.expect("a page")).credit_ended);
    // The provider is not reached, so its balance does not change.
    world.fails(json!({ "path": "/v1/", "status": 500, "times": 1000 })).await;

    world.wants_back(&ana, None).await.expect("within the guarantee");

    let account = world.account_of(&ana).await;
    assert_eq!(account.credit_centavos, 0);
    assert_eq!(account.subscription.expect("it was bought").next_payment_centavos, None);
    let made = change(world.invoices_of(&ana, 10, "").await.expect("a page"));
    assert!(made.credit_ended && made.total_centavos < 0, "{made:?}");
    world.clear_faults().await;
    world.advances_hours(3).await;
    assert_eq!((credit(&world).await, world.account_of(&ana).await.credit_centavos), (0, 0));
}
