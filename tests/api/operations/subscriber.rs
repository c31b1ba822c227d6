//! `admin subscriber` and `admin events`: one subscriber as a whole, and the provider's events.

use e2e::{App, Person, Visitor};
use serde_json::{Value, json};

const CARD: &str = "4242424242424242";

/// A subscriber.
async fn subscriber(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    ana
}

async fn shown(app: &App, named: &str) -> Value {
    let ran = app.admin(&["subscriber", named, "--json", "--limit", "100"]).await;
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{named}: {error}: {ran:?}"))
}

#[tokio::test]
async fn a_subscriber_is_found_by_each_of_their_ids_and_shown_whole_without_secrets() {
    let app = App::start().await;
    let ana = subscriber(&app).await;
    subscriber(&app).await;
    // Waits until all events of the purchase are processed and the mail is sent.
    let whole = e2e::eventually("the whole of it", || async {
        let whole = shown(&app, &ana.email).await;
        let all_done =
            |list: &str| whole[list].as_array().unwrap().iter().all(|job| job["state"] != "waiting");
        (all_done("events") && all_done("mails")).then_some(whole)
    })
    .await;

    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{whole}")).to_owned();
    let (invoice, checkout) = (&whole["invoices"][0], &whole["checkouts"][0]);
    let ids = [
        ana.uid.clone(),
        ana.email.to_uppercase(),
        text(&whole["customer_id"]),
        text(&whole["subscriptions"][0]["id"]),
        text(&invoice["id"]),
        text(&invoice["payment_intent_id"]),
        text(&checkout["id"]),
        text(&checkout["session_id"]),
        text(&whole["events"][0]["id"]),
    ];
    for id in &ids {
        assert_eq!(shown(&app, id).await["uid"], ana.uid, "{id}");
    }
    let rights = &whole["rights"];
    assert_eq!((&rights["plan"], &rights["by"]), (&json!("elite_nivel_2"), &json!("subscription")));
    assert_eq!(rights["next_change_at_us"], whole["subscriptions"][0]["paid_until_us"]);
    assert_eq!((&invoice["status"], &invoice["total_centavos"]), (&json!("paid"), &json!(87_160)));
    assert_eq!((&checkout["status"], &whole["sessions"]), (&json!("complete"), &json!(1)));
    assert_eq!(whole["audit"][0]["kind"], "sign_up");
    let mails = whole["mails"].as_array().unwrap();
    let confirmed = format!("payment_confirmed:{}", text(&invoice["id"]));
    assert!(mails.iter().any(|mail| mail["key"] == *confirmed && mail["state"] == "done"), "{mails:?}");
    let wakes = whole["jobs"].as_array().unwrap().iter().find(|job| job["kind"] == "rights_change").unwrap();
    assert_eq!((&wakes["key"], &wakes["due_at_us"]), (&json!(ana.uid), &rights["next_change_at_us"]));
    for secret in ["secret", "password", "token", "gs_", "$argon2", ana.cookie.as_deref().unwrap()] {
        assert!(!whole.to_string().contains(secret), "{secret}: {whole}");
    }

    let page = app.admin(&["subscriber", &ana.email]).await;
    assert_eq!(page.code, 0, "{page:?}");
    for part in ["elite_nivel_2 by subscription: active", "R$ 871,60", &confirmed, "SUBSCRIPTIONS", "TRAIL"] {
        assert!(page.stdout.contains(part), "{part}: {}", page.stdout);
    }
    assert!(page.stdout.lines().count() <= 50, "one screen:\n{}", page.stdout);
}

#[tokio::test]
async fn subscriber_is_found_by_invoice_number_phone_charge_and_dispute() {
    let app = App::start().await;
    let person = Person { phone_number: "11912345678".into(), ..Person::new() };
    let ana = app.visitor().signs_up(&person).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    let rui = subscriber(&app).await;
    let whole = shown(&app, &ana.email).await;
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("{whole}")).to_owned();
    let number = text(&whole["invoices"][0]["number"]);
    let receipts =
        app.provider().list(&format!("/v1/invoices?customer={}", text(&whole["customer_id"]))).await;
    assert_eq!(receipts[0]["number"], number, "the number of the receipt");
    let charge = text(&whole["invoices"][0]["charge_id"]);
    let dispute = app.provider().acts("/_test/disputes", json!({ "charge": charge })).await;
    ana.becomes("suspended").await;

    let dispute = text(&dispute["id"]);
    let spellings =
        ["11912345678", "(11) 91234-5678", "+55 11 91234-5678", "5511912345678", "011 91234 5678"];
    let (lower, padded) = (number.to_lowercase(), format!("  {number} "));
    for named in [number.as_str(), &lower, &padded, &charge, &dispute].into_iter().chain(spellings) {
        assert_eq!(shown(&app, named).await["uid"], ana.uid, "{named}");
    }
    let page = app.admin(&["subscriber", &number]).await;
    assert!(page.stdout.contains(&number) && page.stdout.contains(&charge), "{page:?}");

    // Rui and Eva have the same phone.
    let eva = subscriber(&app).await;
    let several = app.admin(&["subscriber", "11 98765-4321"]).await;
    assert_eq!(several.code, 2, "{several:?}");
    for who in [&rui, &eva] {
        assert!(several.stderr.contains(&format!("{}  {}", who.uid, who.email)), "{several:?}");
    }
    assert!(!several.stderr.contains(&ana.uid), "{several:?}");
    for unknown in ["TRVJKSOE-9999", "11 91111-1111", "ch_unknown", "dp_unknown", "-"] {
        let none = app.admin(&["subscriber", "--", unknown]).await;
        assert_eq!((none.code, none.stderr.contains("nobody is known by")), (2, true), "{unknown}: {none:?}");
    }
}

#[tokio::test]
async fn a_deleted_account_is_found_by_email_protocol_and_uid() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let session = ana.opens_checkout("Elite Nível 2", "semestral").await;
    assert_eq!(app.provider().pays_by_card(&session, CARD).await, 200);
    ana.becomes_active().await;
    let mut users = app.users().await;
    let request = garimpo_proto::users::v1::DeleteMyAccountRequest { password: person.password };
    let gone = users.delete_my_account(ana.authorized(request)).await.expect("it is deleted").into_inner();

    for named in [&ana.email, &gone.protocol, &ana.uid] {
        let whole = shown(&app, named).await;
        assert_eq!((&whole["uid"], &whole["account"]), (&json!(ana.uid), &Value::Null), "{named}");
        assert_eq!(whole["deleted"][0], gone.protocol, "{named}");
        assert_eq!(whole["refunds"][0]["reason"], "deleted", "{named}");
    }
}

#[tokio::test]
async fn an_event_is_listed_shown_and_replayed_without_a_second_effect() {
    let app = App::start().await;
    let ana = subscriber(&app).await;
    let paid = ["events", "list", "--kind", "invoice.paid", "--state", "done", "--since", "1h", "--json"];
    let event = e2e::eventually("the event", || async {
        let events: Vec<Value> = serde_json::from_str(&app.admin(&paid).await.stdout).unwrap();
        events.into_iter().next()
    })
    .await;
    assert_eq!(event["uid"], ana.uid);
    let id = event["id"].as_str().unwrap();

    let body: Value = serde_json::from_str(&app.admin(&["events", "show", id]).await.stdout).unwrap();
    assert_eq!((&body["id"], &body["type"]), (&json!(id), &json!("invoice.paid")));
    let replayed = app.admin(&["events", "replay", id]).await;
    assert_eq!((replayed.code, replayed.stdout), (0, format!("{id} is worked on again\n")));

    e2e::eventually("the event done again", || async {
        let job = app.admin(&["jobs", "show", "payment_event", id]).await;
        job.stdout.contains("state         done").then_some(())
    })
    .await;
    assert_eq!(app.provider().mails_to(&ana.email).await.len(), 1, "no mail is sent twice");
    let events = app.admin(&["events", "list"]).await;
    assert_eq!((events.code, events.stdout.contains(id)), (0, true), "{events:?}");
}
