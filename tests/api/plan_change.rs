//! A plan change from outside: previewed by PreviewPlanChange, applied by ChangePlan, and charged
//! once despite failures.

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use garimpo_proto::billing::v1::{
    CancelSubscriptionRequest, ChangePlanRequest, ChangePlanResponse, PlanInterval, PreviewPlanChangeRequest,
    PreviewPlanChangeResponse,
};
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt;

use PlanInterval::{Annual, Monthly};

const VISA: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const DAY: i64 = 86_400;

#[tokio::test]
async fn an_upgrade_charges_a_downgrade_gives_credit_and_the_renewal_uses_it_first() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app, "Top Afiliado", VISA).await;
    let ends = ana.record().await["subscription_end"].as_i64().expect("an end");
    // To the second: with 20 of 30 days left, a share changes by a centavo after 43 s at the
    // earliest.
    provider.goes_to(ends - 20 * DAY).await;

    let dearer = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    let up = change(&ana, &dearer, None).await.expect("it is changed");

    assert_eq!(up.charged_centavos, dearer.amount_due_centavos);
    assert_eq!(up.charged_centavos, 13_333, "two thirds of R$ 297,90 less two thirds of R$ 97,90");
    let record = ana.record().await;
    assert_eq!(record["subscription_plan"], "elite_pro_1");
    assert_eq!(record["subscription_end"], ends);
    assert_eq!(charges(&provider, &ana).await, [9_790, up.charged_centavos]);

    let cheaper = preview(&ana, "top_afiliado", Monthly).await.expect("a preview");
    let down = change(&ana, &cheaper, None).await.expect("it is changed");

    assert_eq!((down.charged_centavos, down.credit_centavos), (0, -cheaper.amount_due_centavos));
    // The renewal is paid by credit first.
    provider.goes_to(ends + 2 * 3600).await;
    let renewed = e2e::eventually("the renewal", || async {
        let record = ana.record().await;
        (record["subscription_end"] == ends + 30 * DAY).then_some(record)
    })
    .await;
    assert_eq!(renewed["subscription_status"], "active");
    assert_eq!(ana.get_subscription().await.credit_centavos, down.credit_centavos - 9_790);
    assert_eq!(charges(&provider, &ana).await.len(), 2, "credit was enough");
    ledger::eventually_agrees(&provider, &ana).await;
    mails(&provider, &ana, "Seu plano mudou", 2).await;
    // The purchase, and the renewal that credit paid. A plan change has another mail.
    mails(&provider, &ana, "Pagamento confirmado", 2).await;
}

#[tokio::test]
async fn an_interval_change_starts_a_period_today_and_a_repeated_call_charges_once() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app, "Top Afiliado", VISA).await;
    provider.advances_days(15).await;
    let now = provider.now().await;

    let shown = preview(&ana, "top_afiliado", Annual).await.expect("a preview");
    let first = change(&ana, &shown, Some("pedido-1")).await.expect("it is changed");
    let same_request = change(&ana, &shown, Some("pedido-1")).await.expect("the same answer");
    let same_token = change(&ana, &shown, None).await.expect("the same answer");

    assert_eq!(first, same_request);
    assert_eq!(first, same_token);
    assert_eq!(charges(&provider, &ana).await, [9_790, shown.amount_due_centavos]);
    let end = ana.record().await["subscription_end"].as_i64().expect("an end");
    let begins = end - 365 * DAY;
    assert!((now..=provider.now().await).contains(&begins), "it begins with the change: {begins}");
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn refused_plan_changes_change_nothing_and_return_their_reason() {
    let app = App::start().await;
    let provider = app.provider();
    let nobody = app.visitor().signs_up(&Person::new()).await;
    let none = preview(&nobody, "elite_pro_1", Monthly).await.expect_err("nothing is bought");
    assert_eq!(reason(&none), "NO_SUBSCRIPTION");

    let ana = subscriber(&app, "Top Afiliado", CARD_OF_ONE_CHARGE).await;
    let before = ana.record().await;
    let present = preview(&ana, "top_afiliado", Monthly).await.expect_err("it is that one");
    assert_eq!(reason(&present), "INVALID_ARGUMENT");
    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    let declined = change(&ana, &shown, None).await.expect_err("declined");
    assert_eq!(reason(&declined), "PAYMENT_DECLINED");
    let details = declined.get_error_details();
    assert_eq!(details.error_info().expect("ErrorInfo").metadata["decline_code"], "generic_decline");

    let newer = preview(&ana, "elite_pro_2", Monthly).await.expect("a preview");
    let superseded = change(&ana, &shown, None).await.expect_err("a newer one holds");
    assert_eq!(reason(&superseded), "PREVIEW_EXPIRED");
    provider.advances_kept(11 * 60).await;
    let late = change(&ana, &newer, None).await.expect_err("older than ten minutes");
    assert_eq!(reason(&late), "PREVIEW_EXPIRED");
    assert_eq!(ana.record().await, before);
    assert_eq!(charges(&provider, &ana).await, [9_790]);

    // The portal sets another card, and a new preview is charged to it.
    provider.portal_does_everything().await;
    provider.takes_card_in_portal(&ana.portal().await, VISA).await;
    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    let done = change(&ana, &shown, None).await.expect("it is changed");
    assert_eq!(done.charged_centavos, shown.amount_due_centavos);
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_boleto_payer_gets_credit_and_needs_a_card_for_a_charge() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "mensal").await;
    assert_eq!(provider.asks_for_boleto(&session).await, 200);
    assert_eq!(provider.pays_boleto(&session).await, 200);
    ana.becomes_active().await;

    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    assert_eq!(shown.payment_method, "boleto");
    let refused = change(&ana, &shown, None).await.expect_err("a boleto pays later");
    assert_eq!(reason(&refused), "CARD_REQUIRED");

    let cheaper = preview(&ana, "top_afiliado", Monthly).await.expect("a preview");
    let done = change(&ana, &cheaper, None).await.expect("credit needs no card");
    assert_eq!(done.credit_centavos, -cheaper.amount_due_centavos);
    provider.portal_does_everything().await;
    provider.takes_card_in_portal(&ana.portal().await, VISA).await;
    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    assert_eq!((shown.payment_method.as_str(), shown.credit_used_centavos), ("card", done.credit_centavos));
    let done = change(&ana, &shown, None).await.expect("the card pays the rest");
    assert_eq!((done.charged_centavos, done.credit_centavos), (shown.amount_due_centavos, 0));
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_boleto_is_issued_for_the_rest_after_credit_and_not_offered_below_the_minimum() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app, "Elite Nível 1", VISA).await;
    let shown = preview(&ana, "top_afiliado", Monthly).await.expect("a preview");
    let credit = change(&ana, &shown, None).await.expect("it is changed").credit_centavos;
    // A prorated price changes by a centavo 65 s after the purchase at the earliest.
    assert_eq!(credit, 10_000, "the difference of R$ 197,90 and R$ 97,90");
    let asked = ana.authorized(CancelSubscriptionRequest::default());
    ana.billing().await.cancel_subscription(asked).await.expect("cancelled");
    provider.advances_days(31).await;
    ana.becomes("canceled").await;

    // Credit pays R$ 97,90: no boleto is offered, and the card is not charged.
    let covered = ana.opens_checkout("Top Afiliado", "mensal").await;
    let held = provider.object(&format!("/v1/checkout/sessions/{covered}")).await;
    assert_eq!(held["payment_method_types"], json!(["card"]), "{held}");
    assert_eq!(provider.asks_for_boleto(&covered).await, 400);
    // R$ 234,96 exceeds the credit: the boleto is for the rest.
    let larger = ana.opens_checkout("Top Afiliado", "trimestral").await;
    assert_eq!(provider.asks_for_boleto(&larger).await, 200);
    let left = 23_496 - credit;
    let boleto = e2e::eventually("the boleto", || async { ana.get_subscription().await.boleto }).await;
    assert_eq!(boleto.amount_centavos, left);
    assert_eq!(provider.pays_boleto(&larger).await, 200);
    ana.becomes_active().await;
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_crash_between_intent_and_provider_call_changes_and_charges_once() {
    assert_charged_once_after_crash_at("intent.stored").await;
}

#[tokio::test]
async fn a_crash_between_provider_response_and_commit_changes_and_charges_once() {
    assert_charged_once_after_crash_at("provider.answered").await;
}

/// The process crashes within ChangePlan. After a restart the change is completed by itself, and
/// requested again.
async fn assert_charged_once_after_crash_at(point: &str) {
    let mut app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app, "Top Afiliado", VISA).await;
    app.restart_with_crash_point(point).await;
    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    change(&ana, &shown, Some("pedido-1")).await.expect_err("the process dies");
    app.dies_and_restarts().await;

    provider.advances_kept(60).await;
    e2e::eventually("the change, without its caller", || async {
        (ana.record().await["subscription_plan"] == "elite_pro_1").then_some(())
    })
    .await;
    let again = change(&ana, &shown, Some("pedido-1")).await.expect("the answer that was lost");

    assert_eq!(again.charged_centavos, shown.amount_due_centavos);
    assert_eq!(charges(&provider, &ana).await, [9_790, shown.amount_due_centavos]);
    ledger::eventually_agrees(&provider, &ana).await;
    mails(&provider, &ana, "Seu plano mudou", 1).await;
}

#[tokio::test]
async fn a_plan_change_with_lost_responses_or_a_failing_provider_charges_once() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app, "Top Afiliado", VISA).await;
    let path = "/v1/subscriptions";
    let shown = preview(&ana, "elite_nivel_2", Monthly).await.expect("a preview");
    provider.add_fault(json!({ "path": path, "method": "POST", "act_then_drop": true, "times": 3 })).await;
    let lost = change(&ana, &shown, None).await.expect_err("every answer is lost");
    assert_eq!(reason(&lost), "PROVIDER_UNAVAILABLE");
    let found = change(&ana, &shown, None).await.expect("it is found done");
    assert_eq!(found.charged_centavos, shown.amount_due_centavos);

    let shown = preview(&ana, "elite_pro_1", Monthly).await.expect("a preview");
    provider.add_fault(json!({ "path": path, "method": "POST", "status": 500 })).await;
    let down = change(&ana, &shown, None).await.expect_err("it is down");
    assert_eq!(reason(&down), "PROVIDER_UNAVAILABLE");
    let early = preview(&ana, "elite_pro_2", Monthly).await.expect_err("the change is not finished");
    assert_eq!(reason(&early), "CHANGE_IN_PROGRESS");
    provider.recovers().await;
    provider.advances_kept(60).await;
    e2e::eventually("the change, by itself", || async {
        (ana.record().await["subscription_plan"] == "elite_pro_1").then_some(())
    })
    .await;

    assert_eq!(charges(&provider, &ana).await, [9_790, found.charged_centavos, shown.amount_due_centavos]);
    ledger::eventually_agrees(&provider, &ana).await;
}

async fn subscriber(app: &App, plan: &str, card: &str) -> Visitor {
    let who = app.visitor().signs_up(&Person::new()).await;
    let session = who.opens_checkout(plan, "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, card).await, 200);
    who.becomes_active().await;
    who
}

async fn preview(
    who: &Visitor,
    plan: &str,
    interval: PlanInterval,
) -> Result<PreviewPlanChangeResponse, Status> {
    let request = PreviewPlanChangeRequest { plan_id: plan.into(), interval: interval.into() };
    let shown = who.billing().await.preview_plan_change(who.authorized(request)).await?.into_inner();
    let sum: i64 = shown.lines.iter().map(|line| line.amount_centavos).sum();
    let bill = sum + shown.earlier_centavos - shown.credit_used_centavos - shown.carried_centavos;
    assert_eq!(bill, shown.amount_due_centavos, "{shown:?}");
    Ok(shown)
}

async fn change(
    who: &Visitor,
    shown: &PreviewPlanChangeResponse,
    request_id: Option<&str>,
) -> Result<ChangePlanResponse, Status> {
    let request = ChangePlanRequest {
        preview_token: shown.preview_token.clone(),
        request_id: request_id.map(str::to_owned),
    };
    Ok(who.billing().await.change_plan(who.authorized(request)).await?.into_inner())
}

/// The amounts that the provider charged, oldest first.
async fn charges(provider: &Provider, who: &Visitor) -> Vec<i64> {
    let customer = provider.customer_of(&who.email).await;
    let mut all = provider.list(&format!("/v1/charges?customer={customer}")).await;
    all.retain(|charge| charge["paid"] == true);
    all.reverse();
    all.iter().map(|charge| charge["amount"].as_i64().expect("an amount")).collect()
}

async fn mails(provider: &Provider, who: &Visitor, subject: &str, count: usize) -> Vec<Value> {
    e2e::eventually(&format!("{count} mails: {subject}"), || async {
        let mut mails = provider.mails_to(&who.email).await;
        mails.retain(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject)));
        assert!(mails.len() <= count, "{mails:?}");
        (mails.len() == count).then_some(mails)
    })
    .await
}

fn reason(status: &Status) -> String {
    let info = status.get_error_details().error_info().cloned();
    info.map_or_else(|| status.to_string(), |info| info.reason)
}
