//! Disputes that the payer's bank opens: access follows payments.

use e2e::{App, Person, Visitor};
use garimpo_proto::billing::v1::{ListInvoicesRequest, PlanInterval, PreviewPlanChangeRequest};
use serde_json::{Value, json};
use tonic_types::StatusExt as _;

async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    ana
}

async fn disputes(app: &App, charge: &Value) -> String {
    let made = app.provider().acts("/_test/disputes", json!({ "charge": charge["id"] })).await;
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn a_won_dispute_restores_access_and_a_lost_one_ends_it_even_without_events() {
    let app = App::start().await;
    let provider = app.provider();
    let (ana, rui) = (subscriber(&app).await, subscriber(&app).await);
    // Newest first: Rui bought last.
    let charges = provider.list("/v1/charges").await;

    let anas = disputes(&app, &charges[1]).await;
    ana.becomes("suspended").await;
    let shown = ana.get_subscription().await.subscription.expect("one");
    assert_eq!(shown.suspended_reason.as_deref(), Some("payment_disputed"));
    let asked =
        PreviewPlanChangeRequest { plan_id: "elite_pro_1".into(), interval: PlanInterval::Monthly.into() };
    let refused = ana.billing().await.preview_plan_change(ana.authorized(asked)).await;
    let refused = refused.expect_err("a suspended subscription cannot change to a more expensive plan");
    assert_eq!(refused.get_details_error_info().expect("a reason").reason, "NO_SUBSCRIPTION");
    let page = app.admin(&["subscriber", &ana.email, "--limit", "1"]).await;
    assert_eq!(page.code, 1, "the operator must answer the dispute: {page:?}");
    let steps = [
        format!("answer {anas} at the provider's dashboard until 20"),
        "EVENTS (the first 1; --limit shows more)".into(),
    ];
    for part in steps.iter().map(String::as_str).chain(["DISPUTES", "R$ 197,90  needs_response"]) {
        assert!(page.stdout.contains(part), "{part}: {}", page.stdout);
    }
    provider.acts(&format!("/_test/disputes/{anas}/win"), json!({})).await;
    ana.becomes_active().await;
    assert_eq!(ana.get_subscription().await.subscription.expect("one").suspended_reason, None);

    provider.add_fault(json!({ "webhooks": "drop", "times": 100 })).await;
    let ruis = disputes(&app, &charges[0]).await;
    provider.advances_days(2).await;
    rui.becomes("suspended").await;
    provider.acts(&format!("/_test/disputes/{ruis}/lose"), json!({})).await;
    provider.advances_kept(1_200).await;
    assert_eq!(rui.becomes("canceled").await["subscription_active"], false);
    let at_provider = provider.list("/v1/subscriptions?status=all").await;
    e2e::eventually("the end at the provider", || async {
        let now = provider.object(&format!("/v1/subscriptions/{}", at_provider[0]["id"].as_str()?)).await;
        (now["status"] == "canceled").then_some(())
    })
    .await;
    ana.becomes_active().await;
    // No event of the dispute arrived, and the invoice still shows the bank's decision.
    let seen = app.admin(&["subscriber", &rui.email]).await;
    let words = seen.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("R$ 197,90 - - - R$ 197,90 R$ 197,90 lost"), "{}", seen.stdout);
    assert!(!seen.stdout.contains(" open "), "what has ended has no renewal: {}", seen.stdout);
}

#[tokio::test]
async fn the_operator_reads_until_when_to_answer_an_inquiry_and_access_stays() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app).await;
    let charge = provider.list("/v1/charges").await.remove(0)["id"].clone();

    let inquiry = provider.acts("/_test/disputes", json!({ "charge": charge, "inquiry": true })).await;

    app.wait_for_metric(
        "garimpo_inquiry_answer_by_timestamp_seconds",
        &inquiry["evidence_details"]["due_by"].to_string(),
    )
    .await;
    let page = app.admin(&["subscriber", &ana.email]).await;
    assert_eq!(page.code, 1, "the operator must answer the inquiry: {page:?}");
    let step =
        format!("answer {} at the provider's dashboard until 20", inquiry["id"].as_str().expect("an id"));
    assert!(page.stdout.contains(&step), "{step}: {}", page.stdout);
    // Nobody is paged.
    app.wait_for_metric("garimpo_dispute_answer_by_timestamp_seconds", "0").await;
    ana.becomes_active().await;
}

#[tokio::test]
async fn a_dashboard_refund_after_a_declined_card_ends_access_and_marks_the_invoice_refunded() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(provider.pays_by_card(&session, "4000000000000002").await, 402);
    assert_eq!(provider.pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    let charges = provider.list("/v1/charges").await;
    let statuses: Vec<_> = charges.iter().map(|charge| charge["status"].as_str()).collect();
    assert_eq!(statuses, [Some("succeeded"), Some("failed")]);

    let payment = charges[0]["payment_intent"].as_str().expect("an id");
    provider.changes("/v1/refunds", &[("payment_intent", payment)]).await;

    assert_eq!(ana.becomes("canceled").await["subscription_active"], false);
    let asked = ListInvoicesRequest { page_size: 10, page_token: String::new() };
    let listed = ana.billing().await.list_invoices(ana.authorized(asked)).await.expect("a page");
    let invoice = listed.into_inner().invoices.remove(0);
    assert_eq!((invoice.status.as_str(), invoice.refunded_centavos), ("refunded", 19_790));
}
