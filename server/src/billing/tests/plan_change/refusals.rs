//! Changes of plan that are refused, and why.

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use tonic::Status;
use tonic_types::StatusExt as _;

use crate::billing::tests::VISA;
use crate::billing::tests::plan_change::{bill, buys, change, preview};
use crate::tests::server::reason;
use crate::tests::world::World;

fn decline_code(status: &Status) -> String {
    let info = status.get_error_details().error_info().cloned().expect("ErrorInfo");
    info.metadata.get("decline_code").cloned().unwrap_or_default()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_declined_card_changes_nothing_and_the_preview_stays_valid() {
    let (world, ana) = World::new().await.with_ana().await;
    let before = buys(&world, &ana, "top_afiliado", "month", "4000000000000341").await;
    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");

    let refused = change(&world, &ana, &shown.preview_token, Some("one")).await.expect_err("declined");
    let again = change(&world, &ana, &shown.preview_token, Some("one")).await.expect_err("the same answer");

    for refused in [&refused, &again] {
        assert_eq!(reason(refused), ErrorReason::PaymentDeclined);
        assert_eq!(decline_code(refused), "generic_decline");
    }
    world.rest().await;
    assert_eq!(world.account_of(&ana).await.subscription.expect("it runs"), before);
    let mut intents = world.provider_list("/v1/payment_intents").await;
    intents.retain(|intent| intent["status"] != "canceled");
    assert_eq!(intents.len(), 1, "the purchase alone");
    world.takes_card(&ana, VISA).await;
    let done = change(&world, &ana, &shown.preview_token, Some("two")).await.expect("it is changed");
    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_superseded_or_foreign_preview_is_rejected() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let ask = async || preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await;
    let first = ask().await.expect("a preview").preview_token;
    let second = ask().await.expect("a preview").preview_token;
    let superseded = change(&world, &ana, &first, None).await.expect_err("a newer one holds");
    assert_eq!(reason(&superseded), ErrorReason::PreviewExpired);

    let subscription = &world.provider_list("/v1/subscriptions").await[0];
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    world.provider_posts(&path, &[("cancel_at_period_end", "true")]).await;
    let changed = change(&world, &ana, &second, None).await.expect_err("the subscription has changed");
    assert_eq!(reason(&changed), ErrorReason::PreviewExpired);

    let old = ask().await.expect("a preview").preview_token;
    world.advances_hours(1).await;
    let late = change(&world, &ana, &old, None).await.expect_err("older than ten minutes");
    assert_eq!(reason(&late), ErrorReason::PreviewExpired);
    let unknown = change(&world, &ana, "gpc_unknown", None).await.expect_err("nobody's");
    assert_eq!(reason(&unknown), ErrorReason::PreviewExpired);
    let bia = world.signs_up("bia@exemplo.com.br").await;
    let token = ask().await.expect("a preview").preview_token;
    let foreign = change(&world, &bia, &token, None).await.expect_err("somebody else's");
    assert_eq!(reason(&foreign), ErrorReason::PreviewExpired);
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 1, "nothing was charged");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_returns_the_reason_for_having_no_change_to_make() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let monthly = pb::PlanInterval::Monthly;
    let none = preview(&world, &ana, "elite_nivel_2", monthly).await.expect_err("nothing is bought");
    assert_eq!(reason(&none), ErrorReason::NoSubscription);
    world.subscribes(&ana, "top_afiliado", "month").await;
    for (plan, interval, why) in [
        ("top_afiliado", monthly, ErrorReason::InvalidArgument),
        ("nenhum", monthly, ErrorReason::UnknownPlan),
        ("profissional", monthly, ErrorReason::PlanNotForSale),
        ("elite_nivel_2", pb::PlanInterval::Unspecified, ErrorReason::UnknownInterval),
    ] {
        let refused = preview(&world, &ana, plan, interval).await.expect_err("refused");
        assert_eq!(reason(&refused), why, "{plan}");
    }
    for plan in garimpo_domain::catalog().plans_for_sale() {
        let shown = preview(&world, &ana, plan.id.as_str(), pb::PlanInterval::Annual).await;
        let shown = shown.unwrap_or_else(|why| panic!("{}: {why}", plan.id));
        assert_eq!(bill(&shown), shown.amount_due_centavos, "{}", plan.id);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_boleto_subscriber_needs_a_card_to_pay_a_change_but_not_to_receive_credit() {
    let (world, ana) = World::new().await.with_ana().await;
    let session = world.opens(&ana, "elite_nivel_2", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&session).await;
    world.pays_boleto(&session).await;
    world.rest().await;

    let dearer = preview(&world, &ana, "elite_pro_1", pb::PlanInterval::Monthly).await.expect("a preview");
    assert_eq!(dearer.payment_method, "boleto");
    let refused = change(&world, &ana, &dearer.preview_token, None).await.expect_err("no card");
    assert_eq!(reason(&refused), ErrorReason::CardRequired);
    world.takes_card(&ana, VISA).await;
    let done = change(&world, &ana, &dearer.preview_token, None).await.expect("the card pays");
    assert_eq!(done.charged_centavos, dearer.amount_due_centavos);

    let rui = world.signs_up("rui@exemplo.com.br").await;
    let session = world.opens(&rui, "elite_nivel_2", "month", "").await.expect("a checkout opens");
    world.takes_boleto(&session).await;
    world.pays_boleto(&session).await;
    world.rest().await;
    let cheaper = preview(&world, &rui, "top_afiliado", pb::PlanInterval::Monthly).await.expect("a preview");
    let done = change(&world, &rui, &cheaper.preview_token, None).await.expect("credit needs no card");
    assert_eq!(done.credit_centavos, -cheaper.amount_due_centavos);
    assert_eq!(done.subscription.expect("it runs").payment_method, "boleto");
}
