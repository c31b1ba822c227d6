//! A purchase by card, its renewals and its end.

use garimpo_proto::users::v1::GetUserRequest;

use crate::billing::tests::VISA;
use crate::tests::server::bearer;
use crate::tests::world::World;

#[tokio::test(flavor = "multi_thread")]
async fn a_card_purchase_activates_the_subscription_and_sends_one_mail() {
    let (world, ana) = World::new().await.with_ana().await;
    assert_eq!(world.account_of(&ana).await.subscription, None);

    let session = world.opens(&ana, "Elite Nível 2", "semestral", "").await.expect("a checkout opens");
    assert_eq!(world.checkout(&session).await.expect("known").status, "open");
    world.pays_by_card(&session, VISA).await;
    // The state read while the session was open is reused for two seconds, unless the event comes
    // first.
    let is_complete =
        async || world.checkout(&session).await.is_ok_and(|checkout| checkout.status == "complete");
    world.eventually("the checkout is complete", is_complete).await;
    let checkout = world.checkout(&session).await.expect("known");
    world.rest().await;

    assert_eq!((checkout.status.as_str(), checkout.payment_status.as_str()), ("complete", "paid"));
    assert_eq!((checkout.plan_id.as_str(), checkout.amount_total_centavos), ("elite_nivel_2", 87_160));
    assert_eq!(checkout.customer_email, "ana@exemplo.com.br");
    let account = world.account_of(&ana).await;
    let subscription = account.subscription.expect("there is one");
    assert_eq!(subscription.plan_name, "Elite Nível 2");
    assert_eq!((subscription.status.as_str(), subscription.active), ("active", Some(true)));
    assert_eq!((subscription.price_centavos, subscription.payment_method.as_str()), (87_160, "card"));
    let (start, end) =
        (subscription.starts_at.expect("paid").seconds, subscription.ends_at.expect("paid").seconds);
    assert_eq!(end - start, 180 * 86_400);
    assert!(subscription.refundable_until.is_some());
    let user =
        world.users().get_user(bearer(GetUserRequest { uid: ana.uid.to_string() }, &ana.session)).await;
    let user = user.expect("one's own record").into_inner().user.expect("a user");
    assert_eq!(
        (user.subscription_plan.as_deref(), user.subscription_active),
        (Some("elite_nivel_2"), Some(true))
    );
    assert_eq!((user.subscription_start, user.subscription_end), (Some(start), Some(end)));
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails.len(), 1, "{mails:?}");
    assert_eq!(mails[0]["subject"], "Pagamento confirmado: Elite Nível 2");
    assert!(mails[0]["text"].as_str().is_some_and(|text| text.contains("R$ 871,60")));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_card_purchase_makes_at_most_four_provider_calls() {
    let (world, ana) = World::new().await.with_ana().await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    world.subscribes(&bia, "top_afiliado", "month").await;
    let before = world.provider_calls().await.len();

    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, VISA).await;
    // The page reads the checkout while the events arrive.
    let checkout = world.checkout(&session).await.expect("known");
    world.rest().await;

    let mut calls = world.provider_calls().await;
    calls.truncate(calls.len() - before);
    assert!(calls.len() <= 4, "{calls:#?}");
    assert_eq!(checkout.payment_status, "paid");
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_card_is_not_charged_and_a_new_attempt_succeeds() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");

    let refused = world.pays_by_card(&session, "4000000000000002").await;
    world.rest().await;

    assert_eq!(refused["error"]["code"], "card_declined");
    assert_eq!(world.checkout(&session).await.expect("known").status, "open");
    assert_eq!(world.account_of(&ana).await.subscription, None);
    world.subscribes_in(&session).await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paid_renewal_extends_the_period_and_a_declined_one_suspends() {
    let (world, ana) = World::new().await.with_ana().await;
    let bia = world.signs_up("bia@exemplo.com.br").await;
    let session = world.opens(&ana, "top_afiliado", "month", "").await.expect("a checkout opens");
    world.pays_by_card(&session, VISA).await;
    world.subscribes_with("4000000000000341", &bia, "top_afiliado", "month").await;
    let first_end =
        world.account_of(&ana).await.subscription.expect("there is one").ends_at.expect("paid").seconds;
    assert_eq!(world.status_of(&bia).await, Some(("active".into(), Some(true))));

    world.advances_days(31).await;

    let renewed = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!((renewed.status.as_str(), renewed.active), ("active", Some(true)));
    assert_eq!(renewed.ends_at.expect("paid").seconds, first_end + 30 * 86_400);
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 2);
    assert_eq!(world.status_of(&bia).await, Some(("suspended".into(), Some(false))));
}
