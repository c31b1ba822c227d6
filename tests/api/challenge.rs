//! The challenge of sign-ups beyond 20 an hour of an address, with the sandbox as its provider.

use e2e::{App, Person};
use garimpo_proto::auth::v1::{SignUpRequest, SignUpResponse};
use serde_json::json;
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// Sign-ups of an address in an hour without a challenge.
const FREE: usize = 20;

async fn signs_up(app: &App, person: &Person, response: &str) -> Result<SignUpResponse, Status> {
    let form = SignUpRequest { challenge_response: response.to_string(), ..person.sign_up_form() };
    app.auth().await.sign_up(form).await.map(tonic::Response::into_inner)
}

fn reason(status: &Status) -> String {
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

async fn count(app: &App, series: &str) -> u64 {
    app.metric(series).await.and_then(|count| count.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn twenty_sign_ups_of_an_address_are_free_and_the_next_ones_need_a_challenge_each() {
    let app = App::start_with(&[("GARIMPO_CAPTCHA", "sandbox")]).await;
    let first = Person::new();
    signs_up(&app, &first, "").await.expect("free");
    for _ in 1..FREE {
        signs_up(&app, &Person::new(), "").await.expect("free");
    }

    let ana = Person::new();
    // The refusal is the same for an email in use, so it reveals nothing.
    for (person, response) in [(&ana, ""), (&first, ""), (&ana, "invented")] {
        let required = signs_up(&app, person, response).await.expect_err("a challenge is required");
        assert_eq!(
            (required.code(), reason(&required).as_str()),
            (Code::FailedPrecondition, "CHALLENGE_REQUIRED")
        );
        let metadata = required.get_details_error_info().expect("ErrorInfo").metadata;
        assert_eq!(metadata["provider"], "turnstile");
        assert_eq!(metadata["script_url"], format!("{}/captcha/api.js", app.sandbox_url()));
        assert!(!metadata["site_key"].is_empty());
    }
    let user = signs_up(&app, &ana, "pass-1").await.expect("solved").user.expect("a user");
    assert_eq!(user.email, ana.email);
    let again = signs_up(&app, &Person::new(), "pass-1").await.expect_err("a response counts once");
    assert_eq!(reason(&again), "CHALLENGE_REQUIRED");

    let outcome =
        |name| format!(r#"garimpo_provider_requests_total{{call="challenge_verify",outcome="{name}"}}"#);
    assert_eq!((count(&app, &outcome("ok")).await, count(&app, &outcome("refused")).await), (1, 2));
    assert_eq!(count(&app, r#"garimpo_limited_total{limit="challenge",scope="client"}"#).await, 4);
    assert!(!app.log_text().contains("captcha_test_garimpo") && !app.log_text().contains("pass-1"));
}

#[tokio::test]
async fn while_challenges_cannot_be_verified_the_sign_ups_that_need_one_wait() {
    let app = App::start_with(&[("GARIMPO_CAPTCHA", "sandbox")]).await;
    for _ in 0..FREE {
        signs_up(&app, &Person::new(), "").await.expect("free");
    }
    let ana = Person::new();
    for fault in [json!({ "status": 503 }), json!({ "drop": true })] {
        let mut fault = fault;
        fault["path"] = "/captcha/siteverify".into();
        fault["times"] = 1.into();
        app.provider().add_fault(fault).await;

        let down = signs_up(&app, &ana, "pass-1").await.expect_err("the challenge provider is down");
        assert_eq!((down.code(), reason(&down).as_str()), (Code::Unavailable, "PROVIDER_UNAVAILABLE"));
        assert!(down.get_details_retry_info().and_then(|info| info.retry_delay).is_some());
    }
    signs_up(&app, &ana, "pass-1").await.expect("the response was not used up");
}

#[tokio::test]
async fn hcaptcha_is_called_by_the_same_protocol_and_named_to_the_page() {
    let mut app = App::start().await;
    let url = format!("{}/captcha/siteverify", app.sandbox_url());
    let settings = [
        ("GARIMPO_CAPTCHA", "hcaptcha"),
        ("GARIMPO_CAPTCHA_URL", url.as_str()),
        ("GARIMPO_CAPTCHA_SITE_KEY", "10000000-ffff-ffff-ffff-000000000001"),
        ("GARIMPO_CAPTCHA_SECRET", "captcha_test_garimpo"),
    ];
    app.restarts_with(&settings).await;
    for _ in 0..FREE {
        signs_up(&app, &Person::new(), "").await.expect("free");
    }

    let required = signs_up(&app, &Person::new(), "").await.expect_err("a challenge is required");

    let metadata = required.get_details_error_info().expect("ErrorInfo").metadata;
    assert_eq!(metadata["provider"], "hcaptcha");
    assert_eq!(metadata["site_key"], "10000000-ffff-ffff-ffff-000000000001");
    assert_eq!(metadata["script_url"], "https://js.hcaptcha.com/1/api.js?render=explicit");
    signs_up(&app, &Person::new(), "pass-1").await.expect("solved");
}
