//! A backup made under load, and the product that starts on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use e2e::{App, Person, Visitor};
use serde_json::json;

const CARD: &str = "4242424242424242";

/// Somebody with what they bought.
async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    ana
}

#[tokio::test]
async fn copia_feita_sob_carga_volta_com_tudo_e_com_o_que_foi_pago_depois() {
    let app = Arc::new(App::start().await);
    let mut before = vec![subscriber(&app).await, subscriber(&app).await];
    let late_buyer = app.visitor().signs_up(&Person::new()).await;
    let late_payer = app.visitor().signs_up(&Person::new()).await;
    let waiting = late_payer.opens_checkout("Top Afiliado", "anual").await;
    let folder = app.folder("copia");
    let target = folder.to_str().unwrap().to_string();

    // People sign up and pay all the while.
    let enough = Arc::new(AtomicBool::new(false));
    let crowd = tokio::spawn({
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
        crowd.await.unwrap();
        postgres_has_its_own_tool(&backup);
        return;
    }
    let again = app.admin(&["backup", &target]).await;
    enough.store(true, Ordering::Relaxed);
    crowd.await.unwrap();
    assert_eq!(backup.code, 0, "{backup:?}");
    assert_eq!(backup.stdout.lines().count(), 2, "{backup:?}");
    assert_eq!((again.code, again.stderr.contains("is there already")), (2, true), "{again:?}");

    // After the backup: one opens a checkout and pays, one pays the checkout of before, one is new.
    let session = late_buyer.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    assert_eq!(app.provider().pays_by_card(&waiting, CARD).await, 200);
    late_buyer.becomes_active().await;
    late_payer.becomes_active().await;
    let lost = subscriber(&app).await;

    let app = Arc::into_inner(app).expect("the crowd went home").restored_from(&folder).await;

    before.extend([late_buyer, late_payer]);
    for ana in &mut before {
        ana.goes_to(app.url());
        // Sessions and ID tokens of before are in the backup too.
        ana.becomes_active().await;
        assert_eq!(app.provider().mails_to(&ana.email).await.len(), 1, "nobody is told twice");
    }
    // Whoever came after the backup is adopted, by the product's first comparison or the command.
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
