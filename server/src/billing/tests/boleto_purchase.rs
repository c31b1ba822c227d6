//! A purchase by boleto: open, paid, and never paid.

use serde_json::json;

use crate::store::billing::refunds;
use crate::store::billing::subscriptions::{self, Retired, Subscription};
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_purchase_awaits_payment_and_is_active_once_paid() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.orders_by_boleto(&ana, "Top Afiliado", "trimestral").await;

    let checkout = world.checkout(&session).await.expect("known");
    assert_eq!((checkout.status.as_str(), checkout.payment_status.as_str()), ("complete", "unpaid"));
    let boleto = checkout.boleto.expect("a boleto waits");
    assert_eq!((boleto.line.len(), boleto.amount_centavos), (47, 23_496));
    assert!(boleto.voucher_url.starts_with(&world.url));
    let account = world.account_of(&ana).await;
    assert_eq!(account.boleto, Some(boleto));
    assert_eq!(world.status_of(&ana).await, Some(("awaiting_payment".into(), None)));
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails.len(), 1);
    assert_eq!(mails[0]["subject"], "Seu boleto vence em 08/10: Top Afiliado");

    world.pays_boleto(&session).await;
    world.rest().await;

    let checkout = world.checkout(&session).await.expect("known");
    assert_eq!((checkout.payment_status.as_str(), checkout.boleto), ("paid", None));
    let account = world.account_of(&ana).await;
    assert_eq!(account.boleto, None);
    let subscription = account.subscription.expect("there is one");
    assert_eq!((subscription.status.as_str(), subscription.payment_method.as_str()), ("active", "boleto"));
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_unpaid_purchase_boleto_leaves_the_account_without_a_subscription() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&session).await;

    world.advances_days(5).await;

    let checkout = world.checkout(&session).await.expect("known");
    assert_eq!((checkout.status.as_str(), checkout.payment_status.as_str()), ("expired", "unpaid"));
    assert_eq!(checkout.boleto, None);
    let account = world.account_of(&ana).await;
    assert_eq!((account.subscription, account.boleto), (None, None));
    let lapsed = account.lapsed_purchase.expect("the account is told, in any browser");
    assert_eq!((lapsed.plan_id.as_str(), lapsed.amount_centavos), ("top_afiliado", 9_790));
    world.opens(&ana, "top_afiliado", "month", "").await.expect("a new checkout opens");

    world.advances_days(7).await;
    assert_eq!(world.account_of(&ana).await.lapsed_purchase, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_purchase_replaces_the_boleto_that_awaits_payment() {
    let (world, ana) = World::new().await.with_ana().await;
    let waiting = world.orders_by_boleto(&ana, "top_afiliado", "month").await;

    let session =
        world.opens(&ana, "elite_nivel_1", "month", "").await.expect("a waiting one is no obstacle");
    world.subscribes_in(&session).await;

    let account = world.account_of(&ana).await;
    assert_eq!(account.subscription.expect("there is one").plan_id, "elite_nivel_1");
    assert_eq!(account.boleto, None);
    let refused = world.pays_boleto(&waiting).await;
    assert!(refused["error"].is_object(), "the older voucher is void: {refused}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_renewal_keeps_the_access_until_the_grace_ends_and_then_suspends() {
    let (world, ana) = World::new().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    let first_end = world.account_of(&ana).await.subscription.expect("there is one").ends_at;

    world.advances_days(31).await;

    let account = world.account_of(&ana).await;
    let boleto = account.boleto.expect("the next voucher waits");
    assert_eq!(boleto.amount_centavos, 9790);
    assert_eq!(account.subscription.expect("there is one").active, Some(true));
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 3);

    world.goes_to(boleto.due_at.expect("dated").seconds + 3_600).await;
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails[0]["subject"], "Seu boleto venceu: Top Afiliado");
    let told = |mail: &serde_json::Value| mail["text"].as_str().expect("a text").to_owned();
    assert!(told(&mails[0]).contains("O seu acesso continua até"), "{mails:?}");
    world.advances_days(5).await;
    let mails = world.mails_to("ana@exemplo.com.br").await;
    let lapsed: Vec<_> =
        mails.iter().filter(|mail| mail["subject"] == "Seu boleto venceu: Top Afiliado").collect();
    assert_eq!(lapsed.len(), 2, "as it lapsed and as access was suspended");
    assert!(told(lapsed[0]).contains("O seu acesso está suspenso"), "{mails:?}");

    let account = world.account_of(&ana).await;
    assert_ne!(account.boleto.expect("a newer voucher waits").line, boleto.line);
    let subscription = account.subscription.expect("there is one");
    assert_eq!((subscription.status.as_str(), subscription.active), ("suspended", Some(false)));
    assert_eq!(subscription.ends_at, first_end);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_card_cancels_the_renewal_boleto_and_suspends_until_a_card_succeeds() {
    let (world, ana) = World::new().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    world.advances_days(31).await;
    assert!(world.account_of(&ana).await.boleto.is_some(), "the next voucher waits");

    world.types_card(&ana, "4000000000000341").await;
    let account = world.account_of(&ana).await;
    assert_eq!(account.boleto, None, "the provider has cancelled it");
    let subscription = account.subscription.expect("there is one");
    assert_eq!((subscription.status.as_str(), subscription.active), ("suspended", Some(false)));

    world.takes_card(&ana, "4242424242424242").await;
    let subscription = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!((subscription.status.as_str(), subscription.active), ("active", Some(true)));
    assert_eq!(subscription.payment_method, "card");
    let paid = world.invoices_of(&ana, 1, "").await.expect("listed").invoices.remove(0);
    assert_eq!((paid.status.as_str(), paid.payment_method.as_str()), ("paid", "card"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_that_replaces_the_boleto_becomes_the_method_of_the_next_charge() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    let by = async || world.account_of(&ana).await.subscription.expect("there is one").payment_method;
    assert_eq!(by().await, "boleto");

    world.takes_card(&ana, "4242424242424242").await;

    assert_eq!(by().await, "card");
    let paid = world.invoices_of(&ana, 1, "").await.expect("listed").invoices.remove(0);
    assert_eq!(paid.payment_method, "boleto", "the one that was paid by it");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_purchase_in_the_grace_of_a_boleto_replaces_the_old_subscription() {
    let (world, ana) = World::new().await.with_ana().await;
    let old = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&old).await;
    world.pays_boleto(&old).await;
    world.rest().await;
    world.advances_days(30).await;
    world.advances_hours(2).await;
    let due = world.account_of(&ana).await.boleto.expect("a voucher waits").due_at.expect("dated").seconds;

    let early = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("an open voucher bars nobody");
    world.settles().await;
    assert_eq!(world.checkout(&early).await.expect("known").status, "open");
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    world.goes_to(due + 3600).await;
    assert_eq!(world.status_of(&ana).await, Some(("past_due".into(), Some(true))));
    let slip = world.opens(&ana, "elite_nivel_2", "month", "").await.expect("nor does an expired one");
    world.takes_boleto(&slip).await;
    world.rest().await;
    assert_eq!(world.status_of(&ana).await, Some(("past_due".into(), Some(true))), "access holds meanwhile");
    let new = world.opens(&ana, "elite_nivel_1", "month", "").await.expect("nor a new boleto");
    world.subscribes_in(&new).await;

    let subscription = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!((subscription.plan_id.as_str(), subscription.active), ("elite_nivel_1", Some(true)));
    assert_eq!(world.provider_list("/v1/subscriptions?status=active").await.len(), 1);
    assert!(world.provider_list("/v1/invoices?status=open").await.is_empty(), "the vouchers are void");
    let rows = subscriptions::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    let retired = |row: &&Subscription| row.retired == Some(Retired::Replaced);
    assert_eq!((rows.len(), rows.iter().filter(retired).count()), (3, 2), "{rows:?}");
    assert!(refunds::by_uid(world.app.store(), &ana.uid).await.expect("readable").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn the_boleto_grace_ends_on_time_without_any_event_and_the_subscription_is_not_live() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&session).await;
    world.pays_boleto(&session).await;
    world.rest().await;
    world.advances_days(30).await;
    world.advances_hours(2).await;
    let due = world.account_of(&ana).await.boleto.expect("a voucher waits").due_at.expect("dated").seconds;
    world.fails(json!({ "webhooks": "drop" })).await;

    world.goes_to(due + 3 * 86_400 - 60).await;
    assert_eq!(world.status_of(&ana).await, Some(("past_due".into(), Some(true))));
    let rows = subscriptions::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert!(rows[0].live);
    world.goes_to(due + 3 * 86_400).await;

    assert_eq!(world.status_of(&ana).await, Some(("suspended".into(), Some(false))));
    let rows = subscriptions::by_uid(world.app.store(), &ana.uid).await.expect("readable");
    assert!(!rows[0].live, "the job that wakes for the moment has freed the place");
}
