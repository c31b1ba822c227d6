//! The source of a sign-up and of a payment, from the page to the operator's report.

use e2e::app::channel;
use e2e::visitor::session_id;
use e2e::{App, Person, Rest};
use garimpo_proto::auth::v1::SignUpRequest;
use garimpo_proto::auth::v1::auth_service_client::AuthServiceClient;
use garimpo_proto::billing::v1::CreateCheckoutSessionRequest;
use garimpo_proto::tracking::v1::tracking_service_client::TrackingServiceClient;
use garimpo_proto::tracking::v1::{Attribution, Consent, CountStepRequest, Touch};
use garimpo_proto::users::v1::{GetConsentRequest, SaveConsentRequest};
use serde_json::{Value, json};
use tonic::Code;

/// Posts a step as a page of the site does.
async fn post_step(app: &App, step: Value) -> u16 {
    let request = app.visitor().request("POST", "/api/steps").header("origin", app.url());
    request.header("sec-fetch-site", "same-origin").json(&step).answered().await.status
}

async fn report(app: &App, arguments: &[&str]) -> Vec<Value> {
    let ran = app.admin(arguments).await;
    assert_eq!(ran.code, 0, "{ran:?}");
    serde_json::from_str(&ran.stdout).expect("JSON")
}

#[tokio::test]
async fn the_operator_sees_the_source_and_steps_of_a_payment_and_outsiders_cannot_add_steps() {
    let app = App::start_with(&[("GARIMPO_SANDBOX_CLOCK", "2026-10-05T12:00:00Z")]).await;
    let now = app.provider().now().await;
    for _ in 0..30 {
        let landing =
            json!({ "step": "landing", "source": "Instagram", "campaign": "=Perfil", "promo": "novo" });
        assert_eq!(post_step(&app, landing).await, 202);
    }
    assert_eq!(post_step(&app, json!({ "step": "landing" })).await, 202);
    assert_eq!(post_step(&app, json!({ "step": "plans" })).await, 202);
    assert_eq!(post_step(&app, json!({ "step": "paid" })).await, 400);
    let foreign = app.visitor().request("POST", "/api/steps").header("origin", "http://outro.example");
    assert_eq!(foreign.json(&json!({ "step": "plans" })).answered().await.status, 403);
    let step = CountStepRequest { step: "plans".into(), ..Default::default() };
    let direct = TrackingServiceClient::new(channel(app.url()).await).count_step(step).await;
    assert_eq!(direct.expect_err("no page").code(), Code::PermissionDenied);

    let person = Person::new();
    let at = Some(prost_types::Timestamp { seconds: now, nanos: 0 });
    let last = Touch {
        at,
        utm_source: "instagram".into(),
        utm_campaign: "=perfil".into(),
        promo: "NOVO".into(),
        ..Default::default()
    };
    let form = SignUpRequest {
        email: person.email.clone(),
        password: person.password.clone(),
        display_name: person.display_name.clone(),
        attribution: Some(Attribution { last: Some(last), ..Default::default() }),
        ..Default::default()
    };
    AuthServiceClient::new(channel(app.url()).await).sign_up(form).await.expect("the sign-up succeeds");
    let ana = app.visitor().signs_in(&person).await;
    let refused = Consent { ads_allowed: false, text_version: "1".into(), at };
    let consent = ana.authorized(SaveConsentRequest { consent: Some(refused) });
    app.users().await.save_consent(consent).await.expect("the answer is kept");
    let stands = app.users().await.get_consent(ana.authorized(GetConsentRequest {})).await;
    assert_eq!(
        stands.expect("it is read").into_inner().consent.map(|stands| stands.ads_allowed),
        Some(false)
    );
    // She buys through another campaign than the one she signed up through.
    let bought_by = Touch { at, utm_source: "tiktok".into(), ..Default::default() };
    let order = CreateCheckoutSessionRequest {
        email: person.email.clone(),
        plan_name: "Top Afiliado".into(),
        interval: "mensal".into(),
        attribution: Some(Attribution { last: Some(bought_by), ..Default::default() }),
        ..Default::default()
    };
    let opened = e2e::eventually("the catalogue at the provider", || async {
        ana.billing().await.create_checkout_session(ana.authorized(order.clone())).await.ok()
    });
    let session = session_id(&opened.await.into_inner().client_secret);
    assert_eq!(app.provider().pays_by_card(&session, "4242424242424242").await, 200);
    ana.becomes_active().await;

    let funnel = e2e::eventually("the steps", || async {
        let days = report(&app, &["funnel", "--days", "2", "--json"]).await;
        let today = days.last().expect("today").clone();
        (days.len() == 2 && today["landing"] == 31 && today["plans"] == 1 && today["paid"] == 1)
            .then_some(today)
    })
    .await;
    assert_eq!(
        funnel,
        json!({ "day": "2026-10-05", "landing": 31, "plans": 1, "signup": 0, "signed_up": 1, "upsell": 0,
            "checkout_started": 1, "finished": 1, "paid": 1 })
    );
    let rows = report(&app, &["attribution", "--month", "2026-10", "--json"]).await;
    assert_eq!(rows.len(), 3, "{rows:?}");
    assert_eq!(rows[0]["source"], "");
    let of_tiktok =
        ["source", "visits", "sign_ups", "paid", "purchases", "purchase_rate"].map(|name| &rows[2][name]);
    assert_eq!(of_tiktok, [&json!("tiktok"), &json!(0), &json!(0), &json!(0), &json!(1), &Value::Null]);
    assert_eq!(
        rows[1],
        json!({ "month": "2026-10", "source": "instagram", "campaign": "=perfil", "promo": "novo", "visits": 30,
            "sign_ups": 1, "paid": 1, "purchases": 0, "sign_up_rate": { "percent": 3.3, "low": 0.6, "high": 16.7 },
            "paid_rate": null, "purchase_rate": { "percent": 0.0, "low": 0.0, "high": 11.4 } })
    );
    let csv = app.admin(&["attribution", "--csv"]).await;
    assert!(
        csv.stdout
            .contains("2026-10,\"instagram\",\"'=perfil\",\"novo\",30,1,3.3,0.6,16.7,1,,,,0,0.0,0.0,11.4\n"),
        "{csv:?}"
    );
    let table = app.admin(&["attribution", "--by", "promo"]).await;
    assert!(
        table
            .stdout
            .contains("novo   30      1         3% (1 to 17)  1     -            0          0% (0 to 11)"),
        "{table:?}"
    );
    for (month, why) in [("2026-11", "has not begun"), ("2025-08", "is not kept whole")] {
        let refused = app.admin(&["attribution", "--month", month]).await;
        assert!(refused.code == 2 && refused.stderr.contains(why), "{refused:?}");
    }
    let table = app.admin(&["funnel", "--days", "1"]).await;
    assert!(table.stdout.contains("2026-10-05  31       1"), "{table:?}");
}
