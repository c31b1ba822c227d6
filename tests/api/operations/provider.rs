//! Problems of the payment provider in the operator's commands: a refused key, another account,
//! lost customers.

use e2e::{App, Person, Visitor};
use futures::future::join_all;
use garimpo_proto::billing::v1::{CancelSubscriptionRequest, GetSubscriptionResponse};
use serde_json::{Value, json};
use tonic_types::StatusExt as _;

const CARD: &str = "4242424242424242";

#[tokio::test]
async fn commands_that_call_the_provider_report_a_refused_key() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "month").await;
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    app.provider().add_fault(json!({ "path": "/v1", "status": 401 })).await;

    for command in [
        ["reconcile", "--dry-run"].as_slice(),
        &["catalog", "push", "--dry-run"],
        &["catalog", "push"],
        &["provider", "adopt"],
    ] {
        let ran = app.admin(command).await;
        assert_eq!(ran.code, 2, "{command:?}: {ran:?}");
        assert!(ran.stderr.contains("refuses our key"), "{command:?}: {ran:?}");
    }
}

#[tokio::test]
async fn another_provider_account_is_refused_until_the_operator_adopts_it() {
    let app = App::start().await;
    app.provider().behaves(json!({ "other_account": true })).await;

    let refused = app.admin(&["reconcile"]).await;

    assert_eq!(refused.code, 2, "{refused:?}");
    assert!(
        refused.stderr.contains("the database belongs to acct_1GarimpoSandbox (test mode)"),
        "{refused:?}"
    );
    let adopted = app.admin(&["provider", "adopt"]).await;
    let said =
        "the database belongs to acct_1OutraConta (test mode); before: acct_1GarimpoSandbox (test mode)\n";
    assert_eq!((adopted.code, adopted.stdout.as_str()), (0, said), "{adopted:?}");
    assert_eq!(app.admin(&["reconcile"]).await.code, 0);
}

#[tokio::test]
async fn the_sandbox_of_another_account_is_adopted_as_documented() {
    let mut app = App::start().await;
    app.provider().behaves(json!({ "other_account": true })).await;
    app.kill();
    assert_eq!(app.admin(&["provider", "adopt"]).await.code, 2, "the embedded sandbox ended with its server");
    let sandbox = app.sandbox_alone().await;

    let adopted = app.admin(&["provider", "adopt"]).await;

    assert_eq!(adopted.code, 0, "{adopted:?}");
    drop(sandbox);
    app.restart().await;
    assert_eq!(app.admin(&["reconcile"]).await.code, 0, "the key is of the adopted account");
}

/// The replies of REST and gRPC about an account, without the time.
async fn responses(who: &Visitor) -> (Value, GetSubscriptionResponse) {
    (who.record().await, GetSubscriptionResponse { server_time: None, ..who.get_subscription().await })
}

/// Moves the files of the sandbox aside or back.
fn moves_sandbox(app: &App, from: &str, to: &str) {
    for end in ["", "-wal", "-shm"] {
        let _ = std::fs::rename(app.folder(&format!("{from}{end}")), app.folder(&format!("{to}{end}")));
    }
}

async fn subscribes(app: &App) -> Visitor {
    let who = app.visitor().signs_up(&Person::new()).await;
    let session = who.opens_checkout("Top Afiliado", "anual").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    who.becomes_active().await;
    who
}

#[tokio::test]
async fn an_emptied_sandbox_changes_no_rights_and_its_return_ends_the_stop() {
    let mut app = App::start().await;
    // More than five accounts and more than 1% are needed for the stop.
    let subscribers = join_all((0..7).map(|_| subscribes(&app))).await;
    let before = join_all(subscribers.iter().map(responses)).await;
    app.kill();
    moves_sandbox(&app, "sandbox.db", "kept.db");
    app.restart().await;

    app.provider().advances_days(2).await;

    app.wait_for_metric("garimpo_reconciliation_stopped", "1").await;
    // Meanwhile calls must be retried later, and none may report that there is no subscription.
    let ana = &subscribers[0];
    let asked = ana.authorized(CancelSubscriptionRequest::default());
    let refused = ana.billing().await.cancel_subscription(asked).await.expect_err("an unknown customer");
    assert_eq!(refused.get_details_error_info().expect("a reason").reason, "PROVIDER_UNAVAILABLE");
    let ran = app.admin(&["reconcile"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("customers are unknown to the payment provider"), "{ran:?}");
    assert_eq!(join_all(subscribers.iter().map(responses)).await, before);
    let alarms = app.log_text().matches("does not know our customers: reconciliation stops").count();
    assert_eq!(alarms, 1, "one alarm, however many are unknown");

    app.kill();
    moves_sandbox(&app, "sandbox.db", "emptied.db");
    moves_sandbox(&app, "kept.db", "sandbox.db");
    app.restart().await;
    app.provider().advances_days(3).await;

    app.wait_for_metric("garimpo_reconciliation_stopped", "0").await;
    let ran = app.admin(&["reconcile"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(app.admin(&["doctor"]).await.code, 0);
    assert_eq!(join_all(subscribers.iter().skip(1).map(responses)).await, before[1..]);
    let cancelled = ana.get_subscription().await.subscription.expect("it runs to its end");
    assert!(cancelled.cancel_at_period_end, "the wish was kept: {cancelled:?}");
}

#[tokio::test]
async fn a_deleted_customer_does_not_stop_the_comparison_of_others() {
    let app = App::start().await;
    let subscribers = join_all((0..3).map(|_| subscribes(&app))).await;
    let mut uids: Vec<_> = subscribers.iter().map(|who| who.uid.clone()).collect();
    uids.sort();
    let deleted = subscribers.iter().find(|who| who.uid == uids[0]).expect("the first that is compared");
    let customer = app.provider().customer_of(&deleted.email).await;
    app.provider().deletes(&format!("/v1/customers/{customer}")).await;

    let ran = app.admin(&["reconcile", "--dry-run", "--json"]).await;

    let report: Value = serde_json::from_str(&ran.stdout).expect("JSON");
    assert_eq!((&report["accounts"], &report["failed"]), (&json!(3), &json!([])), "{report}");
    assert_eq!(report["lost"], json!([{ "uid": deleted.uid, "kind": "deleted" }]), "{report}");
}
