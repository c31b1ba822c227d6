//! A customer that was deleted at the provider.

use super::*;

#[tokio::test(flavor = "multi_thread")]
async fn a_customer_deleted_in_the_dashboard_keeps_access_until_the_end_of_the_paid_period() {
    for answer in ["expand_refused", "listed", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "deleted_customer": answer })).await;
        let ana = world.signs_up("ana@exemplo.com.br").await;
        world.subscribes(&ana, "top_afiliado", "month").await;

        world.provider_deletes(&format!("/v1/customers/{}", customer_of(&world, &ana).await)).await;
        world.rest().await;

        assert_eq!(failed_jobs(&world).await, [""; 0], "no job waits to fail again");
        assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
        let subscription = world.account_of(&ana).await.subscription.expect("it stands");
        assert!(subscription.cancel_at_period_end, "nothing is charged any more: {subscription:?}");
        world.advances_days(31).await;
        assert_eq!(rights(&world, &ana).await.1.status.text(), "canceled");
        assert_eq!(failed_jobs(&world).await, [""; 0]);
        world.subscribes(&ana, "top_afiliado", "month").await;
        assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
    }
}

/// An account whose customer was deleted in the dashboard while its paid time runs.
async fn with_deleted_customer(world: &World) -> SignedInUser {
    let ana = world.signs_up("ana@exemplo.com.br").await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.provider_deletes(&format!("/v1/customers/{}", customer_of(world, &ana).await)).await;
    world.rest().await;
    assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
    ana
}

async fn only_invoice(world: &World, who: &SignedInUser) -> Invoice {
    invoices::by_uid(world.app.store(), &who.uid).await.expect("readable").remove(0)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_lost_after_the_customer_was_deleted_ends_the_access() {
    for answer in ["expand_refused", "listed", "refused"] {
        let world = World::new().await;
        world.behaves(json!({ "deleted_customer": answer })).await;
        let ana = with_deleted_customer(&world).await;

        let dispute = disputes(&world).await;

        assert_eq!(suspended_reason(&world, &ana).await.as_deref(), Some("payment_disputed"), "{answer}");
        assert_eq!(only_invoice(&world, &ana).await.dispute, Some(DisputeState::Open));
        decided(&world, &dispute, "lose").await;
        assert_eq!(rights(&world, &ana).await.1.status.text(), "canceled", "{answer}");
        let invoice = only_invoice(&world, &ana).await;
        assert_eq!((invoice.dispute, invoice.money_kept().get()), (Some(DisputeState::Lost), 0));
        assert_eq!(failed_jobs(&world).await, [""; 0]);
        world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");
        assert_eq!(rights(&world, &ana).await.1.status.text(), "canceled", "{answer}");
        let differences =
            world.app.billing().reconciliation.compare(&ana.uid).await.expect("readable").differences;
        assert!(differences.is_empty(), "no reading finds anything else: {differences:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_dispute_won_after_the_customer_was_deleted_restores_the_paid_access() {
    let world = World::on_sqlite().await;
    let ana = with_deleted_customer(&world).await;
    let dispute = disputes(&world).await;

    decided(&world, &dispute, "win").await;

    assert_eq!(suspended_reason(&world, &ana).await, None);
    assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refund_after_the_customer_was_deleted_ends_the_access_and_is_on_the_invoice() {
    for by_guarantee in [false, true] {
        let world = World::new().await;
        let ana = with_deleted_customer(&world).await;
        let told = findings(&world).await;
        assert!(told[0].contains("was deleted at the payment provider"), "{told:?}");

        if by_guarantee {
            world.wants_back(&ana, None).await.expect("it is given back");
            world.rest().await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(rights(&world, &ana).await.1.status.text(), "canceled");
        let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
        assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 9_790));
        assert_eq!(findings(&world).await, [""; 0], "no access is left");
        assert_eq!(failed_jobs(&world).await, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_account_with_a_new_customer_loses_access_if_the_payment_of_the_old_one_is_returned() {
    for by_dispute in [false, true] {
        let world = World::new().await;
        let ana = with_deleted_customer(&world).await;
        let deleted = customer_of(&world, &ana).await;
        let request = garimpo_proto::billing::v1::CreatePortalSessionRequest { email: ana.email.clone() };
        let asks = || crate::tests::server::bearer(request.clone(), &ana.session);
        if world.billing().create_portal_session(asks()).await.is_err() {
            world.billing().create_portal_session(asks()).await.expect("the customer was made anew");
        }
        assert_ne!(customer_of(&world, &ana).await, deleted);
        world.app.billing().reconciliation.repair_account(&ana.uid).await.expect("the account is read");
        assert_eq!(world.status_of(&ana).await, Some(("active".to_owned(), Some(true))));
        let told = findings(&world).await;
        assert!(told[0].contains(&format!("{deleted} was deleted")), "{told:?}");

        if by_dispute {
            let dispute = disputes(&world).await;
            decided(&world, &dispute, "lose").await;
        } else {
            refunds_at_dashboard(&world, None).await;
        }

        assert_eq!(rights(&world, &ana).await.1.status.text(), "canceled");
        assert_eq!(only_invoice(&world, &ana).await.money_kept().get(), 0);
        assert_eq!(findings(&world).await, [""; 0]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarantee_refund_of_a_payment_missing_at_the_provider_is_paid_by_card_or_pix() {
    for comes_back in [true, false] {
        let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
        world.provider_forgets().await;
        world.wants_back(&ana, None).await.expect("the guarantee does not wait for the provider");
        world.rest().await;
        assert_eq!(failed_jobs(&world).await, [""; 0], "the refund waits");
        let refund = async || {
            let rows = refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable");
            (rows[0].method.text(), rows[0].state.text())
        };
        assert_eq!(refund().await, ("card", "requested"));

        if comes_back {
            world.provider_remembers().await;
            world.advances_hours(2).await;
            assert_eq!(refund().await, ("card", "paid"));
            let at_provider = world.provider_list("/v1/subscriptions?status=all").await;
            assert_eq!(at_provider[0]["status"], "canceled", "nothing renews");
        } else {
            world.advances_days(8).await;
            assert_eq!(refund().await, ("pix", "requested"));
            assert_eq!(
                refunds::count_due(world.app.store()).await.expect("readable"),
                1,
                "the operator sees it"
            );
            world.provider_remembers().await;
            world.advances_days(1).await;
            assert!(world.provider_list("/v1/refunds").await.is_empty(), "it is paid once");
        }
    }
}
