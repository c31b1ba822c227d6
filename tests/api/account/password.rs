//! ChangePassword.

use e2e::{App, Person};
use garimpo_proto::auth::v1::ChangePasswordRequest;

use super::reason;

fn change(current: &str, new: &str) -> ChangePasswordRequest {
    ChangePasswordRequest { current_password: current.into(), new_password: new.into() }
}

#[tokio::test]
async fn changing_the_password_rotates_the_cookie_and_ends_other_sessions() {
    let app = App::start().await;
    let mut person = Person::new();
    let mut here = app.visitor().signs_up(&person).await;
    let elsewhere = app.visitor().signs_in(&person).await;
    let before = here.clone();

    let wrong = app.auth().await.change_password(here.with_cookie(change("errada!", "nova-senha"))).await;
    assert_eq!(reason(&wrong.unwrap_err()), "INVALID_CREDENTIAL");
    let weak = app.auth().await.change_password(here.with_cookie(change(&person.password, "12345"))).await;
    assert_eq!(reason(&weak.unwrap_err()), "WEAK_PASSWORD");
    let asked = here.with_cookie(change(&person.password, "nova-senha"));
    let answer = app.auth().await.change_password(asked).await.expect("it is changed");

    assert!(here.keeps_cookie(answer.metadata()), "another cookie comes");
    for (who, known) in [(&here, true), (&before, false), (&elsewhere, false)] {
        let seen = who.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
        assert_eq!(seen.body["authenticated"], known);
    }
    person.password = "nova-senha".into();
    app.visitor().signs_in(&person).await;
    e2e::eventually("the mail about the change", || async {
        let mails = app.provider().mails_to(&person.email).await;
        (mails.len() == 1 && mails[0]["subject"] == "Sua senha foi alterada").then_some(())
    })
    .await;
}
