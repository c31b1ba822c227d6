//! RequestEmailVerification and ConfirmEmail.

use e2e::{App, Person};
use garimpo_proto::auth::v1::{ConfirmEmailRequest, CorrectEmailRequest, RequestEmailVerificationRequest};
use serde_json::json;

use super::reason;

/// The code of the newest confirmation mail, once `count` of them have arrived.
pub(super) async fn code(app: &App, email: &str, count: usize) -> String {
    let mails = e2e::eventually("the mail", || async {
        let mails = app.provider().confirmations_to(email).await;
        (mails.len() == count).then_some(mails)
    })
    .await;
    let link = format!("{}/confirmar-email?code=", app.url());
    for part in ["text", "html"] {
        let said = mails[0][part].as_str().expect("both parts");
        assert!(said.contains(&link) && said.contains("72 horas") && !said.contains("{{"), "{said}");
    }
    let (_, rest) = mails[0]["text"].as_str().expect("a text").split_once(&link).expect("a link of ours");
    rest.split_whitespace().next().expect("a code").to_owned()
}

pub(super) async fn confirms(app: &App, code: &str) -> Result<(), String> {
    let answer = app.auth().await.confirm_email(ConfirmEmailRequest { code: code.into() }).await;
    answer.map(drop).map_err(|refused| reason(&refused))
}

#[tokio::test]
async fn the_sign_up_link_confirms_the_email_once() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let path = format!("/api/users/{}", ana.uid);
    let record = || ana.calls("GET", &path, None);
    assert_eq!(record().await.body["emailVerified"], json!(false));
    let code = code(&app, &person.email, 1).await;

    confirms(&app, &code).await.expect("the code holds");

    assert_eq!(record().await.body["emailVerified"], json!(true));
    assert_eq!(confirms(&app, &code).await, Err("EMAIL_CODE_INVALID".into()));
    assert!(!app.log_text().contains(&code));
}

#[tokio::test]
async fn a_new_confirmation_link_voids_earlier_ones_and_a_fourth_per_hour_is_refused() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let first = code(&app, &person.email, 1).await;
    let asks = || async {
        let asked = ana.authorized(RequestEmailVerificationRequest {});
        app.auth().await.request_email_verification(asked).await.map(drop).map_err(|refused| reason(&refused))
    };

    for count in 2..=4 {
        asks().await.expect("three an hour");
        code(&app, &person.email, count).await;
    }
    let newest = code(&app, &person.email, 4).await;

    assert_eq!(asks().await, Err("TOO_MANY_REQUESTS".into()));
    assert_eq!(confirms(&app, &first).await, Err("EMAIL_CODE_INVALID".into()));
    app.provider().advances_kept(72 * 3600).await;
    assert_eq!(confirms(&app, &newest).await, Err("EMAIL_CODE_EXPIRED".into()));
}

#[tokio::test]
async fn a_corrected_email_gets_the_link_and_cannot_be_corrected_once_it_is_confirmed() {
    let app = App::start().await;
    let (typo, meant) = (Person::new(), Person::new());
    let ana = app.visitor().signs_up(&typo).await;
    let old = code(&app, &typo.email, 1).await;
    let corrects = async |email: &str| {
        let form = CorrectEmailRequest { new_email: email.to_owned(), password: typo.password.clone() };
        let answer = app.auth().await.correct_email(ana.authorized(form)).await;
        answer.map(drop).map_err(|refused| reason(&refused))
    };

    corrects(&meant.email).await.expect("it is corrected");

    assert_eq!(confirms(&app, &old).await, Err("EMAIL_CODE_INVALID".into()));
    let code = code(&app, &meant.email, 1).await;
    confirms(&app, &code).await.expect("the code holds");
    assert_eq!(corrects(&typo.email).await, Err("EMAIL_CONFIRMED".into()));
}
