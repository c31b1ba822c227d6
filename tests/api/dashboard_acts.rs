//! Actions of the operator in the provider's dashboard: free days, a pause, and a payment that the
//! provider did not receive.

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use garimpo_proto::billing::v1::{ListInvoicesRequest, PlanInterval, PreviewPlanChangeRequest};
use serde_json::{Value, json};
use tonic_types::StatusExt as _;

const CARD: &str = "4242424242424242";
/// Can be saved, and every later charge is declined.
const CARD_OF_ONE_CHARGE: &str = "4000000000000341";
const MINUTE: i64 = 60;
const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

#[tokio::test]
async fn free_days_keep_the_access_and_move_the_next_charge() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, CARD).await;
    let (path, until) = (subscription_path(&provider, &ana).await, ends + 15 * DAY);
    provider.advances_days(10).await;

    let form = [("trial_end", until.to_string()), ("proration_behavior", "none".to_owned())];
    provider.changes(&path, &form.each_ref().map(|(name, value)| (*name, value.as_str()))).await;

    wait_for_period_end(&ana, until).await;
    assert_active_until(&ana, until).await;
    let next = ana.get_subscription().await.subscription.expect("a subscription").next_payment_centavos;
    assert_eq!(next, Some(9_790), "the next charge is at the end of the free days, at the full price");
    let asked = ana.authorized(ListInvoicesRequest { page_size: 10, page_token: String::new() });
    let listed = ana.billing().await.list_invoices(asked).await.expect("a page").into_inner();
    assert_eq!(listed.invoices.len(), 1, "the empty invoice of the free days is not shown");
    let asked =
        PreviewPlanChangeRequest { plan_id: "elite_pro_1".into(), interval: PlanInterval::Monthly.into() };
    let refused = ana.billing().await.preview_plan_change(ana.authorized(asked)).await;
    let refused = refused.expect_err("the plan stays the same during free days");
    assert_eq!(refused.get_details_error_info().expect("a reason").reason, "NO_SUBSCRIPTION");
    ledger::eventually_agrees(&provider, &ana).await;

    // The paid period has ended, and the free days have begun.
    provider.goes_to(ends + 2 * DAY).await;
    assert_active_until(&ana, until).await;
    wait_until_doctor_finds_nothing(&app).await;
    provider.goes_to(until + HOUR / 2).await;
    assert_active_until(&ana, until).await;
    provider.goes_to(until + HOUR + MINUTE).await;

    wait_for_period_end(&ana, until + 30 * DAY).await;
    assert_active_until(&ana, until + 30 * DAY).await;
    assert_eq!(ana.record().await["subscription_start"], until);
    assert_eq!(mails(&provider, &ana, "Pagamento confirmado").await, 2);
    assert_eq!(mails(&provider, &ana, "Pagamento não aprovado").await, 0);
    ledger::eventually_agrees(&provider, &ana).await;
    wait_until_doctor_finds_nothing(&app).await;
}

#[tokio::test]
async fn free_days_that_end_unpaid_end_the_access_and_fewer_days_charge_earlier() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, CARD_OF_ONE_CHARGE).await;
    let path = subscription_path(&provider, &ana).await;
    for until in [ends + 20 * DAY, ends + 5 * DAY] {
        let until_text = until.to_string();
        let form = [("trial_end", until_text.as_str()), ("proration_behavior", "none")];
        provider.changes(&path, &form).await;
        wait_for_period_end(&ana, until).await;
    }

    provider.goes_to(ends + 5 * DAY + HOUR + 2 * MINUTE).await;

    let record = ana.becomes("suspended").await;
    let shown = (&record["subscription_active"], &record["subscription_end"]);
    assert_eq!(shown, (&json!(false), &json!(ends + 5 * DAY)));
    ledger::eventually_agrees(&provider, &ana).await;
    wait_until_doctor_finds_nothing(&app).await;
}

#[tokio::test]
async fn a_pause_gives_no_free_days_and_a_payment_outside_of_the_provider_gives_the_period() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let ends = buys(&app, &ana, CARD).await;
    let path = subscription_path(&provider, &ana).await;
    provider.changes(&path, &[("pause_collection[behavior]", "mark_uncollectible")]).await;

    provider.goes_to(ends + DAY - 2 * MINUTE).await;
    assert_active_until(&ana, ends).await;
    provider.goes_to(ends + DAY + MINUTE).await;
    assert_eq!(ana.becomes("suspended").await["subscription_active"], false);
    assert_eq!(mails(&provider, &ana, "Pagamento não aprovado").await, 0, "nothing was charged");

    let id = path.rsplit('/').next().expect("an id");
    let invoices = provider.list(&format!("/v1/invoices?subscription={id}")).await;
    let invoice = invoices[0]["id"].as_str().expect("an id");
    provider.changes(&format!("/v1/invoices/{invoice}/pay"), &[("paid_out_of_band", "true")]).await;

    wait_for_period_end(&ana, ends + 30 * DAY).await;
    assert_active_until(&ana, ends + 30 * DAY).await;
    wait_until_doctor_finds_nothing(&app).await;
}

/// Buys Top Afiliado for a month. Returns the end of the paid period.
async fn buys(app: &App, who: &Visitor, card: &str) -> i64 {
    let session = who.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, card).await, 200);
    who.becomes_active().await["subscription_end"].as_i64().expect("an end")
}

async fn subscription_path(provider: &Provider, who: &Visitor) -> String {
    let customer = provider.customer_of(&who.email).await;
    let all = provider.list(&format!("/v1/subscriptions?customer={customer}")).await;
    format!("/v1/subscriptions/{}", all[0]["id"].as_str().expect("an id"))
}

/// Waits for the end of the paid or free time.
async fn wait_for_period_end(who: &Visitor, end: i64) -> Value {
    e2e::eventually("the end of the paid or free time", || async {
        let record = who.record().await;
        (record["subscription_end"] == end).then_some(record)
    })
    .await
}

async fn assert_active_until(who: &Visitor, end: i64) {
    let record = who.record().await;
    let shown = (
        &record["subscription_active"],
        &record["subscription_status"],
        &record["subscription_end"],
        &record["subscription_plan"],
    );
    assert_eq!(shown, (&json!(true), &json!("active"), &json!(end), &json!("top_afiliado")), "{record}");
}

/// Waits until the doctor has no finding: a job that a move of the clock made due runs first.
async fn wait_until_doctor_finds_nothing(app: &App) {
    e2e::eventually("a doctor without findings", || async {
        (app.admin(&["doctor", "--provider"]).await.code == 0).then_some(())
    })
    .await;
}

async fn mails(provider: &Provider, who: &Visitor, subject: &str) -> usize {
    let mails = provider.mails_to(&who.email).await;
    mails.iter().filter(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject))).count()
}
