//! A trial purchase that is charged at the trial's end (GARIMPO_TRIAL_PURCHASE=at_trial_end).

use serde_json::json;

use crate::billing::tests::charging_at_trial_end;
use crate::tests::database::Database;
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn the_first_charge_can_be_set_to_the_trial_end() {
    let world = charging_at_trial_end(Database::new().await).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let standing = world.account_of(&ana).await;
    let trial_ends = standing.trial_ends_at.expect("a moment").seconds;
    assert_eq!(standing.first_charge_at.expect("later").seconds, trial_ends);

    let session = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("a checkout opens");
    let again = world.opens(&ana, "top_afiliado", "month", "BF40").await.expect("the same one");
    assert_eq!(session, again);
    let object = world.provider_object(&format!("/v1/checkout/sessions/{session}")).await;
    assert_eq!((&object["amount_total"], &object["payment_method_types"]), (&json!(0), &json!(["card"])));
    world.subscribes_in(&session).await;

    assert_eq!(world.status_of(&ana).await, Some(("trialing".into(), None)));
    assert_eq!(world.account_of(&ana).await.subscription.expect("there is one").starts_at, None);
    assert!(world.provider_list("/v1/charges").await.is_empty());
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!((mails.len(), &mails[0]["subject"]), (1, &json!("Assinatura confirmada: Top Afiliado")));
    let text = mails[0]["text"].as_str().expect("a text");
    let day = garimpo_domain::Timestamp::from_unix_seconds(trial_ends).day_in_sao_paulo();
    for said in ["nada foi cobrado agora", "Valor: R$ 58,74", &format!("Primeira cobrança: {day}")] {
        assert!(text.contains(said), "{said}: {text}");
    }
    assert!(world.opens(&ana, "elite_nivel_2", "month", "").await.is_err(), "one is enough");

    world.goes_to(trial_ends + 2 * 3600).await;

    let standing = world.account_of(&ana).await;
    let paid = standing.subscription.expect("there is one");
    assert_eq!((paid.status.as_str(), paid.active), ("active", Some(true)));
    assert_eq!(paid.ends_at.expect("paid").seconds, trial_ends + 30 * 86_400);
    assert_eq!(standing.first_charge_at, None);
    let charges = world.provider_list("/v1/charges").await;
    assert_eq!((charges.len(), &charges[0]["amount"]), (1, &json!(5_874)));
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!((mails.len(), &mails[0]["subject"]), (2, &json!("Pagamento confirmado: Top Afiliado")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_purchase_canceled_in_the_trial_is_not_charged_at_its_end() {
    let world = charging_at_trial_end(Database::new().await).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let trial_ends = world.account_of(&ana).await.trial_ends_at.expect("a moment").seconds;
    world.subscribes(&ana, "top_afiliado", "month").await;
    world.cancels(&ana, "").await.expect("it is cancelled");

    world.goes_to(trial_ends + 2 * 3600).await;
    world.rest().await;

    assert!(world.provider_list("/v1/charges").await.is_empty());
    assert_eq!(world.status_of(&ana).await, None, "nothing was ever paid");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_first_charge_is_not_called_a_renewal() {
    let world = charging_at_trial_end(Database::new().await).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    let trial_ends = world.account_of(&ana).await.trial_ends_at.expect("a moment").seconds;
    world.subscribes_with("4000000000000341", &ana, "top_afiliado", "month").await;

    world.goes_to(trial_ends + 2 * 3600).await;

    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails[0]["subject"], "Pagamento não aprovado: Top Afiliado");
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("O cartão não foi aprovado na primeira cobrança do plano Top Afiliado"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn with_less_than_48_hours_of_trial_left_the_charge_is_immediate() {
    let world = charging_at_trial_end(Database::new().await).await;
    let ana = world.signs_up("ana@exemplo.com.br").await;
    world.advances_hours(5 * 24 + 1).await;
    assert_eq!(world.account_of(&ana).await.first_charge_at, None);

    world.subscribes(&ana, "top_afiliado", "month").await;

    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(world.provider_list("/v1/charges").await[0]["amount"], 9_790);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_trial_that_outlasts_the_campaign_returns_the_end_of_the_campaign() {
    let world = World::starting_at("2026-11-22T15:00:00Z").await;
    let early = world.signs_up("ana@exemplo.com.br").await;
    let ends_at = |account: garimpo_proto::billing::v1::GetSubscriptionResponse| account.campaign_ends_at;
    assert_eq!(ends_at(world.account_of(&early).await), None, "the trial ends before the campaign");

    world.advances_days(3).await;
    let late = world.signs_up("rui@exemplo.com.br").await;
    let told = ends_at(world.account_of(&late).await).expect("it ends in the trial");
    assert_eq!(told.seconds, 1_796_094_000, "1 December in São Paulo");

    world.subscribes(&late, "top_afiliado", "month").await;
    assert_eq!(ends_at(world.account_of(&late).await), None, "there is no trial");
    let another = world.signs_up("bia@exemplo.com.br").await;
    world.goes_to(1_796_094_000).await;
    assert_eq!(ends_at(world.account_of(&another).await), None, "the campaign is over");
}
