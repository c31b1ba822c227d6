//! Plan changes with payments that need authentication at the payer's bank.

use e2e::provider::Provider;
use e2e::{App, Person, Visitor, ledger};
use garimpo_proto::billing::v1::{
    CancelPlanChangeRequest, ChangePlanRequest, ChangePlanResponse, GetPaymentAuthenticationRequest,
    GetPaymentAuthenticationResponse, PlanChangeConfirmation, PlanInterval, PreviewPlanChangeRequest,
    PreviewPlanChangeResponse,
};
use serde_json::{Value, json};
use tonic::Status;
use tonic_types::StatusExt as _;

/// Cards that require authentication at every payment.
const ASKS_ALWAYS: &str = "4000002760003184";
const ASKS_3D_SECURE_2: &str = "4000000000003220";
const PLAN: &str = "elite_pro_1";
const DAY: i64 = 86_400;

async fn subscriber(app: &App) -> Visitor {
    subscriber_with(app, ASKS_ALWAYS).await
}

async fn subscriber_with(app: &App, card: &str) -> Visitor {
    let who = app.visitor().signs_up(&Person::new()).await;
    let session = who.opens_checkout("Elite Nível 2", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, card).await, 200);
    who.becomes_active().await;
    who
}

async fn preview(who: &Visitor) -> PreviewPlanChangeResponse {
    let request = PreviewPlanChangeRequest { plan_id: PLAN.into(), interval: PlanInterval::Monthly.into() };
    let shown = who.billing().await.preview_plan_change(who.authorized(request)).await;
    shown.expect("a preview").into_inner()
}

async fn change(who: &Visitor, shown: &PreviewPlanChangeResponse) -> Result<ChangePlanResponse, Status> {
    let request = ChangePlanRequest { preview_token: shown.preview_token.clone(), request_id: None };
    Ok(who.billing().await.change_plan(who.authorized(request)).await?.into_inner())
}

/// Confirms a preview for which the bank requires authentication.
async fn start_unconfirmed_change(who: &Visitor) -> (PreviewPlanChangeResponse, PlanChangeConfirmation) {
    let shown = preview(who).await;
    let answer = change(who, &shown).await.expect("the bank asks");
    assert_eq!(answer.charged_centavos, 0);
    (shown, answer.confirmation.expect("a confirmation"))
}

/// The payment that the page of the confirmation reads.
async fn payment(who: &Visitor) -> Result<GetPaymentAuthenticationResponse, Status> {
    let request = GetPaymentAuthenticationRequest { invoice_id: String::new() };
    let answer = who.billing().await.get_payment_authentication(who.authorized(request)).await;
    answer.map(tonic::Response::into_inner)
}

async fn answers(provider: &Provider, payment: &GetPaymentAuthenticationResponse, challenge: &str) -> Value {
    let method = Some(&payment.payment_method_id).filter(|id| !id.is_empty());
    let body = json!({ "challenge": challenge, "payment_method": method });
    provider.acts(&format!("/v3/authenticate/{}", payment.client_secret), body).await
}

async fn wait_for_plan(who: &Visitor, plan: &str) {
    e2e::eventually(&format!("the plan {plan}"), || async {
        let standing = who.get_subscription().await;
        let is_it = standing.subscription.as_ref().is_some_and(|own| own.plan_id == plan);
        (is_it && standing.plan_change_confirmation.is_none()).then_some(())
    })
    .await;
}

/// What the provider charged, newest first.
async fn charges(provider: &Provider, who: &Visitor) -> Vec<i64> {
    let customer = provider.customer_of(&who.email).await;
    let mut all = provider.list(&format!("/v1/charges?customer={customer}")).await;
    all.retain(|charge| charge["paid"] == true);
    all.iter().map(|charge| charge["amount"].as_i64().expect("an amount")).collect()
}

async fn mails(provider: &Provider, who: &Visitor, subject: &str) -> usize {
    let mails = provider.mails_to(&who.email).await;
    mails.iter().filter(|mail| mail["subject"].as_str().is_some_and(|text| text.starts_with(subject))).count()
}

/// The renewal's mails are not sent: a change is confirmed by its payer on the page.
async fn assert_no_mail_of_a_renewal(provider: &Provider, who: &Visitor) {
    for subject in ["Confirme o pagamento no seu banco", "Pagamento não aprovado"] {
        assert_eq!(mails(provider, who, subject).await, 0, "{subject}");
    }
}

#[tokio::test]
async fn a_confirmed_payment_changes_the_plan_once_under_each_behavior_of_events_and_payments() {
    let app = App::start().await;
    let provider = app.provider();
    for (card, status, fault) in [
        (ASKS_ALWAYS, "requires_action", None),
        (ASKS_3D_SECURE_2, "requires_action", None),
        (ASKS_ALWAYS, "requires_payment_method", None),
        (ASKS_ALWAYS, "requires_action", Some("double")),
        (ASKS_ALWAYS, "requires_action", Some("shuffle")),
        (ASKS_ALWAYS, "requires_action", Some("drop")),
    ] {
        provider.behaves(json!({ "authentication_status": status })).await;
        let ana = subscriber_with(&app, card).await;
        if let Some(fault) = fault {
            provider.add_fault(json!({ "webhooks": fault, "times": 50 })).await;
        }
        let (shown, asked) = start_unconfirmed_change(&ana).await;
        assert_eq!(asked.amount_centavos, shown.amount_due_centavos);
        let standing = ana.get_subscription().await;
        assert_eq!(standing.subscription.expect("it runs").plan_id, "elite_nivel_2", "{status} {fault:?}");

        let page = payment(&ana).await.expect("it waits");
        let paid = answers(&provider, &page, "authorize").await;
        assert_eq!(paid["paymentIntent"]["status"], "succeeded", "{status} {fault:?}: {paid}");
        // The page reads until the payment is stored, even without an event.
        payment(&ana).await.expect_err("nothing waits any more");

        wait_for_plan(&ana, PLAN).await;
        let again = change(&ana, &shown).await.expect("the answer of the change");
        assert_eq!((again.charged_centavos, again.confirmation), (shown.amount_due_centavos, None));
        assert_eq!(charges(&provider, &ana).await, [shown.amount_due_centavos, 21_790]);
        provider.recovers().await;
        ledger::eventually_agrees(&provider, &ana).await;
        assert_eq!(mails(&provider, &ana, "Seu plano mudou").await, 1, "{status} {fault:?}");
        assert_no_mail_of_a_renewal(&provider, &ana).await;
    }
}

#[tokio::test]
async fn an_abandoned_and_a_discarded_confirmation_charge_nothing() {
    let app = App::start().await;
    let provider = app.provider();
    let (ana, rui) = (subscriber(&app).await, subscriber(&app).await);
    let (abandoned, _) = start_unconfirmed_change(&ana).await;
    let (discarded, _) = start_unconfirmed_change(&rui).await;
    let page = payment(&rui).await.expect("it waits");

    let request = rui.authorized(CancelPlanChangeRequest {});
    let kept = rui.billing().await.cancel_plan_change(request).await.expect("given up").into_inner();
    assert_eq!(kept.subscription.expect("it runs").plan_id, "elite_nivel_2");
    let late = answers(&provider, &page, "authorize").await;
    assert!(late["error"].is_object(), "{late}");
    provider.advances_days(1).await;

    for (who, shown) in [(&ana, &abandoned), (&rui, &discarded)] {
        wait_for_plan(who, "elite_nivel_2").await;
        assert_eq!(who.becomes("active").await["subscription_active"], true);
        let over = change(who, shown).await.expect_err("it is over");
        let reason = over.get_error_details().error_info().map(|info| info.reason.clone());
        assert_eq!(reason.as_deref(), Some("PREVIEW_EXPIRED"));
        assert_eq!(charges(&provider, who).await, [21_790]);
        assert_no_mail_of_a_renewal(&provider, who).await;
        ledger::eventually_agrees(&provider, who).await;
    }
}

#[tokio::test]
async fn a_crash_before_the_wait_is_stored_leaves_one_payment_to_confirm() {
    let mut app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app).await;
    app.restart_with_crash_point("provider.answered").await;
    let shown = preview(&ana).await;
    change(&ana, &shown).await.expect_err("the process dies");
    app.dies_and_restarts().await;

    provider.advances_kept(60).await;
    e2e::eventually("the change waits, without its caller", || async {
        ana.get_subscription().await.plan_change_confirmation
    })
    .await;
    let asked = change(&ana, &shown).await.expect("the answer that was lost").confirmation;
    let page = payment(&ana).await.expect("it waits");
    assert_eq!(asked.map(|asked| asked.client_secret), Some(page.client_secret.clone()));
    answers(&provider, &page, "authorize").await;

    wait_for_plan(&ana, PLAN).await;
    assert_eq!(charges(&provider, &ana).await, [shown.amount_due_centavos, 21_790]);
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_crash_after_the_void_of_a_discarded_change_discards_it() {
    let mut app = App::start().await;
    let provider = app.provider();
    let ana = subscriber(&app).await;
    start_unconfirmed_change(&ana).await;
    app.restart_with_crash_point("provider.answered").await;
    let request = ana.authorized(CancelPlanChangeRequest {});
    ana.billing().await.cancel_plan_change(request).await.expect_err("the process dies");
    app.dies_and_restarts().await;

    wait_for_plan(&ana, "elite_nivel_2").await;
    let ends = ana.record().await["subscription_end"].as_i64().expect("an end");
    provider.goes_to(ends - DAY).await;
    assert_eq!(charges(&provider, &ana).await, [21_790]);
    assert_no_mail_of_a_renewal(&provider, &ana).await;
    ledger::eventually_agrees(&provider, &ana).await;
}
