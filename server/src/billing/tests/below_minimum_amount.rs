//! Renewals by boleto whose amount after credit is below the boleto minimum.

use serde_json::json;

use crate::billing::tests::{customer_of, text};
use crate::tests::server::SignedInUser;
use crate::tests::world::{ANA, World};

/// Buys by boleto and has credit that leaves R$ 3,20 of the renewal. Returns the subscription.
async fn buys_and_has_credit(world: &World, who: &SignedInUser) -> String {
    world.subscribes_by_boleto(who, "top_afiliado", "month").await;
    let path = format!("/v1/customers/{}", customer_of(world, who).await);
    world.provider_posts(&path, &[("balance", "-9470")]).await;
    text(&world.provider_list("/v1/subscriptions").await[0]["id"])
}

async fn balance(world: &World) -> i64 {
    world.provider_list("/v1/customers").await[0]["balance"].as_i64().expect("a number")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewal_rest_below_five_reais_is_charged_with_the_next_boleto() {
    let (world, ana) = World::new().await.with_ana().await;
    buys_and_has_credit(&world, &ana).await;
    let before = world.account_of(&ana).await.subscription.expect("it runs").ends_at.expect("dated");

    world.goes_to(before.seconds + 2 * 3_600).await;

    let account = world.account_of(&ana).await;
    assert_eq!((account.boleto, account.credit_centavos, account.carried_centavos), (None, 0, 320));
    let own = account.subscription.expect("it runs");
    assert_eq!((own.status.as_str(), own.active), ("active", Some(true)));
    assert_eq!(own.ends_at.expect("dated").seconds, before.seconds + 30 * 86_400);
    let invoices = world.invoices_of(&ana, 10, "").await.expect("a page").invoices;
    let renewal = &invoices[0];
    assert_eq!((renewal.status.as_str(), renewal.payment_method.as_str()), ("paid", ""));
    let amounts = (renewal.total_centavos, renewal.amount_due_centavos, renewal.carried_centavos);
    assert_eq!(amounts, (9_790, 0, 320));
    let mails = world.mails_to(ANA).await;
    assert_eq!(mails.len(), 3, "a boleto, its payment, and this one: {mails:?}");
    let said = "R$ 97,90, sendo R$ 94,70 do seu crédito e R$ 3,20 que ficam para a próxima fatura\n";
    assert!(mails[0]["text"].as_str().expect("a text").contains(said), "{}", mails[0]["text"]);
    assert_eq!(balance(&world).await, 320);

    world.goes_to(before.seconds + 30 * 86_400 + 2 * 3_600).await;

    let account = world.account_of(&ana).await;
    assert_eq!(account.boleto.expect("it waits").amount_centavos, 10_110);
    assert_eq!(account.carried_centavos, 0);
    let mails = world.mails_to(ANA).await;
    assert!(mails[0]["text"].as_str().expect("a text").contains("O boleto de R$ 101,10"), "{mails:?}");
    assert_eq!(world.provider_list("/v1/subscriptions").await[0]["status"], "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rest_is_carried_over_once_and_a_new_purchase_does_not_pay_it() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let bought = buys_and_has_credit(&world, &ana).await;
    let ends = world.account_of(&ana).await.subscription.expect("it runs").ends_at.expect("dated");
    // Both calls take effect, and their replies are lost for longer than the client's own retries.
    for path in ["/v1/credit_notes", "/v1/customers"] {
        world.fails(json!({ "path": path, "method": "POST", "act_then_drop": true, "times": 5 })).await;
    }

    world.goes_to(ends.seconds + 2 * 3_600).await;
    world.clear_faults().await;
    world.advances_hours(3).await;

    assert_eq!(balance(&world).await, 320);
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));

    world.ends_subscription(&bought).await;
    world.rest().await;
    world.subscribes(&ana, "top_afiliado", "month").await;
    let charged = world.provider_list("/v1/charges").await;
    assert_eq!(charged[0]["amount"], 9_790, "what was shown, and nothing beside it");
    assert_eq!(balance(&world).await, 0);
}
