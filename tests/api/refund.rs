//! Refunds under the guarantee: on request, during failures of the product and of the provider, and
//! paid by the operator.

use e2e::{App, Person, Visitor};
use garimpo_proto::billing::v1::{RequestRefundRequest, RequestRefundResponse};
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt as _;

const VISA: &str = "4242424242424242";

async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, VISA).await, 200);
    ana.becomes_active().await;
    ana
}

async fn request_refund(who: &Visitor) -> Result<RequestRefundResponse, Status> {
    let request = RequestRefundRequest { request_id: Some("tab".into()) };
    Ok(who.billing().await.request_refund(who.authorized(request)).await?.into_inner())
}

/// Asserts that the payment was refunded once and mailed once, and that the subscription has ended.
async fn assert_refunded_once(app: &App, who: &Visitor, protocol: &str) {
    let provider = app.provider();
    e2e::eventually("the refund", || async {
        let refund = who.get_subscription().await.refund.expect("a refund");
        assert_eq!(refund.protocol, protocol);
        (refund.state == "paid").then_some(())
    })
    .await;
    let refunds = provider.list("/v1/refunds").await;
    assert_eq!((refunds.len(), &refunds[0]["amount"]), (1, &json!(19_790)));
    assert_eq!(provider.list("/v1/subscriptions?status=all").await[0]["status"], "canceled");
    assert_eq!(who.becomes("canceled").await["subscription_active"], false);
    e2e::eventually("the mail", || async {
        let mails = provider.mails_to(&who.email).await;
        let about = |mail: &&Value| mail["subject"] == format!("Reembolso pedido: protocolo {protocol}");
        (mails.iter().filter(about).count() == 1).then_some(())
    })
    .await;
}

#[tokio::test]
async fn a_crash_within_a_refund_pays_back_once() {
    for point in ["intent.stored", "provider.answered"] {
        let mut app = App::start().await;
        let ana = subscriber(&app).await;
        app.restart_with_crash_point(point).await;
        // The response may have been sent before the product was killed.
        let first = request_refund(&ana).await.ok();
        app.wait_for_end().await;

        app.restart().await;
        let answer = request_refund(&ana).await.expect("the same request again");

        assert!(first.is_none_or(|first| first == answer), "{point}");
        assert_eq!((answer.amount_centavos, answer.method.as_str()), (19_790, "card"));
        assert_refunded_once(&app, &ana, &answer.protocol).await;
    }
}

#[tokio::test]
async fn a_refund_whose_responses_are_lost_pays_back_once_and_ends_access_at_once() {
    let app = App::start().await;
    let ana = subscriber(&app).await;
    let fault = json!({ "path": "/v1/refunds", "act_then_drop": true, "times": 3 });
    app.provider().add_fault(fault).await;

    let answer = request_refund(&ana).await.expect("the call does not wait for the provider");
    assert_eq!(ana.becomes("canceled").await["subscription_active"], false, "access ends at once");
    app.provider().recovers().await;
    app.provider().advances_kept(3_600).await;

    assert_refunded_once(&app, &ana, &answer.protocol).await;
    let ended = ana.get_subscription().await.subscription.expect("one").ends_at.expect("an end").seconds;
    assert!(
        ended <= app.provider().now().await - 3_000,
        "access ended with the request, not with its period"
    );
    assert_eq!(ana.record().await["subscription_end"], ended);

    // A buyer with a full refund has used the trial. A pending boleto does not restore it.
    let slip = ana.opens_checkout("Elite Nível 1", "mensal").await;
    assert_eq!(app.provider().asks_for_boleto(&slip).await, 200);
    ana.becomes("awaiting_payment").await;
    let seen = app.admin(&["subscriber", &ana.email, "--json"]).await;
    let seen: Value = serde_json::from_str(&seen.stdout).expect("JSON");
    assert_eq!(
        (&seen["rights"]["plan"], &seen["rights"]["by"]),
        (&json!("free"), &json!("nothing")),
        "{seen}"
    );
}

#[tokio::test]
async fn a_boleto_refund_is_paid_by_the_operators_pix_and_the_guarantee_window_closes() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = app.visitor().signs_up(&Person::new()).await;
    let slip = ana.opens_checkout("Elite Nível 1", "mensal").await;
    provider.asks_for_boleto(&slip).await;
    provider.pays_boleto(&slip).await;
    ana.becomes_active().await;
    let rui = subscriber(&app).await;

    let answer = request_refund(&ana).await.expect("it is refunded");
    assert_eq!((answer.method.as_str(), answer.amount_centavos), ("pix", 19_790));
    let list = app.admin(&["refunds", "list"]).await;
    assert!(list.code == 1 && list.stdout.contains(&ana.email), "{list:?}");
    let named = list.stdout.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let [names, values] = named.take(2).collect::<Vec<_>>().try_into().expect("a heading and a row");
    let place = names.iter().position(|name| *name == "PROTOCOL").expect("its protocol is named");
    assert_eq!(values[place], answer.protocol, "under its own heading");
    let list = app.admin(&["refunds", "list", "--json"]).await;
    let waiting: Value = serde_json::from_str(&list.stdout).expect("JSON");
    let id = waiting[0]["id"].as_str().expect("an id");
    assert_eq!(app.admin(&["refunds", "paid", id]).await.code, 2, "how it was paid is noted");
    let note = "TED do banco";
    assert_eq!(app.admin(&["refunds", "paid", id, "--note", note]).await.code, 0);
    e2e::eventually("the mail of the Pix", || async {
        let mails = provider.mails_to(&ana.email).await;
        mails.iter().any(|mail| mail["subject"] == "Reembolso pago: R$ 197,90").then_some(())
    })
    .await;
    assert_eq!(ana.get_subscription().await.refund.expect("a refund").state, "paid");

    provider.advances_days(9).await;
    let late = request_refund(&rui).await.expect_err("the window has closed");
    assert_eq!(late.get_details_error_info().expect("a reason").reason, "REFUND_WINDOW_CLOSED");
    rui.becomes_active().await;
}
