//! A backup made under load, and the product that starts on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use e2e::{App, Person, Visitor};
use serde_json::{Value, json};

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
    // Whoever came after the backup is told to the operator, with what was paid.
    let look = app.admin(&["reconcile", "--json"]).await;
    let report: serde_json::Value = serde_json::from_str(&look.stdout).unwrap();
    assert_eq!(report["differences"], json!([]), "{report}");
    let strangers = report["strangers"].as_array().unwrap();
    let found = strangers.iter().find(|found| found["uid"] == lost.uid).expect("it is told");
    assert_eq!(
        (&found["standing"], &found["paid_centavos"]),
        (&json!("no_account"), &json!(87_160)),
        "{report}"
    );
    assert_eq!(look.code, 1, "{report}");
    lost_payment_finds_its_buyer(&app, &lost, found).await;
}

/// The operator reads what was paid and what to do, and does it once the buyer has signed up again.
async fn lost_payment_finds_its_buyer(app: &App, lost: &Visitor, found: &Value) {
    let id = |key: &str| found[key].as_str().unwrap_or_else(|| panic!("{found}")).to_owned();
    let (customer, subscription) = (id("customer_id"), id("subscription_id"));
    let invoice = found["invoice_ids"][0].as_str().expect("it was paid");
    let told = app.admin(&["reconcile", "--dry-run"]).await.stdout;
    let row = told.lines().find(|line| line.contains(&lost.uid)).expect("it is listed");
    for part in [customer.as_str(), &subscription, invoice, &lost.email, "R$ 871,60", "no_account"] {
        assert!(row.contains(part), "{part}: {told}");
    }
    assert!(
        told.contains("no_account: refund the invoices and cancel the subscription at the provider"),
        "{told}"
    );
    assert!(payers_without_account(app).await.contains(&subscription));

    let back = app.visitor().signs_up(&Person::new()).await;
    for path in [format!("/v1/customers/{customer}"), format!("/v1/subscriptions/{subscription}")] {
        app.provider().changes(&path, &[("metadata[uid]", &back.uid)]).await;
    }
    app.admin(&["reconcile"]).await;

    back.becomes_active().await;
    assert!(!payers_without_account(app).await.contains(&subscription));
}

/// The subscriptions that the doctor's rule names when it calls the provider.
async fn payers_without_account(app: &App) -> Vec<String> {
    let ran = app.admin(&["doctor", "--provider", "--json"]).await;
    let checked: Vec<Value> = serde_json::from_str(&ran.stdout).expect("JSON");
    let rule = checked.iter().find(|one| one["invariant"] == "payer_without_account").expect("it is checked");
    let findings = rule["findings"].as_array().expect("findings");
    findings.iter().map(|found| found["subject"].as_str().expect("a subject").to_owned()).collect()
}

fn postgres_has_its_own_tool(backup: &e2e::process::Ran) {
    assert_eq!(backup.code, 2, "{backup:?}");
    assert!(backup.stderr.contains("pg_dump --format=custom --file="), "{backup:?}");
}
