//! A change of plan: previewed, done once, charged or credited.

mod confirmation;
mod next_charge;
mod refusals;
mod small_amounts;

use garimpo_proto::billing::v1 as pb;
use garimpo_proto::errors::v1::ErrorReason;
use serde_json::json;
use tonic::Status;

use crate::billing::tests::VISA;
use crate::tests::server::{SignedInUser, bearer, reason};
use crate::tests::world::World;

const DAY: i64 = 86_400;

pub(super) async fn preview(
    world: &World,
    who: &SignedInUser,
    plan: &str,
    interval: pb::PlanInterval,
) -> Result<pb::PreviewPlanChangeResponse, Status> {
    let request = pb::PreviewPlanChangeRequest { plan_id: plan.into(), interval: interval.into() };
    Ok(world.billing().preview_plan_change(bearer(request, &who.session)).await?.into_inner())
}

pub(super) async fn change(
    world: &World,
    who: &SignedInUser,
    token: &str,
    request_id: Option<&str>,
) -> Result<pb::ChangePlanResponse, Status> {
    let request =
        pb::ChangePlanRequest { preview_token: token.into(), request_id: request_id.map(str::to_owned) };
    Ok(world.billing().change_plan(bearer(request, &who.session)).await?.into_inner())
}

/// Changes to a monthly plan, come to rest. Returns the charged amount.
pub(super) async fn changes_plan(world: &World, who: &SignedInUser, plan: &str) -> i64 {
    let shown = preview(world, who, plan, pb::PlanInterval::Monthly).await.expect("a preview");
    let done = change(world, who, &shown.preview_token, None).await.expect("it is changed");
    world.rest().await;
    done.charged_centavos
}

async fn buys(world: &World, who: &SignedInUser, plan: &str, interval: &str, card: &str) -> pb::Subscription {
    world.subscribes_with(card, who, plan, interval).await;
    world.account_of(who).await.subscription.expect("there is one")
}

/// Sum of a preview's lines, earlier rest, used credit and carried amount.
fn bill(shown: &pb::PreviewPlanChangeResponse) -> i64 {
    let sum: i64 = shown.lines.iter().map(|line| line.amount_centavos).sum();
    sum + shown.earlier_centavos - shown.credit_used_centavos - shown.carried_centavos
}

fn seconds(at: Option<prost_types::Timestamp>) -> i64 {
    at.expect("an instant").seconds
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_within_the_interval_charges_the_previewed_amount_and_keeps_the_date() {
    let (world, ana) = World::new().await.with_ana().await;
    let before = buys(&world, &ana, "top_afiliado", "month", VISA).await;
    world.advances_days(10).await;

    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");

    let sum: i64 = shown.lines.iter().map(|line| line.amount_centavos).sum();
    assert_eq!(bill(&shown), shown.amount_due_centavos);
    assert!((7_980..=8_000).contains(&sum), "two thirds of 120,00: {sum}");
    assert_eq!(shown.lines[0].plan_id, "top_afiliado");
    assert_eq!(shown.lines[1].plan_id, "elite_nivel_2");
    assert_eq!((done.charged_centavos, done.credit_centavos), (shown.amount_due_centavos, 0));
    let after = done.subscription.expect("it runs");
    assert_eq!((after.plan_id.as_str(), after.status.as_str()), ("elite_nivel_2", "active"));
    assert_eq!((after.starts_at, after.ends_at), (before.starts_at, before.ends_at));
    assert_eq!((shown.next_payment_at, shown.next_payment_centavos), (before.ends_at, 21_790));
    assert_eq!((after.price_centavos, after.payment_method.as_str()), (21_790, "card"));
    assert_eq!(shown.payment_method, "card");
    world.rest().await;
    assert_eq!(world.account_of(&ana).await.subscription.expect("it runs"), after);
    let invoices = world.provider_list("/v1/invoices").await;
    assert_eq!(invoices[0]["amount_paid"], shown.amount_due_centavos);
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!(mails.len(), 2, "the purchase and the change: {mails:?}");
    assert_eq!(mails[0]["subject"], "Seu plano mudou: Elite Nível 2");
    let text = mails[0]["text"].as_str().expect("a text");
    let charged = garimpo_domain::Centavos::new(done.charged_centavos);
    for part in [
        "mudou de Top Afiliado (mensal) para Elite Nível 2 (mensal)",
        &format!("Cobramos {charged} agora"),
        "A próxima cobrança, de R$ 217,90, será em 04/11/2026.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_interval_starts_a_period_today() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    world.advances_days(15).await;

    let shown = preview(&world, &ana, "top_afiliado", pb::PlanInterval::Annual).await.expect("a preview");
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");

    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
    assert!((53_840..=53_850).contains(&done.charged_centavos), "{done:?}");
    let after = done.subscription.expect("it runs");
    let (start, end) = (seconds(after.starts_at), seconds(after.ends_at));
    assert_eq!(end - start, 365 * DAY);
    assert!((end - seconds(shown.next_payment_at)).abs() < 60);
    assert_eq!(after.interval(), pb::PlanInterval::Annual);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_downgrade_becomes_credit_that_the_renewal_uses() {
    let (world, ana) = World::new().await.with_ana().await;
    let before = buys(&world, &ana, "elite_pro_1", "month", VISA).await;

    let shown = preview(&world, &ana, "top_afiliado", pb::PlanInterval::Monthly).await.expect("a preview");
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");

    assert!(shown.amount_due_centavos < -19_990, "{shown:?}");
    assert_eq!(shown.credit_after_centavos, -shown.amount_due_centavos);
    assert_eq!((done.charged_centavos, done.credit_centavos), (0, shown.credit_after_centavos));
    let after = done.subscription.expect("it runs");
    assert_eq!((after.plan_id.as_str(), after.ends_at), ("top_afiliado", before.ends_at));
    assert_eq!(after.payment_method, "card");
    let credit = done.credit_centavos;
    world.rest().await;
    let mails = world.mails_to("ana@exemplo.com.br").await;
    let text = mails[0]["text"].as_str().expect("a text");
    let said = garimpo_domain::Centavos::new(credit);
    assert!(text.contains(&format!("Nada foi cobrado: {said} do plano anterior viraram crédito.")), "{text}");
    let end = after.ends_at.as_ref().map(crate::wire::instant).expect("a period").day_in_sao_paulo();
    let next = format!("Em {end}, nada será cobrado: o seu crédito de {said} paga a renovação.");
    assert!(text.contains(&next), "{text}");
    assert!(!text.contains("próxima cobrança, de"), "{text}");
    assert_eq!((shown.next_payment_centavos, shown.next_charge_centavos), (9_790, Some(0)));

    world.advances_days(31).await;

    let renewed = world.account_of(&ana).await;
    assert_eq!(renewed.credit_centavos, credit - 9_790);
    let mails = world.mails_to("ana@exemplo.com.br").await;
    let text = mails[0]["text"].as_str().expect("a text");
    assert!(text.contains("Valor: R$ 97,90, sendo R$ 97,90 do seu crédito\n"), "{text}");
    let subscription = renewed.subscription.expect("it runs");
    assert_eq!(seconds(subscription.ends_at), seconds(before.ends_at) + 30 * DAY);
    assert_eq!((subscription.status.as_str(), subscription.payment_method.as_str()), ("active", "card"));
    // Another change uses the remaining credit before it charges.
    let shown = preview(&world, &ana, "elite_pro_6", pb::PlanInterval::Monthly).await.expect("a preview");
    assert_eq!(shown.credit_used_centavos, credit - 9_790);
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert_eq!((done.charged_centavos, done.credit_centavos), (shown.amount_due_centavos, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_repeated_preview_token_or_request_id_changes_once_and_returns_the_same_reply() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");

    let token = &shown.preview_token;
    let (first, second) =
        tokio::join!(change(&world, &ana, token, Some("one")), change(&world, &ana, token, Some("one")));
    let third = change(&world, &ana, token, None).await.expect("the same answer");

    assert_eq!(first.expect("it is changed"), third);
    assert_eq!(second.expect("it is changed"), third);
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 2);
    let other = preview(&world, &ana, "elite_nivel_3", pb::PlanInterval::Monthly).await.expect("a preview");
    let used = change(&world, &ana, &other.preview_token, Some("one")).await.expect_err("used");
    assert_eq!(reason(&used), ErrorReason::InvalidArgument);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_whose_key_is_in_use_waits_for_the_call_that_uses_it() {
    let (world, ana) = World::on_sqlite().await.with_subscriber("top_afiliado", "month").await;
    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");
    // One more than the attempts of a call that fails for another reason.
    let in_use = json!({ "path": "/v1/subscriptions", "method": "POST", "status": 409, "times": 4 });
    world.fails(in_use).await;

    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");

    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_made_at_the_provider_takes_effect_and_sends_one_mail() {
    let (world, ana) = World::new().await.with_subscriber("elite_nivel_2", "month").await;
    let prices = world.provider_list("/v1/prices?limit=100").await;
    let price = prices.iter().find(|price| price["lookup_key"] == "top_afiliado_monthly").expect("pushed");
    let subscription = &world.provider_list("/v1/subscriptions").await[0];
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    let item = subscription["items"]["data"][0]["id"].as_str().expect("an id");

    let change = [("items[0][id]", item), ("items[0][price]", price["id"].as_str().expect("an id"))];
    world.provider_posts(&path, &change).await;
    world.rest().await;

    let changed = world.account_of(&ana).await.subscription.expect("it runs");
    assert_eq!((changed.plan_id.as_str(), changed.price_centavos), ("top_afiliado", 9_790));
    let mails = world.mails_to("ana@exemplo.com.br").await;
    assert_eq!((mails.len(), &mails[0]["subject"]), (2, &json!("Seu plano mudou: Top Afiliado")));
    assert!(mails[0]["text"].as_str().is_some_and(|text| text.contains("Nada foi cobrado agora.")));
    // Credit that was not created immediately lowers the charge of the renewal.
    world.advances_days(31).await;
    let renewed = world.account_of(&ana).await;
    let told = garimpo_domain::Centavos::new(21_790 - 2 * 9_790);
    assert!((renewed.credit_centavos - told.get()).abs() <= 1, "{renewed:?}");
    assert_eq!(renewed.subscription.expect("it runs").status, "active");
    assert_eq!(world.mails_to("ana@exemplo.com.br").await.len(), 2, "nothing was paid, nothing is confirmed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancellation_is_kept_by_a_change_in_the_same_period_and_dropped_by_a_new_one() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let subscription = &world.provider_list("/v1/subscriptions").await[0];
    let path = format!("/v1/subscriptions/{}", subscription["id"].as_str().expect("an id"));
    world.provider_posts(&path, &[("cancel_at_period_end", "true")]).await;
    world.rest().await;

    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");
    assert_eq!(shown.next_payment_centavos, 0, "it ends then");
    let kept = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert!(kept.subscription.expect("it runs").cancel_at_period_end);

    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Annual).await.expect("a preview");
    assert_eq!(shown.next_payment_centavos, 130_740, "it goes on");
    let dropped = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert!(!dropped.subscription.expect("it runs").cancel_at_period_end);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_guarantee_refunds_every_payment_and_ends_the_credit() {
    let (world, ana) = World::new().await.with_subscriber("elite_pro_1", "month").await;
    let shown = preview(&world, &ana, "top_afiliado", pb::PlanInterval::Monthly).await.expect("a preview");
    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert!(done.credit_centavos > 19_000);

    let refund = world.wants_back(&ana, None).await.expect("within the guarantee");
    world.rest().await;

    assert_eq!(refund.amount_centavos, 29_790, "all that was paid");
    assert_eq!(world.account_of(&ana).await.credit_centavos, 0, "and nothing a second time");
    let none =
        preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect_err("it is over");
    assert_eq!(reason(&none), ErrorReason::NoSubscription);
    // A paid difference is refunded too.
    let bia = world.signs_up("bia@exemplo.com.br").await;
    world.subscribes(&bia, "top_afiliado", "month").await;
    let shown = preview(&world, &bia, "elite_pro_1", pb::PlanInterval::Annual).await.expect("a preview");
    let done = change(&world, &bia, &shown.preview_token, None).await.expect("it is changed");
    let refund = world.wants_back(&bia, None).await.expect("within the guarantee");
    assert_eq!(refund.amount_centavos, 9_790 + done.charged_centavos);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_provider_outage_during_a_plan_change_does_not_charge_twice() {
    let (world, ana) = World::new().await.with_subscriber("top_afiliado", "month").await;
    let shown = preview(&world, &ana, "elite_nivel_2", pb::PlanInterval::Monthly).await.expect("a preview");
    // The provider applies the change, and its replies are lost for the next minutes.
    world
        .fails(json!({ "path": "/v1/subscriptions", "method": "POST", "act_then_drop": true, "times": 3 }))
        .await;
    let lost = change(&world, &ana, &shown.preview_token, None).await.expect_err("every answer is lost");
    assert_eq!(reason(&lost), ErrorReason::ProviderUnavailable);

    let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is found done");

    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
    assert_eq!(done.subscription.expect("it runs").plan_id, "elite_nivel_2");
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 2);

    // The provider does not apply the change and recovers before the preview expires: the job
    // applies it.
    let shown = preview(&world, &ana, "elite_nivel_3", pb::PlanInterval::Monthly).await.expect("a preview");
    world.fails(json!({ "path": "/v1/subscriptions", "method": "POST", "status": 500 })).await;
    change(&world, &ana, &shown.preview_token, None).await.expect_err("it is down");
    world.clear_faults().await;
    world.advances_minutes(2).await;
    let plan = world.account_of(&ana).await.subscription.expect("it runs").plan_id;
    assert_eq!(plan, "elite_nivel_3");
    assert_eq!(world.provider_list("/v1/invoices").await[0]["amount_paid"], shown.amount_due_centavos);

    // The outage outlasts the preview: nothing is charged later.
    let shown = preview(&world, &ana, "elite_pro_1", pb::PlanInterval::Monthly).await.expect("a preview");
    world.fails(json!({ "path": "/v1/subscriptions", "method": "POST", "status": 500 })).await;
    change(&world, &ana, &shown.preview_token, None).await.expect_err("it is down");
    world.advances_hours(1).await;
    world.clear_faults().await;
    world.advances_hours(1).await;
    let late = change(&world, &ana, &shown.preview_token, None).await.expect_err("it holds no more");
    assert_eq!(reason(&late), ErrorReason::PreviewExpired);
    assert_eq!(world.provider_list("/v1/invoices").await.len(), 3);
}

/// What is shown is what is charged, through the real adapter: one subscriber changes again and
/// again.
#[tokio::test(flavor = "multi_thread")]
async fn every_plan_change_of_a_sequence_charges_the_previewed_amount() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let session =
        world.opens(&ana, "elite_nivel_3", "trimestral", "aniversario").await.expect("a checkout opens");
    world.subscribes_in(&session).await;
    let intervals = [
        pb::PlanInterval::Monthly,
        pb::PlanInterval::Quarterly,
        pb::PlanInterval::Semiannual,
        pb::PlanInterval::Annual,
    ];
    let plans: Vec<_> = garimpo_domain::catalog().plans_for_sale().map(|plan| plan.id).collect();
    for step in 0..16_usize {
        let (plan, interval) = (plans[step * 5 % plans.len()], intervals[step * 3 / 2 % 4]);
        world.advances_minutes(1_117 * (1 + step as i64 % 7)).await;
        let shown = preview(&world, &ana, plan.as_str(), interval).await.expect("a preview");
        let done = change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");

        let sum: i64 = shown.lines.iter().map(|line| line.amount_centavos).sum();
        assert_eq!(bill(&shown), shown.amount_due_centavos, "{step}: {shown:?}");
        assert_eq!(done.charged_centavos, shown.amount_due_centavos.max(0), "{step}");
        assert_eq!(done.credit_centavos, shown.credit_after_centavos, "{step}");
        let invoice = &world.provider_list("/v1/invoices?limit=1").await[0];
        assert_eq!(
            (&invoice["total"], &invoice["amount_paid"]),
            (&json!(sum), &json!(done.charged_centavos))
        );
    }
    // The last mail is on its way.
    world.rest().await;
    let standing = world.account_of(&ana).await;
    let changes = world.mails_to("ana@exemplo.com.br").await;
    let told = changes
        .iter()
        .filter(|mail| mail["subject"].as_str().is_some_and(|s| s.starts_with("Seu plano mudou")));
    assert_eq!(told.count(), 16);
    assert_eq!(standing.subscription.expect("it runs").status, "active");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_period_start_stays_the_same_after_a_change_while_the_renewal_is_a_draft() {
    let (world, ana) = World::on_sqlite().await.with_ana().await;
    let before = buys(&world, &ana, "elite_nivel_2", "month", VISA).await;
    world.advances_days(1).await;
    let shown = preview(&world, &ana, "top_afiliado", pb::PlanInterval::Monthly).await.expect("a preview");
    change(&world, &ana, &shown.preview_token, None).await.expect("it is changed");
    assert_eq!(world.account_of(&ana).await.subscription.expect("it runs").starts_at, before.starts_at);

    // The period is over, and its renewal is a draft.
    world.goes_to(seconds(before.ends_at) + 1_800).await;

    let own = world.account_of(&ana).await.subscription.expect("it runs");
    assert_eq!((own.starts_at, own.ends_at), (before.starts_at, before.ends_at));
}
