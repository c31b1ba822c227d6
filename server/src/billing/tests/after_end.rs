//! Payments that arrive after their subscription has ended are refunded, and the payer gets a mail.

use serde_json::json;

use crate::store::billing::refunds::{self, Refund, RefundMethod, RefundReason};
use crate::store::engine::row::Text as _;
use crate::tests::server::SignedInUser;
use crate::tests::world::World;

async fn refunds_of(world: &World, who: &SignedInUser) -> Vec<Refund> {
    refunds::by_uid(world.app.store(), &who.uid).await.expect("readable")
}

async fn late_mails(world: &World, email: &str) -> Vec<String> {
    let mails = world.mails_to(email).await;
    let late =
        mails.iter().filter(|mail| mail["subject"].as_str().expect("a text").contains("depois do prazo"));
    late.map(|mail| mail["text"].as_str().expect("a text").to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_boleto_paid_after_23_hours_is_refunded_by_pix_and_the_owner_is_notified() {
    let world = World::new().await;
    world.behaves(json!({ "boleto_incomplete": "after_23_hours" })).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let session = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_hours(24).await;
    assert_eq!(world.account_of(&ana).await.boleto, None, "nobody is asked to pay it now");

    world.pays_boleto(&session).await;
    world.rest().await;

    let refunds = refunds_of(&world, &ana).await;
    assert_eq!(refunds.len(), 1);
    let refund = &refunds[0];
    assert_eq!(
        (refund.method, refund.reason, refund.amount_centavos.get()),
        (RefundMethod::Pix, RefundReason::AfterEnd, 9_790)
    );
    assert_eq!(refund.pix_key.as_deref(), Some("ana@exemplo.com.br"));
    assert_eq!(refunds::count_due(world.app.store()).await.expect("readable"), 1, "the operator sees it");
    let told = late_mails(&world, "ana@exemplo.com.br").await;
    assert_eq!(told.len(), 1);
    assert!(told[0].contains(refund.protocol.as_deref().expect("a protocol")), "{told:?}");
    let account = world.account_of(&ana).await;
    assert_eq!(account.subscription, None, "no access without a subscription");
    assert_eq!(account.refund.expect("the account shows it").protocol, refund.protocol.clone().expect("one"));
    let checkout = world.checkout(&session).await.expect("known");
    assert_eq!(checkout.payment_status, "unpaid", "the purchase came to nothing");

    world.advances_days(2).await;
    world.rest().await;
    assert_eq!(
        (refunds_of(&world, &ana).await.len(), late_mails(&world, "ana@exemplo.com.br").await.len()),
        (1, 1)
    );
    world.opens(&ana, "top_afiliado", "month", "").await.expect("a new purchase is open");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_paid_in_time_and_confirmed_late_is_not_reported_as_paid_late() {
    let world = World::new().await;
    world
        .behaves(json!({
            "boleto_incomplete": "after_23_hours", "boleto_confirmation": "next_business_day"
        }))
        .await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let session = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_hours(1).await;
    world.pays_boleto(&session).await;

    world.advances_days(5).await;

    assert_eq!(refunds_of(&world, &ana).await.len(), 1, "the confirmation came after the end");
    let mails = world.mails_to("ana@exemplo.com.br").await;
    let subjects: Vec<_> = mails.iter().filter_map(|mail| mail["subject"].as_str()).collect();
    assert!(subjects.contains(&"Seu pagamento foi confirmado depois do prazo: Top Afiliado"), "{subjects:?}");
    let told = late_mails(&world, "ana@exemplo.com.br").await;
    assert!(told[0].contains("quem paga um boleto no prazo"), "{told:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_late_payment_without_any_event_is_found_by_the_daily_reconciliation() {
    let world = World::new().await;
    world.behaves(json!({ "boleto_incomplete": "after_23_hours" })).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let session = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_hours(24).await;
    world.fails(json!({ "webhooks": "drop" })).await;
    world.pays_boleto(&session).await;

    world.advances_days(2).await;

    assert_eq!(refunds_of(&world, &ana).await.len(), 1);
    assert_eq!(late_mails(&world, "ana@exemplo.com.br").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_confirmed_after_its_due_date_activates_the_purchase() {
    for behavior in ["next_business_day_after_expiry", "next_business_day"] {
        let world = World::new().await;
        world.behaves(json!({ "boleto_confirmation": behavior })).await;
        let ana = world.signs_up("ana@exemplo.com.br").await;
        let session = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
        let due = world.account_of(&ana).await.boleto.expect("it waits").due_at.expect("dated").seconds;
        world.goes_to(due - 3_600).await;

        world.pays_boleto(&session).await;
        world.goes_to(due + 3_600).await;
        let between = world.status_of(&ana).await;
        world.advances_days(5).await;

        assert_ne!(
            between.and_then(|(_, active)| active),
            Some(true),
            "nothing is granted before it is confirmed"
        );
        assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "{behavior}");
        assert!(refunds_of(&world, &ana).await.is_empty());
        assert_eq!(world.checkout(&session).await.expect("known").payment_status, "paid");
        assert_eq!(world.provider_list("/v1/charges").await.len(), 1, "charged once");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_boleto_confirmed_late_restores_the_access_and_charges_no_other() {
    for (confirmation, without_reissue) in [
        ("next_business_day_after_expiry", false),
        ("next_business_day_after_expiry", true),
        ("next_business_day", false),
    ] {
        let world = World::on_sqlite().await;
        let behavior =
            json!({ "boleto_confirmation": confirmation, "boleto_without_reissue": without_reissue });
        let ana = world.signs_up("ana@exemplo.com.br").await;
        let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
        world.takes_boleto(&session).await;
        world.pays_boleto(&session).await;
        world.rest().await;
        world.behaves(behavior.clone()).await;
        world.advances_days(30).await;
        world.advances_hours(2).await;
        let due = world.account_of(&ana).await.boleto.expect("it waits").due_at.expect("dated").seconds;
        world.goes_to(due - 3_600).await;
        world.pays_boleto(&session).await;

        world.advances_days(6).await;

        assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))), "{behavior}");
        assert_eq!(world.account_of(&ana).await.boleto, None, "no second voucher is collected");
        let charges = world.provider_list("/v1/charges").await;
        let paid = charges.iter().filter(|charge| charge["status"] == "succeeded").count();
        assert_eq!(paid, 2, "the purchase and the renewal");
        assert!(refunds_of(&world, &ana).await.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_paid_before_a_new_card_purchase_is_refunded_by_pix() {
    let world = World::new().await;
    world.behaves(json!({ "boleto_confirmation": "next_business_day" })).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let slip = world.orders_by_boleto(&ana, "top_afiliado", "month").await;
    world.pays_boleto(&slip).await;
    let card =
        world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a waiting boleto is no obstacle");
    world.subscribes_in(&card).await;

    world.advances_days(5).await;
    world.rest().await;

    let account = world.account_of(&ana).await;
    assert_eq!(account.subscription.expect("there is one").plan_id, "elite_nivel_1");
    let refunds = refunds_of(&world, &ana).await;
    assert_eq!(refunds.len(), 1, "the boleto alone");
    assert_eq!((refunds[0].method.text(), refunds[0].amount_centavos.get()), ("pix", 9_790));
}
