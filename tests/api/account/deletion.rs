//! PreviewMyDeletion and DeleteMyAccount.

use e2e::{App, Person, Visitor};
use garimpo_proto::auth::v1::SignInRequest;
use garimpo_proto::users::v1::{DeleteMyAccountRequest, PreviewMyDeletionRequest, PreviewMyDeletionResponse};
use serde_json::json;

use super::email_confirmation::{code, confirms};
use super::reason;

const CARD: &str = "4242424242424242";

async fn preview(app: &App, who: &Visitor) -> PreviewMyDeletionResponse {
    let asked = who.authorized(PreviewMyDeletionRequest {});
    app.users().await.preview_my_deletion(asked).await.expect("it answers").into_inner()
}

fn delete(person: &Person) -> DeleteMyAccountRequest {
    DeleteMyAccountRequest { password: person.password.clone() }
}

#[tokio::test]
async fn deleting_an_account_within_the_guarantee_refunds_the_payment_and_erases_the_person() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let session = ana.opens_checkout("Elite Nível 1", "monthly").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    let losses = preview(&app, &ana).await;
    assert_eq!((losses.plan_id.as_deref(), losses.refund_centavos), (Some("elite_nivel_1"), 19_790));
    assert_eq!(losses.refund_method.as_deref(), Some("card"));
    let customer = app.provider().customer_of(&person.email).await;

    let wrong = DeleteMyAccountRequest { password: "errada!".into() };
    let refused = app.users().await.delete_my_account(ana.with_cookie(wrong)).await.unwrap_err();
    assert_eq!(reason(&refused), "INVALID_CREDENTIAL");
    let answer =
        app.users().await.delete_my_account(ana.with_cookie(delete(&person))).await.expect("it ends");

    let cookie =
        answer.metadata().get("set-cookie").expect("the cookie expires").to_str().unwrap().to_owned();
    assert!(cookie.contains("Max-Age=0"), "{cookie}");
    let protocol = answer.into_inner().protocol;
    for asked in [
        ana.calls_with_cookie("GET", &format!("/api/users/{}", ana.uid), None).await,
        ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await,
    ] {
        assert_eq!((asked.status, asked.code()), (401, "UNAUTHENTICATED"));
    }
    let form = SignInRequest { email: person.email.clone(), password: person.password.clone() };
    assert_eq!(reason(&app.auth().await.sign_in(form).await.unwrap_err()), "INVALID_CREDENTIAL");
    e2e::eventually("the refund, the end of the subscription and of the customer", || async {
        app.provider().advances_kept(600).await;
        let gone = app.provider().object(&format!("/v1/customers/{customer}")).await["deleted"] == true;
        (gone && app.provider().list("/v1/refunds").await.len() == 1).then_some(())
    })
    .await;
    let subscriptions = app.provider().list("/v1/subscriptions?status=all").await;
    assert!(subscriptions.iter().all(|fact| fact["status"] == "canceled"), "{subscriptions:?}");
    let mail = e2e::eventually("the last mail", || async {
        let mut mails = app.provider().mails_to(&person.email).await;
        mails.retain(|mail| mail["subject"].as_str().unwrap().contains("excluída"));
        mails.pop()
    })
    .await;
    for part in ["text", "html"] {
        let said = mail[part].as_str().unwrap();
        assert!(said.contains(&protocol) && said.contains("R$ 197,90") && !said.contains("{{"), "{said}");
    }
    let jobs = app.admin(&["jobs", "list", "--json"]).await;
    assert!(!jobs.stdout.contains(&person.email) && !jobs.stdout.contains("parked"), "{jobs:?}");
    assert!(!app.log_text().contains(&person.email));
    let record = app.visitor().signs_up(&person).await.record().await;
    assert_eq!(record["subscription_active"], json!(null), "the email is free for another account");
}

#[tokio::test]
async fn a_crash_right_after_account_deletion_leaves_nothing_unfinished() {
    let mut app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    confirms(&app, &code(&app, &person.email, 1).await).await.expect("the code holds");
    let session = ana.opens_checkout("Elite Nível 1", "monthly").await;
    assert_eq!(app.provider().asks_for_boleto(&session).await, 200);
    ana.becomes("awaiting_payment").await;
    assert!(preview(&app, &ana).await.voids_boleto);
    // Provider and mailbox fail until the product has restarted.
    app.provider().add_fault(json!({ "path": "/v1", "status": 503 })).await;
    app.provider().add_fault(json!({ "path": "/mail", "method": "POST", "status": 503 })).await;

    app.users().await.delete_my_account(ana.authorized(delete(&person))).await.expect("it ends");
    app.dies_and_restarts().await;
    app.provider().recovers().await;

    e2e::eventually("the void slip and the last mail", || async {
        app.provider().advances_kept(600).await;
        let open = app.provider().list("/v1/invoices?status=open").await;
        let mails = app.provider().mails_to(&person.email).await;
        let mailed =
            mails.iter().filter(|mail| mail["subject"].as_str().unwrap().contains("excluída")).count();
        (open.is_empty() && mailed == 1).then_some(())
    })
    .await;
    let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(seen.body, json!({ "authenticated": false }));
}
