//! Attacks that must fail. docs/threat-model.md lists them, and those in other files.

use e2e::grpc_web::{self, WebAnswer};
use e2e::{App, Person, Visitor};
use garimpo_proto::auth::v1::{
    GetSessionRequest, GetSessionResponse, RevokeSessionRequest, SetSessionRequest, SignInRequest,
    SignOutRequest, SignOutResponse, SignUpRequest,
};
use garimpo_proto::billing::v1::{
    CreateCheckoutSessionRequest, CreatePortalSessionRequest, RequestRefundRequest,
};
use garimpo_proto::users::v1::{GetUserRequest, SaveUserRequest};
use serde_json::{Value, json};
use tonic::{Code, Request, Status};
use tonic_types::StatusExt as _;

const GET_SESSION: &str = "/garimpo.auth.v1.AuthService/GetSession";
const SIGN_OUT: &str = "/garimpo.auth.v1.AuthService/SignOut";

fn sign_in(person: &Person) -> SignInRequest {
    SignInRequest { email: person.email.clone(), password: person.password.clone() }
}

fn sign_up(person: &Person) -> SignUpRequest {
    SignUpRequest { phone_number: String::new(), ..person.sign_up_form() }
}

/// A request with a header that the caller sets.
fn with<T>(message: T, name: &'static str, value: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert(name, value.parse().expect("ascii"));
    request
}

/// The uid that a cookie authenticates over REST, gRPC-Web and gRPC, which must agree.
async fn holder(app: &App, cookie: &str) -> Option<String> {
    let rest = app.visitor().request("GET", "/api/auth/check-cookie").header("cookie", cookie);
    let rest = e2e::visitor::answer(rest).await.body["user"]["uid"].as_str().map(str::to_owned);
    let own = app.url().to_owned();
    let headers = [("cookie", cookie), ("origin", own.as_str())];
    let web: WebAnswer<GetSessionResponse> =
        grpc_web::call(app.url(), GET_SESSION, &GetSessionRequest {}, &headers).await;
    let web = web.message.expect("an answer").user.map(|user| user.uid);
    let native = app.auth().await.get_session(with(GetSessionRequest {}, "cookie", cookie)).await;
    let native = native.expect("an answer").into_inner().user.map(|user| user.uid);
    assert_eq!((&rest, &rest), (&web, &native));
    rest
}

#[tokio::test]
async fn a_cookie_planted_before_sign_in_does_not_become_the_victims_session() {
    let app = App::start().await;
    let victim = Person::new();
    let victims = app.visitor().signs_up(&victim).await;
    let attacker = app.visitor().signs_up(&Person::new()).await;
    let planted = attacker.cookie.clone().expect("a cookie");
    let invented = format!("garimpo_session=gs_{}", "A".repeat(43));

    for cookie in [&planted, &invented] {
        let answer =
            app.auth().await.sign_in(with(sign_in(&victim), "cookie", cookie)).await.expect("a session");
        let made = answer.metadata().get("set-cookie").expect("a cookie").to_str().expect("ascii");
        let made = made.split(';').next().expect("name=value");

        assert_ne!(made, cookie, "the session is another one");
        assert_eq!(holder(&app, made).await.as_deref(), Some(victims.uid.as_str()));
        assert_ne!(holder(&app, cookie).await.as_deref(), Some(victims.uid.as_str()));
    }
}

#[tokio::test]
async fn a_cookie_replayed_after_sign_out_opens_nothing_over_rest_grpc_and_grpc_web() {
    let app = App::start().await;
    let person = Person::new();
    let ana = app.visitor().signs_up(&person).await;
    let cookie = ana.cookie.clone().expect("a cookie");
    assert_eq!(holder(&app, &cookie).await.as_deref(), Some(ana.uid.as_str()));

    let own = app.url().to_owned();
    let headers = [("cookie", cookie.as_str()), ("origin", own.as_str())];
    let out: WebAnswer<SignOutResponse> =
        grpc_web::call(app.url(), SIGN_OUT, &SignOutRequest {}, &headers).await;
    assert_eq!(out.grpc_status, "0");

    assert_eq!(holder(&app, &cookie).await, None);
    let record = ana.calls_with_cookie("GET", &format!("/api/users/{}", ana.uid), None).await;
    assert_eq!((record.status, record.code()), (401, "UNAUTHENTICATED"));
    let get = GetUserRequest { uid: ana.uid.clone() };
    let refused = app.users().await.get_user(with(get, "cookie", &cookie)).await.expect_err("refused");
    assert_eq!(refused.code(), Code::Unauthenticated);
    // The cookie's value is no bearer token either.
    let token = cookie.split_once('=').expect("name=value").1;
    let bearer = with(GetSessionRequest {}, "authorization", &format!("Bearer {token}"));
    assert!(!app.auth().await.get_session(bearer).await.expect("an answer").into_inner().authenticated);
}

/// The reason of a refused call. Panics if the call succeeded.
fn reason<T>(answer: Result<T, Status>) -> String {
    let status = answer.err().expect("it is refused");
    status.get_details_error_info().expect("a reason").reason
}

#[tokio::test]
async fn another_accounts_uid_email_and_session_are_refused_in_every_call() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let eva = app.visitor().signs_up(&Person::new()).await;
    let (mut auth, mut users, mut billing) = (app.auth().await, app.users().await, app.billing().await);

    let (uid, email) = (ana.uid.clone(), ana.email.clone());
    let set = SetSessionRequest { uid: uid.clone(), email: email.clone(), display_name: String::new() };
    let save = SaveUserRequest {
        uid: uid.clone(),
        email: email.clone(),
        display_name: "Eva".into(),
        ..Default::default()
    };
    let checkout = CreateCheckoutSessionRequest {
        email: email.clone(),
        plan_name: "Top Afiliado".into(),
        interval: "month".into(),
        ..Default::default()
    };
    let portal = CreatePortalSessionRequest { email: email.clone() };
    let session = RevokeSessionRequest { id: "ses_00000000000000000000000000".into(), ..Default::default() };
    let refusals = [
        reason(auth.set_session(eva.authorized(set)).await),
        reason(users.get_user(eva.authorized(GetUserRequest { uid: uid.clone() })).await),
        reason(users.save_user(eva.authorized(save)).await),
        reason(billing.create_checkout_session(eva.authorized(checkout)).await),
        reason(billing.create_portal_session(eva.authorized(portal)).await),
    ];
    assert_eq!(refusals, ["PERMISSION_DENIED"; 5]);
    assert_eq!(reason(auth.revoke_session(eva.authorized(session)).await), "NOT_FOUND");

    let body = |more: Value| {
        let mut body = json!({ "uid": uid, "email": email, "displayName": "Eva" });
        body.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
        Some(body)
    };
    let path = format!("/api/users/{uid}");
    let rest: [(&str, &str, Option<Value>); 5] = [
        ("POST", "/api/auth/set-cookie", body(json!({}))),
        ("GET", &path, None),
        ("POST", "/api/users", body(json!({ "firstName": "Eva" }))),
        ("POST", "/api/create-customer-portal-session", body(json!({}))),
        (
            "POST",
            "/create-embedded-checkout-session",
            body(json!({ "planName": "Top Afiliado", "interval": "month" })),
        ),
    ];
    for (method, path, body) in rest {
        for answer in
            [eva.calls(method, path, body.clone()).await, eva.calls_with_cookie(method, path, body).await]
        {
            assert_eq!((answer.status, answer.code()), (403, "PERMISSION_DENIED"), "{path}");
            assert_eq!(answer.cookie(), None, "{path}");
        }
    }
    assert_eq!(ana.record().await["displayName"], "Ana Maria Souza");
}

#[tokio::test]
async fn forged_internal_headers_give_no_identity_on_any_port() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let forged = [
        ("x-garimpo-uid", ana.uid.as_str()),
        ("x-garimpo-session", "gs_forjada"),
        ("x-garimpo-fleet-secret", "segredo-da-frota-forjado"),
        ("x-garimpo-client-address", "10.0.0.1"),
    ];

    for url in [app.url(), app.internal_url()] {
        let mut users = garimpo_proto::users::v1::user_service_client::UserServiceClient::new(
            e2e::app::channel(url).await,
        );
        let mut request = Request::new(GetUserRequest { uid: ana.uid.clone() });
        for (name, value) in forged {
            request.metadata_mut().insert(name, value.parse().expect("ascii"));
        }
        assert_eq!(reason(users.get_user(request).await), "UNAUTHENTICATED", "{url}");
    }
}

#[tokio::test]
async fn an_invented_client_address_does_not_escape_the_limits() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let wrong = SignInRequest { email: person.email.clone(), password: "senha-errada".into() };
    let mut auth = app.auth().await;

    for nth in 0..10 {
        let mut request = with(wrong.clone(), "x-forwarded-for", &format!("10.0.0.{nth}"));
        request.metadata_mut().insert("x-garimpo-client-address", "10.9.9.9".parse().expect("ascii"));
        assert_eq!(reason(auth.sign_in(request).await), "INVALID_CREDENTIAL");
    }

    let barred = auth.sign_in(with(sign_in(&person), "x-forwarded-for", "10.1.1.1")).await;
    let status = barred.expect_err("barred");
    assert_eq!(status.code(), Code::ResourceExhausted);
    assert!(status.get_details_retry_info().is_some_and(|info| info.retry_delay.is_some()), "{status:?}");
}

#[tokio::test]
async fn a_line_break_in_input_becomes_no_header_and_no_log_line() {
    let app = App::start().await;
    let forged = "{\"level\":\"ERROR\",\"message\":\"forjada\"}";
    let visitor = app.visitor().signs_up(&Person::new()).await;
    let eva = Person { display_name: format!("Eva\r\nSet-Cookie: a=b\r\n{forged}"), ..Person::new() };

    let refused = app.auth().await.sign_up(sign_up(&eva)).await;
    assert_eq!(reason(refused), "INVALID_ARGUMENT", "a name is one line");
    for path in [format!("/%0d%0a{forged}"), "/api/users/x%0a%0dforjada".to_owned()] {
        let answer =
            visitor.request("GET", &path).header("accept", "text/html").send().await.expect("answered");
        assert!(answer.headers().get("set-cookie").is_none());
    }
    for email in ["a@b.co\r\nBcc: outra@exemplo.com.br", "a@b.co\0"] {
        let body = Some(json!({ "email": email }));
        let refused = visitor.calls("POST", "/api/password-reset", body).await;
        assert_eq!((refused.status, refused.code()), (400, "INVALID_EMAIL"), "{email:?}");
    }

    for line in app.log_text().lines() {
        let read: Value = serde_json::from_str(line).unwrap_or_else(|_| panic!("not a line of ours: {line}"));
        assert_ne!(read["message"], "forjada");
    }
}

/// Everything by which a caller could distinguish two refusals.
fn observable(status: &Status) -> (Code, String, Vec<u8>, Vec<String>) {
    let names = status.metadata().clone().into_headers();
    let mut names: Vec<_> = names.keys().map(|name| name.as_str().to_owned()).collect();
    names.sort_unstable();
    (status.code(), status.message().to_owned(), status.details().to_vec(), names)
}

#[tokio::test]
async fn responses_do_not_distinguish_known_from_unknown_accounts() {
    let app = App::start().await;
    let person = Person::new();
    app.visitor().signs_up(&person).await;
    let mut auth = app.auth().await;

    let wrong = SignInRequest { email: person.email.clone(), password: "senha-errada".into() };
    let nobody = SignInRequest { email: Person::new().email, password: "senha-errada".into() };
    let known = auth.sign_in(wrong).await.expect_err("a wrong password");
    let unknown = auth.sign_in(nobody).await.expect_err("an unknown account");
    assert_eq!(observable(&known), observable(&unknown));

    let mut answers = Vec::new();
    for email in [person.email, Person::new().email] {
        let body = Some(json!({ "email": email }));
        let answer = app.visitor().calls("POST", "/api/password-reset", body).await;
        let mut names: Vec<_> = answer.headers.keys().map(ToString::to_string).collect();
        names.sort_unstable();
        answers.push((answer.status, answer.body, names));
    }
    assert_eq!(answers[0], answers[1]);
}

#[tokio::test]
async fn oversized_bodies_and_headers_are_refused_over_rest_and_grpc() {
    let app = App::start().await;
    let ana: Visitor = app.visitor().signs_up(&Person::new()).await;

    let large = json!({ "email": "a".repeat(70 * 1024) });
    let refused = ana.calls("POST", "/api/password-reset", Some(large)).await;
    assert_eq!((refused.status, refused.code()), (413, "PAYLOAD_TOO_LARGE"));

    let large = SignInRequest { email: "a".repeat(70 * 1024), password: "x".into() };
    let refused = app.auth().await.sign_in(large).await.expect_err("too large");
    assert_eq!(refused.code(), Code::InvalidArgument);

    let long = "a".repeat(20 * 1024);
    let answer = ana.request("GET", "/api/auth/check-cookie").header("cookie", long).send().await;
    assert_eq!(answer.expect("answered").status(), 431);
}

#[tokio::test]
async fn checkout_and_portal_calls_are_limited_per_account_and_refunds_are_not() {
    let app = App::start_with(&[("GARIMPO_LIMIT_CHECKOUT_ACCOUNT", "20")]).await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let checkout = json!({ "email": ana.email, "planName": "Top Afiliado", "interval": "trimestral" });
    for _ in 0..20 {
        let answer = ana.calls("POST", "/create-embedded-checkout-session", Some(checkout.clone())).await;
        assert_ne!(answer.status, 429, "within the limit");
    }

    for (path, body) in [
        ("/create-embedded-checkout-session", checkout),
        ("/api/create-customer-portal-session", json!({ "email": ana.email })),
    ] {
        let refused = ana.calls("POST", path, Some(body)).await;
        assert_eq!((refused.status, refused.code()), (429, "TOO_MANY_REQUESTS"), "{path}");
        assert!(refused.headers.contains_key("retry-after"));
    }
    // The limit of checkouts does not apply to refunds.
    let leave = ana.billing().await.request_refund(ana.authorized(RequestRefundRequest::default())).await;
    let refused = leave.expect_err("there is nothing to give back");
    assert_eq!(refused.get_details_error_info().expect("a reason").reason, "NO_SUBSCRIPTION");
    let eva = app.visitor().signs_up(&Person::new()).await;
    eva.opens_checkout("Top Afiliado", "month").await;
}
