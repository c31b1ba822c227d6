//! The whole product with the external identity provider: its own emulator, as `make test` starts
//! it.

use e2e::identity::{API_KEY, HIDES_UNKNOWN_EMAIL, Identity, REVEALS_UNKNOWN_EMAIL};
use e2e::{App, Person, Visitor, grpc_web};
use garimpo_proto::auth::v1::{
    ChangePasswordRequest, ConfirmPasswordResetRequest, GetSessionRequest, SignInRequest, SignInResponse,
    SignOutRequest, SignUpRequest,
};
use garimpo_proto::users::v1::DeleteMyAccountRequest;
use serde_json::{Value, json};
use tonic_types::StatusExt;

/// The product with the identity provider's project; `None` without the emulator.
async fn product(project: &'static str) -> Option<(Identity, App)> {
    let Some(identity) = Identity::of(project).await else {
        e2e::skips("identity emulator");
        return None;
    };
    let settings = identity.settings();
    let settings: Vec<(&str, &str)> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let app = App::start_with(&settings).await;
    Some((identity, app))
}

/// gRPC's code by its number, and the reason.
async fn signs_in(app: &App, email: &str, password: &str) -> Result<SignInResponse, (i32, String)> {
    let form = SignInRequest { email: email.into(), password: password.into() };
    // The page calls the same over gRPC-Web.
    let path = "/garimpo.auth.v1.AuthService/SignIn";
    let web = grpc_web::call::<_, SignInResponse>(app.url(), path, &form, &[]).await;
    let answer = app.auth().await.sign_in(form).await;
    let code = answer.as_ref().err().map_or(0, |status| status.code() as i32);
    assert_eq!(web.grpc_status, code.to_string());
    answer.map(tonic::Response::into_inner).map_err(|status| (code, reason(&status)))
}

fn reason(status: &tonic::Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

fn fields(status: &tonic::Status) -> Vec<String> {
    let violations = status.get_details_bad_request().map(|bad| bad.field_violations);
    violations.unwrap_or_default().into_iter().map(|violation| violation.field).collect()
}

async fn signs_up(app: &App, person: &Person) -> Result<(), String> {
    let form = SignUpRequest { phone_number: String::new(), ..person.sign_up_form() };
    let answer = app.auth().await.sign_up(form).await.map(drop);
    answer.map_err(|status| [&[reason(&status)][..], &fields(&status)].concat().join(" "))
}

async fn asks_for_link(app: &App, email: &str) -> (u16, Value) {
    let answer = app.visitor().calls("POST", "/api/password-reset", Some(json!({ "email": email }))).await;
    (answer.status, answer.body)
}

async fn code(app: &App, email: &str) -> String {
    assert_eq!(asks_for_link(app, email).await, (200, json!({ "ok": true })));
    let text = e2e::eventually("the mail with the link", || async {
        let mails = app.provider().mails_to(email).await;
        let mail = mails.into_iter().find(|mail| mail["subject"] == "Link para redefinir sua senha")?;
        Some(mail["text"].as_str()?.to_owned())
    })
    .await;
    let (_, rest) = text.split_once(&format!("{}/redefinir-senha?code=", app.url())).expect("a link of ours");
    rest.split_whitespace().next().expect("a code").to_string()
}

async fn confirms(app: &App, code: &str, new_password: &str) -> Result<(), String> {
    let form = ConfirmPasswordResetRequest { code: code.into(), new_password: new_password.into() };
    app.auth().await.confirm_password_reset(form).await.map(drop).map_err(|status| reason(&status))
}

#[tokio::test]
async fn an_identity_provider_token_authenticates_without_a_cookie_until_sign_out() {
    let Some((_identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let person = Person::new();
    let mut ana = app.visitor().signs_up(&person).await;
    assert_eq!(
        ana.id_token.as_deref().map(|token| token.split('.').count()),
        Some(3),
        "a JWT of the provider's"
    );

    assert_eq!(ana.record().await["displayName"], "Ana Maria Souza");
    let body = json!({ "uid": ana.uid, "email": ana.email });
    let set = ana.calls("POST", "/api/auth/set-cookie", Some(body.clone())).await;
    assert_eq!((set.status, &set.body), (200, &json!({ "ok": true })));
    ana.cookie = set.cookie();
    let checked = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(checked.body["user"]["uid"], ana.uid);
    let rui = app.visitor().signs_up(&Person::new()).await;
    assert_eq!(
        rui.calls("POST", "/api/auth/set-cookie", Some(body.clone())).await.code(),
        "PERMISSION_DENIED"
    );

    app.auth().await.sign_out(ana.authorized(SignOutRequest {})).await.expect("signs out");

    let refused = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"));
    assert_eq!(ana.calls("POST", "/api/auth/set-cookie", Some(body)).await.code(), "UNAUTHENTICATED");
    let seen = app.auth().await.get_session(ana.authorized(GetSessionRequest {})).await.expect("it answers");
    assert!(!seen.into_inner().authenticated);
    // The browser's own session is not affected.
    let checked = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(checked.body["authenticated"], true);
}

#[tokio::test]
async fn each_sign_in_failure_of_the_identity_provider_has_its_reason() {
    let Some((identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let Some((_silent, neutral)) = product(HIDES_UNKNOWN_EMAIL).await else { return };
    let ana = Person::new();
    for app in [&app, &neutral] {
        app.visitor().signs_up(&ana).await;
    }
    let nobody = Person::new();
    let refused = |code: i32, reason: &str| Err((code, reason.to_owned()));

    assert_eq!(signs_in(&app, &nobody.email, "segredo1").await, refused(5, "USER_NOT_FOUND"));
    assert_eq!(signs_in(&app, &ana.email, "errada!").await, refused(16, "WRONG_PASSWORD"));
    for (email, password) in [(&nobody.email, "segredo1"), (&ana.email, "errada!")] {
        assert_eq!(signs_in(&neutral, email, password).await, refused(16, "INVALID_CREDENTIAL"));
    }
    for (status, message, expected) in [
        (400, "TOO_MANY_ATTEMPTS_TRY_LATER : Access to this account was disabled.", (8, "TOO_MANY_REQUESTS")),
        (400, "USER_DISABLED", (16, "INVALID_CREDENTIAL")),
        (400, "OPERATION_NOT_ALLOWED : Password sign-in is disabled.", (13, "INTERNAL")),
        (400, "QUOTA_EXCEEDED : Exceeded quota.", (14, "PROVIDER_UNAVAILABLE")),
        (400, "API_KEY_INVALID", (14, "PROVIDER_UNAVAILABLE")),
        (503, "x", (14, "PROVIDER_UNAVAILABLE")),
    ] {
        identity.fails(":signInWithPassword", status, message);
        assert_eq!(
            signs_in(&app, &ana.email, &ana.password).await,
            refused(expected.0, expected.1),
            "{message}"
        );
        identity.recovers();
    }
    signs_in(&app, &ana.email, &ana.password).await.expect("the password opens");
    identity.shut_down();
    assert_eq!(signs_in(&app, &ana.email, &ana.password).await, refused(14, "PROVIDER_UNAVAILABLE"));
}

#[tokio::test]
async fn an_identity_provider_outage_uses_up_no_sign_in_attempts() {
    let Some((identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let ana = Person::new();
    app.visitor().signs_up(&ana).await;
    identity.fails(":signInWithPassword", 503, "x");
    for _ in 0..11 {
        let refused = signs_in(&app, &ana.email, &ana.password).await.expect_err("it is down");
        assert_eq!(refused.1, "PROVIDER_UNAVAILABLE");
    }

    identity.recovers();

    signs_in(&app, &ana.email, &ana.password).await.expect("tries during an outage do not count");
}

#[tokio::test]
async fn each_sign_up_failure_of_the_identity_provider_has_its_reason() {
    let Some((identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let elsewhere = Person::new();
    let form = json!({ "email": elsewhere.email, "password": "de-outro-programa" });
    identity.does("accounts:signUp", form).await;

    assert_eq!(signs_up(&app, &elsewhere).await, Err("EMAIL_IN_USE".into()));
    for (status, message, expected) in [
        (400, "EMAIL_EXISTS", "EMAIL_IN_USE"),
        (400, "WEAK_PASSWORD : Password should be at least 6 characters", "WEAK_PASSWORD password"),
        (
            400,
            "PASSWORD_DOES_NOT_MEET_REQUIREMENTS : Missing password requirements: [x]",
            "WEAK_PASSWORD password",
        ),
        (400, "INVALID_EMAIL", "INVALID_EMAIL email"),
        (400, "TOO_MANY_ATTEMPTS_TRY_LATER : x", "TOO_MANY_REQUESTS"),
        (400, "ADMIN_ONLY_OPERATION", "INTERNAL"),
        (500, "x", "PROVIDER_UNAVAILABLE"),
    ] {
        identity.fails("accounts:signUp", status, message);
        assert_eq!(signs_up(&app, &Person::new()).await, Err(expected.into()), "{message}");
        identity.recovers();
    }
    // The name is a separate update of the profile, and its failure does not fail the sign-up.
    identity.refuses("accounts:update", "INTERNAL_ERROR");
    let person = Person::new();
    signs_up(&app, &person).await.expect("the account is made");
    signs_in(&app, &person.email, &person.password).await.expect("and opens");
}

#[tokio::test]
async fn password_recovery_uses_our_mail_and_each_provider_failure_has_its_reason() {
    let Some((identity, app)) = product(HIDES_UNKNOWN_EMAIL).await else { return };
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let down = json!({
        "ok": false, "code": "PROVIDER_UNAVAILABLE",
        "error": "Um serviço externo não respondeu. Tente novamente em instantes.",
    });
    identity.fails("accounts:lookup", 503, "x");
    for email in [&person.email, &Person::new().email] {
        assert_eq!(asks_for_link(&app, email).await, (502, down.clone()), "the same for every email");
    }
    identity.recovers();
    // The mail's job waits for the provider, and then continues by itself.
    identity.fails("accounts:sendOobCode", 503, "x");
    assert_eq!(asks_for_link(&app, &person.email).await, (200, json!({ "ok": true })));
    identity.recovers();

    let code = code(&app, &person.email).await;
    for (message, expected) in [
        ("EXPIRED_OOB_CODE", "RESET_CODE_EXPIRED"),
        ("INVALID_OOB_CODE", "RESET_CODE_INVALID"),
        ("USER_DISABLED", "INVALID_CREDENTIAL"),
    ] {
        identity.refuses("accounts:resetPassword", message);
        assert_eq!(confirms(&app, &code, "nova-senha").await, Err(expected.into()));
        identity.recovers();
    }
    assert_eq!(confirms(&app, &code, "12345").await, Err("WEAK_PASSWORD".into()));
    confirms(&app, &code, "nova-senha").await.expect("the code holds");

    let checked = ana.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
    assert_eq!(checked.body, json!({ "authenticated": false }));
    let refused = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"));
    assert_eq!(confirms(&app, &code, "mais-uma").await, Err("RESET_CODE_INVALID".into()));
    assert!(signs_in(&app, &person.email, &person.password).await.is_err());
    signs_in(&app, &person.email, "nova-senha").await.expect("the new password opens");
}

#[tokio::test]
async fn a_password_change_that_the_provider_refuses_keeps_only_the_callers_session() {
    let Some((identity, app)) = product(HIDES_UNKNOWN_EMAIL).await else { return };
    let person = Person::new();
    let mut here = app.visitor().signs_up(&person).await;
    let elsewhere = app.visitor().signs_in(&person).await;
    let before = here.clone();
    let form = || ChangePasswordRequest {
        current_password: person.password.clone(),
        new_password: "nova-senha".into(),
    };
    for (status, message, expected) in
        [(400, "WEAK_PASSWORD : x", "WEAK_PASSWORD"), (503, "x", "PROVIDER_UNAVAILABLE")]
    {
        identity.fails("accounts:update", status, message);
        let asked = here.with_cookie(form());
        let refused = app.auth().await.change_password(asked).await.expect_err("the provider refuses");
        identity.recovers();
        assert_eq!(reason(&refused), expected);
        assert!(here.keeps_cookie(refused.metadata()), "another cookie comes");
    }

    for (who, known) in [(&here, true), (&before, false), (&elsewhere, false)] {
        let seen = who.calls_with_cookie("GET", "/api/auth/check-cookie", None).await;
        assert_eq!(seen.body["authenticated"], known);
    }
    app.auth().await.change_password(here.with_cookie(form())).await.expect("it is changed");
    signs_in(&app, &person.email, "nova-senha").await.expect("the new password opens");
}

#[tokio::test]
async fn an_identity_from_another_program_gets_an_account_when_it_opens_a_session() {
    let Some((identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let person = Person::new();
    let form = json!({ "email": person.email, "password": "segredo1", "displayName": "Rui Lima", "returnSecureToken": true });
    let made = identity.does("accounts:signUp", form).await;
    let mut rui: Visitor = app.visitor();
    rui.id_token = made["idToken"].as_str().map(str::to_owned);
    rui.uid = made["localId"].as_str().expect("an id").to_owned();
    let stranger = rui.calls("GET", &format!("/api/users/{}", rui.uid), None).await;
    assert_eq!((stranger.status, stranger.code()), (401, "UNAUTHENTICATED"));

    let body = json!({ "uid": rui.uid, "email": person.email, "displayName": "ignorado" });
    let set = rui.calls("POST", "/api/auth/set-cookie", Some(body)).await;

    assert_eq!((set.status, &set.body), (200, &json!({ "ok": true })));
    let record = rui.record().await;
    assert_eq!((&record["displayName"], &record["email"]), (&json!("Rui Lima"), &json!(person.email)));
}

#[tokio::test]
async fn no_secret_of_the_identity_provider_is_logged() {
    let Some((identity, mut app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    app.restarts_with(&[("GARIMPO_LOG", "debug,hyper_util=info,h2=info")]).await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let code = code(&app, &person.email).await;
    identity.refuses("accounts:resetPassword", "MISSING_REQ_TYPE : ana@exemplo.com.br");
    assert_eq!(confirms(&app, &code, "nova-senha").await, Err("INTERNAL".into()));
    identity.shut_down();
    assert!(signs_in(&app, &person.email, &person.password).await.is_err());

    let log = app.log_text();

    assert!(log.contains("identity_sign_up ok") && log.contains("identity_sign_in unavailable"), "{log}");
    let token = ana.id_token.expect("a token");
    for secret in
        [API_KEY, &token, &person.email, &person.password, "nova-senha", "passwordHash", &code, "ana@exemplo"]
    {
        assert!(!log.contains(secret), "{secret} is in the log:\n{log}");
    }
}

#[tokio::test]
async fn a_deleted_account_is_deleted_at_the_identity_provider_and_the_email_is_free_again() {
    let Some((identity, app)) = product(REVEALS_UNKNOWN_EMAIL).await else { return };
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let mut users = app.users().await;
    let delete = |password: &str| ana.authorized(DeleteMyAccountRequest { password: password.into() });
    let refused = users.delete_my_account(delete("errada!")).await.expect_err("the password is asked for");
    assert_eq!(reason(&refused), "WRONG_PASSWORD");
    // The deletion is sent to the identity provider when it is available again.
    identity.fails("accounts:delete", 503, "x");

    users.delete_my_account(delete(&person.password)).await.expect("the account is deleted");

    let refused = ana.calls("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((refused.status, refused.code()), (401, "UNAUTHENTICATED"));
    let body = json!({ "uid": ana.uid, "email": ana.email });
    assert_eq!(ana.calls("POST", "/api/auth/set-cookie", Some(body)).await.code(), "UNAUTHENTICATED");
    let back = signs_in(&app, &person.email, &person.password).await.map(drop);
    assert_eq!(back, Err((16, "INVALID_CREDENTIAL".into())), "the account does not rise from its identity");
    assert_eq!(signs_up(&app, &person).await, Err("EMAIL_IN_USE".into()), "and its identity is not adopted");
    identity.recovers();
    app.provider().advances(300).await;
    e2e::eventually("the end of the identity", || async {
        let form = json!({ "email": person.email, "password": person.password });
        let answer = identity.does("accounts:signInWithPassword", form).await;
        (answer["error"]["message"] == "EMAIL_NOT_FOUND").then_some(())
    })
    .await;
    let again = app.visitor().signs_up(&person).await;
    assert_ne!(again.uid, ana.uid);
}
