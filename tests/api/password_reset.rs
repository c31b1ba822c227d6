//! Password recovery over the running product: REST, gRPC, the mailbox and the clock.

use e2e::{Answer, App, Person};
use garimpo_proto::auth::v1::{
    CheckPasswordResetRequest, ConfirmPasswordResetRequest, RequestPasswordResetRequest, SignInRequest,
};
use serde_json::{Value, json};
use tonic_types::StatusExt;

async fn asks(app: &App, email: &str) -> Answer {
    app.visitor().calls("POST", "/api/password-reset", Some(json!({ "email": email }))).await
}

/// Waits for this many mails with a subject, and returns them, newest first.
async fn mails(app: &App, email: &str, subject: &str, count: usize) -> Vec<Value> {
    e2e::eventually(&format!("{count} mails '{subject}'"), || async {
        let mut mails = app.provider().mails_to(email).await;
        mails.retain(|mail| mail["subject"] == subject);
        (mails.len() >= count).then_some(mails)
    })
    .await
}

/// Asks for a link, and returns the code of the `nth` mail to this address.
async fn code(app: &App, email: &str, nth: usize) -> String {
    let answer = asks(app, email).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "ok": true })));
    code_of(app, &mails(app, email, "Link para redefinir sua senha", nth).await[0])
}

fn code_of(app: &App, mail: &Value) -> String {
    let link = format!("{}/redefinir-senha?code=", app.url());
    let (_, rest) = mail["text"].as_str().expect("a text").split_once(&link).expect("a link of ours");
    rest.split_whitespace().next().expect("a code").to_string()
}

/// Sends the form of /redefinir-senha; returns the reason of a refusal.
async fn confirms(app: &App, code: &str, new_password: &str) -> Result<(), String> {
    let form = ConfirmPasswordResetRequest { code: code.into(), new_password: new_password.into() };
    let answer = app.auth().await.confirm_password_reset(form).await;
    answer.map(drop).map_err(|status| status.get_details_error_info().expect("a reason").reason)
}

async fn signs_in(app: &App, email: &str, password: &str) -> Result<(), String> {
    let form = SignInRequest { email: email.into(), password: password.into() };
    let answer = app.auth().await.sign_in(form).await;
    answer.map(drop).map_err(|status| status.get_details_error_info().expect("a reason").reason)
}

#[tokio::test]
async fn the_reset_mail_has_a_link_that_sets_the_password_once_and_ends_all_sessions() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;

    let code = code(&app, &person.email, 1).await;
    assert_eq!(
        ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await.body["authenticated"],
        true
    );
    confirms(&app, &code, "nova-senha").await.expect("the code holds");

    let seen = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(seen.body, json!({ "authenticated": false }));
    let record = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((record.status, record.code()), (401, "UNAUTHENTICATED"));
    assert_eq!(signs_in(&app, &person.email, "segredo1").await, Err("INVALID_CREDENTIAL".into()));
    signs_in(&app, &person.email, "nova-senha").await.expect("the new password opens");
    assert_eq!(confirms(&app, &code, "outra-senha").await, Err("RESET_CODE_INVALID".into()));
    let sent = mails(&app, &person.email, "Sua senha foi alterada", 1).await;
    assert!(sent[0]["html"].as_str().unwrap().contains("Não foi você?"), "{sent:?}");
}

#[tokio::test]
async fn the_reset_mail_has_instructions_in_text_and_html_and_a_link_from_settings_only() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;

    let request = app
        .visitor()
        .request("POST", "/api/password-reset")
        .header("host", "mal.exemplo")
        .header("x-forwarded-host", "mal.exemplo")
        .json(&json!({ "email": format!("  {} ", person.email.to_uppercase()) }));
    let answer = e2e::visitor::answer(request).await;

    assert_eq!((answer.status, answer.body), (200, json!({ "ok": true })));
    let mail = &mails(&app, &person.email, "Link para redefinir sua senha", 1).await[0];
    let code = code_of(&app, mail);
    assert_eq!(code.len(), 43, "256 bits as base64url");
    for part in ["text", "html"] {
        let said = mail[part].as_str().unwrap();
        assert!(said.contains(&format!("{}/redefinir-senha?code={code}", app.url())), "{said}");
        assert!(said.contains("Olá!"), "anybody may have typed the name: {said}");
        assert!(said.contains("60 minutos"), "{said}");
        assert!(said.contains("Não foi você?"), "{said}");
        assert!(!said.contains("mal.exemplo") && !said.contains("{{"), "{said}");
    }
    assert!(!app.log_text().contains(&code) && !app.log_text().contains(&person.email));
}

#[tokio::test]
async fn an_unknown_account_gets_the_same_reset_response_and_no_mail() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let stranger = Person::new();

    let unknown = asks(&app, &stranger.email).await;
    let known = asks(&app, &person.email).await;

    assert_eq!((unknown.status, &unknown.body), (known.status, &known.body));
    let names = |answer: &Answer| answer.headers.keys().map(ToString::to_string).collect::<Vec<_>>();
    assert_eq!(names(&unknown), names(&known));
    // The known account asked later, so once its mail has arrived, the other's job has run.
    mails(&app, &person.email, "Link para redefinir sua senha", 1).await;
    assert_eq!(app.provider().mails_to(&stranger.email).await, Vec::<Value>::new());
    let grpc = RequestPasswordResetRequest { email: stranger.email };
    app.auth().await.request_password_reset(grpc).await.expect("over gRPC it is the same");
}

#[tokio::test]
async fn an_invalid_reset_email_is_refused_with_ok_false() {
    let app = App::start().await;

    for email in ["", "ana", "ana@exemplo", "a na@exemplo.com"] {
        let refused = asks(&app, email).await;
        let body = json!({ "ok": false, "error": "Email inválido", "code": "INVALID_EMAIL" });
        assert_eq!((refused.status, refused.body), (400, body), "{email}");
    }
    let malformed = RequestPasswordResetRequest { email: "ana".into() };
    let refused = app.auth().await.request_password_reset(malformed).await.unwrap_err();
    assert_eq!(refused.code(), tonic::Code::InvalidArgument);
}

#[tokio::test]
async fn a_reset_code_is_valid_for_60_minutes_and_a_new_one_voids_it() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;

    let first = code(&app, &person.email, 1).await;
    let second = code(&app, &person.email, 2).await;
    assert_eq!(confirms(&app, &first, "nova-senha").await, Err("RESET_CODE_INVALID".into()));
    app.provider().advances(3600).await;

    assert_eq!(confirms(&app, &second, "nova-senha").await, Err("RESET_CODE_EXPIRED".into()));
    let third = code(&app, &person.email, 3).await;
    assert_eq!(confirms(&app, &third, "12345").await, Err("WEAK_PASSWORD".into()));
    confirms(&app, &third, "nova-senha").await.expect("a weak password does not use it up");
    signs_in(&app, &person.email, "nova-senha").await.expect("the new password opens");
}

#[tokio::test]
async fn the_fourth_reset_request_of_an_hour_gets_the_same_response_and_sends_no_mail() {
    let app = App::start().await;
    let (person, other) = (Person::new(), Person::new());
    app.visitor().signs_up(&person).await;
    app.visitor().signs_up(&other).await;

    // One after the other, because of two simultaneous requests only the later one may be mailed.
    for nth in 1..=3 {
        code(&app, &person.email, nth).await;
    }
    let answer = asks(&app, &person.email).await;
    assert_eq!((answer.status, answer.body), (200, json!({ "ok": true })));
    code(&app, &other.email, 1).await;
    assert_eq!(app.provider().mails_to(&person.email).await.len(), 3);
}

#[tokio::test]
async fn after_30_reset_requests_an_hour_an_address_gets_429_until_the_hour_passes() {
    let mut app = App::start().await;
    for _ in 0..30 {
        assert_eq!(asks(&app, &Person::new().email).await.status, 200);
    }

    let refused = asks(&app, &Person::new().email).await;

    let text = "Muitas tentativas. Tente novamente mais tarde";
    assert_eq!(refused.status, 429);
    assert_eq!(refused.body, json!({ "ok": false, "error": text, "code": "TOO_MANY_REQUESTS" }));
    let pause: u64 = refused.headers["retry-after"].to_str().unwrap().parse().expect("seconds");
    assert!((3500..=3600).contains(&pause), "{pause}");
    app.dies_and_restarts().await;
    assert_eq!(asks(&app, &Person::new().email).await.status, 429, "the counter is durable");
    app.provider().advances(3600).await;
    assert_eq!(asks(&app, &Person::new().email).await.status, 200);
}

#[tokio::test]
async fn guessing_reset_codes_is_limited_by_address() {
    let app = App::start().await;
    for number in 0..30 {
        assert_eq!(
            confirms(&app, &format!("inventado{number}"), "nova-senha").await,
            Err("RESET_CODE_INVALID".into())
        );
    }

    assert_eq!(confirms(&app, "inventado", "nova-senha").await, Err("TOO_MANY_REQUESTS".into()));
}

#[tokio::test]
async fn a_crash_right_after_the_reset_response_does_not_lose_the_mail() {
    let mut app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    // The mailbox fails until the product has restarted.
    app.provider().add_fault(json!({ "path": "/mail", "status": 503 })).await;

    assert_eq!(asks(&app, &person.email).await.status, 200);
    app.dies_and_restarts().await;
    app.provider().recovers().await;
    app.provider().advances(300).await;

    let mail = &mails(&app, &person.email, "Link para redefinir sua senha", 1).await[0];
    confirms(&app, &code_of(&app, mail), "nova-senha").await.expect("the code holds");
}

#[tokio::test]
async fn a_code_is_checked_without_being_used_up() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let code = code(&app, &person.email, 1).await;
    let check = async |code: &str| {
        let answer =
            app.auth().await.check_password_reset(CheckPasswordResetRequest { code: code.into() }).await;
        answer.map(drop).map_err(|status| status.get_details_error_info().expect("a reason").reason)
    };

    assert_eq!(check(&code).await, Ok(()));
    assert_eq!(check(&code).await, Ok(()));
    confirms(&app, &code, "outra-senha").await.expect("the code holds");
    assert_eq!(check(&code).await, Err("RESET_CODE_INVALID".into()));
}
