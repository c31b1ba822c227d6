//! POST /api/create-customer-portal-session, and CreatePortalSession with the same refusals.

use super::{FOREIGN_ORIGIN_HEADERS, PERMISSION_DENIED, PROVIDER_UNAVAILABLE, UNAUTHENTICATED};
use e2e::{App, Person, Rest, Visitor};
use garimpo_proto::billing::v1::CreatePortalSessionRequest;
use serde_json::json;
use tonic::Code;
use tonic_types::StatusExt;

const PATH: &str = "/api/create-customer-portal-session";
const NO_CUSTOMER: (u16, &str, &str) =
    (404, "NO_CUSTOMER", "Esta conta ainda não tem pagamentos para gerenciar.");
const EMAIL_MISSING: (u16, &str, &str) = (400, "EMAIL_MISSING", "Email não encontrado");

/// An account that has a customer at the provider.
async fn customer(app: &App) -> Visitor {
    let ana = app.visitor().signs_up(&Person::new()).await;
    ana.opens_checkout("Top Afiliado", "month").await;
    ana
}

#[tokio::test]
async fn create_portal_opens_the_provider_portal_with_a_link_back_to_the_user_area() {
    let app = App::start().await;
    let ana = customer(&app).await;

    let opened = ana.calls_with_cookie("POST", PATH, Some(json!({ "email": ana.email }))).await;

    let url = opened.body["url"].as_str().expect("an address").to_owned();
    opened.gives(200, json!({ "url": url }));
    let page = reqwest::get(&url).await.expect("the portal answers");
    assert_eq!(page.status(), 200);
    let page = page.text().await.expect("a page");
    assert!(page.contains(&format!("href=\"{}/area-usuario\"", app.url())), "{page}");
}

#[tokio::test]
async fn create_portal_refuses_missing_or_foreign_emails_no_credential_and_no_customer() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;

    for body in [json!({}), json!({ "email": "" }), json!({ "email": " " }), json!({ "email": null })] {
        ana.calls("POST", PATH, Some(body)).await.refuses(EMAIL_MISSING);
    }
    ana.calls("POST", PATH, Some(json!({ "email": 7 }))).await.blames("email deve ser um texto");
    for email in ["outra@exemplo.com.br", "nao-e-email"] {
        ana.calls("POST", PATH, Some(json!({ "email": email }))).await.refuses(PERMISSION_DENIED);
    }
    let own = json!({ "email": ana.email });
    app.visitor().calls("POST", PATH, Some(own.clone())).await.refuses(UNAUTHENTICATED);
    ana.calls("POST", PATH, Some(own.clone())).await.refuses(NO_CUSTOMER);
    for (name, value) in FOREIGN_ORIGIN_HEADERS {
        let refused = ana.request("POST", PATH).cookie_of(&ana).header(name, value).json(&own);
        refused.answered().await.refuses(PERMISSION_DENIED);
    }
}

#[tokio::test]
async fn create_portal_returns_502_while_the_provider_is_down_and_opens_afterwards() {
    let app = App::start().await;
    let ana = customer(&app).await;
    let own = || Some(json!({ "email": ana.email }));
    app.provider().add_fault(json!({ "path": "/v1/billing_portal/sessions", "status": 500 })).await;

    let refused = ana.calls("POST", PATH, own()).await;
    app.provider().recovers().await;

    refused.refuses(PROVIDER_UNAVAILABLE);
    assert!(refused.header("retry-after").parse::<u32>().is_ok_and(|seconds| seconds >= 1), "{refused:?}");
    e2e::eventually("the provider is asked again", || async {
        let answer = ana.calls("POST", PATH, own()).await;
        (answer.status == 200).then_some(())
    })
    .await;
}

#[tokio::test]
async fn create_portal_has_the_same_refusals_over_grpc() {
    let app = App::start().await;
    let ana = app.visitor().signs_up(&Person::new()).await;
    let mut billing = app.billing().await;
    let ask = |email: &str| ana.authorized(CreatePortalSessionRequest { email: email.into() });
    let reason = |status: tonic::Status| {
        (status.code(), status.get_details_error_info().map(|info| info.reason).unwrap_or_default())
    };

    let missing = billing.create_portal_session(ask("")).await.unwrap_err();
    let foreign = billing.create_portal_session(ask("outra@exemplo.com.br")).await.unwrap_err();
    let unknown = billing.create_portal_session(ask(&ana.email)).await.unwrap_err();
    ana.opens_checkout("Top Afiliado", "month").await;
    app.provider().add_fault(json!({ "path": "/v1/billing_portal/sessions", "status": 500 })).await;
    let down = billing.create_portal_session(ask(&ana.email)).await.unwrap_err();

    assert_eq!(reason(missing), (Code::InvalidArgument, "EMAIL_MISSING".into()));
    assert_eq!(reason(foreign), (Code::PermissionDenied, "PERMISSION_DENIED".into()));
    assert_eq!(reason(unknown), (Code::NotFound, "NO_CUSTOMER".into()));
    assert_eq!(reason(down), (Code::Unavailable, "PROVIDER_UNAVAILABLE".into()));
}
