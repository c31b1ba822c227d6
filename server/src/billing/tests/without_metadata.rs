//! Subscriptions created at the provider without our metadata.

use crate::billing::OrphanStatus;
use crate::billing::tests::{broken_invariants, buys_by_hand};
use crate::store::billing::customers;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

async fn made_by_hand(world: &World, who: &SignedInUser) -> String {
    let row = customers::by_uid(world.app.store(), &who.uid).await.expect("readable").expect("a customer");
    row.made_by_hand.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_subscription_created_by_hand_for_our_customer_gives_no_access_and_is_reported() {
    let (world, ana) = World::new().await.with_ana().await;
    world.opens(&ana, "top_afiliado", "month", "").await.expect("the provider knows her");
    let id = buys_by_hand(&world).await;

    assert_eq!(world.account_of(&ana).await.subscription, None);
    assert_eq!(made_by_hand(&world, &ana).await, id);
    let strangers = world.app.billing().orphans.find().await.expect("readable");
    assert_eq!((strangers.len(), strangers[0].status), (1, OrphanStatus::ByHand));
    assert_eq!((&*strangers[0].subscription_id, strangers[0].invoice_ids.len()), (id.as_str(), 1));
    let found = broken_invariants(&world).await;
    assert_eq!((found.len(), found[0].invariant), (1, "subscription_has_account"), "{found:?}");

    // With metadata that names the account, it is a purchase like any other.
    let path = format!("/v1/subscriptions/{id}");
    world.provider_posts(&path, &[("metadata[uid]", &ana.uid)]).await;
    world.rest().await;
    assert_eq!(made_by_hand(&world, &ana).await, "");
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
}
