//! Cancellations and their withdrawal, on the site and in the portal, also during failures of the
//! product or of the provider.

use e2e::{App, Person, Visitor};
use garimpo_proto::billing::v1::{CancelSubscriptionRequest, ResumeSubscriptionRequest, Subscription};
use serde_json::json;
use tonic::Status;
use tonic_types::StatusExt as _;

const VISA: &str = "4242424242424242";

async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, VISA).await, 200);
    ana.becomes_active().await;
    ana
}

async fn cancels(who: &Visitor, request_id: &str) -> Result<Subscription, Status> {
    let request = CancelSubscriptionRequest {
        reason: Some("Vou parar por um tempo.".into()),
        request_id: Some(request_id.into()),
    };
    let answer = who.billing().await.cancel_subscription(who.authorized(request)).await?;
    Ok(answer.into_inner().subscription.expect("a subscription"))
}

async fn count_mails(app: &App, who: &Visitor) -> usize {
    let mails = app.provider().mails_to(&who.email).await;
    mails.iter().filter(|mail| mail["subject"] == "Assinatura cancelada: Top Afiliado").count()
}

async fn wait_for_mail(app: &App, who: &Visitor) {
    e2e::eventually("the mail", || async { (count_mails(app, who).await == 1).then_some(()) }).await;
}

#[tokio::test]
async fn a_crash_within_a_cancellation_neither_loses_nor_repeats_it() {
    for point in ["intent.stored", "provider.answered"] {
        let mut app = App::start().await;
        let ana = subscriber(&app).await;
        app.restart_with_crash_point(point).await;
        cancels(&ana, "tab").await.expect_err("the product died");
        app.wait_for_end().await;

        app.restart().await;
        let canceled = cancels(&ana, "tab").await.expect("the same request again");

        assert!(canceled.cancel_at_period_end, "{point}");
        assert_eq!(canceled.active, Some(true), "access holds to the end of the period");
        let at_provider = app.provider().list("/v1/subscriptions").await;
        assert_eq!(at_provider[0]["cancellation_details"]["comment"], "Vou parar por um tempo.");
        wait_for_mail(&app, &ana).await;

        // The cancellation is withdrawn. A repeated earlier request does not cancel again.
        let resume = ana.authorized(ResumeSubscriptionRequest {});
        let resumed = ana.billing().await.resume_subscription(resume).await.expect("resumed");
        assert!(!resumed.into_inner().subscription.expect("one").cancel_at_period_end);
        assert!(!cancels(&ana, "tab").await.expect("known").cancel_at_period_end);
        app.provider().advances_days(31).await;
        ana.becomes_active().await;
        assert_eq!(count_mails(&app, &ana).await, 1);
    }
}

#[tokio::test]
async fn a_cancellation_whose_response_is_lost_stands_and_is_mailed_once() {
    let app = App::start().await;
    let ana = subscriber(&app).await;
    let id = app.provider().list("/v1/subscriptions").await[0]["id"].as_str().expect("an id").to_owned();
    let fault = json!({ "path": format!("/v1/subscriptions/{id}"), "act_then_drop": true, "times": 9 });
    app.provider().add_fault(fault).await;

    let lost = cancels(&ana, "tab").await.expect_err("the answer is lost");
    assert_eq!(lost.get_details_error_info().expect("a reason").reason, "PROVIDER_UNAVAILABLE");
    app.provider().recovers().await;

    // The provider's event reports the cancellation without another call.
    wait_for_mail(&app, &ana).await;
    assert!(ana.get_subscription().await.subscription.expect("one").cancel_at_period_end);
    assert!(cancels(&ana, "tab").await.expect("the same").cancel_at_period_end);
    app.provider().advances_days(31).await;
    assert_eq!(ana.becomes("canceled").await["subscription_active"], false);
    let over = cancels(&ana, "other").await.expect_err("nothing runs");
    assert_eq!(over.get_details_error_info().expect("a reason").reason, "NO_SUBSCRIPTION");
    assert_eq!(count_mails(&app, &ana).await, 1);
}
