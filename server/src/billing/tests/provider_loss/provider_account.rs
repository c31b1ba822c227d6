//! The provider's account that the key and the database belong to.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_rejected_key_is_reported_as_a_rejected_key() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "month").await;
    world.fails(json!({ "path": "/v1", "status": 401 })).await;

    let refused = world.app.billing().reconciliation.compare(&ana.uid).await.expect_err("the key is refused");

    let expected = "the payment provider refuses our key (GARIMPO_STRIPE_SECRET_KEY)";
    assert_eq!(refused.to_string(), expected, "the operator reads the setting");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_of_another_account_does_not_start_the_server_until_it_is_adopted() {
    let mut world = World::new().await;
    let stored = world.app.billing().provider_account.read().await.expect("readable");
    assert_eq!(stored.as_deref(), Some("acct_1GarimpoSandbox (test mode)"));
    world.behaves(json!({ "other_account": true })).await;

    let refused = world.tries_to_restart().await.expect_err("the key is of another account");

    assert!(refused.to_string().contains("acct_1OutraConta (test mode)"), "{refused}");
    let operator = Operator::open(world.settings()).await.expect("commands still open");
    let used = operator.billing().provider_account.check().await.expect_err("nothing is read there");
    assert!(matches!(used, StripeError::OtherAccount { .. }), "{used}");
    let adopted = operator.billing().provider_account.adopt().await.expect("it is adopted");
    assert_eq!(adopted.after, "acct_1OutraConta (test mode)");
    operator.close().await;
    world.tries_to_restart().await.expect("the server starts");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_does_not_prevent_the_start_and_the_account_is_checked_on_use() {
    let mut world = World::new().await;
    world.behaves(json!({ "other_account": true })).await;
    world.fails(json!({ "path": "/v1/account", "drop": true })).await;
    world.tries_to_restart().await.expect("the server starts");
    world.clear_faults().await;
    let ana = world.signs_up("ana@exemplo.com.br").await;

    let opened = world.opens(&ana, "top_afiliado", "month", "").await;

    let refused = opened.expect_err("nothing is bought at another account");
    assert!(!refused.message().contains("acct_"), "no account is named to a visitor: {refused}");
    assert!(world.provider_list("/v1/customers").await.is_empty(), "nothing was written there");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restricted_key_identifies_its_account_by_the_objects_that_it_can_read() {
    for (reads, stored) in [
        ("account_refused_by_name", "acct_1GarimpoSandbox (test mode)"),
        ("account_refused", "an account whose id cannot be read (test mode)"),
        ("account_and_balance_refused", "an account whose id cannot be read (test mode)"),
    ] {
        let mut world = World::on_sqlite().await;
        world.behaves(json!({ "key_reads": reads })).await;
        world.forgets_account().await;

        world.tries_to_restart().await.expect("the server starts");

        let read = world.app.billing().provider_account.read().await.expect("readable");
        assert_eq!(read.as_deref(), Some(stored), "{reads}");
        world.tries_to_restart().await.expect("the same account starts again");
        let markers = world.provider_list("/v1/products?limit=100").await;
        let markers: Vec<_> =
            markers.iter().filter(|found| found["metadata"]["garimpo"] == "account_marker").collect();
        assert_eq!(markers.len(), usize::from(reads != "account_refused_by_name"), "{reads}");
        if let Some(marker) = markers.first() {
            world.provider_deletes(&format!("/v1/products/{}", marker["id"].as_str().expect("an id"))).await;
            let refused =
                world.tries_to_restart().await.expect_err("the account without the marker is another one");
            assert!(refused.to_string().contains("garimpo admin provider adopt"), "{refused}");
        }
    }
}
