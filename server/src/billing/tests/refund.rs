//! Refunds requested under the guarantee.

use crate::store::engine::row::Text as _;
use crate::store::operator::refund_marks;
use garimpo_domain::Centavos;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::{Value, json};

use crate::billing::record_pix_refund;
use crate::billing::tests::plan_change::changes_plan;
use crate::billing::tests::{assert_at_rest, mails_about, text};
use crate::tests::server::reason;
use crate::tests::world::{ANA, World};

async fn mail_about(world: &World, subject: &str) -> String {
    let mails = mails_about(world, subject).await;
    assert_eq!(mails.len(), 1, "'{subject}' is told once");
    text(&mails[0]["text"])
}

async fn no_mail_about_a_cancellation(world: &World) {
    let mails = world.mails_to(ANA).await;
    let tells = |mail: &Value| mail["subject"].as_str().is_some_and(|text| text.contains("cancelada"));
    assert!(!mails.iter().any(tells), "{mails:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guarantee_refund_to_the_card_returns_everything_ends_the_access_and_has_a_protocol() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let before = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!((before.refundable_centavos, before.refund_method.as_deref()), (Some(19_790), Some("card")));

    let answer = world.wants_back(&ana, Some("tab")).await.expect("it is given back");
    // Access ended with the request, before any job ran.
    let asked = world.account_of(&ana).await;
    world.rest().await;

    assert_eq!((answer.amount_centavos, answer.method.as_str(), answer.due_at), (19_790, "card", None));
    assert_eq!(answer.protocol.len(), "2611-4821-7730".len());
    let standing = asked.subscription.expect("it speaks for the account");
    assert_eq!((standing.status.as_str(), standing.active), ("canceled", Some(false)));
    assert_eq!((standing.refundable_until, standing.refundable_centavos), (None, None));
    let refund = world.account_of(&ana).await.refund.expect("it is told");
    assert_eq!((&refund.protocol, refund.amount_centavos), (&answer.protocol, 19_790));
    assert_eq!((refund.method.as_str(), refund.state.as_str()), ("card", "paid"));
    let at_provider = world.provider_list("/v1/refunds").await;
    assert_eq!((at_provider.len(), &at_provider[0]["amount"]), (1, &json!(19_790)));
    assert_eq!(world.provider_list("/v1/subscriptions?status=all").await[0]["status"], "canceled");
    let text = mail_about(&world, "Reembolso pedido").await;
    for said in [answer.protocol.as_str(), "R$ 197,90", "Elite Nível 1", "5 a 10 dias úteis"] {
        assert!(text.contains(said), "{said}: {text}");
    }
    no_mail_about_a_cancellation(&world).await;

    // The same request, and a second click without its id.
    for id in [Some("tab"), None, Some("other-tab")] {
        assert_eq!(world.wants_back(&ana, id).await.expect("the same"), answer);
    }
    world.rest().await;
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 1, "nothing goes back twice");
    assert_at_rest(&world).await;
    // She can buy again, without a second guarantee.
    world.subscribes(&ana, "top_afiliado", "month").await;
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    let second = world.wants_back(&ana, None).await.expect_err("the first subscription alone");
    assert_eq!(reason(&second), ErrorReason::RefundWindowClosed);
    assert_eq!(world.wants_back(&ana, Some("tab")).await.expect("the old one"), answer);
    world.advances_days(31).await;
    assert_eq!(world.account_of(&ana).await.refund, None, "told for 30 days");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refunded_account_does_not_return_to_the_trial() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let before = world.account_of(&ana).await;
    assert!(before.trial_ends_at.map(|end| end.seconds) > before.server_time.map(|now| now.seconds));
    world.subscribes(&ana, "elite_nivel_1", "month").await;

    world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    let after = world.account_of(&ana).await;
    assert!(after.trial_ends_at.map(|end| end.seconds) <= after.server_time.map(|now| now.seconds));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guarantee_of_a_boleto_becomes_a_pix_refund_that_the_operator_pays() {
    let (world, ana) = World::new().await.with_ana().await;
    let slip = world.orders_by_boleto(&ana, "elite_nivel_1", "month").await;
    let waiting = world.account_of(&ana).await.boleto.expect("a boleto waits");
    assert_eq!((waiting.barcode.len(), &waiting.barcode[..4]), (44, &waiting.line[..4]));
    world.pays_boleto(&slip).await;
    world.rest().await;

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!((answer.amount_centavos, answer.method.as_str()), (19_790, "pix"));
    let server_time = world.account_of(&ana).await.server_time.expect("now").seconds;
    let due = answer.due_at.expect("a day").seconds;
    assert!((due - server_time - 30 * 86_400).abs() < 60, "in 30 days");
    assert!(
        mail_about(&world, "Reembolso pedido").await.contains("por Pix, para a chave que é este email, até")
    );
    assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))));
    let waiting = refund_marks::list(world.app.store(), None, 10).await.expect("readable").remove(0);
    assert_eq!((waiting.pix_key.as_deref(), waiting.state.text()), (Some(ANA), "requested"));
    assert_eq!(world.account_of(&ana).await.refund.expect("told").state, "requested");

    let now = world.app.clock().now();
    let pays = async |note: &str, at| {
        record_pix_refund(world.app.store(), &waiting.id, note, at).await.expect("the store answers")
    };
    assert_eq!(pays("TED", now).await, Some(now));
    assert_eq!(pays("TED", now.plus_days(1)).await, Some(now), "who asks again reads the same");
    assert_eq!(pays("outra TED", now).await, None, "once");
    world.rest().await;

    assert_eq!(world.account_of(&ana).await.refund.expect("told").state, "paid");
    let paid = mail_about(&world, "Reembolso pago").await;
    assert!(paid.contains("R$ 197,90") && paid.contains(&answer.protocol), "{paid}");
    let invoice = world.invoices_of(&ana, 0, "").await.expect("a page").invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guarantee_of_boleto_and_card_payments_lists_each_part() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    world.subscribes_by_boleto(&ana, "top_afiliado", "month").await;
    world.takes_card(&ana, "4242424242424242").await;
    let difference = changes_plan(&world, &ana, "elite_nivel_1").await;
    let all = 9_790 + difference;
    let before = world.account_of(&ana).await.subscription.expect("there is one");
    assert_eq!((before.refundable_centavos, before.refund_pix_centavos), (Some(all), 9_790));

    let answer = world.wants_back(&ana, None).await.expect("it is given back");
    world.rest().await;

    assert_eq!((answer.amount_centavos, answer.pix_centavos, answer.method.as_str()), (all, 9_790, "pix"));
    let told = world.account_of(&ana).await.refund.expect("told");
    assert_eq!((told.amount_centavos, told.pix_centavos, told.state.as_str()), (all, 9_790, "requested"));
    let mail = mail_about(&world, "Reembolso pedido").await;
    let parts = format!(
        "em duas partes: {} no mesmo cartão, em 5 a 10 dias úteis, e {} por Pix, para a chave que é este email",
        Centavos::new(difference),
        Centavos::new(9_790)
    );
    assert!(mail.contains(&parts), "{mail}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guarantee_also_covers_a_subscription_ended_immediately_at_the_provider() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_1", "month").await;
    let id = world.provider_list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    world.ends_subscription(&id).await;
    world.rest().await;
    let ended = world.account_of(&ana).await.subscription.expect("it speaks for the account");
    assert_eq!((ended.status.as_str(), ended.refundable_centavos), ("canceled", Some(19_790)));

    let answer = world.wants_back(&ana, None).await.expect("the guarantee has no conditions");
    world.rest().await;

    assert_eq!(answer.amount_centavos, 19_790);
    assert_eq!(world.provider_list("/v1/refunds").await[0]["amount"], json!(19_790));
    assert_eq!(world.account_of(&ana).await.refund.expect("it is told").state, "paid");
    assert_at_rest(&world).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn after_the_seventh_day_the_guarantee_is_closed_and_nothing_changes() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let none = world.wants_back(&ana, None).await.expect_err("nothing was bought");
    assert_eq!(reason(&none), ErrorReason::NoSubscription);
    world.subscribes(&ana, "top_afiliado", "month").await;
    let until = world.account_of(&ana).await.subscription.expect("one").refundable_until.expect("it holds");
    world.goes_to(until.seconds + 1).await;

    let late = world.wants_back(&ana, None).await.expect_err("it is too late");

    assert_eq!(reason(&late), ErrorReason::RefundWindowClosed);
    assert_eq!(world.status_of(&ana).await, Some(("active".into(), Some(true))));
    assert_eq!(world.provider_list("/v1/refunds").await.len(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_does_not_prevent_a_refund_request_and_the_money_returns_once() {
    for (path, fault) in [
        ("/v1/refunds", json!({ "status": 500, "times": 4 })),
        ("/v1/refunds", json!({ "act_then_drop": true, "times": 4 })),
        ("/v1/", json!({ "status": 503, "times": 40 })),
    ] {
        let (world, ana) = World::on_sqlite().await.with_subscriber("elite_nivel_1", "month").await;
        let mut fault = fault;
        fault["path"] = json!(path);
        world.fails(fault).await;

        let answer = world.wants_back(&ana, None).await.expect("our word does not wait for the provider");
        assert_eq!(world.status_of(&ana).await, Some(("canceled".into(), Some(false))), "nor does the end");
        world.settles().await;
        world.clear_faults().await;
        world.advances_hours(2).await;

        assert_eq!(answer.amount_centavos, 19_790);
        assert_eq!(world.account_of(&ana).await.refund.expect("told").state, "paid");
        let charges = world.provider_list("/v1/charges").await;
        assert_eq!((charges.len(), &charges[0]["amount_refunded"]), (1, &json!(19_790)));
        assert_eq!(world.provider_list("/v1/refunds").await.len(), 1, "{path}");
        mail_about(&world, "Reembolso pedido").await;
        assert_at_rest(&world).await;
    }
}
