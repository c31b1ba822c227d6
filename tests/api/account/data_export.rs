//! ExportMyData and the photo of SaveUser.

use e2e::{App, Person};
use garimpo_proto::users::v1::{ExportMyDataRequest, SaveUserRequest};
use serde_json::{Value, json};

#[tokio::test]
async fn the_data_export_is_complete_json_without_secrets() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let save = SaveUserRequest {
        uid: ana.uid.clone(),
        email: ana.email.clone(),
        display_name: "Ana Lima".into(),
        photo_url: Some("https://example.com/ana.jpg".into()),
        ..Default::default()
    };
    app.users().await.save_user(ana.authorized(save)).await.expect("it is saved");
    assert_eq!(ana.record().await["photoURL"], "https://example.com/ana.jpg");

    let answer = app.users().await.export_my_data(ana.authorized(ExportMyDataRequest {})).await;

    let text = answer.expect("it answers").into_inner().json;
    let data: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(data["account"]["email"], person.email);
    assert_eq!(data["account"]["photo_url"], "https://example.com/ana.jpg");
    assert_eq!(data["sessions"][0]["device"], "tonic");
    assert_eq!(data["sessions"][0]["client_address"], "127.0.0.1");
    for list in [
        "subscriptions",
        "checkouts",
        "invoices",
        "paid_periods",
        "card_payments",
        "plan_changes",
        "entitlement_changes",
        "cancellations",
        "refunds",
        "conversions",
        "mails",
        "audit",
    ] {
        assert!(data[list].is_array(), "{list}");
    }
    assert_eq!(data["payment_provider"], json!({ "customer_id": null, "events": [] }), "nothing was bought");
    assert!(!text.contains("argon2") && !text.contains("gs_") && !text.contains("token"), "{text}");
}
