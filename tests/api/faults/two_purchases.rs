//! Two purchases of one account: one is kept, and the other is refunded automatically, with a mail.

use e2e::{App, Visitor, ledger};
use serde_json::json;

use super::{CARD_OF_ONE_CHARGE, GOOD_CARD, session_of, somebody, wait_for_status};

#[tokio::test]
async fn two_card_payments_at_once_keep_one_subscription_and_refund_the_other() {
    let app = App::start().await;
    let provider = app.provider();
    for _ in 0..3 {
        let ana = somebody(&app).await;
        let one = ana.opens_checkout("Top Afiliado", "mensal").await;
        let two = ana.opens_checkout("Elite Nível 2", "semestral").await;

        let paid =
            tokio::join!(provider.pays_by_card(&one, GOOD_CARD), provider.pays_by_card(&two, GOOD_CARD));

        ledger::eventually_agrees(&provider, &ana).await;
        if paid == (200, 200) {
            let returned = [returned_by(&ana, &one).await, returned_by(&ana, &two).await];
            assert!(returned.contains(&None) && returned.contains(&Some("card".into())), "{returned:?}");
        }
    }
}

#[tokio::test]
async fn a_second_card_payment_made_before_any_event_is_refunded_and_mailed() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Elite Nível 1", "anual").await;
    let two = ana.opens_checkout("Elite PRO 2", "mensal").await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;

    assert_eq!(provider.pays_by_card(&one, GOOD_CARD).await, 200);
    assert_eq!(provider.pays_by_card(&two, GOOD_CARD).await, 200);
    // The return page of the second payment reports the refund before any event.
    assert_eq!(returned_by(&ana, &two).await.as_deref(), Some("card"));
    provider.recovers().await;

    ledger::eventually_agrees(&provider, &ana).await;
    assert_eq!(ana.record().await["subscription_plan"], "elite_nivel_1");
    assert_eq!(returned_by(&ana, &one).await, None);
    let mail = mail_about(&app, &ana, "Pagamento em duplicidade").await;
    assert!(mail.contains("447,90") && mail.contains("no mesmo cartão"), "{mail}");
}

#[tokio::test]
async fn a_boleto_paid_beside_a_card_becomes_a_pix_refund_request_that_is_mailed() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let slip = ana.opens_checkout("Elite Nível 3", "mensal").await;
    provider.asks_for_boleto(&slip).await;
    wait_for_status(&ana, "awaiting_payment").await;
    let card = ana.opens_checkout("Top Afiliado", "mensal").await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;

    assert_eq!(provider.pays_by_card(&card, GOOD_CARD).await, 200);
    provider.advances(2).await;
    assert_eq!(provider.pays_boleto(&slip).await, 200);
    provider.recovers().await;

    ledger::eventually_agrees(&provider, &ana).await;
    assert_eq!(ana.record().await["subscription_plan"], "top_afiliado");
    assert_eq!(returned_by(&ana, &slip).await.as_deref(), Some("pix"));
    assert_eq!(returned_by(&ana, &card).await, None);
    let mail = mail_about(&app, &ana, "Pagamento em duplicidade").await;
    assert!(mail.contains("247,90") && mail.contains("por Pix, em até 30 dias"), "{mail}");

    // The operator sees the request, pays it and marks it as paid.
    let list = app.admin(&["refunds", "list"]).await;
    assert_eq!(list.code, 1, "{list:?}");
    assert!(list.stdout.contains(&ana.uid) && list.stdout.contains("247,90"), "{list:?}");
    let list = app.admin(&["refunds", "list", "--json"]).await;
    let waiting: serde_json::Value = serde_json::from_str(&list.stdout).expect("JSON");
    assert_eq!((&waiting[0]["method"], &waiting[0]["state"]), (&json!("pix"), &json!("requested")));
    let id = waiting[0]["id"].as_str().expect("an id");
    assert_eq!(app.admin(&["refunds", "paid", id, "--pix", "E123"]).await.code, 2, "no end-to-end id");
    let pix = "E12345678202611221030abcDEF12345";
    assert_eq!(app.admin(&["refunds", "paid", id, "--pix", pix]).await.code, 0);
    let list = app.admin(&["refunds", "list", "--reason", "duplicate"]).await;
    assert_eq!((list.code, list.stdout.contains(pix)), (0, true), "{list:?}");
    // The operator removes a wrong mark, and the request is pending as before.
    assert_eq!(app.admin(&["refunds", "unpaid", id]).await.code, 0);
    assert_eq!(app.admin(&["refunds", "unpaid", id]).await.code, 2, "it waits already");
    let list = app.admin(&["refunds", "list"]).await;
    assert_eq!((list.code, list.stdout.contains(pix)), (1, false), "{list:?}");
    assert!(
        list.stdout.contains(&format!("next: pay {id}, then: garimpo admin refunds paid {id} --pix E…")),
        "{list:?}"
    );
    provider.advances_days(31).await;
    let list = app.admin(&["refunds", "list"]).await;
    assert!(list.stdout.contains("OVERDUE"), "{list:?}");
    let doctor = app.admin(&["doctor"]).await;
    assert_eq!((doctor.code, doctor.stdout.contains("refund_in_time")), (1, true), "{doctor:?}");
    assert_eq!(app.admin(&["refunds", "paid", id, "--note", "TED do banco"]).await.code, 0);
    assert_eq!(app.admin(&["refunds", "list"]).await.code, 0);
    assert_eq!(app.admin(&["refunds", "paid", id, "--note", "TED"]).await.code, 2, "once");
    assert_eq!(app.admin(&["refunds", "paid", id]).await.code, 2, "how it was paid is said");
}

#[tokio::test]
async fn a_purchase_during_suspension_ends_the_old_subscription_and_its_invoice() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let old = ana.opens_checkout("Elite Nível 1", "mensal").await;
    provider.pays_by_card(&old, CARD_OF_ONE_CHARGE).await;
    ana.becomes_active().await;
    provider.advances_days(31).await;
    wait_for_status(&ana, "suspended").await;
    ledger::eventually_agrees(&provider, &ana).await;

    let new = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(provider.pays_by_card(&new, GOOD_CARD).await, 200);

    ledger::eventually_agrees(&provider, &ana).await;
    let record = ana.becomes_active().await;
    assert_eq!(record["subscription_plan"], "top_afiliado");
    let sub = session_of(&provider, &old).await["subscription"].as_str().unwrap().to_owned();
    assert_eq!(provider.object(&format!("/v1/subscriptions/{sub}")).await["status"], "canceled");
    // Later retries with the old card find no open invoice.
    provider.advances_days(20).await;
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_subscription_whose_retries_ended_leaves_no_payable_invoice() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let old = ana.opens_checkout("Elite Nível 1", "mensal").await;
    provider.pays_by_card(&old, CARD_OF_ONE_CHARGE).await;
    ana.becomes_active().await;

    provider.advances_days(60).await;

    wait_for_status(&ana, "canceled").await;
    e2e::eventually("no invoice to pay", || async {
        let customer = session_of(&provider, &old).await["customer"].as_str().unwrap().to_owned();
        let open = provider.list(&format!("/v1/invoices?customer={customer}&status=open")).await;
        open.is_empty().then_some(())
    })
    .await;
    let new = ana.opens_checkout("Top Afiliado", "mensal").await;
    provider.pays_by_card(&new, GOOD_CARD).await;
    assert_eq!(ana.becomes_active().await["subscription_plan"], "top_afiliado");
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn lost_responses_while_undoing_a_second_purchase_undo_it_once() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let slip = ana.opens_checkout("Elite Nível 3", "mensal").await;
    provider.asks_for_boleto(&slip).await;
    wait_for_status(&ana, "awaiting_payment").await;
    let first = ana.opens_checkout("Top Afiliado", "mensal").await;
    let second = ana.opens_checkout("Elite PRO 3", "anual").await;
    let unused = ana.opens_checkout("Elite PRO 4", "anual").await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;
    // The provider executes each call that undoes a purchase and loses the response, in all tries
    // of the first run.
    for fault in [
        json!({ "path": "/v1/refunds", "method": "POST", "act_then_drop": true, "times": 3 }),
        json!({ "path": "/v1/subscriptions", "method": "DELETE", "act_then_drop": true, "times": 3 }),
        json!({ "path": "/v1/invoices", "method": "POST", "act_then_drop": true, "times": 3 }),
        json!({ "path": "/v1/checkout/sessions", "method": "POST", "act_then_drop": true, "times": 3 }),
    ] {
        provider.add_fault(fault).await;
    }

    assert_eq!(provider.pays_by_card(&first, GOOD_CARD).await, 200);
    assert_eq!(provider.pays_by_card(&second, GOOD_CARD).await, 200);
    assert_eq!(ana.checkout(&second).await.unwrap().refund_method.as_deref(), Some("card"));

    ledger::eventually_agrees(&provider, &ana).await;
    let charges = provider.list("/v1/charges?limit=100").await;
    assert_eq!(charges.len(), 2, "{charges:?}");
    assert_eq!(provider.list("/v1/refunds").await.len(), 1);
    assert_eq!(session_of(&provider, &unused).await["status"], "expired");
    provider.recovers().await;
    ledger::eventually_agrees(&provider, &ana).await;
}

#[tokio::test]
async fn a_refund_that_fails_at_the_provider_is_retried_until_it_succeeds() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Elite Nível 1", "mensal").await;
    let two = ana.opens_checkout("Elite Nível 2", "mensal").await;
    // The provider returns the same error for the idempotency key for a day.
    provider.add_fault(json!({ "path": "/v1/refunds", "status": 500, "kept": true, "times": 1 })).await;
    provider.add_fault(json!({ "webhooks": "hold" })).await;
    provider.pays_by_card(&one, GOOD_CARD).await;
    provider.pays_by_card(&two, GOOD_CARD).await;

    provider.recovers().await;

    ledger::eventually_agrees(&provider, &ana).await;
    assert_eq!(provider.list("/v1/refunds").await.len(), 1);
}

#[tokio::test]
async fn a_refund_that_failed_for_a_day_is_made_once_the_provider_recovers() {
    let app = App::start().await;
    let provider = app.provider();
    let ana = somebody(&app).await;
    let one = ana.opens_checkout("Elite Nível 1", "mensal").await;
    let two = ana.opens_checkout("Elite Nível 2", "mensal").await;
    provider.add_fault(json!({ "path": "/v1/refunds", "method": "POST", "status": 500, "kept": true })).await;
    provider.add_fault(json!({ "webhooks": "drop" })).await;
    provider.pays_by_card(&one, GOOD_CARD).await;
    provider.pays_by_card(&two, GOOD_CARD).await;
    assert_eq!(returned_by(&ana, &two).await.as_deref(), Some("card"));

    // All attempts are used up within half a day.
    provider.advances_days(1).await;
    assert!(!ledger::differences(&provider, &ana).await.is_empty());
    provider.recovers().await;
    provider.advances_days(1).await;

    ledger::eventually_agrees(&provider, &ana).await;
    assert_eq!(provider.list("/v1/refunds").await.len(), 1);
}

/// Refund method of a session's payment, as the return page reads it.
async fn returned_by(who: &Visitor, session: &str) -> Option<String> {
    who.checkout(session).await.expect("the session is known").refund_method
}

/// The text of the one mail with this subject.
async fn mail_about(app: &App, who: &Visitor, subject: &str) -> String {
    let mails = app.provider().mails_to(&who.email).await;
    let about = |mail: &&serde_json::Value| mail["subject"].as_str().is_some_and(|s| s.starts_with(subject));
    let found: Vec<_> = mails.iter().filter(about).collect();
    assert_eq!(found.len(), 1, "{mails:?}");
    found[0]["text"].as_str().expect("a text").to_owned()
}
