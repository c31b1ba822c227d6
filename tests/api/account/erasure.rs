//! Data of a deleted account on the disk.

use e2e::{App, Person};
use garimpo_proto::billing::v1::CancelSubscriptionRequest;
use garimpo_proto::users::v1::DeleteMyAccountRequest;

const DAY: i64 = 86_400;

#[tokio::test]
async fn a_deleted_person_is_in_no_byte_of_the_embedded_database() {
    let mut app = App::start().await;
    if app.database_url().is_some() {
        // PostgreSQL frees deleted rows by its own vacuum.
        return;
    }
    let person = Person {
        email: "xilofone.quartzo@exemplo.com.br".into(),
        display_name: "Zenobia Quixadense".into(),
        phone_number: "11912348765".into(),
        ..Person::new()
    };
    let reason = "Kafkiano demais para o meu girassol.";
    let words = ["xilofone.quartzo", "Zenobia", "Quixadense", "912348765", "girassol"];
    let ana = app.visitor().signs_up(&person).await;
    let session = ana.opens_checkout("Top Afiliado", "mensal").await;
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;
    let cancel = CancelSubscriptionRequest { reason: Some(reason.into()), request_id: None };
    ana.billing().await.cancel_subscription(ana.authorized(cancel)).await.expect("it is cancelled");
    assert!(!app.words_in_database(&words).is_empty(), "the words are there before the deletion");

    let delete = DeleteMyAccountRequest { password: person.password.clone() };
    app.users().await.delete_my_account(ana.authorized(delete)).await.expect("it is deleted");

    app.provider().advances_days(42).await;
    e2e::eventually("no word of the person is left", || async {
        app.provider().advances_kept(DAY).await;
        app.words_in_database(&words).is_empty().then_some(())
    })
    .await;
    app.stops().await;
    assert_eq!(app.words_in_database(&words), Vec::<String>::new(), "after a stop");
}
