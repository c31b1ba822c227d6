//! A backup made under load, and a product restored from it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use e2e::{App, Person, Visitor};
use serde_json::json;

const CARD: &str = "4242424242424242";

/// A subscriber.
async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    ana
}

#[tokio::test]
async fn a_backup_made_under_load_restores_everything_and_later_payments_are_recovered() {
    let app = Arc::new(App::start().await);
    let mut before = vec![subscriber(&app).await, subscriber(&app).await];
    let late_buyer = app.visitor().signs_up(&Person::new()).await;
    let late_payer = app.visitor().signs_up(&Person::new()).await;
    let waiting = late_payer.opens_checkout("Top Afiliado", "anual").await;
    let folder = app.folder("copia");
    let target = folder.to_str().unwrap().to_string();

    // People sign up and pay during the backup.
    let enough = Arc::new(AtomicBool::new(false));
    let shoppers = tokio::spawn({
        let (app, enough) = (app.clone(), enough.clone());
        async move {
            while !enough.load(Ordering::Relaxed) {
                subscriber(&app).await;
            }
        }
    });
    let backup = app.admin(&["backup", &target]).await;
    if !folder.exists() {
        enough.store(true, Ordering::Relaxed);
        shoppers.await.unwrap();
        postgres_has_its_own_tool(&backup);
        return;
    }
    let again = app.admin(&["backup", &target]).await;
    enough.store(true, Ordering::Relaxed);
    shoppers.await.unwrap();
    assert_eq!(backup.code, 0, "{backup:?}");
    assert_eq!(backup.stdout.lines().count(), 2, "{backup:?}");
    assert_eq!((again.code, again.stderr.contains("is there already")), (2, true), "{again:?}");

    // After the backup one opens and pays a checkout, one pays an earlier checkout, and one is a
    // new account.
    let session = late_buyer.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    assert_eq!(app.provider().pays_by_card(&waiting, CARD).await, 200);
    late_buyer.becomes_active().await;
    late_payer.becomes_active().await;
    let lost = subscriber(&app).await;

    let app = Arc::into_inner(app).expect("the shoppers stopped").restored_from(&folder).await;

    before.extend([late_buyer, late_payer]);
    for ana in &mut before {
        ana.goes_to(app.url());
        // The backup has the sessions and ID tokens that existed before it.
        ana.becomes_active().await;
        assert_eq!(app.provider().mails_to(&ana.email).await.len(), 1, "no mail is sent twice");
    }
    // The account made after the backup is adopted by the first reconciliation or by the command.
    let look = app.admin(&["reconcile", "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&look.stdout).unwrap();
    assert_eq!((look.code, &report["differences"]), (0, &json!([])), "{report}");
    e2e::eventually("the recovery mail", || async {
        let mails = app.provider().mails_to(&lost.email).await;
        mails.iter().any(|mail| mail["subject"] == "Link para redefinir sua senha").then_some(())
    })
    .await;
    let found = app.admin(&["subscriber", &lost.uid]).await;
    assert!(found.stdout.contains(&lost.email), "{found:?}");
}

fn postgres_has_its_own_tool(backup: &e2e::process::Ran) {
    assert_eq!(backup.code, 2, "{backup:?}");
    assert!(backup.stderr.contains("pg_dump --format=custom --file="), "{backup:?}");
}
