//! Problems of the payment provider in the operator's commands: a refused key, another account,
//! lost customers.

use e2e::{App, Person, Visitor};
use futures::future::join_all;
use garimpo_proto::billing::v1::{CancelSubscriptionRequest, GetSubscriptionResponse};
use serde_json::{Value, json};
use tonic_types::StatusExt as _;

const CARD: &str = "4242424242424242";

#[tokio::test]
async fn chave_recusada_e_dita_pelos_comandos_que_leem_o_provedor() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Top Afiliado", "month").await;
    app.provider().pays_by_card(&session, CARD).await;
    ana.becomes_active().await;
    app.provider().has_fault(json!({ "path": "/v1", "status": 401 })).await;

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
async fn conta_trocada_e_recusada_ate_o_operador_adotar_a_nova() {
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
async fn sandbox_de_outra_conta_e_adotado_como_a_operacao_descreve() {
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

/// What REST and gRPC answer about an account, but for the time.
async fn told(who: &Visitor) -> (Value, GetSubscriptionResponse) {
    (who.record().await, GetSubscriptionResponse { server_time: None, ..who.standing().await })
}

/// Puts the files of the sandbox aside, or back where they were.
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
async fn sandbox_vazio_nao_muda_o_que_ninguem_pode_usar_e_a_volta_dele_cura() {
    let mut app = App::start().await;
    // More than five accounts and more than one in a hundred.
    let subscribers = join_all((0..7).map(|_| subscribes(&app))).await;
    let before = join_all(subscribers.iter().map(told)).await;
    app.kill();
    moves_sandbox(&app, "sandbox.db", "kept.db");
    app.restart().await;

    app.provider().advances_days(2).await;

    e2e::eventually("the stop of reconciliation", || async {
        (app.metric("garimpo_reconciliation_stopped").await? == "1").then_some(())
    })
    .await;
    // Meanwhile calls must be retried later, and none may report that there is no subscription.
    let ana = &subscribers[0];
    let asked = ana.authorized(CancelSubscriptionRequest::default());
    let refused = ana.billing().await.cancel_subscription(asked).await.expect_err("nobody there knows it");
    assert_eq!(refused.get_details_error_info().expect("a reason").reason, "PROVIDER_UNAVAILABLE");
    let ran = app.admin(&["reconcile"]).await;
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("customers are unknown to the payment provider"), "{ran:?}");
    assert_eq!(join_all(subscribers.iter().map(told)).await, before);
    let alarms = app.log_text().matches("does not know our customers: reconciliation stops").count();
    assert_eq!(alarms, 1, "one alarm, however many are unknown");

    app.kill();
    moves_sandbox(&app, "sandbox.db", "emptied.db");
    moves_sandbox(&app, "kept.db", "sandbox.db");
    app.restart().await;
    app.provider().advances_days(3).await;

    e2e::eventually("the end of the stop", || async {
        (app.metric("garimpo_reconciliation_stopped").await? == "0").then_some(())
    })
    .await;
    let ran = app.admin(&["reconcile"]).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    assert_eq!(app.admin(&["doctor"]).await.code, 0);
    assert_eq!(join_all(subscribers.iter().skip(1).map(told)).await, before[1..]);
    let cancelled = ana.standing().await.subscription.expect("it runs to its end");
    assert!(cancelled.cancel_at_period_end, "the wish was kept: {cancelled:?}");
}

#[tokio::test]
async fn cliente_apagado_nao_encerra_a_comparacao_dos_outros() {
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
